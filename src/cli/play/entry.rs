//! What a line that was typed means.

use taflbase::board::Board;
use taflbase::history::Game;
use taflbase::moves::{Move, legal_moves};
use taflbase::notation::parse_move;

/// The commands, each with what follows it and what it does.
pub(super) const COMMANDS: &[(&str, &str, &str)] = &[
    ("hint", "", "what the engine would play"),
    ("undo", "", "take back your last move, and the answer to it"),
    ("tables", "", "what the tables know of the position and of each move"),
    ("moves", "", "all legal moves"),
    ("board", "", "the board, and its position as text"),
    ("flip", "", "turn the board round: see it from the other side"),
    ("side", "SIDE", "what you play: attackers, defenders, both or none"),
    ("new", "", "begin again"),
    ("save", "FILE", "save the game, as OpenTafl does (.otg)"),
    ("load", "FILE", "go on with a game that was saved"),
    ("help", "", "this list"),
    ("quit", "", "end; so does the end of input"),
];

/// A line, understood.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Entry {
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
pub(super) fn understand(game: &Game, line: &str) -> Entry {
    let line = line.trim();
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let command = |name| Entry::Command(name, rest.trim().to_owned());
    let names = || COMMANDS.iter().map(|&(name, ..)| name);
    if line.is_empty() {
        return Entry::Empty;
    }
    if let Some(name) = names().find(|&name| name == word) {
        return command(name);
    }
    let parsed = parse_move(game.rules(), game.position(), line);
    if let Ok(played) = parsed {
        return Entry::Move(played);
    }
    let candidates = begun_with(game, line);
    match (&candidates[..], parsed) {
        (&[played], _) => return Entry::Move(played),
        ([_, _, ..], _) => {
            let listed = listed(game.rules().board, &candidates);
            return Entry::Wrong(format!("which one of these?\n{listed}"));
        }
        // What has a square in it is meant to be a move.
        ([], Err(error)) if line.contains(|c: char| c.is_ascii_digit()) => {
            return Entry::Wrong(error.to_string());
        }
        _ => {}
    }
    let mut begun = names().filter(|name| name.starts_with(word));
    match (begun.next(), begun.next()) {
        (Some(name), None) => command(name),
        (Some(first), Some(second)) => Entry::Wrong(format!("{first} or {second}?")),
        _ => Entry::Wrong(format!("{word:?} is no move and no command: `help` lists them")),
    }
}

/// The legal moves that begin with this, at least two characters of it; hyphens, the
/// king's letter and upper case do not matter.
fn begun_with(game: &Game, text: &str) -> Vec<Move> {
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
pub(super) fn listed(board: Board, moves: &[Move]) -> String {
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
        match understand(&game, line) {
            Entry::Empty => "empty".to_owned(),
            Entry::Move(played) => played.display(game.rules().board).to_string(),
            Entry::Command(name, rest) => format!("{name}:{rest}"),
            Entry::Wrong(told) => told,
        }
    }

    #[test]
    fn moves_may_be_short() {
        for line in ["Kc5-c1", "c5-c1", "c5c1", "kc5c1", "KC1", " kc5-c1 "] {
            let expected = if line == "KC1" { "\"KC1\" is no move" } else { "Kc5-c1" };
            assert!(understood(line).starts_with(expected), "{line}: {}", understood(line));
        }
        assert_eq!(understood("e5-f"), "e5-f5");
        assert_eq!(understood("e5d"), "e5-d5");
        let many = understood("kc");
        assert!(many.starts_with("which one of these?\nKc5-c1") && many.contains("Kc5-d5"));
        assert_eq!(understood("c5-c8"), "the board has no square \"c8\": squares go from a1 to g7");
    }

    #[test]
    fn commands_may_be_short() {
        assert_eq!(understood(""), "empty");
        assert_eq!(understood("hint"), "hint:");
        assert_eq!(understood("u"), "undo:");
        assert_eq!(understood("side  both "), "side:both");
        assert_eq!(understood("h"), "hint or help?");
        assert_eq!(understood("x"), "\"x\" is no move and no command: `help` lists them");
    }
}
