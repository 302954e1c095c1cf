//! The tree above the jobs, which is derived from their results and chooses the next job.

use std::collections::HashMap;

use crate::game::rules::Side;
use crate::proof::canonical::Canonical;
use crate::proof::table;

/// The numbers of what is solved.
const INFINITE: u32 = u32::MAX;
/// The number of what looks solved, but is not proved: a repetition of the line, or a result
/// without a certificate. It is worked on when nothing else is left.
pub(super) const HOPELESS: u32 = table::INFINITE;
/// The proof and the disproof number of a proved win, and of a proved refutation.
pub(super) const WON: [u32; 2] = [0, INFINITE];
pub(super) const NOT_WON: [u32; 2] = [INFINITE, 0];

/// The number of a position in the tree.
pub(super) type NodeId = u32;

/// What is known of one position.
#[derive(Clone, Debug)]
pub(super) struct Node<const W: usize> {
    pub(super) position: Canonical<W>,
    /// The proof and the disproof number by the jobs at the position or before it.
    estimate: [u32; 2],
    /// Whether the win is proved (true), or disproved.
    proved: Option<bool>,
    /// The nodes of all jobs at the position.
    pub(super) nodes: u64,
    /// The jobs at the position.
    pub(super) jobs: u64,
    /// The most nodes of a finished job, whose moves are kept.
    finished_nodes: Option<u64>,
    /// The positions after the moves that are not decided.
    moves: Vec<NodeId>,
    /// Whether a worker has claimed it.
    pub(super) is_busy: bool,
    /// Whether a move of another position leads here.
    is_reached: bool,
}

/// The results for one question.
#[derive(Debug)]
pub(super) struct Tree<const W: usize> {
    /// The side whose win is in question.
    pub(super) side: Side,
    /// All jobs that were done.
    pub(super) jobs: u64,
    /// The nodes of all jobs.
    pub(super) job_nodes: u64,
    ids: HashMap<Canonical<W>, NodeId>,
    nodes: Vec<Node<W>>,
    /// Positions that had a job before any move led to them.
    pub(super) asked: Vec<NodeId>,
}

/// The proof and disproof numbers of a tree, seen from one root.
#[derive(Default)]
pub(super) struct Values {
    numbers: Vec<[u32; 2]>,
    /// The move that solves a position for its mover.
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

    /// Which number of the two is the mover's effort to reach its aim.
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

    /// Returns the number of a position, a new one if need be.
    pub(super) fn id(&mut self, position: Canonical<W>) -> NodeId {
        *self.ids.entry(position).or_insert_with(|| {
            self.nodes.push(Node {
                position,
                estimate: [1, 1],
                proved: None,
                nodes: 0,
                jobs: 0,
                finished_nodes: None,
                moves: Vec::new(),
                is_busy: false,
                is_reached: false,
            });
            self.nodes.len() as NodeId - 1
        })
    }

    /// Records that a position is proved.
    pub(super) fn prove(&mut self, position: Canonical<W>, is_won: bool) {
        let id = self.id(position);
        self.node_mut(id).proved = Some(is_won);
    }

    /// Forgets what is proved, and keeps the open results.
    pub(super) fn forget_proofs(&mut self) {
        self.nodes.iter_mut().for_each(|node| node.proved = None);
    }

    /// Counts a job.
    pub(super) fn count(&mut self, position: Canonical<W>, nodes: u64) {
        let id = self.id(position);
        let node = self.node_mut(id);
        let is_asked = node.jobs == 0 && !node.is_reached;
        node.nodes += nodes;
        node.jobs += 1;
        if is_asked {
            self.asked.push(id);
        }
        self.jobs += 1;
        self.job_nodes += nodes;
    }

    /// Adds an open result. Of several the one with the most nodes is kept.
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
            let child = self.id(after);
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

    /// Computes the numbers of all positions below the root that matter for it.
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
            None => self.combine(id, values),
        };
        let is_solved = numbers.contains(&0);
        values.numbers[at] = if node.is_busy && !is_solved { numbers.map(raised) } else { numbers };
        values.visited[at] = Visit::Done;
        values.numbers[at]
    }

    /// Combines the numbers of the moves, as the search does (weak proof numbers).
    fn combine(&self, id: NodeId, values: &mut Values) -> [u32; 2] {
        let node = self.node(id);
        let aim = node.aim(self.side);
        let failure = 1 - aim;
        let (mut least, mut most, mut open) = (INFINITE, 0, 0);
        for &child in &node.moves {
            let numbers = self.evaluate(child, values);
            if numbers[aim] == 0 {
                values.solving[id as usize] = Some(child);
                return numbers;
            }
            if numbers[failure] > 0 {
                least = least.min(numbers[aim]);
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

    /// Chooses the position of the next job, the most promising one that nobody works on.
    pub(super) fn select(&self, root: NodeId, values: &Values) -> Option<NodeId> {
        let mut visited = vec![Visit::New; self.nodes.len()];
        self.select_below(root, values, &mut visited, true)
    }

    /// `is_first` says whether all moves of the line are the most promising ones. Only then a
    /// repetition is worked on, by another job at the position that is repeated.
    fn select_below(
        &self,
        id: NodeId,
        values: &Values,
        visited: &mut [Visit],
        is_first: bool,
    ) -> Option<NodeId> {
        let node = self.node(id);
        if node.is_busy {
            return None;
        }
        match visited[id as usize] {
            Visit::OnLine => return is_first.then_some(id),
            Visit::Done => return None,
            Visit::New if node.is_leaf() => return Some(id),
            Visit::New => visited[id as usize] = Visit::OnLine,
        }
        let found =
            self.best_moves(id, values, visited).into_iter().enumerate().find_map(|(at, child)| {
                self.select_below(child, values, visited, is_first && at == 0)
            });
        visited[id as usize] = Visit::Done;
        found
    }

    /// Returns the moves that are not solved, the most promising ones first.
    fn best_moves(&self, id: NodeId, values: &Values, visited: &[Visit]) -> Vec<NodeId> {
        let node = self.node(id);
        let aim = node.aim(self.side);
        let mut moves: Vec<([u32; 2], NodeId)> = Vec::with_capacity(node.moves.len());
        for &child in &node.moves {
            let is_repeated = visited[child as usize] == Visit::OnLine;
            let numbers = if is_repeated { [HOPELESS, 1] } else { values.of(child) };
            if !numbers.contains(&0) {
                moves.push(([numbers[aim], numbers[1 - aim]], child));
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

    /// Counts the positions of the tree that wait for a job.
    pub(super) fn open(&self, values: &Values) -> u64 {
        let nodes = self.nodes.iter().zip(&values.visited);
        nodes.filter(|(node, visited)| **visited == Visit::Done && node.is_leaf()).count() as u64
    }
}

impl Values {
    /// Returns the proof and the disproof number of a position.
    pub(super) fn of(&self, id: NodeId) -> [u32; 2] {
        self.numbers[id as usize]
    }

    /// Returns the move that solves the position for its mover. Such moves never lead back.
    pub(super) fn solving_move(&self, id: NodeId) -> Option<NodeId> {
        self.solving[id as usize]
    }
}

/// Numbers of a result that nothing proves.
pub(super) fn unsolved(numbers: [u32; 2]) -> [u32; 2] {
    numbers.map(|number| number.clamp(1, HOPELESS))
}

/// The surcharge for positions that others work on, so that workers spread.
fn raised(number: u32) -> u32 {
    (number + number / 4 + 1).min(HOPELESS)
}
