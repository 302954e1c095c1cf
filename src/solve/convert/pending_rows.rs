//! Rows that wait for their blocks to be complete.

use crate::game::rules::{BySide, Side};
use crate::system::parallel;
use crate::table::Code;

use super::tile::Tile;

/// Rows that some file has not yet written in blocks.
pub(super) struct PendingRows {
    /// By side and lane: the codes of distances.
    pub codes: BySide<Vec<Vec<Code>>>,
    /// The first of those rows.
    pub first_row: u64,
}

impl PendingRows {
    /// Creates an empty buffer; `first_row` is the first row to be appended.
    pub(super) fn new(lanes: usize, first_row: u64) -> PendingRows {
        PendingRows { codes: BySide::from_fn(|_| vec![Vec::new(); lanes]), first_row }
    }

    /// Appends the rows of tiles.
    pub(super) fn append(&mut self, tiles: &[Tile]) {
        for side in Side::ALL {
            parallel::for_each(self.codes[side].iter_mut(), |lane, codes| {
                for tile in tiles {
                    codes.extend_from_slice(tile.lane(side, lane));
                }
            });
        }
    }

    /// Returns the row after the last one.
    pub(super) fn end(&self) -> u64 {
        self.first_row + self.codes[Side::Attackers][0].len() as u64
    }

    /// Drops the rows before `before`.
    pub(super) fn discard_before(&mut self, before: u64) {
        let done = before.saturating_sub(self.first_row) as usize;
        parallel::for_each(self.codes.0.iter_mut().flatten(), |_, lane| {
            lane.drain(..done);
        });
        self.first_row += done as u64;
    }
}
