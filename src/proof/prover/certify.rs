//! The strategies behind the answers.

use std::num::NonZeroUsize;
use std::sync::atomic::Ordering;

use crate::game::rules::Side;
use crate::proof::answer::Answer;
use crate::proof::certificate::Part;
use crate::proof::search::{REPORT_EVERY, Worker};

use super::closed_set::{ClosedSet, closed_set};
use super::extract::strategy;
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
        while self.nodes() < limit && !self.is_over() {
            match closed_set(self, side, limit) {
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
        // What was proved can be proved again with about as many nodes.
        let repair_nodes = self.nodes().max(MIN_REPAIR_NODES);
        self.strategy_positions = Some(0);
        self.report_now(side);
        let part = strategy(self, side, repair_nodes);
        self.strategy_positions = None;
        self.parts.extend(part);
    }

    /// Counts a position of a closed set. Returns whether to go on: the node count has not reached
    /// `limit`, nor the search its limits.
    pub(super) fn count_vertex(&mut self, side: Side, limit: u64) -> bool {
        let nodes = 1 + self.control.nodes.fetch_add(1, Ordering::Relaxed);
        if !nodes.is_multiple_of(LIMITS_EVERY) {
            return nodes < limit;
        }
        self.report_if_due(side);
        nodes < limit && !self.is_over()
    }

    /// Searches the state of a worker that seeks a closed set, whose result is not in the table. Within
    /// the limits: the table may lack it afterwards, too.
    pub(super) fn search_vertex(&mut self, worker: &Worker<'_, '_, W>, limit: u64) {
        let nodes = self.nodes();
        if nodes < limit && !self.is_over() {
            let max_nodes = limit.min(nodes.saturating_add(REPAIR_NODES));
            self.run(worker.prover, &worker.state, max_nodes, self.options.threads);
        }
    }

    /// Counts a position of the winner's strategy. Returns whether to go on: the win is known, so only
    /// an interruption ends the reconstruction.
    pub(super) fn count_strategy_position(&mut self, side: Side) -> bool {
        let positions = self.strategy_positions.get_or_insert(0);
        *positions += 1;
        if positions.is_multiple_of(LIMITS_EVERY) {
            self.report_if_due(side);
        }
        !self.is_interrupted
    }

    /// Searches the state of a worker that reconstructs a strategy, whose proof is not in the table,
    /// with that many nodes.
    pub(super) fn search_lost_proof(&mut self, worker: &Worker<'_, '_, W>, nodes: u64) {
        let max_nodes = self.nodes().saturating_add(nodes);
        // Most of these searches are too short for more threads.
        self.run(worker.prover, &worker.state, max_nodes, NonZeroUsize::MIN);
    }

    /// Reports progress if it is time to.
    fn report_if_due(&mut self, side: Side) {
        if self.reported.elapsed() >= REPORT_EVERY {
            self.report_now(side);
        }
    }
}
