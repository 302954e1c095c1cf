//! Solved smaller slices, as rows for the captures that lead to them.

use crate::board::SquareSet;
use crate::index::AttackerSets;
use crate::slice::Slice;

use super::region::Region;
use super::row::Row;

/// The values of a smaller slice for one side to move, row by row: the codes
/// that occur in the row, each with its lanes. A few of them say as much as a
/// code for each of 45 to 81 lanes, and a capture reads them all at once.
pub struct Child<const N: usize> {
    /// The slice.
    pub slice: Slice,
    /// Its attacker sets, a set's offset being its block's number. `None` if
    /// they are those of the slice that reads it.
    pub attackers: AttackerSets,
    /// Rows in a block: sets of defenders, those that meet attackers included.
    block_rows: usize,
    /// By row: where its entries begin; they end with one that has `LAST` set.
    starts: Vec<u64>,
    codes: Vec<u16>,
    lanes: Vec<Row<N>>,
}

const LAST: u16 = 1 << 15;

/// Collects the rows of a [`Child`] in order.
pub struct ChildRows<const N: usize> {
    starts: Vec<u64>,
    codes: Vec<u16>,
    lanes: Vec<Row<N>>,
}

impl<const N: usize> ChildRows<N> {
    /// No rows yet.
    pub fn with_capacity(rows: usize) -> ChildRows<N> {
        ChildRows {
            starts: Vec::with_capacity(rows),
            codes: Vec::new(),
            lanes: Vec::new(),
        }
    }

    /// Appends a row: for each code that occurs, its lanes.
    pub fn push(&mut self, entries: &[(u16, Row<N>)]) {
        self.starts.push(self.codes.len() as u64);
        let last = entries.len().saturating_sub(1);
        for (i, &(code, lanes)) in entries.iter().enumerate() {
            self.codes.push(if i == last { code | LAST } else { code });
            self.lanes.push(lanes);
        }
        if entries.is_empty() {
            self.codes.push(LAST);
            self.lanes.push(Row::EMPTY);
        }
    }

    /// Appends all rows of another collection.
    pub fn append(&mut self, other: ChildRows<N>) {
        let first = self.codes.len() as u64;
        self.starts
            .extend(other.starts.iter().map(|start| first + start));
        self.codes.extend(other.codes);
        self.lanes.extend(other.lanes);
    }
}

impl<const N: usize> Child<N> {
    /// The child whose rows, in the solver's order, these are.
    pub fn new(
        slice: Slice,
        attackers: AttackerSets,
        block_rows: usize,
        rows: ChildRows<N>,
    ) -> Child<N> {
        let ChildRows {
            starts,
            codes,
            lanes,
        } = rows;
        Child {
            slice,
            attackers,
            block_rows,
            starts,
            codes,
            lanes,
        }
    }

    /// The greatest code of any position.
    pub fn greatest_code(&self) -> u16 {
        self.codes
            .iter()
            .map(|code| code & !LAST)
            .max()
            .unwrap_or(0)
    }

    /// The codes of a row with their lanes.
    pub fn row(&self, block: usize, rank: u32) -> impl Iterator<Item = (u16, Row<N>)> + '_ {
        let start = self.starts[block * self.block_rows + rank as usize] as usize;
        let length = 1 + self.codes[start..]
            .iter()
            .position(|code| code & LAST != 0)
            .unwrap_or(0);
        (start..start + length).map(|i| (self.codes[i] & !LAST, self.lanes[i]))
    }

    /// Calls `visit` with every code that the positions of these attackers and
    /// defenders have on some of the lanes, and those lanes. `image` gives the
    /// rank of the defenders' image under a symmetry.
    pub fn values(
        &self,
        region: &Region<N>,
        attackers: SquareSet,
        image: impl FnOnce(crate::board::Symmetry) -> u32,
        lanes: Row<N>,
        mut visit: impl FnMut(u16, Row<N>),
    ) {
        let canonical = self.attackers.canonical(attackers);
        let back = canonical.symmetry.inverse();
        for (code, there) in self.row(canonical.offset as usize, image(canonical.symmetry)) {
            let here = region.flip(back, there) & lanes;
            if !here.is_empty() {
                visit(code, here);
            }
        }
    }
}
