//! The index: a bijection between the positions of a slice and the slots of its table.
//!
//! A slot is a *row* and a *lane*. The lane is the king's square, numbered among the squares where
//! he may stand ([`KingLanes`]). The row is a placement of attackers and defenders:
//!
//! ```text
//! row(A, D) = offset(canonical A) + colex(D among the squares left free by A)
//! ```
//!
//! where `offset` is the number of rows of all preceding canonical attacker sets (`AttackerSets`)
//! and `colex` is the combinatorial number system: with the free squares numbered 0, 1, …, the set
//! {x1 < x2 < …} has the number `C(x1, 1) + C(x2, 2) + …`.
//!
//! A symmetry maps the attackers to their canonical image; defenders and king follow. If several
//! symmetries do, the images differ by the symmetries that leave the attackers unchanged, and the
//! position's slot is the one with the least lane, then the least row. The slots of the other
//! images exist too and hold the same value in the solver, but `rank` never returns them. Only
//! symmetric attacker sets have any, so that from three attackers on there are at most 1.10 rows
//! for each class of (attackers, defenders). Lanes whose square is occupied by a soldier are
//! holes.

mod attackers;
mod binomial;
mod defenders;
mod lanes;
mod orbits;
mod slots;
mod states;
mod walker;

pub(crate) use attackers::AttackerSets;
pub(crate) use binomial::{Binomials, binomial};
pub(crate) use defenders::{colex_next, colex_rank, colex_unrank};
pub use lanes::KingLanes;
pub use slots::{IndexError, SliceIndex, Slot};
pub(crate) use walker::Walker;
