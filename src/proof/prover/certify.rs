//! The strategies behind the answers.

use std::num::NonZeroUsize;
use std::sync::atomic::Ordering;

use crate::game::rules::Side;
use crate::proof::answer::Answer;
use crate::proof::certificate::Part;
use crate::proof::closed_set::{ClosedSet, closed_set};
use crate::proof::extract::strategy;
use crate::proof::helper::Helper;
use crate::proof::search::{REPORT_EVERY, Worker};

use super::two_questions::Prover;

/// The nodes to find one lost result of a closed set again.
const REPAIR_NODES: u64 = 20_000;
/// The nodes to find one lost result of a winning strategy again, if the search took fewer.
const MIN_REPAIR_NODES: u64 = 1_000_000;
/// The nodes to prove or disprove the root again after a set that did not hold.
const ROUND_NODES: u64 = 300_000;
/// Positions of a strategy between two looks at the limits.
const LIMITS_EVERY: u64 = 64;

impl<const W: usize> Prover<'_, '_, W> {
    /// Seeks a closed set in which a side that seems not to win does not win, with at most that
    /// many nodes: positions of sets, and those of the searches between them. Returns `None` if
    /// they do not suffice, or if the set is too large for any number of nodes.
    pub(super) fn refute(&mut self, side: Side, budget: u64) -> Option<Answer> {
        let max_nodes = self.options.max_nodes.unwrap_or(u64::MAX);
        let limit = self.nodes().saturating_add(budget).min(max_nodes);
        let max_positions = self.max_positions;
        while self.nodes() < limit && !self.is_over() {
            let mut worker = Worker::new(self.shared, self.control, side, self.root.clone());
            let mut attempt = ClosedSetHelper { prover: self, side, limit };
            match closed_set(&mut worker, &mut attempt, max_positions) {
                ClosedSet::Found(moves) => {
                    let id = self.rules.id();
                    let unranked =
                        moves.iter().map(|(position, step)| position.strategy_move(id, *step, 0));
                    self.parts.push(Part::new(self.rules, side.other(), false, unranked));
                    return Some(Answer::NotWon);
                }
                ClosedSet::Unfinished => return None,
                ClosedSet::TooLarge => {
                    self.questions.give_up(side);
                    return None;
                }
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
        // The strategy takes memory beyond the table, which the system may not have; or it may be
        // wanted later.
        self.keep();
        if !self.options.certify {
            return;
        }
        let mut worker = Worker::new(self.shared, self.control, side, self.root.clone());
        let rules = self.rules;
        // What was proved can be proved again with about as many nodes.
        let repair_nodes = self.nodes().max(MIN_REPAIR_NODES);
        self.strategy_positions = Some(0);
        self.report_now(side);
        let mut helper = WinHelper { prover: self, side, repair_nodes };
        let part = strategy(&mut worker, rules, &mut helper);
        self.strategy_positions = None;
        self.parts.extend(part);
    }

    /// Reports progress if it is time to.
    fn report_strategy(&mut self, side: Side) {
        if self.reported.elapsed() >= REPORT_EVERY {
            self.report_now(side);
        }
    }
}

/// The search for one closed set, within the limits of the prover.
struct ClosedSetHelper<'p, 'a, 't, const W: usize> {
    prover: &'p mut Prover<'a, 't, W>,
    side: Side,
    /// The node count at which the attempt ends.
    limit: u64,
}

impl<const W: usize> Helper<W> for ClosedSetHelper<'_, '_, '_, W> {
    fn count(&mut self) -> bool {
        let nodes = 1 + self.prover.control.nodes.fetch_add(1, Ordering::Relaxed);
        if !nodes.is_multiple_of(LIMITS_EVERY) {
            return nodes < self.limit;
        }
        self.prover.report_strategy(self.side);
        nodes < self.limit && !self.prover.is_over()
    }

    fn search(&mut self, worker: &Worker<'_, '_, W>) {
        let nodes = self.prover.nodes();
        if nodes < self.limit && !self.prover.is_over() {
            let max_nodes = self.limit.min(nodes.saturating_add(REPAIR_NODES));
            self.prover.run(self.side, &worker.state, max_nodes, self.prover.options.threads);
        }
    }
}

/// The reconstruction of a winner's strategy. The win is known, so only its searches are limited.
struct WinHelper<'p, 'a, 't, const W: usize> {
    prover: &'p mut Prover<'a, 't, W>,
    side: Side,
    /// The maximum number of nodes of a search.
    repair_nodes: u64,
}

impl<const W: usize> Helper<W> for WinHelper<'_, '_, '_, W> {
    fn count(&mut self) -> bool {
        let positions = self.prover.strategy_positions.get_or_insert(0);
        *positions += 1;
        if positions.is_multiple_of(LIMITS_EVERY) {
            self.prover.report_strategy(self.side);
        }
        !self.prover.is_interrupted
    }

    fn search(&mut self, worker: &Worker<'_, '_, W>) {
        let max_nodes = self.prover.nodes().saturating_add(self.repair_nodes);
        // Most of these searches are too short for more threads.
        self.prover.run(self.side, &worker.state, max_nodes, NonZeroUsize::MIN);
    }
}
