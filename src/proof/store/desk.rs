//! What the workers of a process share under a lock.

use std::time::{Duration, Instant};

use crate::game::rules::{BySide, Side};
use crate::proof::canonical::Canonical;
use crate::proof::certificate::Part;
use crate::proof::prover::{Answer, JobCounts, ProofOptions, ProofProgress};

use super::contents::Contents;
use super::error::StoreError;
use super::tree::{NodeId, unsolved};

/// How long a job that another process has claimed counts as busy before it is tried again.
const RETRY: Duration = Duration::from_secs(1);
/// How many times the nodes of a question the other one gets before closed sets are sought.
const PATIENCE: u64 = 8;

/// What the workers share under a lock.
pub(super) struct Desk<'a, 't, const W: usize> {
    pub(super) contents: Contents<'a, 't, W>,
    pub(super) answers: BySide<Answer>,
    /// Whether the side whose win is in question seems not to win, and only closed sets are missing.
    pub(super) lacks_closed_sets: BySide<bool>,
    /// What is proved of the root.
    pub(super) parts: Vec<Part>,
    /// Why the work cannot go on.
    pub(super) failure: Option<StoreError>,
    /// Jobs of other processes, and when they were tried.
    pub(super) others: Vec<(Side, NodeId, Instant)>,
    /// The nodes of the jobs in work, by question.
    pub(super) planned: BySide<u64>,
    pub(super) in_work: usize,
    /// How often the root's certificate did not hold though every part did.
    pub(super) repairs_in_vain: u32,
    pub(super) progress: ProofProgress,
}

impl<'a, 't, const W: usize> Desk<'a, 't, W> {
    pub(super) fn new(
        mut contents: Contents<'a, 't, W>,
        options: &ProofOptions<'_>,
        root: Canonical<W>,
    ) -> Self {
        let mut answers = BySide::default();
        for &side in &options.questions {
            answers[side] = Answer::Open { proof: 1, disproof: 1 };
            contents.trees[side].id(root);
        }
        let progress = ProofProgress {
            question: options.questions.first().copied().unwrap_or(Side::Attackers),
            numbers: [1, 1],
            nodes: 0,
            time: Duration::ZERO,
            line: Vec::new(),
            jobs: None,
        };
        Desk {
            contents,
            answers,
            lacks_closed_sets: BySide::default(),
            parts: Vec::new(),
            failure: None,
            others: Vec::new(),
            planned: BySide::default(),
            in_work: 0,
            repairs_in_vain: 0,
            progress,
        }
    }

    /// The open questions, that with the fewest nodes first.
    pub(super) fn open_questions(&self) -> Vec<Side> {
        let mut open: Vec<Side> =
            Side::ALL.into_iter().filter(|&side| self.is_open(side)).collect();
        open.sort_by_key(|&side| self.nodes(side));
        open
    }

    /// Returns whether the closed sets of a side that seems not to win are to wait: a win of the
    /// other side, which may still be found, would make them unnecessary, and they take long.
    pub(super) fn closed_sets_wait(&self, side: Side) -> bool {
        let other = side.other();
        self.is_open(other)
            && !self.lacks_closed_sets[other]
            && self.nodes(other) < PATIENCE * self.nodes(side)
    }

    /// The nodes that a question has had, with those of the jobs in work.
    fn nodes(&self, side: Side) -> u64 {
        self.contents.trees[side].job_nodes + self.planned[side]
    }

    pub(super) fn is_open(&self, side: Side) -> bool {
        matches!(self.answers[side], Answer::Open { .. })
    }

    /// The state of the work for the user.
    pub(super) fn progress(&self, nodes: u64, time: Duration) -> ProofProgress {
        let done = self.contents.trees[self.progress.question].jobs;
        let jobs = Some(JobCounts { done, running: self.in_work });
        ProofProgress { nodes, time, jobs, ..self.progress.clone() }
    }

    pub(super) fn is_answered(&self) -> bool {
        !Side::ALL.into_iter().any(|side| self.is_open(side))
    }

    /// Lets jobs of other processes be tried again.
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

    /// The answers, with the present numbers of what is open.
    pub(super) fn answers_now(&mut self, root: Canonical<W>) -> BySide<Answer> {
        for side in self.open_questions() {
            let tree = &mut self.contents.trees[side];
            let id = tree.id(root);
            let [proof, disproof] = unsolved(tree.values(id).of(id));
            self.answers[side] = Answer::Open { proof, disproof };
        }
        self.answers
    }
}
