use crate::game::board::Board;
use crate::game::history::Game;
use crate::game::moves::{Ending, Move};
use crate::game::rules::Layout;

/// Writes a move in OTEP's simple notation: `e4-g4`.
pub(super) fn simple_move(played: &Move, board: Board) -> String {
    format!("{}-{}", board.name(played.from), board.name(played.to))
}

/// Returns the pieces on the board. The protocol removes a captured king.
pub(super) fn layout(game: &Game) -> Layout {
    let mut layout = game.position().layout();
    if game.moves().last().is_some_and(|last| last.ending == Some(Ending::KingCaptured)) {
        layout.king = None;
    }
    layout
}
