//! The initial pass: the result of captures, of the rules and of a lack of moves in every position,
//! given the values of the smaller slices.

mod bare_kings;
pub(super) mod coded_rows;
mod king_options;
pub(super) mod pass;
pub(super) mod seeds;
pub(super) mod sub_slice;
