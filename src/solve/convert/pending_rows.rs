//! Rows that wait for their blocks.

use rayon::prelude::*;

use crate::game::rules::{BySide, Side};
use crate::table::Code;

use super::tile::Tile;

/// Rows that are not yet in all files' blocks.
pub(super) struct PendingRows {
    /// By side, by lane: the codes of distances.
    pub codes: BySide<Vec<Vec<Code>>>,
    /// The first of those rows.
    pub first_row: u64,
}

impl PendingRows {
    /// None yet; the first that comes is that row.
    pub(super) fn new(lanes: usize, first_row: u64) -> PendingRows {
        PendingRows { codes: BySide::from_fn(|_| vec![Vec::new(); lanes]), first_row }
    }

    /// Adds the rows of tiles.
    pub(super) fn append(&mut self, tiles: &[Tile]) {
        for side in Side::ALL {
            let lanes = self.codes[side].par_iter_mut().enumerate();
            lanes.for_each(|(lane, codes)| {
                for tile in tiles {
                    codes.extend_from_slice(tile.lane(side, lane));
                }
            });
        }
    }

    /// The row after the last.
    pub(super) fn end(&self) -> u64 {
        self.first_row + self.codes[Side::Attackers][0].len() as u64
    }

    /// Drops the rows before that one.
    pub(super) fn discard_before(&mut self, before: u64) {
        let done = before.saturating_sub(self.first_row) as usize;
        self.codes.0.par_iter_mut().flatten().for_each(|lane| {
            lane.drain(..done);
        });
        self.first_row += done as u64;
    }
}
