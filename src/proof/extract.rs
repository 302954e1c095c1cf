//! The winner's strategy, reconstructed from the table after a proof.

use std::collections::HashMap;

use crate::engine::state::Step;
use crate::game::rules::{Ruleset, Side};

use super::canonical::Canonical;
use super::certificate::{Part, StrategyMove};
use super::closed_set::Leaf;
use super::search::Worker;

/// The winner's move in each of its positions, with a rank that decreases along every line of play.
pub(super) type RankedMoves<const W: usize> = Vec<(Canonical<W>, Step, u32)>;

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
    search: impl FnMut(&mut Worker<'_, '_, W>) -> bool,
) -> Option<RankedMoves<W>> {
    let (root, _) = worker.shared.symmetries.canonical(&worker.state);
    let mut extraction =
        Extraction { worker, search, ranks: HashMap::new(), moves: HashMap::new() };
    extraction.walk(root, 0).ok()?;
    let moves = extraction.moves.into_iter();
    Some(moves.map(|(position, (step, rank))| (position, step, rank)).collect())
}

struct Extraction<'e, 'a, 't, const W: usize, S> {
    worker: &'e mut Worker<'a, 't, W>,
    search: S,
    /// The ranks of all positions; `None` while a position is on the line.
    ranks: HashMap<Canonical<W>, Option<u32>>,
    moves: HashMap<Canonical<W>, (Step, u32)>,
}

impl<'a, 't, const W: usize, S: FnMut(&mut Worker<'a, 't, W>) -> bool>
    Extraction<'_, 'a, 't, W, S>
{
    /// Returns the rank of a won position: 0 for a leaf, otherwise more than that of any successor.
    fn walk(&mut self, position: Canonical<W>, depth: u32) -> Result<u32, Fault> {
        if let Some(rank) = self.ranks.get(&position) {
            return rank.ok_or(Fault::Cycle);
        }
        let winner = self.worker.prover;
        self.worker.set(&position);
        match self.worker.leaf(winner, true) {
            Leaf::Held => return Ok(0),
            Leaf::Lost => return Err(Fault::Lost),
            Leaf::Inner if depth >= MAX_DEPTH => return Err(Fault::Lost),
            Leaf::Inner => {}
        }
        self.ranks.insert(position, None);
        let rank = match position.to_move == winner {
            true => self.walk_winner(position, depth),
            false => self.walk_loser(position, depth),
        };
        match rank {
            Ok(rank) => self.ranks.insert(position, Some(rank)),
            Err(_) => self.ranks.remove(&position),
        };
        rank
    }

    fn walk_loser(&mut self, position: Canonical<W>, depth: u32) -> Result<u32, Fault> {
        self.worker.set(&position);
        let mut rank = 0;
        for (_, reply) in self.worker.successors() {
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
        let stored = self.worker.solving_step(&self.worker.state);
        let successors = self.worker.successors();
        // Leaves first, then the move of the proof, then others that are proved.
        let mut order: Vec<(u8, Step, Canonical<W>)> = Vec::new();
        for (step, successor) in successors {
            self.worker.set(&successor);
            let place = match self.worker.leaf(self.worker.prover, true) {
                Leaf::Held => 0,
                Leaf::Lost => continue,
                Leaf::Inner if Some(step) == stored => 1,
                Leaf::Inner => {
                    let numbers = self.worker.look_up();
                    if !self.worker.is_proved(numbers) {
                        continue;
                    }
                    2
                }
            };
            order.push((place, step, successor));
        }
        order.sort_by_key(|&(place, _, _)| place);
        let mut fault = Fault::Lost;
        for (_, step, successor) in order {
            match self.walk(successor, depth + 1) {
                Ok(rank) => {
                    self.moves.insert(position, (step, rank + 1));
                    return Ok(rank + 1);
                }
                Err(failed) => fault = failed,
            }
        }
        Err(fault)
    }
}

/// Makes a part of a certificate from the holder's moves and their ranks.
pub(super) fn strategy_part<const W: usize>(
    rules: &Ruleset,
    holder: Side,
    wins: bool,
    moves: impl IntoIterator<Item = (Canonical<W>, Step, u32)>,
) -> Part {
    let moves = moves.into_iter().map(|(canonical, step, rank)| StrategyMove {
        position: canonical.position(rules.id()),
        from: step.from() as u16,
        to: step.to() as u16,
        rank,
    });
    Part::new(rules, holder, wins, moves.collect())
}
