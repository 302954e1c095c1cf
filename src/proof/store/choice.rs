//! The choice of the next job.

use std::sync::atomic::Ordering;
use std::time::Instant;

use crate::engine::state::State;
use crate::game::moves::Move;
use crate::game::position::Position;
use crate::game::rules::{Ruleset, Side};
use crate::proof::canonical::Canonical;
use crate::proof::prover::JobRequest;
use crate::proof::search::{Control, Worker};

use super::claims::{Claim, ClaimedJob};
use super::error::StoreError;
use super::team_state::TeamState;
use super::tree::{HOPELESS, NOT_WON, NodeId, Tree, Values, WON};
use super::workers::Team;

/// The minimum nodes of a job, unless [`StoreOptions::job_nodes`](super::StoreOptions) is set.
const MIN_JOB_NODES: u64 = 50_000;
/// The maximum nodes of a job, likewise.
const MAX_JOB_NODES: u64 = 5_000_000;
/// A job gets the question's nodes so far divided by this.
const JOB_SHARE: u64 = 20;

/// A job that a worker has claimed.
pub(super) struct Job<const W: usize> {
    pub(super) claim: Claim,
    pub(super) claimed: ClaimedJob,
    pub(super) id: NodeId,
    pub(super) request: JobRequest<W>,
}

/// The outcome of choosing a job.
pub(super) enum Choice<const W: usize> {
    Job(Job<W>),
    /// First the engine is to be asked about this position, below which about 2^`work` nodes have been
    /// searched.
    Advice {
        id: NodeId,
        work: u32,
    },
    /// The results answer the question: whether the side wins.
    Answered(bool),
    /// There is no job: all are running, or wait for the other question.
    Nothing,
}

impl<'a, 't, const W: usize> Team<'a, 't, W> {
    /// Chooses and claims the most promising job of a question.
    pub(super) fn choose(
        &self,
        state: &mut TeamState<'a, 't, W>,
        worker: &mut Worker<'_, 't, W>,
    ) -> Result<Choice<W>, StoreError> {
        let side = worker.prover;
        let root = state.contents.trees[side].id(self.root);
        loop {
            let (values, next) = state.contents.next_job(worker, root);
            match values.of(root) {
                WON => return Ok(Choice::Answered(true)),
                NOT_WON => return Ok(Choice::Answered(false)),
                _ => {}
            }
            let lacks_closed_sets = values.of(root)[0] >= HOPELESS;
            state.questions.set_lacks_closed_set(side, lacks_closed_sets);
            if lacks_closed_sets && state.questions.closed_set_waits(side, state.nodes()) {
                return Ok(Choice::Nothing);
            }
            let seeks_closed_set = lacks_closed_sets || !state.questions.is_open(side.other());
            let Some(id) = next else { return Ok(Choice::Nothing) };
            if self.nodes_left() == Some(0) {
                return Ok(Choice::Nothing);
            }
            let tree = &mut state.contents.trees[side];
            if let Some((id, work)) = tree.take_due_advice(root, &values, &self.shared.advice) {
                return Ok(Choice::Advice { id, work });
            }
            let node = tree.node(id);
            let (position, jobs) = (node.position, node.jobs);
            let text = position.position(self.rules.id()).to_text(self.rules);
            let claimed = ClaimedJob { position: text, side };
            let Some(claim) = Claim::take(&state.contents.folder, &claimed)? else {
                state.contents.trees[side].node_mut(id).is_busy = true;
                state.others.push((side, id, Instant::now()));
                continue;
            };
            self.describe(state, worker, &values);
            // Another process may have finished the job since the journals were read. `values` does
            // not cover what is read now.
            state.contents.read_new()?;
            if state.contents.trees[side].node(id).jobs != jobs {
                continue;
            }
            let budget = self.job_nodes(&state.contents.trees[side], id);
            state.contents.trees[side].node_mut(id).is_busy = true;
            state.planned[side] = state.planned[side].saturating_add(budget);
            state.in_work += 1;
            let request = JobRequest { position, side, budget, seeks_closed_set };
            return Ok(Choice::Job(Job { claim, claimed, id, request }));
        }
    }

    /// Asks the engine about a canonical position. Returns the hash of the position after its move:
    /// [`Key::check`](crate::proof::hashes::Key).
    pub(super) fn ask(&self, position: &Canonical<W>, side: Side, work: u32) -> Option<u64> {
        let control = Control::new(self.deadline);
        control.max_nodes.store(u64::MAX, Ordering::Relaxed);
        let root = State::new(&self.shared.board, &position.position(self.rules.id()));
        let mut goes_on = || !self.is_stopped();
        let mut worker = Worker::new(self.shared, &control, side, root);
        worker.report = Some(&mut goes_on);
        worker.advice(worker.key(), work, None)?.after
    }

    /// Returns the nodes for a job: the rest if it was interrupted, and twice the nodes of all jobs
    /// at the position if one was already finished there.
    fn job_nodes(&self, tree: &Tree<W>, id: NodeId) -> u64 {
        let nodes = self
            .store
            .job_nodes
            .unwrap_or_else(|| (tree.job_nodes / JOB_SHARE).clamp(MIN_JOB_NODES, MAX_JOB_NODES));
        let node = tree.node(id);
        match node.is_leaf() {
            true => nodes.saturating_sub(node.nodes).max(nodes.div_ceil(4)),
            false => nodes.max(node.nodes.saturating_mul(2)),
        }
    }

    /// Updates the progress.
    fn describe(
        &self,
        state: &mut TeamState<'a, 't, W>,
        worker: &mut Worker<'_, 't, W>,
        values: &Values,
    ) {
        let tree = &state.contents.trees[worker.prover];
        let Some(root) = tree.find(&self.root) else { return };
        let line = tree.line(root, values);
        let line: Vec<Canonical<W>> = line.iter().map(|&id| tree.node(id).position).collect();
        state.progress.question = worker.prover;
        state.progress.numbers = values.of(root);
        state.progress.line = played_line(worker, self.rules, self.position, &line);
    }
}

/// Returns the moves from a position along a line of canonical positions.
pub(super) fn played_line<const W: usize>(
    worker: &mut Worker<'_, '_, W>,
    rules: &Ruleset,
    position: &Position,
    line: &[Canonical<W>],
) -> Vec<Move> {
    worker.set_state(State::new(&worker.shared.board, position));
    let mut moves = Vec::new();
    for after in line {
        let mut successors = worker.successors().into_iter();
        let Some((step, _)) = successors.find(|(_, position)| position == after) else { break };
        moves.extend(worker.state.full_move(rules, step));
        worker.play(step);
    }
    moves
}
