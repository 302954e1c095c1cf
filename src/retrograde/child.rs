//! Solved smaller slices, as rows for the captures that lead to them.

use crate::board::Symmetry;

use super::coded::CodedRows;
use super::lookup::{BlockLookup, Target};
use super::region::Region;
use super::row::Row;

/// The values of a smaller slice for one side to move.
pub struct Child<const N: usize> {
    /// Its attacker sets, which are its blocks.
    pub attackers: BlockLookup,
    /// Rows in a block: sets of defenders, those that meet attackers included.
    pub block_rows: usize,
    /// The rows of all blocks.
    pub rows: CodedRows<N>,
}

impl<const N: usize> Child<N> {
    /// Calls `visit` with every code that positions have on some of the lanes,
    /// and those lanes. Their attackers are at `target`; `image` gives the rank
    /// of the defenders' image under a symmetry.
    #[inline]
    pub fn values(
        &self,
        region: &Region<N>,
        target: Target,
        image: impl FnOnce(Symmetry) -> u32,
        lanes: Row<N>,
        mut visit: impl FnMut(u16, Row<N>),
    ) {
        let row = target.block * self.block_rows + image(target.symmetry) as usize;
        for (code, there) in self.rows.row(row) {
            let here = region.flip(target.back, there) & lanes;
            if !here.is_empty() {
                visit(code, here);
            }
        }
    }
}
