//! The tree of a store, to be looked at while workers add to it.

use std::collections::HashSet;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::engine::bits::with_width;
use crate::engine::state::State;
use crate::game::moves::Move;
use crate::game::position::Position;
use crate::game::rules::{BySide, Ruleset, Side};
use crate::proof::answer::finite;
use crate::proof::canonical::Canonical;
use crate::proof::prover::{ProofOptions, shared};
use crate::proof::search::{Control, Shared, Worker};
use crate::proof::walk::Leaf;
use crate::system::filesystem::SystemFiles;
use crate::tablebase::Tablebase;

use super::choice::played_line;
use super::claims::{ClaimedJob, claimed};
use super::contents::Contents;
use super::error::StoreError;
use super::folder::Folder;
use super::outline::{
    NodeState, NodeStatus, StoreTree, TreeMove, TreeNode, TreeQuestion, TreeRoot, sort_by_effort,
};
use super::totals::{Layers, Totals};
use super::tree::{NOT_WON, NodeId, Values, WON};

/// Reads the store in a folder, and calls `look` with its tree. Workers may write to the store
/// meanwhile; nothing is written here. The memory it takes grows with the positions of the tree and
/// of the certificates.
///
/// # Errors
/// If the folder is not a store of the tables' rules, or cannot be read.
pub fn with_tree(
    folder: &Path,
    tables: &Tablebase,
    notice: &(dyn Fn(&str) + Sync),
    look: &mut dyn FnMut(&mut dyn StoreTree),
) -> Result<(), StoreError> {
    let rules = tables.rules();
    let folder = Folder::open(Arc::new(SystemFiles), folder, rules)?;
    with_width!(rules.board, W => with_view::<W>(folder, tables, notice, look))
}

fn with_view<const W: usize>(
    folder: Folder,
    tables: &Tablebase,
    notice: &(dyn Fn(&str) + Sync),
    look: &mut dyn FnMut(&mut dyn StoreTree),
) -> Result<(), StoreError> {
    let rules = tables.rules();
    let options = ProofOptions { tables: Some(tables), table_bytes: 0, ..ProofOptions::default() };
    let shared: Shared<'_, W> = shared(rules, &options)?;
    let contents = Contents::read(folder, (rules, &shared), tables, notice, &mut || true)?;
    let control = Control::new(None::<Instant>);
    let start = Position::start(rules).ok();
    let mut view = View {
        rules,
        shared: &shared,
        control: &control,
        start,
        contents,
        claims: Vec::new(),
        sides: BySide::default(),
        roots: None,
    };
    view.claims = view.read_claims()?;
    look(&mut view);
    Ok(())
}

/// The most roots that are listed. Each of them takes time with all news.
pub(super) const MAX_ROOTS: usize = 20;

struct View<'a, 't, const W: usize> {
    rules: &'a Ruleset,
    shared: &'a Shared<'t, W>,
    control: &'a Control,
    start: Option<Position>,
    contents: Contents<'a, 't, W>,
    claims: Vec<ClaimedJob>,
    sides: BySide<Evaluated>,
    /// The roots, once one of them or a node has been asked for; then `sides` has their numbers, too.
    roots: Option<Vec<TreeRoot>>,
}

/// The numbers of the tree of one question.
#[derive(Default)]
struct Evaluated {
    values: Values,
    totals: Vec<Totals>,
    claimed: HashSet<NodeId>,
}

/// How many positions below one wait for a job, and the line to the next one, for each question.
type Next = BySide<(u64, Vec<Move>)>;

impl<'a, 't, const W: usize> View<'a, 't, W> {
    fn worker(&self, side: Side, position: &Position) -> Worker<'a, 't, W> {
        let state = State::new(&self.shared.board, position);
        Worker::new(self.shared, self.control, side, state)
    }

    fn canonical(&self, position: &Position) -> Canonical<W> {
        self.shared.symmetries.canonical(&State::new(&self.shared.board, position)).0
    }

    /// Returns the jobs in hand, in an order of their own, so that they can be compared.
    fn read_claims(&self) -> Result<Vec<ClaimedJob>, StoreError> {
        let mut claims = claimed(&self.contents.folder)?;
        claims.sort();
        Ok(claims)
    }

    /// Computes the numbers and the roots anew.
    fn update(&mut self) {
        let layers = self.layers();
        let mut roots: Vec<Canonical<W>> = Vec::new();
        for side in Side::ALL {
            for &id in &layers[side].roots {
                let root = self.contents.trees[side].node(id).position;
                if roots.len() < MAX_ROOTS && !roots.contains(&root) {
                    roots.push(root);
                }
            }
        }
        let positions: Vec<Position> = roots.iter().map(|root| self.position(root)).collect();
        let next: Vec<Next> = positions.iter().map(|position| self.next(position)).collect();
        self.evaluate(&layers);
        let roots =
            positions.iter().zip(next).map(|(position, next)| self.describe(position, next));
        self.roots = Some(roots.collect());
    }

    fn layers(&self) -> BySide<Layers> {
        BySide::from_fn(|side| Layers::new(&self.contents.trees[side]))
    }

    /// Computes the numbers of both trees anew.
    fn evaluate(&mut self, layers: &BySide<Layers>) {
        self.sides = BySide::from_fn(|side| self.evaluated(side, &layers[side]));
    }

    /// Searches for the next job of each question. This finds positions that certificates prove, so
    /// the numbers are to be computed after it.
    fn next(&mut self, position: &Position) -> Next {
        BySide::from_fn(|side| self.next_of(side, position))
    }

    /// Returns how many positions below one wait for a job, and the line to the next one.
    fn next_of(&mut self, side: Side, position: &Position) -> (u64, Vec<Move>) {
        let id = self.contents.trees[side].find(&self.canonical(position));
        let Some(id) = id else { return (0, Vec::new()) };
        let mut worker = self.worker(side, position);
        let (values, _) = self.contents.next_job(&mut worker, id);
        if values.of(id).contains(&0) {
            return (0, Vec::new());
        }
        let tree = &self.contents.trees[side];
        let ids = tree.line(id, &values);
        let line: Vec<Canonical<W>> = ids.iter().map(|&id| tree.node(id).position).collect();
        (tree.open(&values), played_line(&mut worker, self.rules, position, &line))
    }

    fn evaluated(&self, side: Side, layers: &Layers) -> Evaluated {
        let tree = &self.contents.trees[side];
        let jobs = self.claims.iter().filter(|job| job.side == side);
        // The text of a claim may be in the course of being written.
        let positions = jobs.filter_map(|job| Position::parse(&job.position, self.rules).ok());
        let ids = positions.filter_map(|position| tree.find(&self.canonical(&position)));
        let claimed: HashSet<NodeId> = ids.collect();
        let values = tree.all_values(&layers.roots);
        let totals = layers.totals(tree, &values, &claimed);
        Evaluated { values, totals, claimed }
    }

    fn describe(&self, position: &Position, mut next: Next) -> TreeRoot {
        let mut questions = BySide::from_fn(|side| {
            let mut worker = self.worker(side, position);
            let status = self.status(&mut worker, &self.canonical(position));
            let (open, line) = std::mem::take(&mut next[side]);
            TreeQuestion {
                status: status.unwrap_or(NodeStatus::UNASKED),
                open,
                time: Duration::from_millis(self.contents.millis[side]),
                moves: self.moves(&mut worker, position),
                line,
            }
        });
        for side in Side::ALL {
            if questions[side].status.state == NodeState::Proved {
                let status = &mut questions[side.other()].status;
                *status = NodeStatus { state: NodeState::Disproved, ..*status };
                (status.proof, status.disproof) = (None, Some(0));
            }
        }
        TreeRoot { position: *position, questions }
    }

    /// Returns the moves of which the store knows something, the most promising ones for their mover
    /// first.
    fn moves(&self, worker: &mut Worker<'_, '_, W>, position: &Position) -> Vec<TreeMove> {
        let state = State::new(&self.shared.board, position);
        worker.set_state(state.clone());
        let mut known = Vec::new();
        for (step, after) in worker.successors() {
            if let Some(status) = self.status(worker, &after)
                && let Some(played) = state.full_move(self.rules, step)
            {
                known.push(TreeMove { played, status });
            }
        }
        sort_by_effort(&mut known, position.to_move == worker.prover);
        known
    }

    /// Returns the start if it is this position, else the image that the store has.
    fn position(&self, at: &Canonical<W>) -> Position {
        let start = self.start.filter(|start| self.canonical(start) == *at);
        start.unwrap_or_else(|| at.position(self.rules.id()))
    }

    /// Returns what is known of a position, and leaves the worker's state there.
    fn status(
        &self,
        worker: &mut Worker<'_, '_, W>,
        position: &Canonical<W>,
    ) -> Option<NodeStatus> {
        let side = worker.prover;
        let (tree, evaluated) = (&self.contents.trees[side], &self.sides[side]);
        worker.set(position);
        // Attackers who must stop the king but cannot reach his way have no moves that count.
        let is_end = worker.leaf(side, true) != Leaf::Inner || worker.successors().is_empty();
        let Some(id) = tree.find(position) else {
            let is_won = self.contents.knowledge.answer(worker, position)?;
            return Some(NodeStatus::decided(is_won, !is_end));
        };
        let node = tree.node(id);
        // The tree alone does not know what certificates of other lines prove.
        let [proof, disproof] = match evaluated.values.of(id) {
            solved if solved.contains(&0) => solved,
            open => match self.contents.knowledge.answer(worker, position) {
                Some(true) => WON,
                Some(false) => NOT_WON,
                None => open,
            },
        };
        let state = match [proof, disproof] {
            WON => NodeState::Proved,
            NOT_WON => NodeState::Disproved,
            _ if evaluated.claimed.contains(&id) => NodeState::Working,
            _ if node.is_leaf() => NodeState::Waiting,
            _ => NodeState::Open,
        };
        let Totals { positions, decided, jobs, claimed, nodes } = evaluated.totals[id as usize];
        let has_moves = if state.is_decided() { !is_end } else { !node.is_leaf() };
        let (proof, disproof) = (finite(proof), finite(disproof));
        Some(NodeStatus {
            state,
            proof,
            disproof,
            positions,
            decided,
            jobs,
            claimed,
            nodes,
            has_moves,
        })
    }
}

impl<const W: usize> StoreTree for View<'_, '_, W> {
    fn refresh(&mut self) -> Result<bool, StoreError> {
        if self.contents.is_outdated() {
            return Ok(false);
        }
        let has_news = self.contents.read_new()?;
        let claims = self.read_claims()?;
        if has_news || claims != self.claims {
            self.claims = claims;
            self.update();
        }
        Ok(true)
    }

    fn certificates(&self) -> usize {
        self.contents.certificates.len()
    }

    fn skipped(&self) -> usize {
        self.contents.skipped()
    }

    fn roots(&mut self) -> &[TreeRoot] {
        if self.roots.is_none() {
            self.update();
        }
        self.roots.as_deref().unwrap_or_default()
    }

    fn root(&mut self, position: &Position) -> TreeRoot {
        let next = self.next(position);
        self.evaluate(&self.layers());
        self.describe(position, next)
    }

    fn node(&mut self, side: Side, position: &Position, wanted: Range<usize>) -> Option<TreeNode> {
        self.roots();
        let mut worker = self.worker(side, position);
        let status = self.status(&mut worker, &self.canonical(position))?;
        if !status.has_moves {
            return Some(TreeNode { status, count: 0, moves: Vec::new() });
        }
        let mut moves = self.moves(&mut worker, position);
        let count = moves.len();
        moves.truncate(wanted.end);
        moves.drain(..wanted.start.min(moves.len()));
        Some(TreeNode { status, count, moves })
    }
}
