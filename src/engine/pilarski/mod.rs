//! The players of S. Pilarski, "Designing an Effective Tablut Artificial Intelligence":
//! greedy, heuristic, and Monte Carlo tree search in several variants.
//!
//! They are opponents to measure the engine against, and reproduce the paper's tables of
//! results. Where the paper is ambiguous, an option selects the reading; `docs/pilarski.md`
//! quotes the relevant words.

mod heuristic;
mod method;
mod paths;
mod player;
mod simulation;
#[cfg(test)]
mod tests;
mod tree;

pub use method::{Definitions, Heuristic, Method, MonteCarlo, Reward, Visits};
pub use player::{MoveStats, PilarskiError, PilarskiPlayer};
