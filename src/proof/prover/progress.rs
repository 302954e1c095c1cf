//! Progress of a running search.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use crate::engine::state::{State, Step};
use crate::game::moves::Move;
use crate::game::position::Position;
use crate::game::rules::{Ruleset, Side};
use crate::proof::search::{Numbers, Shared};
use crate::proof::table::Entry;

use super::two_questions::Prover;

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
    /// Once the win is proved, the positions of the winner's strategy that have been taken from the
    /// table.
    pub strategy_positions: Option<u64>,
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

impl<const W: usize> Prover<'_, '_, W> {
    /// Returns the progress of the search for a side's win.
    pub(super) fn progress(&self, side: Side) -> ProofProgress {
        let entry = Entry::unpack(self.control.root.load(Ordering::Relaxed));
        ProofProgress {
            question: side,
            numbers: Numbers::of(&entry).of_win(self.position.to_move == side),
            nodes: self.nodes(),
            time: self.started.elapsed(),
            line: line(self.rules, self.position, self.shared, side, entry.step),
            strategy_positions: self.strategy_positions,
            jobs: None,
        }
    }

    /// Reports progress, and returns whether to go on.
    pub(super) fn report_now(&mut self, side: Side) -> bool {
        self.reported = Instant::now();
        let progress = self.progress(side);
        self.is_interrupted |= !(self.report)(&progress);
        !self.is_interrupted
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
