//! When moves are taken by whole blocks, by single rows, or by stars: what each takes, as
//! measured.

/// What it takes to visit one row's moves, all moves of a block, and in these
/// one row: in nanoseconds for a move.
const SINGLE_ROW: usize = 25;
const BLOCK: usize = 40;
const BLOCK_ROW: usize = 2;

/// Rows of which stars visit as many as single visits do one, in the same time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StarCost(usize);

impl StarCost {
    /// For moves back.
    pub(crate) const BACK: StarCost = StarCost(20);
    /// For moves back, and all moves on of the rows that they lead to.
    pub(crate) const BACK_AND_ON: StarCost = StarCost(150);
    /// For moves on.
    pub(crate) const ON: StarCost = StarCost(6);

    /// Whether visiting some of `all` rows one by one takes less time than visiting
    /// all of them by stars.
    pub(crate) fn exceeds_row_cost(self, rows: usize, all: usize) -> bool {
        rows * self.0 < all
    }
}

/// Whether visiting `rows` one by one takes less time than visiting whole
/// blocks.
pub(crate) fn row_by_row_is_cheaper(rows: usize, blocks: usize, block_rows: usize) -> bool {
    rows * SINGLE_ROW < blocks * (BLOCK + block_rows * BLOCK_ROW)
}
