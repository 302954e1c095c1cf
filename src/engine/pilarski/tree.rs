//! The tree of a Monte Carlo search, with transpositions merged.

use std::collections::HashMap;

use crate::engine::state::Step;
use crate::game::rules::Side;

use super::method::{Reward, Visits};

/// In place of a node's number: no node.
pub(super) const NO_NODE: u32 = u32::MAX;

/// A position, with the results of the simulations through it.
#[derive(Clone, Copy)]
pub(super) struct Node {
    pub(super) visits: u32,
    /// Simulations won and lost by the side that has just moved.
    wins: u32,
    losses: u32,
    /// The range of its moves in `Tree::branches`; [`NO_NODE`] before it is expanded.
    first_move: u32,
    move_count: u32,
    /// The winner if the game is over here.
    pub(super) winner: Option<Side>,
}

/// A move in the tree, and the node that it leads to, or [`NO_NODE`] if there is none yet.
#[derive(Clone, Copy)]
pub(super) struct Branch {
    pub(super) step: Step,
    pub(super) node: u32,
}

/// The parameters of the UCT formula.
pub(super) struct Formula {
    pub(super) reward: Reward,
    pub(super) visits: Visits,
    pub(super) exploration: f64,
}

/// The nodes and branches. Positions with the same key share a node.
pub(super) struct Tree {
    pub(super) nodes: Vec<Node>,
    branches: Vec<Branch>,
    by_key: HashMap<u64, u32>,
    /// The maximum size in bytes.
    memory: usize,
}

impl Tree {
    pub(super) fn new(memory: usize) -> Tree {
        Tree { nodes: Vec::new(), branches: Vec::new(), by_key: HashMap::new(), memory }
    }

    /// Returns the allocated bytes, spare capacity included.
    pub(super) fn bytes(&self) -> usize {
        /// A map entry with its control byte.
        const MAP_ENTRY: usize = size_of::<(u64, u32)>() + 1;
        self.nodes.capacity() * size_of::<Node>()
            + self.branches.capacity() * size_of::<Branch>()
            // The map's maximum load factor is 7/8.
            + self.by_key.capacity() * 8 / 7 * MAP_ENTRY
    }

    /// Returns whether another node would exceed the maximum size. Vectors and the map double
    /// when they grow.
    fn is_full(&self) -> bool {
        self.nodes.len() == self.nodes.capacity() && self.bytes() * 2 > self.memory
    }

    /// Returns the node of a key, a new one if there was none; `None` if there is no room.
    pub(super) fn node(&mut self, key: u64) -> Option<u32> {
        if let Some(&node) = self.by_key.get(&key) {
            return Some(node);
        }
        let node = self.add(None)?;
        self.by_key.insert(key, node);
        Some(node)
    }

    /// Adds a node in which the game is over. It has no key, as only one move leads to it.
    pub(super) fn add_end(&mut self, winner: Side) -> Option<u32> {
        self.add(Some(winner))
    }

    fn add(&mut self, winner: Option<Side>) -> Option<u32> {
        if self.is_full() {
            return None;
        }
        let node =
            Node { visits: 0, wins: 0, losses: 0, first_move: NO_NODE, move_count: 0, winner };
        self.nodes.push(node);
        Some(self.nodes.len() as u32 - 1)
    }

    pub(super) fn has_moves(&self, node: u32) -> bool {
        self.nodes[node as usize].first_move != NO_NODE
    }

    /// Adds the moves of a node; does nothing if there is no room.
    pub(super) fn expand(&mut self, node: u32, steps: &[Step]) {
        let room = self.branches.capacity() - self.branches.len() >= steps.len();
        if !room && self.bytes() * 2 > self.memory {
            return;
        }
        let first = self.branches.len() as u32;
        self.branches.extend(steps.iter().map(|&step| Branch { step, node: NO_NODE }));
        let expanded = &mut self.nodes[node as usize];
        (expanded.first_move, expanded.move_count) = (first, steps.len() as u32);
    }

    /// Returns the range of a node's branches.
    pub(super) fn branches(&self, node: u32) -> std::ops::Range<usize> {
        let Node { first_move, move_count, .. } = self.nodes[node as usize];
        let first = if first_move == NO_NODE { 0 } else { first_move as usize };
        first..first + move_count as usize
    }

    pub(super) fn branch(&self, number: usize) -> Branch {
        self.branches[number]
    }

    pub(super) fn set_child(&mut self, branch: usize, node: u32) {
        self.branches[branch].node = node;
    }

    fn visits(&self, branch: &Branch) -> u32 {
        if branch.node == NO_NODE { 0 } else { self.nodes[branch.node as usize].visits }
    }

    /// Returns the branch that the formula chooses: one without visits if there is any, else the
    /// one with the highest value. `any` picks a number below its argument.
    pub(super) fn choose(
        &self,
        node: u32,
        formula: &Formula,
        any: impl FnOnce(usize) -> usize,
    ) -> usize {
        let range = self.branches(node);
        let branches = &self.branches[range.clone()];
        let unvisited = range.clone().filter(|&at| self.visits(&self.branches[at]) == 0);
        let count = unvisited.clone().count();
        if count > 0 {
            return unvisited.clone().nth(any(count)).unwrap_or(range.start);
        }
        let total = match formula.visits {
            Visits::Parent => u64::from(self.nodes[node as usize].visits),
            Visits::Children => branches.iter().map(|b| u64::from(self.visits(b))).sum(),
        };
        let log = libm::log(total as f64);
        let values = branches.iter().map(|branch| {
            let child = &self.nodes[branch.node as usize];
            child.value(formula.reward)
                + formula.exploration * (log / f64::from(child.visits)).sqrt()
        });
        let best = values.enumerate().max_by(|a, b| a.1.total_cmp(&b.1));
        range.start + best.map_or(0, |(at, _)| at)
    }

    /// Returns the moves of a node with the most visits.
    pub(super) fn most_visited(&self, node: u32) -> Vec<Step> {
        let branches = &self.branches[self.branches(node)];
        let most = branches.iter().map(|branch| self.visits(branch)).max();
        let best = branches.iter().filter(|branch| Some(self.visits(branch)) == most);
        best.map(|branch| branch.step).collect()
    }

    /// Adds the result of a simulation to the nodes of its path. `mover` is the side whose move
    /// led to the first of them; the sides alternate.
    pub(super) fn backpropagate(&mut self, path: &[u32], mut mover: Side, winner: Option<Side>) {
        for &number in path {
            let node = &mut self.nodes[number as usize];
            node.visits += 1;
            match winner {
                Some(side) if side == mover => node.wins += 1,
                Some(_) => node.losses += 1,
                None => {}
            }
            mover = mover.other();
        }
    }
}

impl Node {
    fn value(&self, reward: Reward) -> f64 {
        let points = match reward {
            Reward::Wins => f64::from(self.wins),
            Reward::Difference => f64::from(self.wins) - f64::from(self.losses),
        };
        points / f64::from(self.visits)
    }
}
