//! Moves that capture nothing, taken in three ways: by whole blocks, by single rows, and
//! by stars; those of a bare king have a way of their own. Which way takes least is said in one place, [`cost`].

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

/// What moves of a slice need to know. Those of whole blocks need the frame alone, and
/// buffers: each worker has its own [`BlockMoves`](by_block::BlockMoves).
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
    /// For a slice.
    pub(super) fn new(frame: &'f Frame<'f, N>) -> Moves<'f, N> {
        Moves {
            frame,
            rows: RowMoves::new(frame),
            stars: AttackerStars::new(frame),
            kings: KingRows::new(frame),
        }
    }
}
