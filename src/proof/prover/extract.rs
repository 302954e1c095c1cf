//! The winner's strategy, reconstructed from the table after a proof.

use std::collections::HashMap;

use crate::engine::state::Step;
use crate::game::rules::Side;

use crate::proof::canonical::Canonical;
use crate::proof::certificate::{Part, PartBuilder};
use crate::proof::search::Worker;
use crate::proof::stack::with_stack;
use crate::proof::walk::Leaf;

use super::two_questions::Prover;

/// The maximum length of a line in plies; a strategy with longer ones is given up.
const MAX_DEPTH: u32 = 3000;
/// How often a position is proved before it is given up, which guards against an endless loop.
const MAX_PROOFS: u32 = 100;

/// Why a position's proof cannot be used. The greatest fault of several moves is the one to mend.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Fault {
    /// A proof was overwritten in the table and not found again.
    Lost,
    /// The proof rests on a position of the line, which has this depth.
    Cycle { depth: u32 },
    /// The caller wants to stop.
    Stopped,
}

/// Reconstructs the strategy by which this side wins from the prover's root. If the table has lost
/// proofs that are not found again with `repair_nodes` each, or the search is interrupted, the result
/// is `None`.
///
/// A proof that was lost and found again may rest on positions whose older proofs rested on it. The
/// walk then meets a position of its line, which has to be proved in another way: the walk returns to
/// it, and on the way back makes the table forget the proofs that rested on it.
pub(super) fn strategy<const W: usize>(
    prover: &mut Prover<'_, '_, W>,
    side: Side,
    repair_nodes: u64,
) -> Option<Part> {
    let worker = prover.worker(side);
    let root = worker.canonical();
    let moves = PartBuilder::new(prover.rules, side, true);
    let mut extraction = Extraction { worker, prover, repair_nodes, moves, line: HashMap::new() };
    extraction.walk(root, 0).ok()?;
    Some(extraction.moves.finish(&|_| true))
}

struct Extraction<'e, 'a, 't, const W: usize> {
    worker: Worker<'a, 't, W>,
    prover: &'e mut Prover<'a, 't, W>,
    /// The nodes to find a lost proof again.
    repair_nodes: u64,
    /// The moves found so far. Positions with the loser to move are not kept, which would take as
    /// much memory again: few of them are reached from several positions.
    moves: PartBuilder<'a>,
    /// The depths of the winner's positions on the line.
    line: HashMap<Canonical<W>, u32>,
}

impl<'a, 't, const W: usize> Extraction<'_, 'a, 't, W> {
    /// Returns the rank of a won position: 0 for a leaf, otherwise more than that of any successor.
    fn walk(&mut self, position: Canonical<W>, depth: u32) -> Result<u32, Fault> {
        let winner = self.worker.prover;
        let is_winner = position.to_move == winner;
        if is_winner {
            if let Some(rank) = self.known_rank(&position) {
                return Ok(rank);
            }
            if let Some(&depth) = self.line.get(&position) {
                return Err(Fault::Cycle { depth });
            }
            if !self.prover.count_strategy_position(winner) {
                return Err(Fault::Stopped);
            }
        }
        self.worker.set(&position);
        match self.worker.leaf(winner, true) {
            Leaf::Held => return Ok(0),
            Leaf::Lost => return Err(Fault::Lost),
            Leaf::Inner if depth >= MAX_DEPTH => return Err(Fault::Lost),
            Leaf::Inner => {}
        }
        if is_winner {
            self.line.insert(position, depth);
            let rank = self.walk_winner(position, depth);
            self.line.remove(&position);
            return rank;
        }
        let rank = self.walk_loser(position, depth);
        if matches!(rank, Err(Fault::Cycle { .. })) {
            self.worker.set(&position);
            self.worker.shared.table.take(self.worker.key());
        }
        rank
    }

    fn known_rank(&self, position: &Canonical<W>) -> Option<u32> {
        self.moves.rank(&position.position(self.worker.shared.rules))
    }

    fn walk_loser(&mut self, position: Canonical<W>, depth: u32) -> Result<u32, Fault> {
        self.worker.set(&position);
        let winner = self.worker.prover;
        // Most replies are decided at once, and need not be made canonical.
        let (mut rank, mut open) = (0, Vec::new());
        for step in self.worker.moves() {
            let reply = self.worker.after(step, |worker| match worker.leaf(winner, true) {
                Leaf::Held => Ok(None),
                Leaf::Lost => Err(Fault::Lost),
                Leaf::Inner => Ok(Some(worker.canonical())),
            });
            open.extend(reply?);
            rank = 1;
        }
        for reply in open {
            rank = rank.max(1 + with_stack(|| self.walk(reply, depth + 1))?);
        }
        Ok(rank)
    }

    fn walk_winner(&mut self, position: Canonical<W>, depth: u32) -> Result<u32, Fault> {
        self.worker.set(&position);
        let winner = self.worker.prover;
        let is_held = |worker: &Worker<'a, 't, W>| worker.leaf(winner, true) == Leaf::Held;
        // Leaves first, then the move of the proof, then others that are proved. The table has no
        // move for a fork, which the evaluation proves.
        let steps = self.worker.moves();
        if let Some(&step) = steps.iter().find(|&&step| self.worker.after(step, is_held)) {
            return self.keep(&position, step, 1);
        }
        for _ in 0..MAX_PROOFS {
            let proving = self.proving_move(&position, &steps)?;
            // What is proved again below the position must not rest on it.
            let entry = self.worker.shared.table.take(self.worker.key());
            let rank = self.walk_moves(&position, proving, depth).or_else(|fault| {
                let others = self.other_moves(&position, proving);
                self.walk_moves(&position, others, depth).map_err(|other| fault.max(other))
            });
            let is_cycle = matches!(rank, Err(Fault::Cycle { .. }));
            if let Some(entry) = entry
                && !is_cycle
            {
                self.worker.set(&position);
                self.worker.shared.table.put(self.worker.key(), entry);
            }
            if rank != Err(Fault::Cycle { depth }) {
                return rank;
            }
        }
        Err(Fault::Lost)
    }

    /// Sets the worker to a position of the winner, and returns the move of its proof, which the table
    /// has, or which is searched again. There is none if it was overwritten after that.
    fn proving_move(
        &mut self,
        position: &Canonical<W>,
        steps: &[Step],
    ) -> Result<Option<(Step, Canonical<W>)>, Fault> {
        if !self.is_proved(position) {
            self.prover.search_lost_proof(&self.worker, self.repair_nodes);
            if !self.is_proved(position) {
                return Err(Fault::Lost);
            }
        }
        let step =
            self.worker.solving_step(&self.worker.state).or_else(|| self.worker.winning_fork());
        let step = step.filter(|step| steps.contains(step));
        Ok(step.map(|step| (step, self.worker.after(step, Worker::canonical))))
    }

    /// Returns the other moves to positions that the table or the evaluation proves.
    fn other_moves(
        &mut self,
        position: &Canonical<W>,
        proving: Option<(Step, Canonical<W>)>,
    ) -> Vec<(Step, Canonical<W>)> {
        self.worker.set(position);
        let mut moves = self.worker.successors();
        moves.retain(|(_, successor)| {
            proving.is_none_or(|(_, known)| known != *successor) && self.is_proved(successor)
        });
        moves
    }

    /// Sets the worker to a position, and returns whether the table or the evaluation proves it.
    fn is_proved(&mut self, position: &Canonical<W>) -> bool {
        self.worker.set(position);
        let numbers = self.worker.look_up();
        self.worker.is_proved(numbers)
    }

    /// Returns the rank of the winner's position with the first of these moves that does not fail.
    fn walk_moves(
        &mut self,
        position: &Canonical<W>,
        moves: impl IntoIterator<Item = (Step, Canonical<W>)>,
        depth: u32,
    ) -> Result<u32, Fault> {
        let mut fault = Fault::Lost;
        for (step, successor) in moves {
            let rank = with_stack(|| self.walk(successor, depth + 1));
            match rank.and_then(|rank| self.keep(position, step, rank + 1)) {
                Ok(rank) => return Ok(rank),
                Err(other) => fault = fault.max(other),
            }
        }
        Err(fault)
    }

    /// Keeps the move of a position with this rank, which is returned.
    fn keep(&mut self, position: &Canonical<W>, step: Step, rank: u32) -> Result<u32, Fault> {
        let strategy_move = position.strategy_move(self.worker.shared.rules, step, rank);
        if self.moves.add(&strategy_move) { Ok(rank) } else { Err(Fault::Lost) }
    }
}
