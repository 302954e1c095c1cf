//! State spaces: bounds and estimates of the number of positions in the games of a ruleset.
//!
//! [`equations`] are those of Galassi's paper on tablut. [`Bounds`] are upper bounds for any
//! ruleset: exact counts of the placements that its [`Reachability`] allows. [`sample`] draws
//! placements that the tightest bound counts and searches for games that lead to them, which
//! gives an [`Estimate`] from below. docs/state-space.md has proofs and results.
//!
//! ```
//! use taflbase::bound::{Bounds, Reachability, equations, scientific};
//! use taflbase::rules::Ruleset;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let rules = Ruleset::load("ashton")?;
//! let bounds = Bounds::new(&Reachability::new(&rules))?;
//! let paper = equations();
//! // Equation 6, Galassi's UB'_no_end.
//! assert_eq!(scientific(&paper[5].value, 2), "9.5e26");
//! assert!(bounds.placements() < &paper[5].value);
//! # Ok(())
//! # }
//! ```

mod bounds;
mod budget;
mod count;
mod distance;
mod error;
mod galassi;
mod interleave;
mod number;
mod orbits;
mod placements;
mod plan;
mod proof;
mod reachability;
mod sample;
mod slices;
mod solved;

pub use bounds::{Bound, Bounds};
pub use error::BoundError;
pub use galassi::{Equation, OtherGame, Reading, TABLE_1, equations, readings};
pub use num_bigint::BigUint;
pub use number::{Printed, part, scientific, scientific_floor};
pub use proof::{ProofGame, prove};
pub use reachability::{Camp, Reachability};
pub use sample::{Estimate, SampledPlacement, Sampling, is_game, moves, sample};
pub use slices::slice_placements;
pub use solved::{SolvedCounts, solved};
