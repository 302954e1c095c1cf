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
    /// The winner's positions on the line.
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
        if !is_winner {
            return self.walk_loser(position, depth);
        }
        if !self.line.insert(position) {
            return Err(Fault::Cycle);
        }
        let rank = self.walk_winner(position, depth);
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
        let numbers = self.worker.look_up();
        if !self.worker.is_proved(numbers) && !(self.search)(self.worker) {
            return Err(Fault::Lost);
        }
        self.worker.set(&position);
        let winner = self.worker.prover;
        let is_held = |worker: &Worker<'a, 't, W>| worker.leaf(winner, true) == Leaf::Held;
        // Leaves first, then the move of the proof, then others that are proved. The table has no
        // move for a fork, which the evaluation proves.
        let steps = self.worker.moves();
        if let Some(&step) = steps.iter().find(|&&step| self.worker.after(step, is_held)) {
            return self.keep(&position, step, 1);
        }
        let proving =
            self.worker.solving_step(&self.worker.state).or_else(|| self.worker.winning_fork());
        let mut fault = Fault::Lost;
        if let Some(step) = proving.filter(|step| steps.contains(step)) {
            let successor = self.worker.after(step, Worker::canonical);
            match self.walk_by(position, (step, successor), depth) {
                Err(failed) => fault = failed,
                done => return done,
            }
        }
        self.worker.set(&position);
        for (step, successor) in self.worker.successors() {
            self.worker.set(&successor);
            let numbers = self.worker.look_up();
            if Some(step) == proving || !self.worker.is_proved(numbers) {
                continue;
            }
            match self.walk_by(position, (step, successor), depth) {
                Err(failed) => fault = failed,
                done => return done,
            }
        }
        Err(fault)
    }

    /// Returns the rank of the winner's position with this move, which is kept.
    fn walk_by(
        &mut self,
        position: Canonical<W>,
        (step, successor): (Step, Canonical<W>),
        depth: u32,
    ) -> Result<u32, Fault> {
        let rank = self.walk(successor, depth + 1)? + 1;
        self.keep(&position, step, rank)
    }

    fn keep(&mut self, position: &Canonical<W>, step: Step, rank: u32) -> Result<u32, Fault> {
        let strategy_move = position.strategy_move(self.worker.shared.rules, step, rank);
        if self.moves.add(&strategy_move) { Ok(rank) } else { Err(Fault::Lost) }
    }
}
