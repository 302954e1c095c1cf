//! The initial pass: what captures, the rules and a lack of moves say of every position,
//! given the values of the smaller slices.

pub mod coded_rows;
pub mod pass;
pub mod seeds;
pub mod sub_slice;
