//! The solver: retrograde analysis of one slice, with the king's square in the
//! bits of a machine word.

mod captures;
mod child;
mod chunks;
mod coded;
mod decided;
mod defenders;
mod flip;
mod frame;
mod in_memory;
mod initial;
mod kernels;
mod king_captures;
mod lines;
mod lookup;
mod on_disk;
mod origins;
mod outcome;
mod packed;
mod quiet;
mod reach;
mod region;
mod row;
mod row_moves;
mod seeds;
mod shared;
mod simd;
mod solver;
mod stars;
mod table;

pub(crate) use child::Child;
pub(crate) use chunks::{Chunks, Placement};
pub(crate) use coded::CodedRows;
pub(crate) use decided::DecidedScratch;
pub(crate) use frame::{Frame, counted_sets};
pub(crate) use initial::Children;
pub use kernels::Kernels;
pub(crate) use lookup::BlockLookup;
pub(crate) use region::region_side;
pub(crate) use row::Row;
pub(crate) use solver::Solver;
