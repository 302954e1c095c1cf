//! Moves as they are reported during a game.

use taflbase::board::Board;
use taflbase::engine::Iteration;
use taflbase::history::Game;
use taflbase::moves::Move;

use super::output::{counted, time};

/// Formats a move with its number and the name of its side.
pub(super) fn move_text(game: &Game, number: usize, played: &Move, name: &str) -> String {
    format!("{number:>4}  {name}  {:<9}", played.display(game.rules().board))
}

/// Formats our move with the result of the search, unless it was forced.
pub(super) fn searched_move_text(
    game: &Game,
    number: usize,
    played: &Move,
    name: &str,
    found: Option<&Iteration>,
) -> String {
    let text = move_text(game, number, played, name);
    match found {
        Some(Iteration { depth, nodes, time: taken, lines, .. }) => {
            let score = lines[0].score;
            let (nodes, taken) = (counted(*nodes, ["node", "nodes"]), time(*taken));
            format!("{text}  {score:>10}  depth {depth}, {nodes}, {taken}")
        }
        None => text + "  the only move",
    }
}

/// Formats the result of a game of ours with a server: `draw: drawn after 43 plies`.
pub(super) fn result_text(result: &str, won: bool, is_draw: bool, plies: usize) -> String {
    let word = match (is_draw, won) {
        (true, _) => "drawn",
        (false, true) => "won",
        (false, false) => "lost",
    };
    format!("{result}: {word} after {}\n", counted(plies, ["ply", "plies"]))
}

/// Returns moves in notation.
pub(super) fn move_texts(board: Board, moves: &[Move]) -> Vec<String> {
    moves.iter().map(|played| played.display(board).to_string()).collect()
}
