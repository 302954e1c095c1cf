//! Rows: one placement of the soldiers, with the king's squares in the bits of a few machine words,
//! and the operations on all of those bits at once.

pub(super) mod atomics;
pub(super) mod numbers;
pub(super) mod row;
pub(super) mod simd;
pub(super) mod transform;
