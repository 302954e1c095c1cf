use std::collections::BTreeMap;
use std::sync::Arc;

use crate::game::history::Game;
use crate::game::notation::{MoveError, parse_move};
use crate::game::position::{Position, PositionError};
use crate::game::rules::{Layout, Ruleset, Side};

use super::{GameResult, OWN_RULES, OWN_TAGS, RESULTS, Record, RecordError, RecordFault};

/// The record in the text; of a game of these rules, if they are given.
pub(super) fn record(text: &str, given: Option<Arc<Ruleset>>) -> Result<Record, RecordError> {
    let mut tokens = Tokens { rest: text, line: 1 };
    let tags = tags(&mut tokens)?;
    let (rules, start) = beginning(&tags, given)?;
    let game = Game::from_position(rules, start);
    let game = game.map_err(|error| at(tokens.line, RecordFault::Start(error)))?;
    let mut reader = Reader {
        game,
        comments: BTreeMap::new(),
        turn: 0,
        moves: 0,
        is_variation: false,
        resigned: None,
    };
    while let Some((line, token)) = tokens.next()? {
        match token {
            Token::Bracket(text) => reader.comment(text),
            Token::Word(word) => reader.word(word).map_err(|fault| {
                let turn = Some(reader.turn.max(1));
                RecordError { line, turn, fault }
            })?,
        }
    }
    let result = result(&tags, &reader)?;
    let own = |tag: &Tag| OWN_TAGS.contains(&tag.name);
    let others = tags.iter().filter(|tag| !own(tag));
    Ok(Record {
        tags: others.map(|tag| (tag.name.to_owned(), tag.value.to_owned())).collect(),
        game: reader.game,
        result,
        comments: reader.comments,
    })
}

fn at(line: usize, fault: RecordFault) -> RecordError {
    RecordError { line, turn: None, fault }
}

/// What a record is made of.
enum Token<'a> {
    /// What stands between brackets.
    Bracket(&'a str),
    Word(&'a str),
}

/// The text that is still to be read.
struct Tokens<'a> {
    rest: &'a str,
    line: usize,
}

impl<'a> Tokens<'a> {
    /// The next token with the line in which it begins.
    fn next(&mut self) -> Result<Option<(usize, Token<'a>)>, RecordError> {
        let begin = self.rest.trim_start();
        self.skip(self.rest.len() - begin.len());
        let line = self.line;
        if let Some(inside) = begin.strip_prefix('[') {
            let end = inside.find(']').ok_or_else(|| at(line, RecordFault::Open))?;
            self.skip(end + 2);
            return Ok(Some((line, Token::Bracket(&inside[..end]))));
        }
        let end = begin.find(|c: char| c.is_whitespace() || c == '[').unwrap_or(begin.len());
        self.skip(end);
        Ok((end > 0).then(|| (line, Token::Word(&begin[..end]))))
    }

    fn skip(&mut self, bytes: usize) {
        let (skipped, rest) = self.rest.split_at(bytes);
        self.line += skipped.matches('\n').count();
        self.rest = rest;
    }
}

/// A tag and where it is.
struct Tag<'a> {
    line: usize,
    name: &'a str,
    value: &'a str,
}

/// All brackets before the first turn.
fn tags<'a>(tokens: &mut Tokens<'a>) -> Result<Vec<Tag<'a>>, RecordError> {
    let mut tags = Vec::new();
    while tokens.rest.trim_start().starts_with('[') {
        if let Some((line, Token::Bracket(text))) = tokens.next()? {
            let (name, value) = text
                .split_once(':')
                .ok_or_else(|| at(line, RecordFault::NoTag(text.to_owned())))?;
            tags.push(Tag { line, name: name.trim(), value: value.trim() });
        }
    }
    Ok(tags)
}

/// The rules, and where the game begins.
fn beginning(
    tags: &[Tag],
    given: Option<Arc<Ruleset>>,
) -> Result<(Arc<Ruleset>, Position), RecordError> {
    let find = |name: &str| tags.iter().find(|tag| tag.name == name);
    let told = match find("rules").map(|tag| (tag, Ruleset::from_otn(tag.value))) {
        Some((_, Ok(rules))) => Some(Arc::new(rules)),
        Some((tag, Err(error))) if given.is_none() => {
            return Err(at(tag.line, RecordFault::Rules(error)));
        }
        Some(_) | None => None,
    };
    let rules = match (given, find(OWN_RULES)) {
        (Some(given), _) => given,
        (None, Some(tag)) => {
            let unknown = || at(tag.line, RecordFault::UnknownRuleset(tag.value.to_owned()));
            Arc::new(Ruleset::builtin(tag.value).ok_or_else(unknown)?)
        }
        (None, None) => told.clone().ok_or_else(|| at(1, RecordFault::NoRules))?,
    };
    let (line, start) = match (find("position"), &told) {
        (Some(tag), _) => (tag.line, position(tag.value, &rules)),
        (None, Some(told)) => {
            let line = find("rules").map_or(1, |tag| tag.line);
            (line, Position::from_layout(&told.start, told.first, &rules))
        }
        (None, None) => (1, Position::start(&rules)),
    };
    let start = start.map_err(|error| at(line, RecordFault::Start(error)))?;
    Ok((rules, start))
}

/// A board, and perhaps the side to move: the one that begins, if none is told.
fn position(text: &str, rules: &Ruleset) -> Result<Position, PositionError> {
    if text.contains(char::is_whitespace) {
        return Position::parse(text, rules);
    }
    let layout = Layout::parse(text, rules.board).map_err(PositionError::Layout)?;
    Position::from_layout(&layout, rules.first, rules)
}

/// The result that is told, or that of the moves.
fn result(tags: &[Tag], reader: &Reader) -> Result<GameResult, RecordError> {
    let outcome = reader.game.outcome();
    let by_moves = match reader.resigned {
        Some(side) => GameResult::Won(side.other()),
        None => GameResult::from(outcome),
    };
    let Some(tag) = tags.iter().find(|tag| tag.name == "result") else {
        return Ok(by_moves);
    };
    let known = RESULTS.iter().find(|(word, _)| *word == tag.value);
    let wrong = || at(tag.line, RecordFault::Result(tag.value.to_owned()));
    let &(word, told) = known.ok_or_else(wrong)?;
    match outcome {
        Some(outcome) if told != by_moves && told != GameResult::Open => {
            let told = word.to_owned();
            Err(at(tag.line, RecordFault::Contradiction { told, outcome }))
        }
        Some(_) => Ok(by_moves),
        None => Ok(told),
    }
}

/// The game as far as it has been read.
struct Reader {
    game: Game,
    comments: BTreeMap<usize, String>,
    turn: usize,
    /// How many moves of the turn there were.
    moves: usize,
    /// Whether what is read does not belong to the game.
    is_variation: bool,
    resigned: Option<Side>,
}

impl Reader {
    /// A word of a turn: its number, or a move.
    fn word(&mut self, word: &str) -> Result<(), RecordFault> {
        let digits = word.len() - word.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (number, rest) = word.split_at(digits);
        if number.is_empty() {
            return if self.is_variation { Ok(()) } else { self.played(word) };
        }
        // The number of a variation goes on with a letter: 8a.1.1a.
        self.is_variation = rest.starts_with(|c: char| c.is_ascii_alphabetic());
        if self.is_variation {
            return Ok(());
        }
        self.turn += 1;
        self.moves = 0;
        let Some(rest) = rest.strip_prefix('.').filter(|_| number.parse() == Ok(self.turn)) else {
            return Err(RecordFault::Turn(self.turn));
        };
        if rest.is_empty() { Ok(()) } else { self.played(rest) }
    }

    fn played(&mut self, text: &str) -> Result<(), RecordFault> {
        let told = || text.to_owned();
        if let Some(outcome) = self.game.outcome() {
            return Err(RecordFault::GameOver { text: told(), outcome });
        }
        if self.resigned.is_some() {
            return Err(RecordFault::Resigned(told()));
        }
        if text == "---" {
            self.resigned = Some(self.game.position().to_move);
            return Ok(());
        }
        if self.turn == 0 {
            return Err(RecordFault::Turn(1));
        }
        self.moves += 1;
        if self.moves > 2 {
            return Err(RecordFault::ThirdMove(told()));
        }
        let fault = |error| RecordFault::Move { text: told(), error };
        let plain = Plain::of(text);
        let played = parse_move(self.game.rules(), self.game.position(), &plain.text);
        let played = played.map_err(fault)?;
        self.game.push(&played);
        if plain.ends && self.game.outcome().is_none() {
            let right = played.display(self.game.rules().board).to_string();
            return Err(fault(MoveError::Mark { right }));
        }
        Ok(())
    }

    /// A comment on the last turn: a part for each of its moves.
    fn comment(&mut self, text: &str) {
        if self.is_variation {
            return;
        }
        let first = self.game.moves().len() - self.moves;
        for (number, part) in text.splitn(self.moves.max(1), '|').enumerate() {
            if number < self.moves && !part.is_empty() {
                self.comments.insert(first + number, part.to_owned());
            }
        }
    }
}

/// A move as [`parse_move`] reads it.
struct Plain {
    text: String,
    /// Whether a sign says that the game is over.
    ends: bool,
}

impl Plain {
    /// Without signs: a single one is a threat, which is not checked, and some programs
    /// write `++` whoever has won. Captured pieces without letters, and none at all where
    /// the king is among them.
    fn of(text: &str) -> Plain {
        let bare = text.trim_end_matches(['+', '-']);
        let signs = text.len() - bare.len();
        let (moved, captures) = bare.split_once('x').unwrap_or((bare, ""));
        let captured: Vec<&str> = captures.split('/').filter(|name| !name.is_empty()).collect();
        let king = |name: &&str| name.starts_with(['k', 'K']);
        let has_king = captured.iter().any(|name| king(name) && is_lettered(name));
        if captured.is_empty() || has_king {
            return Plain { text: moved.to_owned(), ends: signs == 2 || has_king };
        }
        let squares: Vec<&str> =
            captured.iter().map(|name| if is_lettered(name) { &name[1..] } else { name }).collect();
        Plain { text: format!("{moved}x{}", squares.join("/")), ends: signs == 2 }
    }
}

/// Whether a piece's letter stands before the square: `Kd5`.
fn is_lettered(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic())
        && chars.next().is_some_and(|c| c.is_ascii_alphabetic())
}
