//! Moves that capture nothing, backwards and forwards, in the three ways in which they
//! can share their work: by block, by row, by star.

pub(super) mod by_block;
pub(super) mod by_row;
pub(super) mod by_star;
