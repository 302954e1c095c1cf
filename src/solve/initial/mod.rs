//! The initial pass: what captures, the rules and a lack of moves say of every position,
//! given the values of the smaller slices.

mod bare_kings;
pub(super) mod coded_rows;
mod king_options;
pub(super) mod pass;
pub(super) mod seeds;
pub(super) mod sub_slice;
