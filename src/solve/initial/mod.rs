//! The initial pass: what follows, in every position, from captures, from the rules and from a lack
//! of moves, given the values of the smaller slices.

mod attacker_captures;
mod bare_kings;
pub(super) mod coded_rows;
mod enclosures;
mod king_options;
pub(super) mod pass;
pub(super) mod seeds;
pub(super) mod sub_slice;
