//! Assembling the root's certificate from the tree's moves and the stored certificates.

use std::collections::{HashMap, HashSet};

use crate::engine::state::{State, Step};
use crate::game::rules::{Ruleset, Side};
use crate::proof::canonical::Canonical;
use crate::proof::certificate::{Certificate, Part};
use crate::proof::closed_set::Leaf;
use crate::proof::extract::strategy_part;
use crate::proof::search::Worker;

use super::tree::{Tree, Values};

/// The maximum length of the tree's lines in plies.
const MAX_DEPTH: u32 = 10_000;

/// A strategy in the making.
pub(super) struct Assembly<'e, 'a, 't, const W: usize> {
    pub(super) worker: &'e mut Worker<'a, 't, W>,
    pub(super) tree: &'e Tree<W>,
    pub(super) values: &'e Values,
    holder: Side,
    wins: bool,
    /// The holder's moves from certificates and from the tree, with their ranks.
    moves: HashMap<Canonical<W>, (Step, u32)>,
    /// The ranks of positions of the tree with the other side to move.
    ranks: HashMap<Canonical<W>, u32>,
}

impl<'e, 'a, 't, const W: usize> Assembly<'e, 'a, 't, W> {
    /// Starts the strategy for the holder to win, or else not to lose.
    pub(super) fn new(
        worker: &'e mut Worker<'a, 't, W>,
        tree: &'e Tree<W>,
        values: &'e Values,
        (holder, wins): (Side, bool),
    ) -> Self {
        let (moves, ranks) = (HashMap::new(), HashMap::new());
        Assembly { worker, tree, values, holder, wins, moves, ranks }
    }

    /// Adds the moves of a stored certificate. If a position has several, the one with the least rank
    /// is kept. Ranks still fall along every line, since those of later positions can only decrease.
    pub(super) fn add(&mut self, certificate: &Certificate, rules: &Ruleset) {
        let shared = self.worker.shared;
        for (holder, wins, moves) in certificate.strategies(rules) {
            if holder != self.holder || self.wins && !wins {
                continue;
            }
            for strategy_move in moves {
                let state = State::new(&shared.board, &strategy_move.position);
                let (canonical, symmetry) = shared.symmetries.canonical(&state);
                let step = Step::new(strategy_move.from.into(), strategy_move.to.into());
                let step = shared.symmetries.step_image(step, symmetry);
                let new = (step, strategy_move.rank);
                let stored = self.moves.entry(canonical).or_insert(new);
                if new.1 < stored.1 {
                    *stored = new;
                }
            }
        }
    }

    /// Returns the strategy, restricted to the positions that it can reach from the root. The error
    /// is a position for which neither the certificates nor the tree have a move.
    pub(super) fn finish(
        mut self,
        rules: &Ruleset,
        root: Canonical<W>,
    ) -> Result<Part, Canonical<W>> {
        self.rank(root, 0)?;
        let mut reached = Vec::new();
        let mut seen = HashSet::from([root]);
        let mut open = vec![root];
        while let Some(position) = open.pop() {
            self.worker.set(&position);
            if self.worker.leaf(self.holder, self.wins) == Leaf::Held {
                continue;
            }
            let next: Vec<Canonical<W>> = if position.to_move == self.holder {
                let (step, rank) = *self.moves.get(&position).ok_or(position)?;
                reached.push((position, step, rank));
                vec![self.after(&position, step)]
            } else {
                self.successors(&position).into_iter().map(|(_, reply)| reply).collect()
            };
            open.extend(next.into_iter().filter(|reply| seen.insert(*reply)));
        }
        // A closed set has no ranks.
        let unranked = !self.wins;
        let moves = reached
            .into_iter()
            .map(|(position, step, rank)| (position, step, if unranked { 0 } else { rank }));
        Ok(strategy_part(rules, self.holder, self.wins, moves))
    }

    /// Returns the rank of a position, and adds the tree's moves below it.
    fn rank(&mut self, position: Canonical<W>, depth: u32) -> Result<u32, Canonical<W>> {
        self.worker.set(&position);
        match self.worker.leaf(self.holder, self.wins) {
            Leaf::Held => return Ok(0),
            Leaf::Lost => return Err(position),
            Leaf::Inner if depth > MAX_DEPTH => return Err(position),
            Leaf::Inner => {}
        }
        if position.to_move != self.holder {
            if let Some(&rank) = self.ranks.get(&position) {
                return Ok(rank);
            }
            let mut rank = 0;
            for (_, reply) in self.successors(&position) {
                rank = rank.max(1 + self.rank(reply, depth + 1)?);
            }
            self.ranks.insert(position, rank);
            return Ok(rank);
        }
        if let Some(&(_, rank)) = self.moves.get(&position) {
            return Ok(rank);
        }
        let solving = self.tree.find(&position).and_then(|id| self.values.solving_move(id));
        let after = self.tree.node(solving.ok_or(position)?).position;
        let mut successors = self.successors(&position).into_iter();
        let (step, _) = successors.find(|(_, reply)| *reply == after).ok_or(position)?;
        let rank = 1 + self.rank(after, depth + 1)?;
        self.moves.insert(position, (step, rank));
        Ok(rank)
    }

    fn successors(&mut self, position: &Canonical<W>) -> Vec<(Step, Canonical<W>)> {
        self.worker.set(position);
        self.worker.successors()
    }

    fn after(&mut self, position: &Canonical<W>, step: Step) -> Canonical<W> {
        self.worker.set(position);
        self.worker.play(step);
        self.worker.canonical()
    }
}
