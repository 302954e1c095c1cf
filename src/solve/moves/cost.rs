//! The choice between moves by whole blocks, by single rows and by stars, from measured costs.

/// Nanoseconds for each move: of a single row; of a whole block, apart from its rows; and of each
/// of these rows.
const SINGLE_ROW: usize = 25;
const BLOCK: usize = 40;
const BLOCK_ROW: usize = 2;

/// The cost of stars: the number of rows that stars visit in the time in which one row is visited
/// by itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StarCost(usize);

impl StarCost {
    /// For un-moves.
    pub(crate) const UNMOVES: StarCost = StarCost(20);
    /// For un-moves and all moves from the rows that they lead to.
    pub(crate) const UNMOVES_AND_MOVES: StarCost = StarCost(150);
    /// For moves.
    pub(crate) const MOVES: StarCost = StarCost(6);

    /// Returns whether visiting `rows` of `all` rows one by one is cheaper than visiting all of
    /// them by stars.
    pub(crate) fn exceeds_row_cost(self, rows: usize, all: usize) -> bool {
        rows * self.0 < all
    }
}

/// Returns whether visiting `rows` one by one is cheaper than visiting whole blocks.
pub(crate) fn row_by_row_is_cheaper(rows: usize, blocks: usize, block_rows: usize) -> bool {
    rows * SINGLE_ROW < blocks * (BLOCK + block_rows * BLOCK_ROW)
}
