use crate::game::board::Board;
use crate::game::moves::Move;

/// Writes a move in OTEP's simple notation: `e4-g4`.
pub(super) fn simple_move(played: &Move, board: Board) -> String {
    format!("{}-{}", board.name(played.from), board.name(played.to))
}
