//! Moves with the priorities by which they are ordered.

use crate::engine::state::Step;

/// A move with its priority.
#[derive(Clone, Copy)]
pub(super) struct Candidate {
    pub(super) step: Step,
    pub(super) priority: i32,
}

// From the highest: the transposition table's move, captures, king moves that see a goal,
// killers, the counter move. All other moves have their history score as priority.
pub(super) const TABLE: i32 = 1 << 20;
/// The minimum priority of captures.
pub(super) const CAPTURE: i32 = 1 << 16;
pub(super) const LINE: i32 = CAPTURE - 1000;
pub(super) const KILLERS: [i32; 2] = [CAPTURE - 3000, CAPTURE - 4000];
pub(super) const COUNTER: i32 = CAPTURE - 5000;
