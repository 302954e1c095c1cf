//! The tree above the jobs, which is derived from their results and yields the next job.

use std::collections::HashMap;

use crate::game::rules::Side;
use crate::proof::canonical::Canonical;
use crate::proof::search::{AdviceTable, OTHERS_FACTOR};
use crate::proof::stack::with_stack;
use crate::proof::table;

/// The infinite number of solved positions.
const INFINITE: u32 = u32::MAX;
/// The number of positions that look solved without a proof: repetitions of the line, and results
/// without a certificate. They get jobs when nothing else is left.
pub(super) const HOPELESS: u32 = table::INFINITE;
/// The proof and disproof numbers of a proved win, and of a disproved one.
pub(super) const WON: [u32; 2] = [0, INFINITE];
pub(super) const NOT_WON: [u32; 2] = [INFINITE, 0];

/// The number of a position in the tree.
pub(super) type NodeId = u32;

/// A position of the tree.
#[derive(Clone, Debug)]
pub(super) struct Node<const W: usize> {
    pub(super) position: Canonical<W>,
    /// The proof and disproof numbers that a job at the position, or at one before it, has found.
    estimate: [u32; 2],
    /// Whether the win is proved (`true`) or disproved, if either.
    proved: Option<bool>,
    /// The total nodes of the jobs at the position.
    pub(super) nodes: u64,
    /// The number of jobs at the position.
    pub(super) jobs: u64,
    /// The position from which a move was first seen to lead here.
    parent: Option<NodeId>,
    /// The total nodes of the jobs at the position, and at those of which it is an ancestor by
    /// `parent`.
    nodes_below: u64,
    /// The position after the engine's move.
    pub(super) advised: Option<NodeId>,
    /// The binary logarithm of `nodes_below` when the engine was asked.
    asked: Option<u32>,
    /// The nodes of the largest finished job, whose moves are kept.
    finished_nodes: Option<u64>,
    /// The positions after its moves, except those that the rules or the tables decide.
    moves: Vec<NodeId>,
    /// Whether a job at the position is claimed.
    pub(super) is_busy: bool,
    /// Whether a move of another position leads here.
    is_reached: bool,
}

/// The results for one question.
#[derive(Debug)]
pub(super) struct Tree<const W: usize> {
    /// The side whose win is in question.
    pub(super) side: Side,
    /// The number of finished jobs.
    pub(super) jobs: u64,
    /// Their total nodes.
    pub(super) job_nodes: u64,
    ids: HashMap<Canonical<W>, NodeId>,
    nodes: Vec<Node<W>>,
    /// Positions that had a job before any move led to them.
    pub(super) asked: Vec<NodeId>,
}

/// The proof and disproof numbers of the positions below one root.
#[derive(Default)]
pub(super) struct Values {
    numbers: Vec<[u32; 2]>,
    /// By position, the move by which its mover reaches its aim, if known.
    solving: Vec<Option<NodeId>>,
    visited: Vec<Visit>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Visit {
    New,
    OnLine,
    Done,
}

impl<const W: usize> Node<W> {
    pub(super) fn is_leaf(&self) -> bool {
        self.proved.is_none() && self.finished_nodes.is_none()
    }

    /// Returns the index of the mover's number: 0, the proof number, if it is the side in question.
    fn aim(&self, side: Side) -> usize {
        usize::from(self.position.to_move != side)
    }
}

impl<const W: usize> Tree<W> {
    pub(super) fn new(side: Side) -> Tree<W> {
        Tree {
            side,
            jobs: 0,
            job_nodes: 0,
            ids: HashMap::new(),
            nodes: Vec::new(),
            asked: Vec::new(),
        }
    }

    pub(super) fn find(&self, position: &Canonical<W>) -> Option<NodeId> {
        self.ids.get(position).copied()
    }

    pub(super) fn node(&self, id: NodeId) -> &Node<W> {
        &self.nodes[id as usize]
    }

    pub(super) fn node_mut(&mut self, id: NodeId) -> &mut Node<W> {
        &mut self.nodes[id as usize]
    }

    /// Returns the number of a position, which is added if it is new.
    pub(super) fn id(&mut self, position: Canonical<W>) -> NodeId {
        *self.ids.entry(position).or_insert_with(|| {
            self.nodes.push(Node {
                position,
                estimate: [1, 1],
                proved: None,
                nodes: 0,
                jobs: 0,
                parent: None,
                nodes_below: 0,
                advised: None,
                asked: None,
                finished_nodes: None,
                moves: Vec::new(),
                is_busy: false,
                is_reached: false,
            });
            self.nodes.len() as NodeId - 1
        })
    }

    /// Records a proved answer.
    pub(super) fn prove(&mut self, position: Canonical<W>, is_won: bool) {
        let id = self.id(position);
        self.node_mut(id).proved = Some(is_won);
    }

    /// Forgets proved answers, and keeps open results.
    pub(super) fn forget_proofs(&mut self) {
        self.nodes.iter_mut().for_each(|node| node.proved = None);
    }

    /// Counts a job. Files may claim any number of nodes, so sums saturate.
    pub(super) fn count(&mut self, position: Canonical<W>, nodes: u64) {
        let id = self.id(position);
        let node = self.node_mut(id);
        let is_asked = node.jobs == 0 && !node.is_reached;
        node.nodes = node.nodes.saturating_add(nodes);
        node.jobs += 1;
        if is_asked {
            self.asked.push(id);
        }
        self.jobs += 1;
        self.job_nodes = self.job_nodes.saturating_add(nodes);
        let mut ancestor = Some(id);
        while let Some(id) = ancestor {
            let node = self.node_mut(id);
            node.nodes_below = node.nodes_below.saturating_add(nodes);
            ancestor = node.parent;
        }
    }

    /// Adds an open result. Of several finished ones, that with the most nodes is kept.
    pub(super) fn add_open(
        &mut self,
        position: Canonical<W>,
        estimate: [u32; 2],
        finished_nodes: Option<u64>,
        moves: Vec<(Canonical<W>, [u32; 2])>,
    ) {
        let id = self.id(position);
        let best = self.node(id).finished_nodes;
        if best.is_some() && finished_nodes <= best {
            return;
        }
        self.node_mut(id).estimate = unsolved(estimate);
        if finished_nodes.is_none() || moves.is_empty() {
            return;
        }
        let mut ids = Vec::with_capacity(moves.len());
        for (after, numbers) in moves {
            // Only a new position gets a parent, so that nothing is its own ancestor.
            let is_new = self.find(&after).is_none();
            let child = self.id(after);
            if is_new {
                self.node_mut(child).parent = Some(id);
            }
            self.node_mut(child).is_reached = true;
            if self.node(child).is_leaf() {
                self.node_mut(child).estimate = unsolved(numbers);
            }
            ids.push(child);
        }
        let node = self.node_mut(id);
        (node.finished_nodes, node.moves) = (finished_nodes, ids);
    }

    /// Returns the positions after the moves that are not decided by the rules or the tables.
    pub(super) fn moves(&self, id: NodeId) -> &[NodeId] {
        &self.node(id).moves
    }

    /// Returns the number of positions.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Computes the numbers of all positions below a root.
    pub(super) fn values(&self, root: NodeId) -> Values {
        self.values_from([root])
    }

    /// Computes the numbers of all positions, as seen from the first of these roots that leads to
    /// them.
    pub(super) fn all_values(&self, roots: &[NodeId]) -> Values {
        self.values_from(roots.iter().copied().chain(0..self.nodes.len() as NodeId))
    }

    fn values_from(&self, roots: impl IntoIterator<Item = NodeId>) -> Values {
        let count = self.nodes.len();
        let mut values = Values {
            numbers: vec![[1, 1]; count],
            solving: vec![None; count],
            visited: vec![Visit::New; count],
        };
        for root in roots {
            self.evaluate(root, &mut values);
        }
        values
    }

    fn evaluate(&self, id: NodeId, values: &mut Values) -> [u32; 2] {
        let at = id as usize;
        match values.visited[at] {
            Visit::Done => return values.numbers[at],
            Visit::OnLine => return [HOPELESS, 1],
            Visit::New => {}
        }
        let node = self.node(id);
        values.visited[at] = Visit::OnLine;
        let numbers = match node.proved {
            Some(true) => WON,
            Some(false) => NOT_WON,
            None if node.is_leaf() => node.estimate,
            None => with_stack(|| self.combine(id, values)),
        };
        let is_solved = numbers.contains(&0);
        values.numbers[at] = if node.is_busy && !is_solved { numbers.map(raised) } else { numbers };
        values.visited[at] = Visit::Done;
        values.numbers[at]
    }

    /// Combines the numbers of the moves into weak proof numbers, as the search does.
    fn combine(&self, id: NodeId, values: &mut Values) -> [u32; 2] {
        let node = self.node(id);
        let aim = node.aim(self.side);
        let failure = 1 - aim;
        let (mut least, mut most, mut open) = (INFINITE, 0, 0);
        let advised = node.advised.filter(|&child| self.evaluate(child, values)[failure] > 0);
        for &child in &node.moves {
            let numbers = self.evaluate(child, values);
            if numbers[aim] == 0 {
                values.solving[id as usize] = Some(child);
                return numbers;
            }
            if numbers[failure] > 0 {
                least = least.min(surcharged(numbers[aim], child, advised));
                most = most.max(numbers[failure]);
                open += 1;
            }
        }
        let mut numbers = [0; 2];
        (numbers[aim], numbers[failure]) = match open {
            0 => (INFINITE, 0),
            _ => (least.min(HOPELESS), (most + open - 1).min(HOPELESS)),
        };
        numbers
    }

    /// Returns the positions below a root whose mover is known to reach its aim, each with the
    /// position after the move that does so. Such moves never form a cycle.
    pub(super) fn solving_moves(&self, root: NodeId) -> HashMap<Canonical<W>, Canonical<W>> {
        let solving = self.values(root).solving;
        let moves = self.nodes.iter().zip(solving);
        moves
            .filter_map(|(node, after)| Some((node.position, self.node(after?).position)))
            .collect()
    }

    /// Chooses the position of the next job, the most promising one that nobody works on and
    /// that `needs_job`.
    pub(super) fn select(
        &self,
        root: NodeId,
        values: &Values,
        needs_job: &mut dyn FnMut(&Node<W>) -> bool,
    ) -> Option<NodeId> {
        let visited = vec![Visit::New; self.nodes.len()];
        Selection { tree: self, values, visited, needs_job }.below(root, true)
    }

    /// Returns the unsolved moves, the most promising ones first.
    fn best_moves(&self, id: NodeId, values: &Values, visited: &[Visit]) -> Vec<NodeId> {
        let node = self.node(id);
        let aim = node.aim(self.side);
        let advised = node.advised.filter(|&child| values.of(child)[1 - aim] > 0);
        let mut moves: Vec<([u32; 2], NodeId)> = Vec::with_capacity(node.moves.len());
        for &child in &node.moves {
            let is_repeated = visited[child as usize] == Visit::OnLine;
            let numbers = if is_repeated { [HOPELESS, 1] } else { values.of(child) };
            if !numbers.contains(&0) {
                let effort = surcharged(numbers[aim], child, advised);
                moves.push(([effort, numbers[1 - aim]], child));
            }
        }
        moves.sort_unstable();
        moves.into_iter().map(|(_, child)| child).collect()
    }

    /// Returns the most promising line from the root, without the root.
    pub(super) fn line(&self, root: NodeId, values: &Values) -> Vec<NodeId> {
        let mut visited = vec![Visit::New; self.nodes.len()];
        let mut line = Vec::new();
        let mut id = root;
        while visited[id as usize] == Visit::New && !self.node(id).is_leaf() {
            visited[id as usize] = Visit::OnLine;
            let Some(&best) = self.best_moves(id, values, &visited).first() else { break };
            line.push(best);
            id = best;
        }
        line
    }

    /// Returns a position of the most promising line for which the engine's advice is due, with the
    /// binary logarithm of the nodes below it. It counts as asked.
    pub(super) fn take_due_advice(
        &mut self,
        root: NodeId,
        values: &Values,
        advice: &AdviceTable,
    ) -> Option<(NodeId, u32)> {
        let line = self.line(root, values);
        let due = std::iter::once(root).chain(line).find_map(|id| {
            let node = self.node(id);
            let work = node.nodes_below.saturating_add(1).ilog2();
            let is_due = node.position.to_move == self.side
                && !node.is_leaf()
                && advice.is_due(work, node.asked);
            is_due.then_some((id, work))
        });
        if let Some((id, work)) = due {
            self.node_mut(id).asked = Some(work);
        }
        due
    }

    /// Records the engine's move in a position, as the position after it. The other moves look more
    /// expensive until it has failed.
    pub(super) fn advise(&mut self, id: NodeId, after: NodeId) {
        self.node_mut(id).advised = Some(after);
    }

    /// Counts the positions below the root that have no finished job.
    pub(super) fn open(&self, values: &Values) -> u64 {
        let nodes = self.nodes.iter().zip(&values.visited);
        nodes.filter(|(node, visited)| **visited == Visit::Done && node.is_leaf()).count() as u64
    }
}

/// The search for the next job.
struct Selection<'a, const W: usize> {
    tree: &'a Tree<W>,
    values: &'a Values,
    visited: Vec<Visit>,
    needs_job: &'a mut dyn FnMut(&Node<W>) -> bool,
}

impl<const W: usize> Selection<'_, W> {
    /// Selects a job at or below a position. `is_first` says whether all moves of the line are the
    /// most promising ones. Only then a repetition is worked on, by another job at the position
    /// that is repeated.
    fn below(&mut self, id: NodeId, is_first: bool) -> Option<NodeId> {
        let node = self.tree.node(id);
        if node.is_busy {
            return None;
        }
        match self.visited[id as usize] {
            Visit::OnLine => return (is_first && (self.needs_job)(node)).then_some(id),
            Visit::Done => return None,
            Visit::New if node.is_leaf() => {
                self.visited[id as usize] = Visit::Done;
                return (self.needs_job)(node).then_some(id);
            }
            Visit::New => self.visited[id as usize] = Visit::OnLine,
        }
        let moves = self.tree.best_moves(id, self.values, &self.visited);
        let found = moves
            .into_iter()
            .enumerate()
            .find_map(|(at, child)| with_stack(|| self.below(child, is_first && at == 0)));
        self.visited[id as usize] = Visit::Done;
        found
    }
}

impl Values {
    /// Returns the proof and the disproof number of a position.
    pub(super) fn of(&self, id: NodeId) -> [u32; 2] {
        self.numbers[id as usize]
    }
}

/// Limits the numbers of a result without a certificate: they must not look proved.
pub(super) fn unsolved(numbers: [u32; 2]) -> [u32; 2] {
    numbers.map(|number| number.clamp(1, HOPELESS))
}

/// Adds the surcharge of moves that the engine does not prefer.
fn surcharged(number: u32, child: NodeId, advised: Option<NodeId>) -> u32 {
    match advised {
        Some(advised) if advised != child && number < HOPELESS => {
            number.saturating_mul(OTHERS_FACTOR).min(HOPELESS - 1)
        }
        _ => number,
    }
}

/// Adds the surcharge of claimed positions, which makes workers spread out.
fn raised(number: u32) -> u32 {
    (number + number / 4 + 1).min(HOPELESS)
}
