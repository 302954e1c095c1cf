//! Assembling the root's certificate from the tree's moves and the stored certificates.

use std::collections::HashMap;

use crate::engine::state::{State, Step};
use crate::game::rules::{Ruleset, Side};
use crate::proof::canonical::Canonical;
use crate::proof::certificate::{Certificate, Part, PartBuilder};
use crate::proof::search::Worker;
use crate::proof::stack::with_stack;
use crate::proof::walk::Leaf;

/// The maximum length of the tree's lines in plies.
const MAX_DEPTH: u32 = 10_000;

/// A strategy in the making.
pub(super) struct Assembly<'e, 'a, 't, const W: usize> {
    worker: &'e mut Worker<'a, 't, W>,
    /// The tree's moves: by position, the one after it.
    solving: &'e HashMap<Canonical<W>, Canonical<W>>,
    rules: &'e Ruleset,
    holder: Side,
    wins: bool,
    /// The holder's moves from certificates and from the tree, with their ranks.
    moves: PartBuilder<'e>,
    /// The ranks of positions of the tree with the other side to move.
    ranks: HashMap<Canonical<W>, u32>,
}

/// The numbers of the moves that can be reached from the root.
struct Reached {
    is_reached: Vec<bool>,
    /// Those whose replies have not been followed yet.
    open: Vec<usize>,
}

impl<'e, 'a, 't, const W: usize> Assembly<'e, 'a, 't, W> {
    /// Starts the strategy for the holder to win, or else not to lose.
    pub(super) fn new(
        worker: &'e mut Worker<'a, 't, W>,
        solving: &'e HashMap<Canonical<W>, Canonical<W>>,
        rules: &'e Ruleset,
        (holder, wins): (Side, bool),
    ) -> Self {
        let moves = PartBuilder::new(rules, holder, wins);
        Assembly { worker, solving, rules, holder, wins, moves, ranks: HashMap::new() }
    }

    /// Adds the moves of a stored certificate. If a position has several, the one with the least rank
    /// is kept. Ranks still fall along every line, since those of later positions can only decrease.
    pub(super) fn add(&mut self, certificate: &Certificate) {
        for (holder, wins, moves) in certificate.strategies(self.rules) {
            if holder != self.holder || self.wins && !wins {
                continue;
            }
            // A move without a place is missed by `finish`.
            for strategy_move in moves {
                self.moves.add(&strategy_move);
            }
        }
    }

    /// Returns the strategy, restricted to the positions that it can reach from the root. The error
    /// is a position for which neither the certificates nor the tree have a move.
    pub(super) fn finish(mut self, root: Canonical<W>) -> Result<Part, Canonical<W>> {
        self.rank(root, 0)?;
        let mut reached = Reached { is_reached: vec![false; self.moves.len()], open: Vec::new() };
        self.worker.set(&root);
        self.reach(&mut reached)?;
        while let Some(number) = reached.open.pop() {
            let strategy_move = self.moves.get(number).ok_or(root)?;
            let [from, to] = [strategy_move.from, strategy_move.to].map(usize::from);
            self.worker.set_state(State::new(&self.worker.shared.board, &strategy_move.position));
            self.worker.play(Step::new(from, to));
            self.reach(&mut reached)?;
        }
        Ok(self.moves.finish(&|number| reached.is_reached[number]))
    }

    /// Marks the holder's moves in the worker's state, or after all replies to it.
    fn reach(&mut self, reached: &mut Reached) -> Result<(), Canonical<W>> {
        let position = self.worker.canonical();
        let next: Vec<Canonical<W>> = if position.to_move == self.holder {
            vec![position]
        } else if self.worker.leaf(self.holder, self.wins) == Leaf::Held {
            return Ok(());
        } else {
            self.worker.successors().into_iter().map(|(_, reply)| reply).collect()
        };
        for position in next {
            self.worker.set(&position);
            if self.worker.leaf(self.holder, self.wins) == Leaf::Held {
                continue;
            }
            let number = self.moves.find(&position.position(self.rules.id())).ok_or(position)?;
            if !std::mem::replace(&mut reached.is_reached[number], true) {
                reached.open.push(number);
            }
        }
        Ok(())
    }

    /// Returns the rank of a position, and adds the tree's moves below it. Certificates may have the
    /// greatest rank, after which ranks no longer fall: the check of a win refuses that.
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
                rank = rank.max(with_stack(|| self.rank(reply, depth + 1))?.saturating_add(1));
            }
            self.ranks.insert(position, rank);
            return Ok(rank);
        }
        if let Some(rank) = self.moves.rank(&position.position(self.rules.id())) {
            return Ok(rank);
        }
        let after = *self.solving.get(&position).ok_or(position)?;
        let mut successors = self.successors(&position).into_iter();
        let (step, _) = successors.find(|(_, reply)| *reply == after).ok_or(position)?;
        let rank = with_stack(|| self.rank(after, depth + 1))?.saturating_add(1);
        self.moves.add(&position.strategy_move(self.rules.id(), step, rank));
        Ok(rank)
    }

    fn successors(&mut self, position: &Canonical<W>) -> Vec<(Step, Canonical<W>)> {
        self.worker.set(position);
        self.worker.successors()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::position::Position;
    use crate::proof::ProofOptions;
    use crate::proof::prover::shared;
    use crate::proof::search::{Control, Shared};
    use crate::proof::tests::rules;

    #[test]
    fn a_line_that_is_too_long_is_refused_before_the_stack_ends() {
        let rules = rules("mini-corner");
        let options = ProofOptions { table_bytes: 1 << 12, ..ProofOptions::default() };
        let shared: Shared<'_, 1> = shared(&rules, &options).unwrap();
        let control = Control::new(None);
        let start = Position::start(&rules).unwrap();
        let holder = start.to_move;
        let mut worker = Worker::new(&shared, &control, holder, State::new(&shared.board, &start));
        let root = worker.canonical();
        // Each side makes the first move that does not end the game, until a position repeats.
        let mut solving = HashMap::new();
        let mut next = |position: &Canonical<1>| {
            worker.set(position);
            let mut successors = worker.successors().into_iter().map(|(_, after)| after);
            successors.find(|after| {
                worker.set(after);
                worker.leaf(holder, false) == Leaf::Inner
            })
        };
        let mut position = root;
        while !solving.contains_key(&position) {
            let after = next(&position).unwrap();
            solving.insert(position, after);
            position = next(&after).unwrap();
        }
        let assembly = Assembly::new(&mut worker, &solving, &rules, (holder, false));
        assert!(assembly.finish(root).is_err());
    }
}
