//! Whether a win of the tables stands although positions of the game can come back.

use crate::engine::{Line, Score};
use crate::game::history::Game;
use crate::game::moves::{Move, legal_moves};
use crate::game::rules::{BySide, Side};
use crate::game::value::{Plies, Value, Wdl};
use crate::tablebase::{ProbeError, Tablebase};

/// Positions that a proof looks at before it gives up.
const BUDGET: u32 = 20_000;

/// Proves wins of the tables in a game with a past, by its moves where that is necessary.
pub(super) struct Proof<'a> {
    tables: &'a Tablebase,
    game: Game,
    /// By winner, the least distance of the positions of the game that can come back,
    /// that on the board among them, and that this side wins, say the tables. A winner who is no further from the end
    /// never meets one of them, since the distance falls with every ply.
    nearest: BySide<Plies>,
    /// Positions that may still be looked at.
    budget: u32,
}

impl<'a> Proof<'a> {
    /// `None` if the tables do not know the game's positions.
    pub(super) fn new(tables: &'a Tablebase, game: &Game) -> Option<Proof<'a>> {
        let mut nearest = BySide([Plies::MAX; 2]);
        for earlier in game.earlier_positions().chain([game.position()]) {
            let value = match tables.probe_dtw(earlier) {
                Ok(value) => value,
                // It cannot be probed since nobody can move on from it.
                Err(ProbeError::Position(_)) => continue,
                Err(_) => return None,
            };
            let (winner, plies) = match value {
                Value::Win(plies) => (earlier.to_move, plies),
                Value::Loss(plies) => (earlier.to_move.other(), plies),
                Value::Draw => continue,
            };
            nearest[winner] = nearest[winner].min(plies);
        }
        Some(Proof { tables, game: game.clone(), nearest, budget: BUDGET })
    }

    /// The line of a move that wins against any defence, if that can be proved.
    pub(super) fn winning_line(&mut self, played: &Move) -> Option<Line> {
        self.game.push(played);
        self.budget = BUDGET;
        let plies = self.lost_in();
        let line = plies.map(|plies| {
            let moves = [*played].into_iter().chain(self.rest_of_line()).collect();
            Line { score: Score::Win(plies + 1), depth: 1, moves }
        });
        self.game.undo();
        line
    }

    /// The most plies that the game takes after a move that loses against the best play,
    /// this move included, if that can be proved.
    pub(super) fn losing_move(&mut self, played: &Move) -> Option<Plies> {
        self.game.push(played);
        self.budget = BUDGET;
        let plies = self.won_in();
        self.game.undo();
        plies.map(|(plies, _)| plies + 1)
    }

    /// The line of a move that was proved to lose.
    pub(super) fn losing_line(&mut self, played: &Move) -> Vec<Move> {
        self.game.push(played);
        let line = [*played].into_iter().chain(self.rest_of_line()).collect();
        self.game.undo();
        line
    }

    /// What is proved to follow: the winner plays what is proved, the loser what takes
    /// longest.
    fn rest_of_line(&mut self) -> Vec<Move> {
        let mut line = Vec::new();
        while self.game.outcome().is_none() {
            self.budget = BUDGET;
            let next = match self.won_in() {
                Some((_, best)) => Some(best),
                None => self.longest_defence(),
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

    /// Of a side that has lost, the move that takes longest; of several, the one that the
    /// tables have first.
    fn longest_defence(&mut self) -> Option<Move> {
        let probe = self.tables.probe(self.game.position()).ok()?;
        let replies = probe.moves.iter().map(|mv| mv.played).rev();
        replies.max_by_key(|reply| {
            self.game.push(reply);
            self.budget = BUDGET;
            let plies = self.won_in().map(|(plies, _)| plies);
            self.game.undo();
            plies
        })
    }

    /// How many plies the side to move has left at most, if it loses whatever it does.
    fn lost_in(&mut self) -> Option<Plies> {
        let loser = self.game.position().to_move;
        if let Some(outcome) = self.game.outcome() {
            return (outcome.winner == Some(loser.other())).then_some(0);
        }
        let Ok(Value::Loss(plies)) = self.tables.probe_dtw(self.game.position()) else {
            return None;
        };
        if self.is_over_before(plies) {
            return None;
        }
        if self.is_undisturbed(loser.other(), plies) {
            return Some(plies);
        }
        self.budget = self.budget.checked_sub(1)?;
        let replies = legal_moves(self.game.rules(), self.game.position());
        let mut most = 0;
        for reply in &replies {
            self.game.push(reply);
            let left = match self.game.outcome() {
                Some(outcome) => (outcome.winner == Some(loser.other())).then_some(0),
                None => self.won_in().map(|(plies, _)| plies),
            };
            self.game.undo();
            most = most.max(left? + 1);
        }
        Some(most)
    }

    /// A move with which the side to move wins, and how many plies that takes at most.
    fn won_in(&mut self) -> Option<(Plies, Move)> {
        let probe = self.tables.probe(self.game.position()).ok()?;
        let won = probe.moves.iter().filter(|mv| mv.value.is_some_and(|v| v.wdl == Wdl::Win));
        for mv in won {
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

    /// Whether a side that is so many plies from its win never meets an earlier position
    /// of the game on the way.
    fn is_undisturbed(&self, winner: Side, plies: Plies) -> bool {
        plies <= self.nearest[winner] || !self.game.can_repeat()
    }

    /// Whether the game has fewer plies left than that.
    fn is_over_before(&self, plies: Plies) -> bool {
        self.game.plies_left().is_some_and(|left| u32::from(plies) > left)
    }
}
