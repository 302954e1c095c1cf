//! The index: positions of a slice to slots of its table and back.
//!
//! A slot is a *row* and a *lane*. The lane is the king's square, numbered
//! among the squares where he may stand ([`KingLanes`]). The row is one
//! placement of attackers and defenders:
//!
//! ```text
//! row(A, D) = offset(canonical A) + colex(D among the squares left free by A)
//! ```
//!
//! where `offset` adds up the rows of all canonical attacker sets that come
//! before (`AttackerSets`) and `colex` is the combinatorial number system:
//! with the free squares numbered 0, 1, …, the set {x1 < x2 < …} has the number
//! `C(x1, 1) + C(x2, 2) + …`.
//!
//! The attackers are brought to their canonical image, defenders and king
//! follow. If several symmetries do that, the images differ by the symmetries
//! that leave the attackers unchanged, and the position's slot is the one with
//! the least lane, then the least row. The other images' slots exist too and
//! hold the same value in the solver, but `rank` never returns them; only
//! attacker sets with symmetries of their own have any, so that there are at
//! most 1.10 rows for each class of (attackers, defenders) from three attackers
//! on. Lanes whose square is occupied by a soldier are holes.

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
