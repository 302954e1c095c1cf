//! The state that the workers of a process share under a lock.

use std::time::{Duration, Instant};

use crate::game::rules::{BySide, Side};
use crate::proof::answer::Answer;
use crate::proof::canonical::Canonical;
use crate::proof::certificate::Part;
use crate::proof::prover::{JobCounts, ProofOptions, ProofProgress};
use crate::proof::questions::Questions;
use crate::proof::search::Worker;

use super::contents::Contents;
use super::error::StoreError;
use super::tree::{NodeId, unsolved};

/// How long a job claimed by another process is left alone before it is tried again.
const RETRY: Duration = Duration::from_secs(1);

/// The state that the workers share under a lock.
pub(super) struct TeamState<'a, 't, const W: usize> {
    pub(super) contents: Contents<'a, 't, W>,
    pub(super) questions: Questions,
    /// The parts of the root's certificate so far.
    pub(super) parts: Vec<Part>,
    /// The first error, which ends the work.
    pub(super) failure: Option<StoreError>,
    /// Jobs that other processes have claimed, and when that was noticed.
    pub(super) others: Vec<(Side, NodeId, Instant)>,
    /// By question, the nodes of the running jobs of this process.
    pub(super) planned: BySide<u64>,
    pub(super) in_work: usize,
    /// Whether a worker assembles and checks the root's certificate, for which it does not hold the
    /// lock.
    pub(super) is_concluding: bool,
    /// How often the root's certificate failed although every stored one held.
    pub(super) repairs_in_vain: u32,
    pub(super) progress: ProofProgress,
}

impl<'a, 't, const W: usize> TeamState<'a, 't, W> {
    pub(super) fn new(
        mut contents: Contents<'a, 't, W>,
        options: &ProofOptions<'_>,
        root: Canonical<W>,
    ) -> Self {
        for &side in &options.questions {
            contents.trees[side].id(root);
        }
        TeamState {
            contents,
            questions: Questions::new(&options.questions),
            parts: Vec::new(),
            failure: None,
            others: Vec::new(),
            planned: BySide::default(),
            in_work: 0,
            is_concluding: false,
            repairs_in_vain: 0,
            progress: no_progress(options),
        }
    }

    /// Returns the open questions, the one with the fewest nodes first.
    pub(super) fn open_questions(&self) -> Vec<Side> {
        let nodes = self.nodes();
        let mut sides = Side::ALL;
        if nodes[Side::Defenders] < nodes[Side::Attackers] {
            sides.reverse();
        }
        sides.into_iter().filter(|&side| self.questions.is_open(side)).collect()
    }

    /// By question, the nodes of finished and running jobs.
    pub(super) fn nodes(&self) -> BySide<u64> {
        BySide::from_fn(|side| {
            self.contents.trees[side].job_nodes.saturating_add(self.planned[side])
        })
    }

    /// Returns the progress to report.
    pub(super) fn progress(&self, nodes: u64, time: Duration) -> ProofProgress {
        let done = self.contents.trees[self.progress.question].jobs;
        let jobs = Some(JobCounts { done, running: self.in_work });
        ProofProgress { nodes, time, jobs, ..self.progress.clone() }
    }

    /// Releases jobs of other processes that are to be tried again.
    pub(super) fn release_others(&mut self) {
        let trees = &mut self.contents.trees;
        self.others.retain(|&(side, id, tried)| {
            let is_kept = tried.elapsed() < RETRY;
            if !is_kept {
                trees[side].node_mut(id).is_busy = false;
            }
            is_kept
        });
    }

    /// Records the engine's move in a position; `after` is the hash of the position after it.
    pub(super) fn advise(
        &mut self,
        worker: &mut Worker<'_, '_, W>,
        id: NodeId,
        after: Option<u64>,
    ) {
        let tree = &mut self.contents.trees[worker.prover];
        let moved = tree.moves(id).iter().copied().find(|&moved| {
            worker.set(&tree.node(moved).position);
            Some(worker.key().check) == after
        });
        if let Some(moved) = moved {
            tree.advise(id, moved);
        }
    }

    /// Returns the answers, with the current numbers of open questions.
    pub(super) fn answers_now(&mut self, root: Canonical<W>) -> BySide<Answer> {
        for side in self.open_questions() {
            let tree = &mut self.contents.trees[side];
            let id = tree.id(root);
            let [proof, disproof] = unsolved(tree.values(id).of(id));
            self.questions.answers[side] = Answer::Open { proof, disproof };
        }
        self.questions.answers
    }
}

/// Returns the progress before the first job.
pub(super) fn no_progress(options: &ProofOptions<'_>) -> ProofProgress {
    ProofProgress {
        question: options.questions.first().copied().unwrap_or(Side::Attackers),
        numbers: [1, 1],
        nodes: 0,
        time: Duration::ZERO,
        line: Vec::new(),
        strategy_positions: None,
        jobs: None,
    }
}
