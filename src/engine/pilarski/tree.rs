//! The tree of a Monte Carlo search: positions that were seen, with what became of them.

use std::collections::HashMap;

use crate::engine::state::Step;
use crate::game::rules::Side;

use super::{Reward, Visits};

/// No position.
pub(super) const NO_NODE: u32 = u32::MAX;

/// A position, with the simulations that went through it.
#[derive(Clone, Copy)]
pub(super) struct Node {
    pub(super) visits: u32,
    /// Simulations won and lost by the side that has just moved.
    wins: u32,
    losses: u32,
    /// Its moves among all, once they are known.
    first_move: u32,
    move_count: u32,
    /// Who has won, if the game is over here.
    pub(super) winner: Option<Side>,
}

/// A move in the tree, and the position that it leads to, or [`NO_NODE`] yet.
#[derive(Clone, Copy)]
pub(super) struct Branch {
    pub(super) step: Step,
    pub(super) node: u32,
}

/// What to do next in a position of the tree.
pub(super) struct Formula {
    pub(super) reward: Reward,
    pub(super) visits: Visits,
    pub(super) exploration: f64,
}

/// Positions by their keys: one that is reached in two ways is one.
pub(super) struct Tree {
    pub(super) nodes: Vec<Node>,
    branches: Vec<Branch>,
    by_key: HashMap<u64, u32>,
    /// Bytes that may be taken.
    memory: usize,
}

impl Tree {
    pub(super) fn new(memory: usize) -> Tree {
        Tree { nodes: Vec::new(), branches: Vec::new(), by_key: HashMap::new(), memory }
    }

    /// Bytes that are taken, room to grow included.
    pub(super) fn bytes(&self) -> usize {
        /// An entry of the map and its byte of control.
        const ENTRY: usize = size_of::<(u64, u32)>() + 1;
        self.nodes.capacity() * size_of::<Node>()
            + self.branches.capacity() * size_of::<Branch>()
            // The map is filled to seven eighths at most.
            + self.by_key.capacity() * 8 / 7 * ENTRY
    }

    /// Whether there is no room for more: vectors and the map double when they grow.
    fn is_full(&self) -> bool {
        self.nodes.len() == self.nodes.capacity() && self.bytes() * 2 > self.memory
    }

    /// The position of that key, new if there was none; `None` if there is no room.
    pub(super) fn node(&mut self, key: u64) -> Option<u32> {
        if let Some(&node) = self.by_key.get(&key) {
            return Some(node);
        }
        let node = self.add(None)?;
        self.by_key.insert(key, node);
        Some(node)
    }

    /// A position in which the game is over: it is found by the move to it only.
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

    /// Notes the moves of a position; does nothing if there is no room.
    pub(super) fn expand(&mut self, node: u32, steps: &[Step]) {
        let room = self.branches.capacity() - self.branches.len() >= steps.len();
        if !room && self.bytes() * 2 > self.memory {
            return;
        }
        let first = self.branches.len() as u32;
        self.branches.extend(steps.iter().map(|&step| Branch { step, node: NO_NODE }));
        let node = &mut self.nodes[node as usize];
        (node.first_move, node.move_count) = (first, steps.len() as u32);
    }

    /// The numbers of a position's moves.
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

    /// The move that the formula chooses: one of those never tried (`any` picks one of so
    /// many), else that with the highest value.
    pub(super) fn choose(
        &self,
        node: u32,
        formula: &Formula,
        any: impl FnOnce(usize) -> usize,
    ) -> usize {
        let range = self.branches(node);
        let branches = &self.branches[range.clone()];
        let is_new = |branch: &&Branch| self.visits(branch) == 0;
        let new = branches.iter().filter(is_new).count();
        if new > 0 {
            let wanted = any(new);
            let all = branches.iter().enumerate().filter(|(_, branch)| is_new(branch));
            return range.start + all.map(|(at, _)| at).nth(wanted).unwrap_or(0);
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

    /// The moves of a position that were looked at most.
    pub(super) fn most_visited(&self, node: u32) -> Vec<Step> {
        let branches = &self.branches[self.branches(node)];
        let most = branches.iter().map(|branch| self.visits(branch)).max();
        let best = branches.iter().filter(|branch| Some(self.visits(branch)) == most);
        best.map(|branch| branch.step).collect()
    }

    /// A simulation that came through these positions ends so. The last one to move
    /// before the first of them is `mover`; the sides take turns.
    pub(super) fn backpropagate(&mut self, path: &[u32], mut mover: Side, winner: Option<Side>) {
        for &node in path {
            let node = &mut self.nodes[node as usize];
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
