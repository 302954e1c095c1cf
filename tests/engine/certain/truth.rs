//! Solves a game, with its history and ply limit, by trying every move.
//!
//! Two facts cut the tree. Tables give the value of a position without a history; where a
//! repetition draws, a history can only turn wins into draws, so a side wins at most what the
//! tables say. And a winner whose distance to the end decreases with every ply never returns to
//! a position that is further from the end. No code is shared with the engine.

use taflbase::history::Outcome;
use taflbase::moves::{Move, legal_moves};
use taflbase::rules::Repetition;
use taflbase::value::Value;
use taflbase::{Game, Position, Side, Tablebase};

/// The error when the budget is used up.
#[derive(Debug)]
pub(crate) struct Undecided;

/// Solves games with a history.
pub(crate) struct Truth<'a> {
    tables: &'a Tablebase,
    budget: u32,
    /// The positions of the game at hand and their values by the tables. Most of the time would go
    /// into probing the tables for the same positions at every node.
    probed: Vec<(Position, Value)>,
}

impl<'a> Truth<'a> {
    /// Creates a solver with tables of all slices that the games can reach.
    pub(crate) fn new(tables: &'a Tablebase, budget: u32) -> Truth<'a> {
        Truth { tables, budget, probed: Vec::new() }
    }

    /// Returns whether the side to move wins within this many plies.
    pub(crate) fn wins(&mut self, game: &mut Game, plies: u32) -> Result<bool, Undecided> {
        let side = game.position().to_move;
        if let Some(known) = self.known(game, side, plies) {
            return Ok(known);
        }
        self.spend()?;
        for played in moves(game) {
            game.play(&played).unwrap();
            let wins = self.has_won(game, side, plies - 1);
            game.undo();
            if wins? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns whether the side to move loses within this many plies, whatever it plays.
    pub(crate) fn loses(&mut self, game: &mut Game, plies: u32) -> Result<bool, Undecided> {
        let winner = game.position().to_move.other();
        if let Some(known) = self.known(game, winner, plies) {
            return Ok(known);
        }
        self.spend()?;
        for played in moves(game) {
            game.play(&played).unwrap();
            let loses = self.has_won(game, winner, plies - 1);
            game.undo();
            if !loses? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns whether this side has won the game, or wins it within this many plies.
    pub(crate) fn has_won(
        &mut self,
        game: &mut Game,
        winner: Side,
        plies: u32,
    ) -> Result<bool, Undecided> {
        match game.outcome() {
            Some(Outcome { winner: who, .. }) => Ok(who == Some(winner)),
            None if game.position().to_move == winner => self.wins(game, plies),
            None => self.loses(game, plies),
        }
    }

    fn spend(&mut self) -> Result<(), Undecided> {
        self.budget = self.budget.checked_sub(1).ok_or(Undecided)?;
        Ok(())
    }

    /// Returns the answer if the tables and the ply limit decide it.
    fn known(&mut self, game: &Game, winner: Side, plies: u32) -> Option<bool> {
        let plies = game.plies_left().map_or(plies, |left| plies.min(left));
        if plies == 0 {
            return Some(false);
        }
        self.probe(game);
        let (mine, theirs) = (self.last_distance(winner), self.last_distance(winner.other()));
        let in_time = mine.is_some_and(|distance| distance <= plies);
        if in_time && self.is_undisturbed(game, winner) {
            return Some(true);
        }
        match game.rules().repetition {
            Repetition::Draw | Repetition::Allowed => (!in_time).then_some(false),
            // The attackers may win by a repetition, too; the defenders' ways only get fewer.
            Repetition::DefendersLose | Repetition::DefendersBarred => {
                (winner == Side::Defenders && !in_time).then_some(false)
            }
            // A repetition loses: either side may win a game that the tables do not decide.
            Repetition::MoverLoses => {
                (theirs.is_some() && self.is_undisturbed(game, winner.other())).then_some(false)
            }
        }
    }

    /// Returns whether this winner is nearer to the end, by the tables, than in every position
    /// of the game that can recur.
    fn is_undisturbed(&self, game: &Game, winner: Side) -> bool {
        match (game.rules().repetition, winner) {
            (Repetition::DefendersLose | Repetition::DefendersBarred, Side::Attackers) => {
                return true;
            }
            // Any earlier board is barred, whichever side was to move.
            (Repetition::DefendersBarred, Side::Defenders) => return false,
            _ => {}
        }
        let here = self.last_distance(winner);
        let captures = game.moves().iter().rposition(|played| !played.captured.is_empty());
        let since = captures.map_or(0, |last| last + 1);
        let (_, earlier) = self.probed.split_last().unwrap();
        game.rules().repetition == Repetition::Allowed
            || earlier.iter().skip(since).all(|probed| {
                distance(probed, winner).is_none_or(|distance| here <= Some(distance))
            })
    }

    /// Probes the tables for the positions of the game that differ from those of the last one.
    fn probe(&mut self, game: &Game) {
        let positions = game.positions();
        let same = self.probed.iter().zip(positions).take_while(|((a, _), b)| a == *b).count();
        self.probed.truncate(same);
        for position in &positions[same..] {
            // How endless games are valued does not matter for forced wins.
            let known = Position { rules: self.tables.rules().id(), ..*position };
            self.probed.push((*position, self.tables.probe_dtw(&known).unwrap()));
        }
    }

    /// Returns the distance of the last position.
    fn last_distance(&self, winner: Side) -> Option<u32> {
        distance(self.probed.last().unwrap(), winner)
    }
}

/// Returns the distance to the end by the tables, if this side wins.
fn distance((position, value): &(Position, Value), winner: Side) -> Option<u32> {
    match *value {
        Value::Win(plies) if position.to_move == winner => Some(plies.into()),
        Value::Loss(plies) if position.to_move != winner => Some(plies.into()),
        _ => None,
    }
}

/// Returns the moves that may be played.
fn moves(game: &Game) -> Vec<Move> {
    let mut moves = legal_moves(game.rules(), game.position());
    moves.retain(|played| !game.is_barred(played));
    moves
}
