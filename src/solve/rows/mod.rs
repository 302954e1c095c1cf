//! Rows: one placement of the soldiers, with the king's squares in the bits of a few
//! machine words, and what can be done with all of them at once.

pub mod atomics;
pub mod row;
pub mod simd;
pub mod transform;
