//! State spaces: how many positions the games of a ruleset can have.
//!
//! [`equations`] are those of Galassi's paper on tablut. [`Bounds`] are bounds for any
//! ruleset: what its [`Ground`] says of where men can be, counted exactly. [`sample`] draws
//! placements that the tightest of them counts, and looks for a game that leads there: an
//! [`Estimate`] from below. docs/state-space.md tells what was found, and why the bounds hold.
//!
//! ```
//! use taflbase::bound::{Bounds, Ground, equations, scientific};
//! use taflbase::rules::Ruleset;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let rules = Ruleset::load("ashton")?;
//! let bounds = Bounds::new(&Ground::new(&rules))?;
//! let paper = equations();
//! // What Galassi calls UB'_no_end, equation 6.
//! assert_eq!(scientific(&paper[5].value, 2), "9.5e26");
//! assert!(bounds.placements() < &paper[5].value);
//! # Ok(())
//! # }
//! ```

mod budget;
mod chain;
mod count;
mod distance;
mod error;
mod galassi;
mod ground;
mod number;
mod orbits;
mod placements;
mod plan;
mod proof;
mod sample;
mod solved;
mod weave;

pub use chain::{Bound, Bounds};
pub use error::BoundError;
pub use galassi::{Equation, OtherGame, Reading, TABLE_1, equations, readings};
pub use ground::{Camp, Ground};
pub use num_bigint::BigUint;
pub use number::{Printed, part, scientific, scientific_floor};
pub use proof::{Verdict, prove};
pub use sample::{Drawn, Estimate, Sampling, is_game, moves, sample};
pub use solved::{Solved, solved};
