//! The winner's strategy, reconstructed from the table after a proof.

use std::collections::HashSet;

use crate::engine::state::Step;
use crate::game::rules::Ruleset;

use super::canonical::Canonical;
use super::certificate::{Part, PartBuilder};
use super::closed_set::Leaf;
use super::search::Worker;

/// The maximum length of a line in plies; a strategy with longer ones is given up.
const MAX_DEPTH: u32 = 3000;

/// Why a move cannot be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fault {
    /// The line repeats one of its positions. Another move may avoid that.
    Cycle,
    /// A proof was overwritten in the table and not found again.
    Lost,
}

/// The moves of a position that cannot be used.
struct Failures {
    steps: Vec<Step>,
    /// [`Fault::Cycle`] if one of them fails by a cycle.
    fault: Fault,
}

/// Reconstructs the winning strategy from the worker's current state. `search` is called for
/// positions whose proof was overwritten in the table, and returns whether it has proved them again.
/// If it cannot, the result is `None`.
pub(super) fn strategy<const W: usize>(
    worker: &mut Worker<'_, '_, W>,
    rules: &Ruleset,
    search: impl FnMut(&mut Worker<'_, '_, W>) -> bool,
) -> Option<Part> {
    let root = worker.canonical();
    let moves = PartBuilder::new(rules, worker.prover, true);
    let mut extraction = Extraction { worker, search, moves, line: HashSet::new() };
    extraction.walk(root, 0).ok()?;
    Some(extraction.moves.finish(|_| true))
}

struct Extraction<'e, 'a, 't, const W: usize, S> {
    worker: &'e mut Worker<'a, 't, W>,
    search: S,
    /// The moves found so far. Positions with the loser to move are not kept, which would take as
    /// much memory again: few of them are reached from several positions.
    moves: PartBuilder<'e>,
    /// The positions on the line.
    line: HashSet<Canonical<W>>,
}

impl<'a, 't, const W: usize, S: FnMut(&mut Worker<'a, 't, W>) -> bool>
    Extraction<'_, 'a, 't, W, S>
{
    /// Returns the rank of a won position: 0 for a leaf, otherwise more than that of any successor.
    fn walk(&mut self, position: Canonical<W>, depth: u32) -> Result<u32, Fault> {
        let winner = self.worker.prover;
        let is_winner = position.to_move == winner;
        if is_winner && let Some(rank) = self.known_rank(&position) {
            return Ok(rank);
        }
        self.worker.set(&position);
        match self.worker.leaf(winner, true) {
            Leaf::Held => return Ok(0),
            Leaf::Lost => return Err(Fault::Lost),
            Leaf::Inner if depth >= MAX_DEPTH => return Err(Fault::Lost),
            Leaf::Inner => {}
        }
        if !self.line.insert(position) {
            return Err(Fault::Cycle);
        }
        let rank = match is_winner {
            true => self.walk_winner(position, depth),
            false => self.walk_loser(position, depth),
        };
        if rank == Err(Fault::Cycle) {
            // Its proof in the table rests on a position of the line.
            self.worker.set(&position);
            self.worker.shared.table.forget(self.worker.key());
        }
        self.line.remove(&position);
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
            rank = rank.max(1 + self.walk(reply, depth + 1)?);
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
        let mut failures = Failures { steps: Vec::new(), fault: Fault::Lost };
        loop {
            let known = failures.steps.len();
            self.prove(&position)?;
            let proving =
                self.worker.solving_step(&self.worker.state).or_else(|| self.worker.winning_fork());
            let proving = proving
                .filter(|step| steps.contains(step))
                .map(|step| (step, self.worker.after(step, Worker::canonical)));
            if let Some(rank) = self.walk_moves(&position, proving, depth, &mut failures) {
                return Ok(rank);
            }
            let others = self.proved_moves(&position);
            if let Some(rank) = self.walk_moves(&position, others, depth, &mut failures) {
                return Ok(rank);
            }
            if failures.fault == Fault::Lost || failures.steps.len() == known {
                return Err(failures.fault);
            }
            // Another proof may not need the line's positions.
            self.forget_line();
        }
    }

    /// Sets the worker to a position of the winner whose proof the table has, or finds again.
    fn prove(&mut self, position: &Canonical<W>) -> Result<(), Fault> {
        self.worker.set(position);
        let numbers = self.worker.look_up();
        if !self.worker.is_proved(numbers) && !(self.search)(self.worker) {
            return Err(Fault::Lost);
        }
        self.worker.set(position);
        Ok(())
    }

    /// Returns the moves to positions that the table or the evaluation proves.
    fn proved_moves(&mut self, position: &Canonical<W>) -> Vec<(Step, Canonical<W>)> {
        self.worker.set(position);
        let mut moves = self.worker.successors();
        moves.retain(|(_, successor)| {
            self.worker.set(successor);
            let numbers = self.worker.look_up();
            self.worker.is_proved(numbers)
        });
        moves
    }

    /// Returns the rank of the winner's position with the first of these moves that has not failed and
    /// does not fail now.
    fn walk_moves(
        &mut self,
        position: &Canonical<W>,
        moves: impl IntoIterator<Item = (Step, Canonical<W>)>,
        depth: u32,
        failures: &mut Failures,
    ) -> Option<u32> {
        for (step, successor) in moves {
            if failures.steps.contains(&step) {
                continue;
            }
            let rank = self.walk(successor, depth + 1);
            match rank.and_then(|rank| self.keep(position, step, rank + 1)) {
                Ok(rank) => return Some(rank),
                Err(Fault::Cycle) => failures.fault = Fault::Cycle,
                Err(Fault::Lost) => {}
            }
            failures.steps.push(step);
        }
        None
    }

    /// Makes the table forget the proofs of the line's positions.
    fn forget_line(&mut self) {
        for position in &self.line {
            self.worker.set(position);
            self.worker.shared.table.forget(self.worker.key());
        }
    }

    /// Keeps the move of a position with this rank, which is returned.
    fn keep(&mut self, position: &Canonical<W>, step: Step, rank: u32) -> Result<u32, Fault> {
        let strategy_move = position.strategy_move(self.worker.shared.rules, step, rank);
        if self.moves.add(&strategy_move) { Ok(rank) } else { Err(Fault::Lost) }
    }
}
