//! Progress of a running search.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use crate::engine::state::{State, Step};
use crate::game::moves::Move;
use crate::game::position::Position;
use crate::game::rules::{Ruleset, Side};
use crate::proof::search::{Control, Numbers, Shared};
use crate::proof::table::Entry;

/// Progress of a running search.
#[derive(Clone, Debug)]
pub struct ProofProgress {
    /// The side for whose win the search is looking.
    pub question: Side,
    /// The proof and disproof numbers of the root.
    pub numbers: [u32; 2],
    /// The number of expanded positions so far.
    pub nodes: u64,
    /// The time since the start of the search.
    pub time: Duration,
    /// The most promising line, which the search is expanding.
    pub line: Vec<Move>,
    /// Counts of jobs, if the search uses a store.
    pub jobs: Option<JobCounts>,
}

/// Counts of the jobs of a search that uses a store.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct JobCounts {
    /// Finished jobs of the question, of all processes.
    pub done: u64,
    /// Jobs that this process is running.
    pub running: usize,
}

/// Collects the progress of a running search.
pub(super) fn progress<const W: usize>(
    rules: &Ruleset,
    position: &Position,
    (shared, control): (&Shared<'_, W>, &Control),
    side: Side,
    started: Instant,
) -> ProofProgress {
    let entry = Entry::unpack(control.root.load(Ordering::Relaxed));
    ProofProgress {
        question: side,
        numbers: Numbers::of(&entry).of_win(position.to_move == side),
        nodes: control.nodes.load(Ordering::Relaxed),
        time: started.elapsed(),
        line: line(rules, position, shared, side, entry.step),
        jobs: None,
    }
}

/// Follows the most promising moves from the root.
fn line<const W: usize>(
    rules: &Ruleset,
    position: &Position,
    shared: &Shared<'_, W>,
    side: Side,
    first: Step,
) -> Vec<Move> {
    /// Longer lines are cut off.
    const MAX_MOVES: usize = 12;
    let mut state = State::new(&shared.board, position);
    let mut step = first;
    let mut line = Vec::new();
    while line.len() < MAX_MOVES && step != Step::NONE {
        let Some(played) = state.full_move(rules, step) else { break };
        line.push(played);
        if played.ending.is_some() {
            break;
        }
        state.play(&shared.board, step);
        step = shared.stored(&state, side).map_or(Step::NONE, |entry| entry.step);
    }
    line
}
