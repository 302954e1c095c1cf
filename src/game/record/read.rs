use std::collections::BTreeMap;
use std::sync::Arc;

use crate::game::history::Game;
use crate::game::notation::{MoveError, parse_move};
use crate::game::position::{Position, PositionError};
use crate::game::rules::{Layout, Ruleset, Side};

use super::{
    DERIVED_TAGS, GameResult, PartialRecord, RESULTS, RULESET_TAG, Record, RecordError, RecordFault,
};

/// Parses a record; `given` takes precedence over the rules in the record.
pub(super) fn record(
    text: &str,
    given: Option<Arc<Ruleset>>,
    max_moves: usize,
) -> Result<Record, RecordError> {
    let PartialRecord { record, fault } = partial_record(text, given, max_moves)?;
    fault.map_or(Ok(record), Err)
}

/// Parses a record up to its first fault in a turn or the result; a fault before the first turn is
/// an error.
pub(super) fn partial_record(
    text: &str,
    given: Option<Arc<Ruleset>>,
    max_moves: usize,
) -> Result<PartialRecord, RecordError> {
    let mut tokens = Tokens { rest: text, line: 1 };
    let tags = parse_tags(&mut tokens)?;
    let (rules, start) = rules_and_start(&tags, given)?;
    let game = Game::from_position(rules, start)
        .map_err(|error| at(tokens.line, RecordFault::Start(error)))?;
    let mut reader = Reader {
        game,
        max_moves,
        comments: BTreeMap::new(),
        turn: 0,
        moves: 0,
        is_variation: false,
        resigned: None,
    };
    let fault_in_turn = reader.turns(&mut tokens).err();
    let (result, fault_of_result) = match final_result(&tags, &reader) {
        Ok(result) => (result, None),
        Err(fault) => (reader.result(), Some(fault)),
    };
    let others = tags.iter().filter(|tag| !DERIVED_TAGS.contains(&tag.name));
    let record = Record {
        tags: others.map(|tag| (tag.name.to_owned(), tag.value.to_owned())).collect(),
        game: reader.game,
        result,
        comments: reader.comments,
    };
    Ok(PartialRecord { record, fault: fault_in_turn.or(fault_of_result) })
}

/// Returns the value of the tag of the ruleset's name.
pub(super) fn ruleset_name(text: &str) -> Result<Option<String>, RecordError> {
    let tags = parse_tags(&mut Tokens { rest: text, line: 1 })?;
    Ok(find_tag(&tags, RULESET_TAG).map(|tag| tag.value.to_owned()))
}

fn at(line: usize, fault: RecordFault) -> RecordError {
    RecordError { line, turn: None, fault }
}

/// A token of a record.
enum Token<'a> {
    /// The text between brackets.
    Bracket(&'a str),
    Word(&'a str),
}

/// The tokenizer: the rest of the text, and its first line's number.
struct Tokens<'a> {
    rest: &'a str,
    line: usize,
}

impl<'a> Tokens<'a> {
    /// Returns the next token with the line in which it begins.
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

/// A tag and its line.
struct Tag<'a> {
    line: usize,
    name: &'a str,
    value: &'a str,
}

/// Parses all brackets before the first turn.
fn parse_tags<'a>(tokens: &mut Tokens<'a>) -> Result<Vec<Tag<'a>>, RecordError> {
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

fn find_tag<'a, 'b>(tags: &'b [Tag<'a>], name: &str) -> Option<&'b Tag<'a>> {
    tags.iter().find(|tag| tag.name == name)
}

/// Returns the rules and the starting position. Without a side of its own, the side that the rules
/// record names begins.
fn rules_and_start(
    tags: &[Tag],
    given: Option<Arc<Ruleset>>,
) -> Result<(Arc<Ruleset>, Position), RecordError> {
    let rules_tag = find_tag(tags, "rules");
    let rules = match (given, find_tag(tags, RULESET_TAG), rules_tag) {
        (Some(given), ..) => given,
        (None, Some(tag), _) => Arc::new(
            Ruleset::builtin(tag.value)
                .ok_or_else(|| at(tag.line, RecordFault::UnknownRuleset(tag.value.to_owned())))?,
        ),
        (None, None, Some(tag)) => Arc::new(
            Ruleset::from_otn(tag.value)
                .map_err(|error| at(tag.line, RecordFault::Rules(error)))?,
        ),
        (None, None, None) => return Err(at(1, RecordFault::NoRules)),
    };
    let (line, start) = match find_tag(tags, "position") {
        Some(tag) if tag.value.contains(char::is_whitespace) => {
            (tag.line, Position::parse(tag.value, &rules))
        }
        position => {
            let own_start = |tag: &Tag| {
                rules.otn_start(tag.value).map_err(|error| at(tag.line, RecordFault::Rules(error)))
            };
            let (start, first) = rules_tag.map_or(Ok((rules.start, rules.first)), own_start)?;
            let layout = match position {
                Some(tag) => Layout::parse(tag.value, rules.board).map_err(PositionError::Layout),
                None => Ok(start),
            };
            let line = position.or(rules_tag).map_or(1, |tag| tag.line);
            (line, layout.and_then(|layout| Position::from_layout(&layout, first, &rules)))
        }
    };
    match start {
        Ok(start) => Ok((rules, start)),
        Err(error) => Err(at(line, RecordFault::Start(error))),
    }
}

/// Returns the result of the moves or of a resignation if they end the game, or else that of the
/// tag.
fn final_result(tags: &[Tag], reader: &Reader) -> Result<GameResult, RecordError> {
    let by_moves = reader.result();
    let Some(tag) = find_tag(tags, "result") else {
        return Ok(by_moves);
    };
    let Some(&(word, by_tag)) = RESULTS.iter().find(|(word, _)| *word == tag.value) else {
        return Err(at(tag.line, RecordFault::Result(tag.value.to_owned())));
    };
    let claimed = word.to_owned();
    let contradiction = match (reader.resigned, reader.game.outcome()) {
        (Some(loser), _) => RecordFault::ContradictedResignation { claimed, loser },
        (None, Some(outcome)) => RecordFault::Contradiction { claimed, outcome },
        (None, None) => return Ok(by_tag),
    };
    match by_tag == by_moves || by_tag == GameResult::Open {
        true => Ok(by_moves),
        false => Err(at(tag.line, contradiction)),
    }
}

/// The parser's state: the game read so far.
struct Reader {
    game: Game,
    max_moves: usize,
    comments: BTreeMap<usize, String>,
    turn: usize,
    /// Moves read of the current turn.
    moves: usize,
    /// Inside a variation, which is skipped.
    is_variation: bool,
    resigned: Option<Side>,
}

impl Reader {
    /// Reads all turns.
    fn turns(&mut self, tokens: &mut Tokens) -> Result<(), RecordError> {
        while let Some((line, token)) = tokens.next()? {
            match token {
                Token::Bracket(text) => self.comment(text),
                Token::Word(word) => self.word(word).map_err(|fault| {
                    let turn = Some(self.turn.max(1));
                    RecordError { line, turn, fault }
                })?,
            }
        }
        Ok(())
    }

    /// Returns the result of the moves.
    fn result(&self) -> GameResult {
        match self.resigned {
            Some(side) => GameResult::Won(side.other()),
            None => GameResult::from(self.game.outcome()),
        }
    }

    /// Reads a word of a turn: its number, or a move.
    fn word(&mut self, word: &str) -> Result<(), RecordFault> {
        let digits = word.len() - word.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (number, rest) = word.split_at(digits);
        if number.is_empty() {
            return if self.is_variation { Ok(()) } else { self.play(word) };
        }
        // The number of a variation continues with a letter: 8a.1.1a.
        self.is_variation = rest.starts_with(|c: char| c.is_ascii_alphabetic());
        if self.is_variation {
            return Ok(());
        }
        self.turn += 1;
        self.moves = 0;
        let Some(first) = rest.strip_prefix('.').filter(|_| number.parse() == Ok(self.turn)) else {
            return Err(RecordFault::Turn(self.turn));
        };
        if first.is_empty() { Ok(()) } else { self.play(first) }
    }

    fn play(&mut self, text: &str) -> Result<(), RecordFault> {
        if let Some(outcome) = self.game.outcome() {
            return Err(RecordFault::GameOver { text: text.to_owned(), outcome });
        }
        if self.resigned.is_some() {
            return Err(RecordFault::Resigned(text.to_owned()));
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
            return Err(RecordFault::ThirdMove(text.to_owned()));
        }
        if self.game.moves().len() == self.max_moves {
            return Err(RecordFault::TooManyMoves(self.max_moves));
        }
        self.push(&NormalizedMove::new(text))
            .map_err(|error| RecordFault::Move { text: text.to_owned(), error })
    }

    fn push(&mut self, normalized: &NormalizedMove) -> Result<(), MoveError> {
        let played = parse_move(self.game.rules(), self.game.position(), &normalized.text)?;
        self.game.push(&played);
        if normalized.ends && self.game.outcome().is_none() {
            let right = played.display(self.game.rules().board).to_string();
            return Err(MoveError::Mark { right });
        }
        Ok(())
    }

    /// Reads a comment on the last turn: a part for each of its moves.
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

/// A move in the form that [`parse_move`] reads.
struct NormalizedMove {
    text: String,
    /// The text marks the move as the end of the game.
    ends: bool,
}

impl NormalizedMove {
    /// Removes signs: a single one is a threat, which is not checked, and some programs write `++`
    /// whoever has won. Also removes the letters of captured pieces, and the whole list if it
    /// includes the king.
    fn new(text: &str) -> NormalizedMove {
        let bare = text.trim_end_matches(['+', '-']);
        let signs = text.len() - bare.len();
        let (moved, captures) = bare.split_once('x').unwrap_or((bare, ""));
        let captured: Vec<&str> = captures.split('/').filter(|name| !name.is_empty()).collect();
        let has_king =
            captured.iter().any(|name| name.starts_with(['k', 'K']) && is_lettered(name));
        if captured.is_empty() || has_king {
            return NormalizedMove { text: moved.to_owned(), ends: signs == 2 || has_king };
        }
        let squares: Vec<&str> =
            captured.iter().map(|name| if is_lettered(name) { &name[1..] } else { name }).collect();
        NormalizedMove { text: format!("{moved}x{}", squares.join("/")), ends: signs == 2 }
    }
}

/// Returns whether a piece letter precedes the square, as in `Kd5`.
fn is_lettered(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic())
        && chars.next().is_some_and(|c| c.is_ascii_alphabetic())
}
