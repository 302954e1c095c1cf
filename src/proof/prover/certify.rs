//! The strategies behind the answers.

use std::sync::atomic::Ordering;
use std::time::Instant;

use crate::game::rules::Side;
use crate::proof::answer::Answer;
use crate::proof::certificate::Part;
use crate::proof::closed_set::{ClosedSet, Helper, closed_set};
use crate::proof::extract::strategy;
use crate::proof::search::{REPORT_EVERY, Worker};

use super::asking::Prover;
use super::progress::progress;

/// The nodes to find one lost result again.
const REPAIR_NODES: u64 = 20_000;
/// How often a lost result is searched, with 2^[`REPAIR_GROWTH`] times as many nodes each time.
const REPAIRS: u32 = 4;
const REPAIR_GROWTH: u32 = 3;
/// The nodes to prove or disprove the root again after a set that did not hold.
const ROUND_NODES: u64 = 300_000;
/// Positions of a closed set between two looks at the limits.
const LIMITS_EVERY: u64 = 64;
/// The stack of the thread that takes strategies from the table by recursion.
const EXTRACTION_STACK: usize = 1 << 30;

impl<const W: usize> Prover<'_, '_, W> {
    /// Seeks a closed set in which a side that seems not to win does not win, with at most that
    /// many nodes: positions of sets, and those of the searches between them. Returns `None` if
    /// they do not suffice.
    pub(super) fn refute(&mut self, side: Side, budget: u64) -> Option<Answer> {
        let max_nodes = self.options.max_nodes.unwrap_or(u64::MAX);
        let limit = self.nodes().saturating_add(budget).min(max_nodes);
        while self.nodes() < limit && !self.is_over() {
            let mut worker = Worker::new(self.shared, self.control, side, self.root.clone());
            let mut attempt = Attempt { prover: self, side, limit, reported: Instant::now() };
            match closed_set(&mut worker, &mut attempt) {
                ClosedSet::Found(moves) => {
                    let id = self.rules.id();
                    let unranked =
                        moves.iter().map(|(position, step)| position.strategy_move(id, *step, 0));
                    self.parts.push(Part::new(self.rules, side.other(), false, unranked));
                    return Some(Answer::NotWon);
                }
                ClosedSet::Unfinished => return None,
                ClosedSet::Broken => {}
            }
            let round = limit.saturating_sub(self.nodes()).min(ROUND_NODES);
            match self.answer(side, round) {
                // Perhaps with another set.
                Answer::NotWon => {}
                answer => return Some(answer),
            }
        }
        None
    }

    /// Takes the winning strategy from the table, if it is wanted and can be found.
    pub(super) fn certify_win(&mut self, side: Side) {
        // The win is all that is to be proved: that the winner does not lose follows.
        self.parts.clear();
        if !self.options.certify {
            return;
        }
        let (shared, control) = (self.shared, self.control);
        let (root, rules) = (self.root.clone(), self.rules);
        let part = std::thread::scope(|scope| {
            let extract = move || {
                let mut worker = Worker::new(shared, control, side, root);
                strategy(&mut worker, rules, |worker| {
                    // What was proved can be proved again: the limit only guards against a loop.
                    (0..REPAIRS).any(|number| {
                        let nodes = control.nodes.load(Ordering::Relaxed);
                        let budget = REPAIR_NODES << (REPAIR_GROWTH * number);
                        control.max_nodes.store(nodes + budget, Ordering::Relaxed);
                        control.stopped.store(control.is_late(), Ordering::Relaxed);
                        let state = worker.state.clone();
                        let numbers = Worker::new(shared, control, side, state).solve();
                        worker.is_proved(numbers)
                    })
                })
            };
            // The recursion is as deep as the longest line.
            let thread = std::thread::Builder::new().stack_size(EXTRACTION_STACK);
            thread
                .spawn_scoped(scope, extract)
                .ok()?
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        });
        self.parts.extend(part);
    }
}

/// The search for one closed set, within the limits of the prover.
struct Attempt<'p, 'a, 't, const W: usize> {
    prover: &'p mut Prover<'a, 't, W>,
    side: Side,
    /// The node count at which the attempt ends.
    limit: u64,
    reported: Instant,
}

impl<const W: usize> Helper<W> for Attempt<'_, '_, '_, W> {
    fn count(&mut self) -> bool {
        let nodes = 1 + self.prover.control.nodes.fetch_add(1, Ordering::Relaxed);
        if !nodes.is_multiple_of(LIMITS_EVERY) {
            return nodes < self.limit;
        }
        if self.reported.elapsed() >= REPORT_EVERY {
            self.reported = Instant::now();
            let Prover { rules, position, shared, control, started, .. } = *self.prover;
            let state = progress(rules, position, (shared, control), self.side, started);
            self.prover.is_interrupted |= !(self.prover.report)(&state);
        }
        nodes < self.limit && !self.prover.is_over()
    }

    fn disproves(&mut self, worker: &Worker<'_, '_, W>) -> bool {
        let left = self.limit.saturating_sub(self.prover.nodes());
        if left == 0 || self.prover.is_over() {
            return false;
        }
        let numbers = self.prover.run(self.side, &worker.state, left.min(REPAIR_NODES));
        worker.is_disproved(numbers)
    }
}
