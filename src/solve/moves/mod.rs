//! Quiet moves, taken in three ways: by whole blocks, by single rows, and by stars. Moves of a bare
//! king have a way of their own. The choice is made in [`cost`].

pub(super) mod by_block;
pub(super) mod by_king;
pub(super) mod by_row;
pub(super) mod by_star;
pub(super) mod cost;
#[cfg(test)]
mod tests;

use crate::solve::frame::Frame;
use crate::solve::moves::by_king::KingRows;
use crate::solve::moves::by_row::RowMoves;
use crate::solve::moves::by_star::AttackerStars;

/// The data of a slice that its moves need. Moves of whole blocks need only the frame and buffers;
/// each worker has its own [`BlockMoves`](by_block::BlockMoves).
pub(super) struct Moves<'f, const N: usize> {
    /// The slice.
    pub frame: &'f Frame<'f, N>,
    /// Moves of single rows.
    pub rows: RowMoves<'f, N>,
    /// All moves of one attacker at once, for blocks of one row.
    pub stars: Option<AttackerStars<'f, N>>,
    /// The moves of a bare king, for blocks of one row.
    pub kings: Option<KingRows<'f, N>>,
}

impl<'f, const N: usize> Moves<'f, N> {
    /// Collects the data of a slice.
    pub(super) fn new(frame: &'f Frame<'f, N>) -> Moves<'f, N> {
        Moves {
            frame,
            rows: RowMoves::new(frame),
            stars: AttackerStars::new(frame),
            kings: KingRows::new(frame),
        }
    }
}
