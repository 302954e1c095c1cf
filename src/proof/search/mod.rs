//! Depth-first proof-number search (df-pn).
//!
//! Proof numbers are seen from the side to move, the mover (Nagai, "Df-pn algorithm for searching
//! AND/OR trees and its applications", 2002). `phi` is the remaining effort until the mover reaches
//! its aim: to win, for the prover; to prevent that, for the other side. `delta` is the remaining
//! effort until the mover has failed. A move is searched until its numbers exceed those of the
//! second best move by a quarter (the 1 + ε trick of Pawlewicz and Lew, 2007). `delta` of a node is
//! the largest `phi` of its moves plus the number of its other open moves (weak proof numbers, Ueda
//! and others, 2008): a sum would count transpositions many times.
//!
//! **Threads** share the table. Where the mover will probably fail (`phi` is above `delta`), they
//! spread over its moves, all of which must be answered: a move that another thread is searching
//! looks a quarter more expensive. Elsewhere they search the same move, and part further down.
//!
//! **Killers.** The best move of the last position at a ply, mostly a reply to another move of the same
//! position, is likely to be the best one again: the others look three sixteenths more expensive.
//!
//! **Advice.** Where much work has gone below a position, the engine searches it as well, and the
//! prover's other moves look twice as expensive as the engine's ([`advice`]).
//!
//! **Repetition.** A proved win never depends on the line that led to it: it is built from proved
//! wins alone. A position that repeats an earlier one of the line counts as not won. A result that
//! depends on such a repetition above its node is *soft*: it holds on this line, and perhaps on no
//! other. Soft results guide the search and prove nothing; see [`closed_set`](super::closed_set).

mod advice;
mod children;
mod node;
mod numbers;
mod sampling;
mod shared;
mod simulation;
mod worker;

pub use sampling::SolvedPosition;

pub(super) use advice::{AdviceTable, OTHERS_FACTOR};
pub(super) use numbers::Numbers;
pub(super) use sampling::Sampler;
pub(super) use shared::{Control, Shared, is_past};
pub(super) use worker::{REPORT_EVERY, Worker};
