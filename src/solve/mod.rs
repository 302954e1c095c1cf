#![doc = include_str!("ESSAY.md")]

mod advance;
pub mod building;
mod captures;
mod convert;
mod error;
mod exchange;
mod frame;
mod initial;
mod kernels;
mod moves;
mod needs;
mod plies;
mod rows;
#[cfg(test)]
mod samples;
mod solver;
mod store;
mod watch;

pub use kernels::Kernels;
