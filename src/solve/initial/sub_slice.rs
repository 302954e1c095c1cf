//! Solved smaller slices, as rows for the captures that lead to them.

use std::sync::Arc;

use crate::board::Symmetry;

use crate::solve::frame::block_lookup::{BlockLookup, Target};
use crate::solve::frame::region::Region;
use crate::solve::initial::coded_rows::CodedRows;
use crate::solve::rows::numbers::Rank;
use crate::solve::rows::row::Row;
use crate::table::Code;

/// The values of a smaller slice for one side to move.
pub(crate) struct SubSlice<const N: usize> {
    /// Its attacker sets, which are its blocks.
    pub attackers: Arc<BlockLookup>,
    /// Rows in a block: sets of defenders, those that meet attackers included.
    pub block_rows: usize,
    /// The rows of all blocks.
    pub rows: CodedRows<N>,
}

impl<const N: usize> SubSlice<N> {
    /// Calls `visit` with every code that positions have on some of the lanes,
    /// and those lanes, of which there must be some. Their attackers are at `target`; `image` gives the rank
    /// of the defenders' image under a symmetry.
    #[inline]
    pub(crate) fn values(
        &self,
        region: &Region<N>,
        target: Target,
        image: impl FnOnce(Symmetry) -> Rank,
        lanes: Row<N>,
        mut visit: impl FnMut(Code, Row<N>),
    ) {
        let row = target.block.index() * self.block_rows + image(target.symmetry).index();
        // Few lanes are asked for: they go to the row, not the row to them.
        let (mut lanes, mut asked) = (lanes, region.transform(target.symmetry, lanes));
        for (code, there) in self.rows.row(row) {
            let found = there & asked;
            if found == asked {
                return visit(code, lanes);
            }
            if !found.is_empty() {
                let here = region.transform(target.back, found);
                visit(code, here);
                asked = asked.without(found);
                lanes = lanes.without(here);
            }
        }
    }
}
