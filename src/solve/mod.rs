//! The solver: retrograde analysis of one slice, with the king's square in the
//! bits of a machine word.

pub mod building;
mod captures;
mod convert;
mod error;
mod frame;
mod initial;
mod kernels;
mod moves;
mod needs;
mod plies;
mod rows;
mod solver;
mod store;

pub use kernels::Kernels;
