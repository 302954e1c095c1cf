//! Proofs that a win of the tables holds although positions of the game can be repeated.

use crate::engine::iteration::{Line, Score};
use crate::game::history::Game;
use crate::game::moves::{Move, legal_moves};
use crate::game::rules::{BySide, Side};
use crate::game::value::{Plies, Value, Wdl};
use crate::tablebase::{ProbeError, Tablebase};

use super::certainty::{gains_by_repetition, wins_hold};
use super::shared::Deadline;

/// The maximum number of positions in a proof.
const BUDGET: u32 = 20_000;

/// Proves wins of the tables in a game with a history, by a search where necessary.
pub(super) struct Proof<'a> {
    tables: &'a Tablebase,
    game: Game,
    /// By winner, the minimum distance of the game's repeatable positions, the current one
    /// included, that are won for this side by the tables. A winner that is no further from the
    /// end never meets one of them, since the distance decreases with every ply.
    nearest: BySide<Plies>,
    /// The number of positions that the proof may still visit.
    budget: u32,
    /// After it no position is visited.
    deadline: Deadline<'a>,
}

impl<'a> Proof<'a> {
    /// Creates a prover; `None` if the tables lack one of the game's positions.
    pub(super) fn new(
        tables: &'a Tablebase,
        game: &Game,
        deadline: Deadline<'a>,
    ) -> Option<Proof<'a>> {
        let mut nearest = BySide([Plies::MAX; 2]);
        for earlier in game.earlier_positions().chain([game.position()]) {
            let value = match tables.probe_dtw(earlier) {
                // Such a position cannot occur again, since no move leads from it.
                Err(ProbeError::Position(_)) => continue,
                probed => tables.for_search(probed)?,
            };
            let (winner, plies) = match value {
                Value::Win(plies) => (earlier.to_move, plies),
                Value::Loss(plies) => (earlier.to_move.other(), plies),
                Value::Draw => continue,
            };
            nearest[winner] = nearest[winner].min(plies);
        }
        Some(Proof { tables, game: game.clone(), nearest, budget: BUDGET, deadline })
    }

    /// Returns the line of a move that provably wins against any defence.
    pub(super) fn winning_line(&mut self, played: &Move) -> Option<Line> {
        let winner = self.game.position().to_move;
        self.game.push(played);
        self.budget = BUDGET;
        let plies = self.lost_in();
        let line = plies.map(|plies| {
            let moves = [*played].into_iter().chain(self.rest_of_line(winner)).collect();
            Line { score: Score::Win(plies + 1), depth: 1, moves }
        });
        self.game.undo();
        line
    }

    /// Returns the maximum number of plies to the end of the game, this move included, if the
    /// move provably loses.
    pub(super) fn losing_move(&mut self, played: &Move) -> Option<Plies> {
        self.game.push(played);
        self.budget = BUDGET;
        let plies = self.won_in();
        self.game.undo();
        plies.map(|(plies, _)| plies + 1)
    }

    /// Returns the line of a move that was proved to lose.
    pub(super) fn losing_line(&mut self, played: &Move) -> Vec<Move> {
        let winner = self.game.position().to_move.other();
        self.game.push(played);
        let line = [*played].into_iter().chain(self.rest_of_line(winner)).collect();
        self.game.undo();
        line
    }

    /// Returns the continuation to the end of the game: the winner plays proved moves, the loser
    /// the longest defence. After the deadline it may be shorter.
    fn rest_of_line(&mut self, winner: Side) -> Vec<Move> {
        let mut line = Vec::new();
        while self.game.outcome().is_none() {
            self.budget = BUDGET;
            let next = if self.game.position().to_move == winner {
                self.won_in().map(|(_, best)| best)
            } else {
                self.longest_defence()
            };
            let Some(next) = next else { break };
            self.game.push(&next);
            line.push(next);
        }
        for _ in &line {
            self.game.undo();
        }
        line
    }

    /// Returns the longest defence of the side to move; the first in the tables' order if there
    /// are several.
    fn longest_defence(&mut self) -> Option<Move> {
        let probe = self.tables.for_search(self.tables.probe(self.game.position()))?;
        // `max_by_key` returns the last maximum, so the first one is found in reverse order.
        let replies = probe.moves.iter().map(|mv| mv.played).rev();
        let replies = replies.filter(|reply| !self.game.is_barred(reply)).collect::<Vec<Move>>();
        replies.into_iter().max_by_key(|reply| {
            self.game.push(reply);
            self.budget = BUDGET;
            let plies = self.won_in().map(|(plies, _)| plies);
            self.game.undo();
            plies
        })
    }

    /// Returns the maximum number of plies left if the side to move loses whatever it plays.
    fn lost_in(&mut self) -> Option<Plies> {
        let loser = self.game.position().to_move;
        if let Some(outcome) = self.game.outcome() {
            return (outcome.winner == Some(loser.other())).then_some(0);
        }
        let probed = self.tables.probe_dtw(self.game.position());
        let Value::Loss(plies) = self.tables.for_search(probed)? else { return None };
        if self.is_over_before(plies) {
            return None;
        }
        if self.is_undisturbed(loser.other(), plies) {
            return Some(plies);
        }
        self.visit()?;
        let replies = legal_moves(self.game.rules(), self.game.position());
        let mut longest = 0;
        for reply in &replies {
            if self.game.is_barred(reply) {
                continue;
            }
            self.game.push(reply);
            let left = match self.game.outcome() {
                Some(outcome) => (outcome.winner == Some(loser.other())).then_some(0),
                None => self.won_in().map(|(plies, _)| plies),
            };
            self.game.undo();
            longest = longest.max(left? + 1);
        }
        Some(longest)
    }

    /// Takes a position from the budget; `None` if there is none left. After the deadline there is
    /// none, and only what needs no search is proved.
    fn visit(&mut self) -> Option<()> {
        if self.deadline.is_over() {
            self.budget = 0;
        }
        self.budget = self.budget.checked_sub(1)?;
        Some(())
    }

    /// Returns a move that provably wins, and the maximum number of plies to the end.
    fn won_in(&mut self) -> Option<(Plies, Move)> {
        let probe = self.tables.for_search(self.tables.probe(self.game.position()))?;
        let won = probe.moves.iter().filter(|mv| mv.value.is_some_and(|v| v.wdl == Wdl::Win));
        for mv in won {
            if self.game.is_barred(&mv.played) {
                continue;
            }
            self.game.push(&mv.played);
            let plies = self.lost_in();
            self.game.undo();
            if let Some(plies) = plies {
                return Some((plies + 1, mv.played));
            }
            if self.budget == 0 {
                break;
            }
        }
        None
    }

    /// Returns whether a side that wins in this many plies never repeats a position of the game
    /// on the way.
    fn is_undisturbed(&self, winner: Side, plies: Plies) -> bool {
        let rules = self.game.rules();
        gains_by_repetition(rules, winner)
            || wins_hold(rules, winner)
                && (plies <= self.nearest[winner] || !self.game.can_repeat())
    }

    /// Returns whether the game's ply limit ends it before this many plies.
    fn is_over_before(&self, plies: Plies) -> bool {
        self.game.plies_left().is_some_and(|left| u32::from(plies) > left)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;
    use std::time::Instant;

    use super::*;
    use crate::game::position::Position;
    use crate::game::rules::Ruleset;
    use crate::system::random::SeededRng;

    /// Budgets that were used up by the proofs of other moves.
    #[test]
    fn each_root_move_has_a_budget_of_its_own() {
        let rules = Arc::new(Ruleset::builtin("brandubh").unwrap());
        let tables = Tablebase::new(Ruleset::clone(&rules));
        let start = Position::parse("/7/4t2/7/7/2K4/7/2t4/ d", &rules).unwrap();
        let (goes_on, stopped) = (AtomicBool::new(false), AtomicBool::new(true));
        let deadline = |stop| Deadline { started: Instant::now(), time: None, stop };
        let (mut wins, mut losses) = (0, 0);
        for seed in 0..200 {
            let mut random = SeededRng::new(seed);
            let mut game = Game::from_position(Arc::clone(&rules), start).unwrap();
            while game.outcome().is_none() && game.moves().len() < 4 + seed as usize % 2 {
                game.push(random.choose(&game.playable_moves()).unwrap());
            }
            if game.outcome().is_some() {
                continue;
            }
            let mut proof = Proof::new(&tables, &game, deadline(&goes_on)).unwrap();
            let mut unsearched = Proof::new(&tables, &game, deadline(&stopped)).unwrap();
            for played in game.playable_moves() {
                let line = proof.winning_line(&played);
                proof.budget = 0;
                assert_eq!(proof.winning_line(&played), line);
                let plies = proof.losing_move(&played);
                proof.budget = 0;
                assert_eq!(proof.losing_move(&played), plies);
                wins += usize::from(line.is_some() && unsearched.winning_line(&played).is_none());
                losses += usize::from(plies.is_some() && unsearched.losing_move(&played).is_none());
            }
        }
        assert!(wins > 20 && losses > 20, "{wins} {losses}");
    }
}
