//! Moves that capture nothing, backwards and forwards, in the three ways in which they
//! can share their work: by block, by row, by star.

pub mod by_block;
pub mod by_row;
pub mod by_star;
