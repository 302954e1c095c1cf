//! A job of a long proof: a search of bounded size for one question about one position.

use std::num::NonZeroUsize;
use std::sync::atomic::Ordering;
use std::time::Instant;

use crate::engine::state::Step;
use crate::game::rules::{Ruleset, Side};
use crate::proof::answer::Answer;
use crate::proof::canonical::Canonical;
use crate::proof::certificate::Part;
use crate::proof::search::{Control, Shared, Worker};
use crate::proof::walk::Leaf;

use super::two_questions::Prover;
use super::{ProofOptions, ProofProgress};

/// What a job is to search for.
pub(in crate::proof) struct JobRequest<const W: usize> {
    /// The position, which is canonical.
    pub(in crate::proof) position: Canonical<W>,
    /// The side whose win is in question.
    pub(in crate::proof) side: Side,
    /// The maximum number of nodes of the search.
    pub(in crate::proof) budget: u64,
    /// Whether to spend as many more on a closed set if the search disproves the win.
    pub(in crate::proof) seeks_closed_set: bool,
}

/// The result of a job.
pub(in crate::proof) struct JobAnswer<const W: usize> {
    /// `Won` and `NotWon` only if `parts` proves them.
    pub(in crate::proof) answer: Answer,
    pub(in crate::proof) parts: Vec<Part>,
    pub(in crate::proof) nodes: u64,
    /// The moves to positions that neither the rules nor the tables decide, with the proof and
    /// disproof numbers of these positions.
    pub(in crate::proof) moves: Vec<(Step, [u32; 2])>,
    /// Whether the job is to be continued: the limit of the run ended it before its own did, or it
    /// disproved the win without seeking a closed set.
    pub(in crate::proof) is_unfinished: bool,
}

/// The nodes of a job with its closed set, as a multiple of the job's own.
const CLOSED_SET_FACTOR: u64 = 2;

/// Runs a job within the limits of the options.
pub(in crate::proof) fn answer_job<const W: usize>(
    shared: &Shared<'_, W>,
    rules: &Ruleset,
    request: &JobRequest<W>,
    options: &ProofOptions<'_>,
    deadline: Option<Instant>,
    report: &mut dyn FnMut(&ProofProgress) -> bool,
) -> JobAnswer<W> {
    let &JobRequest { side, budget, seeks_closed_set, .. } = request;
    let control = Control::new(deadline);
    let position = request.position.position(rules.id());
    let max_nodes = options.max_nodes.unwrap_or(u64::MAX);
    let options = ProofOptions {
        max_nodes: Some(max_nodes.min(budget.saturating_mul(CLOSED_SET_FACTOR))),
        threads: NonZeroUsize::MIN,
        certify: true,
        ..options.clone()
    };
    let mut prover = Prover::new(shared, &control, (rules, &position), &options, report);
    // The node count at which the job ends by itself.
    let mut limit = budget;
    let mut answer = prover.answer_at_once(side);
    if answer == Answer::UNKNOWN {
        answer = prover.answer(side, budget);
    }
    let is_unproved = answer == Answer::NotWon && prover.parts.is_empty();
    let lacks_closed_set = is_unproved && !seeks_closed_set;
    if is_unproved && seeks_closed_set {
        limit = prover.nodes().saturating_add(budget);
        answer = prover.refute(side, budget).unwrap_or(Answer::UNKNOWN);
    }
    let mut moves = Vec::new();
    if prover.parts.is_empty() {
        let mut worker = prover.worker(side);
        let [proof, disproof] = worker.numbers_of_win();
        answer = Answer::Open { proof, disproof };
        if !lacks_closed_set {
            moves = worker.open_moves();
        }
    }
    let nodes = control.nodes.load(Ordering::Relaxed);
    let is_cut_off = max_nodes < limit && nodes >= max_nodes;
    let is_unfinished = lacks_closed_set || is_cut_off;
    JobAnswer { answer, parts: prover.parts, nodes, moves, is_unfinished }
}

impl<const W: usize> Worker<'_, '_, W> {
    /// Returns the proof and disproof numbers of the current state, from the table or the evaluation.
    pub(in crate::proof) fn numbers_of_win(&mut self) -> [u32; 2] {
        let numbers = self.numbers(self.key());
        numbers.of_win(self.state.to_move == self.prover)
    }

    /// Returns the moves to positions that neither the rules nor the tables decide, with the numbers
    /// of these positions.
    fn open_moves(&mut self) -> Vec<(Step, [u32; 2])> {
        let mut moves = Vec::new();
        for (step, after) in self.successors() {
            self.set(&after);
            if self.leaf(self.prover, true) == Leaf::Inner {
                moves.push((step, self.numbers_of_win()));
            }
        }
        moves
    }
}
