//! What lies below each position of a tree.

use std::collections::HashSet;

use super::tree::{NodeId, Tree, Values};

/// What lies at a position and below it. A position that several lines lead to counts on the
/// shortest of them only, so that nothing counts twice.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Totals {
    pub(super) positions: u32,
    /// Positions that are proved or disproved.
    pub(super) decided: u32,
    pub(super) jobs: u32,
    /// Jobs in hand.
    pub(super) claimed: u32,
    /// The nodes of all jobs.
    pub(super) nodes: u64,
}

/// The positions of a tree in the order of their distance from the roots.
pub(super) struct Layers {
    /// Positions that were asked for, and that no move of another one leads to.
    pub(super) roots: Vec<NodeId>,
    /// Each position with the one before it on the shortest line.
    order: Vec<(NodeId, Option<NodeId>)>,
}

impl Totals {
    fn add(&mut self, other: Totals) {
        self.positions += other.positions;
        self.decided += other.decided;
        self.jobs = self.jobs.saturating_add(other.jobs);
        self.claimed += other.claimed;
        self.nodes = self.nodes.saturating_add(other.nodes);
    }
}

impl Layers {
    pub(super) fn new<const W: usize>(tree: &Tree<W>) -> Layers {
        let mut layers = Layers { roots: Vec::new(), order: Vec::with_capacity(tree.len()) };
        let mut is_seen = vec![false; tree.len()];
        for &id in &tree.asked {
            // The journals of several processes are not read in the order of their lines: what
            // seems to be asked for may lie below another position.
            if !is_seen[id as usize] {
                layers.roots.push(id);
                layers.add_below(tree, id, &mut is_seen);
            }
        }
        for id in 0..tree.len() as NodeId {
            if !is_seen[id as usize] {
                layers.add_below(tree, id, &mut is_seen);
            }
        }
        layers
    }

    /// Adds a position and all that are new below it.
    fn add_below<const W: usize>(&mut self, tree: &Tree<W>, root: NodeId, is_seen: &mut [bool]) {
        let mut at = self.order.len();
        is_seen[root as usize] = true;
        self.order.push((root, None));
        while let Some(&(id, _)) = self.order.get(at) {
            for &child in tree.moves(id) {
                if !std::mem::replace(&mut is_seen[child as usize], true) {
                    self.order.push((child, Some(id)));
                }
            }
            at += 1;
        }
    }

    /// Adds up what lies below each position.
    pub(super) fn totals<const W: usize>(
        &self,
        tree: &Tree<W>,
        values: &Values,
        claimed: &HashSet<NodeId>,
    ) -> Vec<Totals> {
        let own = |id: NodeId| {
            let node = tree.node(id);
            Totals {
                positions: 1,
                decided: u32::from(values.of(id).contains(&0)),
                jobs: u32::try_from(node.jobs).unwrap_or(u32::MAX),
                claimed: u32::from(claimed.contains(&id)),
                nodes: node.nodes,
            }
        };
        let mut totals: Vec<Totals> = (0..tree.len() as NodeId).map(own).collect();
        for &(id, before) in self.order.iter().rev() {
            if let Some(before) = before {
                let below = totals[id as usize];
                totals[before as usize].add(below);
            }
        }
        totals
    }
}
