//! The solver: retrograde analysis of one slice, with the king's square in the
//! bits of a machine word.

mod captures;
mod child;
mod coded;
mod defenders;
mod frame;
mod initial;
mod log;
mod lookup;
mod outcome;
mod quiet;
mod reach;
mod region;
mod row;
mod row_moves;
mod seeds;
mod shared;
mod solver;
mod stars;

pub(crate) use child::Child;
pub(crate) use coded::CodedRows;
pub(crate) use defenders::DefenderSets;
pub(crate) use frame::{Frame, counted_sets};
pub(crate) use initial::Children;
pub(crate) use lookup::BlockLookup;
pub(crate) use region::{Region, region_side};
pub(crate) use row::Row;
pub(crate) use solver::Solver;
