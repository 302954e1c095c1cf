//! What a line that was typed means.

use taflbase::board::Board;
use taflbase::history::Game;
use taflbase::moves::{Move, legal_moves};
use taflbase::notation::parse_move;

/// The commands, each with what follows it and what it does.
pub(super) const COMMANDS: &[(&str, &str, &str)] = &[
    ("hint", "", "a good move, from the engine at its strongest"),
    ("undo", "", "take back your last move, and the answer to it"),
    ("resign", "", "give the game up"),
    ("tables", "", "what the tables know of the position and of each move"),
    ("moves", "", "all legal moves"),
    ("board", "", "the board, and its position as text"),
    ("flip", "", "turn the board round: see it from the other side"),
    ("side", "SIDE", "what you play: attackers, defenders, both or none"),
    ("level", "NAME", "how well the engine plays: without a name, which levels there are"),
    ("new", "", "begin again"),
    ("save", "FILE", "save the game, as OpenTafl does (.otg)"),
    ("load", "FILE", "go on with a game that was saved"),
    ("help", "", "this list; ? does the same"),
    ("quit", "", "end; exit and the end of input do the same"),
];

/// Other words for commands.
const SYNONYMS: &[(&str, &str)] = &[("?", "help"), ("exit", "quit")];

/// A line, understood.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum ParsedLine {
    /// Nothing.
    Empty,
    /// A legal move.
    Move(Move),
    /// One of the commands, with what follows it.
    Command(&'static str, String),
    /// Something else: what is to be said about it.
    Wrong(String),
}

/// Understands a line in that game: a command or a move, whole or so much of it that it
/// is the only one. Commands go before beginnings of moves, and these before beginnings
/// of commands.
pub(super) fn parse_line(game: &Game, line: &str) -> ParsedLine {
    let line = line.trim();
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let command = |name| ParsedLine::Command(name, rest.trim().to_owned());
    let names = || COMMANDS.iter().map(|&(name, ..)| (name, name)).chain(SYNONYMS.iter().copied());
    if line.is_empty() {
        return ParsedLine::Empty;
    }
    if let Some((_, name)) = names().find(|&(typed, _)| typed == word) {
        return command(name);
    }
    let hyphenated = hyphenated(line);
    let written = hyphenated.as_deref().unwrap_or(line);
    let parsed = parse_move(game.rules(), game.position(), written);
    if let Ok(played) = parsed {
        return ParsedLine::Move(played);
    }
    let candidates = moves_with_prefix(game, line);
    match (&candidates[..], parsed) {
        (&[played], _) => return ParsedLine::Move(played),
        ([_, _, ..], _) => {
            let in_columns = in_columns(game.rules().board, &candidates);
            return ParsedLine::Wrong(format!("which one of these?\n{in_columns}"));
        }
        // What has a square in it is meant to be a move.
        ([], Err(error)) if line.contains(|c: char| c.is_ascii_digit()) => {
            return ParsedLine::Wrong(error.to_string());
        }
        _ => {}
    }
    let mut begun = names().filter(|(typed, _)| typed.starts_with(word));
    match (begun.next(), begun.next()) {
        (Some((_, name)), None) => command(name),
        (Some((first, _)), Some((second, _))) => ParsedLine::Wrong(format!("{first} or {second}?")),
        _ => ParsedLine::Wrong(format!("{word:?} is neither a move nor a command: ? lists them")),
    }
}

/// What begins with two squares, however they are written (`d3 d5`, `D3D5`), as a move:
/// `d3-d5`.
fn hyphenated(line: &str) -> Option<String> {
    // The letter of a piece comes before that of a file.
    let letters = line.find(|c: char| c.is_ascii_digit())?;
    let (piece, squares) = line.split_at_checked(letters.checked_sub(1)?)?;
    let digits = squares.get(1..)?.find(|c: char| !c.is_ascii_digit())?;
    let (from, rest) = squares.split_at(1 + digits);
    let to = rest.trim_start_matches(|c: char| c == '-' || c.is_whitespace());
    let is_square = |text: &str| {
        let mut chars = text.chars();
        chars.next().is_some_and(|c| c.is_ascii_alphabetic())
            && chars.next().is_some_and(|c| c.is_ascii_digit())
    };
    let squares = format!("{from}-{to}").to_ascii_lowercase();
    let piece = piece.trim_end();
    let is_piece = ["", "K", "k", "T", "t"].contains(&piece);
    (is_piece && is_square(from) && is_square(to)).then(|| format!("{piece}{squares}"))
}

/// The legal moves that begin with this, at least two characters of it; hyphens, the
/// king's letter and upper case do not matter.
fn moves_with_prefix(game: &Game, text: &str) -> Vec<Move> {
    let plain = |text: &str| text.replace(['-', ' '], "").to_ascii_lowercase();
    let text = plain(text);
    if text.len() < 2 {
        return Vec::new();
    }
    let board = game.rules().board;
    let mut moves = legal_moves(game.rules(), game.position());
    let squares = |played: &Move| format!("{}{}", board.name(played.from), board.name(played.to));
    if let Some(&whole) = moves.iter().find(|played| squares(played) == text) {
        return vec![whole];
    }
    moves.retain(|played| {
        let written = plain(&played.display(board).to_string());
        written.starts_with(&text) || squares(played).starts_with(&text)
    });
    moves
}

/// Moves in columns.
pub(super) fn in_columns(board: Board, moves: &[Move]) -> String {
    let texts: Vec<String> = moves.iter().map(|played| played.display(board).to_string()).collect();
    let width = texts.iter().map(String::len).max().unwrap_or(0);
    let columns = (76 / (width + 2)).max(1);
    let rows = texts.chunks(columns).map(|row| {
        let cells: Vec<String> = row.iter().map(|text| format!("{text:<width$}")).collect();
        cells.join("  ").trim_end().to_owned() + "\n"
    });
    rows.collect()
}

/// What a line with a move may be: every legal move, those of the king also without his
/// letter.
pub(super) fn completions(game: &Game) -> Vec<String> {
    if game.outcome().is_some() {
        return Vec::new();
    }
    let moves = legal_moves(game.rules(), game.position());
    let texts = moves.iter().map(|played| played.display(game.rules().board).to_string());
    let kings = |text: String| {
        let without = text.strip_prefix('K').map(str::to_owned);
        std::iter::once(text).chain(without)
    };
    texts.flat_map(kings).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use taflbase::position::Position;
    use taflbase::rules::Ruleset;

    fn understood(line: &str) -> String {
        let rules = Arc::new(Ruleset::builtin("brandubh").unwrap());
        let position = Position::parse("/7/4t2/7/7/2K1T2/7/2t4/ d", &rules).unwrap();
        let game = Game::from_position(rules, position).unwrap();
        match parse_line(&game, line) {
            ParsedLine::Empty => "empty".to_owned(),
            ParsedLine::Move(played) => played.display(game.rules().board).to_string(),
            ParsedLine::Command(name, rest) => format!("{name}:{rest}"),
            ParsedLine::Wrong(told) => told,
        }
    }

    #[test]
    fn moves_may_be_short() {
        for line in ["Kc5-c1", "c5-c1", "c5c1", "c5 c1", "K c5 c1", "C5  C1", "kc5c1", " kc5-c1 "] {
            assert_eq!(understood(line), "Kc5-c1", "{line}");
        }
        assert!(understood("KC1").starts_with("\"KC1\" is no move"), "{}", understood("KC1"));
        assert_eq!(understood("e5-f"), "e5-f5");
        assert_eq!(understood("e5d"), "e5-d5");
        let many = understood("kc");
        assert!(many.starts_with("which one of these?\nKc5-c1") && many.contains("Kc5-d5"));
        for line in ["c5-c8", "c5 c8", "c5c8", "KC5 - C8"] {
            let told = "the board has no square \"c8\": squares go from a1 to g7";
            assert_eq!(understood(line), told, "{line}");
        }
        assert_eq!(understood("a1 a2"), "no piece stands on a1");
        for line in ["é5 c1", "5", "c5 é1", "cc5 c1", "c5", "55 c1"] {
            assert_eq!(hyphenated(line), None, "{line}");
        }
    }

    #[test]
    fn commands_may_be_short() {
        assert_eq!(understood(""), "empty");
        assert_eq!(understood("hint"), "hint:");
        assert_eq!(understood("u"), "undo:");
        assert_eq!(understood("side  both "), "side:both");
        assert_eq!(understood("?"), "help:");
        assert_eq!(understood("exit"), "quit:");
        assert_eq!(understood("ex"), "quit:");
        assert_eq!(understood("h"), "hint or help?");
        assert_eq!(understood("x"), "\"x\" is neither a move nor a command: ? lists them");
    }
}
