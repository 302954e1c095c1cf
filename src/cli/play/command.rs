//! Parsing of typed lines: commands and moves, which may be abbreviated.

use taflbase::board::Board;
use taflbase::history::Game;
use taflbase::moves::{Move, legal_moves};
use taflbase::notation::parse_move;

use super::super::move_log::move_texts;

/// The commands, with their argument and description.
pub(super) const COMMANDS: &[(&str, &str, &str)] = &[
    ("hint", "", "show a good move, from the engine at full strength"),
    ("undo", "", "take back your last move and the reply"),
    ("resign", "", "resign the game"),
    ("tables", "", "show the table values of the position and of each move"),
    ("moves", "", "list all legal moves"),
    ("board", "", "show the board, and the position as text"),
    ("flip", "", "turn the board around"),
    ("side", "SIDE", "choose what you play: attackers, defenders, both or none"),
    ("level", "NAME", "set the engine's level; without a name, list the levels"),
    ("new", "", "start a new game"),
    ("save", "FILE", "save the game in OpenTafl's format (.otg)"),
    ("load", "FILE", "resume a saved game"),
    ("help", "", "show this list; same as ?"),
    ("quit", "", "exit; same as exit and the end of input"),
];

/// Synonyms of commands.
const SYNONYMS: &[(&str, &str)] = &[("?", "help"), ("exit", "quit")];

/// A parsed line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum ParsedLine {
    /// An empty line.
    Empty,
    /// A legal move.
    Move(Move),
    /// A command and its argument.
    Command(&'static str, String),
    /// An invalid line, with the message to print.
    Wrong(String),
}

/// Parses a line: a command or a move, whole or an unambiguous prefix. Whole commands take
/// precedence over prefixes of moves, and these over prefixes of commands.
pub(super) fn parse_line(game: &Game, line: &str) -> ParsedLine {
    let trimmed = line.trim();
    let (word, rest) = trimmed.split_once(char::is_whitespace).unwrap_or((trimmed, ""));
    if trimmed.is_empty() {
        return ParsedLine::Empty;
    }
    if let Some((_, name)) = command_names().find(|&(typed, _)| typed == word) {
        return command(name, rest);
    }
    let with_hyphen = hyphenated(trimmed);
    let parsed =
        parse_move(game.rules(), game.position(), with_hyphen.as_deref().unwrap_or(trimmed));
    if let Ok(played) = parsed {
        return ParsedLine::Move(played);
    }
    let candidates = moves_with_prefix(game, trimmed);
    match (&candidates[..], parsed) {
        (&[played], _) => return ParsedLine::Move(played),
        ([_, _, ..], _) => {
            let list = in_columns(game.rules().board, &candidates);
            return ParsedLine::Wrong(format!("which one of these?\n{list}"));
        }
        // A line with a digit names a square, so it is meant as a move.
        ([], Err(error)) if trimmed.contains(|c: char| c.is_ascii_digit()) => {
            return ParsedLine::Wrong(error.to_string());
        }
        _ => {}
    }
    let mut matching = command_names().filter(|(typed, _)| typed.starts_with(word));
    match (matching.next(), matching.next()) {
        (Some((_, name)), None) => command(name, rest),
        (Some((first, _)), Some((second, _))) => ParsedLine::Wrong(format!("{first} or {second}?")),
        _ => ParsedLine::Wrong(format!("{word:?} is neither a move nor a command: ? lists them")),
    }
}

/// Returns every word for a command, with the command it stands for.
fn command_names() -> impl Iterator<Item = (&'static str, &'static str)> {
    COMMANDS.iter().map(|&(name, ..)| (name, name)).chain(SYNONYMS.iter().copied())
}

/// Returns a command with what follows it, which has to be nothing for most.
fn command(name: &'static str, rest: &str) -> ParsedLine {
    let mut alone = COMMANDS.iter().filter(|(_, argument, _)| argument.is_empty());
    match rest.trim() {
        rest if !rest.is_empty() && alone.any(|&(known, ..)| known == name) => {
            ParsedLine::Wrong(format!("{name} takes no arguments"))
        }
        rest => ParsedLine::Command(name, rest.to_owned()),
    }
}

/// Normalizes a line that begins with two squares, in any form (`d3 d5`, `D3D5`): `d3-d5`.
fn hyphenated(line: &str) -> Option<String> {
    // The letter before the first digit is a file; a piece may precede it.
    let letters = line.find(|c: char| c.is_ascii_digit())?;
    let (piece, squares) = line.split_at_checked(letters.checked_sub(1)?)?;
    let digits = squares.get(1..)?.find(|c: char| !c.is_ascii_digit())?;
    let (from, rest) = squares.split_at(1 + digits);
    let to = rest.trim_start_matches(|c: char| c == '-' || c.is_whitespace());
    let letter = piece.trim_end();
    let is_piece = ["", "K", "k", "T", "t"].contains(&letter);
    (is_piece && begins_with_square(from) && begins_with_square(to))
        .then(|| format!("{letter}{}", format!("{from}-{to}").to_ascii_lowercase()))
}

fn begins_with_square(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic())
        && chars.next().is_some_and(|c| c.is_ascii_digit())
}

/// Returns the moves that begin with a text of at least two characters, ignoring case, hyphens and
/// the king's letter: those that may be played, or else those that are barred.
fn moves_with_prefix(game: &Game, text: &str) -> Vec<Move> {
    let prefix = plain(text);
    if prefix.len() < 2 {
        return Vec::new();
    }
    let board = game.rules().board;
    let mut moves = legal_moves(game.rules(), game.position());
    if let Some(&whole) = moves.iter().find(|played| squares(board, played) == prefix) {
        return vec![whole];
    }
    moves.retain(|played| {
        let written = plain(&played.display(board).to_string());
        written.starts_with(&prefix) || squares(board, played).starts_with(&prefix)
    });
    if moves.iter().any(|played| !game.is_barred(played)) {
        moves.retain(|played| !game.is_barred(played));
    }
    moves
}

fn plain(text: &str) -> String {
    text.replace(['-', ' '], "").to_ascii_lowercase()
}

fn squares(board: Board, played: &Move) -> String {
    format!("{}{}", board.name(played.from), board.name(played.to))
}

/// Formats moves in columns.
pub(super) fn in_columns(board: Board, moves: &[Move]) -> String {
    let texts = move_texts(board, moves);
    let width = texts.iter().map(String::len).max().unwrap_or(0);
    let columns = (76 / (width + 2)).max(1);
    let rows = texts.chunks(columns).map(|row| {
        let cells: Vec<String> = row.iter().map(|text| format!("{text:<width$}")).collect();
        cells.join("  ").trim_end().to_owned() + "\n"
    });
    rows.collect()
}

/// Returns the completions of a move: every legal move, the king's also without the letter.
pub(super) fn completions(game: &Game) -> Vec<String> {
    if game.outcome().is_some() {
        return Vec::new();
    }
    move_texts(game.rules().board, &game.playable_moves())
        .into_iter()
        .flat_map(|text| {
            let without_letter = text.strip_prefix('K').map(str::to_owned);
            std::iter::once(text).chain(without_letter)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use taflbase::position::Position;
    use taflbase::rules::Ruleset;

    fn parsed(line: &str) -> String {
        let rules = Arc::new(Ruleset::builtin("brandubh").unwrap());
        let position = Position::parse("/7/4t2/7/7/2K1T2/7/2t4/ d", &rules).unwrap();
        let game = Game::from_position(rules, position).unwrap();
        match parse_line(&game, line) {
            ParsedLine::Empty => "empty".to_owned(),
            ParsedLine::Move(played) => played.display(game.rules().board).to_string(),
            ParsedLine::Command(name, rest) => format!("{name}:{rest}"),
            ParsedLine::Wrong(message) => message,
        }
    }

    #[test]
    fn moves_may_be_short() {
        for line in ["Kc5-c1", "c5-c1", "c5c1", "c5 c1", "K c5 c1", "C5  C1", "kc5c1", " kc5-c1 "] {
            assert_eq!(parsed(line), "Kc5-c1", "{line}");
        }
        assert!(parsed("KC1").starts_with("\"KC1\" is not a move"), "{}", parsed("KC1"));
        assert_eq!(parsed("e5-f"), "e5-f5");
        assert_eq!(parsed("e5d"), "e5-d5");
        let many = parsed("kc");
        assert!(many.starts_with("which one of these?\nKc5-c1") && many.contains("Kc5-d5"));
        for line in ["c5-c8", "c5 c8", "c5c8", "KC5 - C8"] {
            let expected = "the board has no square \"c8\": squares go from a1 to g7";
            assert_eq!(parsed(line), expected, "{line}");
        }
        assert_eq!(parsed("a1 a2"), "no piece stands on a1");
        for line in ["é5 c1", "5", "c5 é1", "cc5 c1", "c5", "55 c1"] {
            assert_eq!(hyphenated(line), None, "{line}");
        }
    }

    #[test]
    fn commands_may_be_short() {
        assert_eq!(parsed(""), "empty");
        assert_eq!(parsed("hint"), "hint:");
        assert_eq!(parsed("u"), "undo:");
        assert_eq!(parsed("side  both "), "side:both");
        assert_eq!(parsed("?"), "help:");
        assert_eq!(parsed("exit"), "quit:");
        assert_eq!(parsed("ex"), "quit:");
        assert_eq!(parsed("h"), "hint or help?");
        for line in ["undo 2", "und x", "new game", "flip x"] {
            assert!(parsed(line).ends_with(" takes no arguments"), "{line}");
        }
        assert_eq!(parsed("x"), "\"x\" is neither a move nor a command: ? lists them");
    }
}
