#![doc = include_str!("ESSAY.md")]

mod advance;
pub mod building;
mod captures;
mod communicator;
mod convert;
mod error;
mod frame;
mod initial;
mod kernels;
mod moves;
mod phase_timer;
mod plies;
mod resources;
mod rows;
mod solver;
mod store;
#[cfg(test)]
mod test_support;

pub use kernels::Kernels;
