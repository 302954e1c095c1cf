use std::fmt;

use crate::game::board::{Board, Square};
use crate::game::rules::Side;

/// What a line asks for.
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

/// Why a line is no command.
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
    /// Reads a line; nothing is asked for where there is nothing but a comment.
    pub(super) fn parse(line: &str, board: Board) -> Result<Option<Command>, CommandError> {
        let line = line.split('#').next().unwrap_or_default().trim().to_lowercase();
        let bad = || CommandError::Bad(line.clone());
        let words: Vec<&str> = line.split_whitespace().collect();
        let command = match words[..] {
            [] => return Ok(None),
            ["quit"] => Command::Quit,
            ["new"] => Command::New,
            ["dump"] => Command::Dump,
            ["undo"] => Command::Undo,
            ["seed", number] if is_number(number) => Command::Seed(parse(number)?),
            ["limit", number] if is_number(number) => Command::Limit(parse(number)?),
            ["manual", colour] => Command::Manual(side(colour).ok_or_else(bad)?),
            ["auto", colour] => Command::Auto(side(colour).ok_or_else(bad)?),
            ["toggle", square] => Command::Toggle(board.parse(square).ok_or_else(bad)?),
            [played] => {
                let (from, to) = squares(played, board).ok_or_else(bad)?;
                Command::Move(from, to)
            }
            _ => return Err(bad()),
        };
        Ok(Some(command))
    }
}

fn is_number(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_digit())
}

fn parse<T: std::str::FromStr>(digits: &str) -> Result<T, CommandError> {
    digits.parse().map_err(|_| CommandError::TooLarge(digits.to_owned()))
}

fn side(colour: &str) -> Option<Side> {
    Side::ALL.into_iter().find(|&side| super::colour(side).eq_ignore_ascii_case(colour))
}

/// `b3-6` stays on its file, `b3-f` on its rank.
fn squares(text: &str, board: Board) -> Option<(Square, Square)> {
    let (from, to) = text.split_once('-')?;
    let (file, rank) = from.split_at_checked(1)?;
    let is_rank = to.bytes().all(|byte| byte.is_ascii_digit());
    let to = if is_rank { format!("{file}{to}") } else { format!("{to}{rank}") };
    Some((board.parse(from)?, board.parse(&to)?))
}

/// A move as this protocol writes it.
pub(super) fn written(board: Board, from: Square, to: Square) -> String {
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
    fn lines_are_read_whole_and_in_any_case() {
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
    fn all_else_is_bad() {
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
    fn moves_go_both_ways() {
        let board = Board::new(9).unwrap();
        for text in ["a1-4", "b3-f", "i9-a", "e5-1"] {
            let Ok(Some(Command::Move(from, to))) = read(text) else { panic!("{text}") };
            assert_eq!(written(board, from, to), text);
        }
    }
}
