use std::fmt;

use crate::game::board::{Board, Square};
use crate::game::rules::Side;

/// A command line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Command {
    Quit,
    New,
    Seed(u64),
    Dump,
    Undo,
    Manual(Side),
    Auto(Side),
    Limit(u32),
    Toggle(Square),
    Move(Square, Square),
}

/// Why a line is not a command.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum CommandError {
    Bad(String),
    TooLarge(String),
}

impl fmt::Display for CommandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CommandError::Bad(line) => write!(f, "Bad command: {line}"),
            CommandError::TooLarge(number) => write!(f, "number too large: {number}"),
        }
    }
}

impl Command {
    /// Parses a line; `None` if it is empty or a comment.
    pub(super) fn parse(text: &str, board: Board) -> Result<Option<Command>, CommandError> {
        let line = text.split('#').next().unwrap_or_default().trim().to_lowercase();
        if line.is_empty() {
            return Ok(None);
        }
        match Command::parse_words(&line, board)? {
            Some(command) => Ok(Some(command)),
            None => Err(CommandError::Bad(line)),
        }
    }

    /// Parses a line that is not empty; `None` if it is not a command.
    fn parse_words(line: &str, board: Board) -> Result<Option<Command>, CommandError> {
        let words: Vec<&str> = line.split_whitespace().collect();
        Ok(match words[..] {
            ["quit"] => Some(Command::Quit),
            ["new"] => Some(Command::New),
            ["dump"] => Some(Command::Dump),
            ["undo"] => Some(Command::Undo),
            ["seed", number] if is_number(number) => Some(Command::Seed(parse(number)?)),
            ["limit", number] if is_number(number) => Some(Command::Limit(parse(number)?)),
            ["manual", colour] => side(colour).map(Command::Manual),
            ["auto", colour] => side(colour).map(Command::Auto),
            ["toggle", square] => board.parse(square).map(Command::Toggle),
            [played] => squares(played, board).map(|(from, to)| Command::Move(from, to)),
            _ => None,
        })
    }
}

fn is_number(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_digit())
}

fn parse<T: std::str::FromStr>(digits: &str) -> Result<T, CommandError> {
    digits.parse().map_err(|_| CommandError::TooLarge(digits.to_owned()))
}

/// Returns this protocol's name of a side.
pub(super) fn colour(side: Side) -> &'static str {
    match side {
        Side::Attackers => "Black",
        Side::Defenders => "White",
    }
}

fn side(name: &str) -> Option<Side> {
    Side::ALL.into_iter().find(|&side| colour(side).eq_ignore_ascii_case(name))
}

/// Parses a move: `b3-6` along a file, `b3-f` along a rank.
fn squares(text: &str, board: Board) -> Option<(Square, Square)> {
    let (from, target) = text.split_once('-')?;
    let (file, rank) = from.split_at_checked(1)?;
    let to = if is_number(target) { format!("{file}{target}") } else { format!("{target}{rank}") };
    Some((board.parse(from)?, board.parse(&to)?))
}

/// Writes a move in this protocol's notation.
pub(super) fn move_text(board: Board, from: Square, to: Square) -> String {
    let (start, end) = (board.name(from), board.name(to).to_string());
    let (file, rank) = end.split_at(1);
    format!("{start}-{}", if board.file(from) == board.file(to) { rank } else { file })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Option<Command>, CommandError> {
        Command::parse(line, Board::new(9).unwrap())
    }

    #[test]
    fn commands_are_parsed_in_any_case() {
        let board = Board::new(9).unwrap();
        let at = |name| board.parse(name).unwrap();
        for (line, command) in [
            ("  Quit\t# for today", Command::Quit),
            ("seed 18446744073709551615", Command::Seed(u64::MAX)),
            ("AUTO   White", Command::Auto(Side::Defenders)),
            ("manual black", Command::Manual(Side::Attackers)),
            ("limit 009", Command::Limit(9)),
            ("toggle I1", Command::Toggle(at("i1"))),
            ("b3-6", Command::Move(at("b3"), at("b6"))),
            ("B3-F", Command::Move(at("b3"), at("f3"))),
            ("b3-b", Command::Move(at("b3"), at("b3"))),
        ] {
            assert_eq!(read(line), Ok(Some(command)), "{line}");
        }
        for nothing in ["", "  ", "# quit", "\t#"] {
            assert_eq!(read(nothing), Ok(None), "{nothing}");
        }
    }

    #[test]
    fn other_lines_are_errors() {
        for line in [
            "quit now",
            "quits",
            "seed",
            "seed -1",
            "seed x",
            "auto",
            "auto red",
            "auto white 1",
            "limit 1.5",
            "toggle",
            "toggle j1",
            "toggle a0",
            "a1",
            "a1-",
            "-",
            "a1-a4",
            "a1-10",
            "a10-1",
            "j1-2",
            "a0-1",
            "é1-2",
            "a1-é",
            "a1-b-c",
            "a1 -2",
            "* a1-4",
        ] {
            assert_eq!(read(line), Err(CommandError::Bad(line.to_owned())), "{line}");
        }
        assert_eq!(read("FLY # away").unwrap_err().to_string(), "Bad command: fly");
        let large = read("limit 4294967296").unwrap_err();
        assert_eq!(large.to_string(), "number too large: 4294967296");
    }

    #[test]
    fn moves_round_trip() {
        let board = Board::new(9).unwrap();
        for text in ["a1-4", "b3-f", "i9-a", "e5-1"] {
            let Ok(Some(Command::Move(from, to))) = read(text) else { panic!("{text}") };
            assert_eq!(move_text(board, from, to), text);
        }
    }
}
