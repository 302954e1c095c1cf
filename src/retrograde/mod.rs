//! The solver: retrograde analysis of one slice, with the king's square in the
//! bits of a machine word.

mod captures;
mod child;
mod coded;
mod defenders;
mod frame;
mod initial;
mod quiet;
mod region;
mod row;
mod solver;
