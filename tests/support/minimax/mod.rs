//! Finds the distance of wins by trying every move: without bounds, tables or estimates, and
//! without code of the engine.

// Each test uses a part of it.
#![allow(dead_code)]

use taflbase::Game;
use taflbase::history::Outcome;
use taflbase::moves::{Move, legal_moves};

/// A full-width search over the moves of games.
pub(crate) struct Minimax {
    /// The number of positions of the winning side that may still be searched. Once it is 0, no
    /// win is found.
    pub(crate) budget: u64,
    /// The reply that saved the last position at each distance from the horizon; it is tried
    /// first.
    saving: Vec<Option<Move>>,
}

impl Minimax {
    pub(crate) fn new(budget: u64) -> Minimax {
        Minimax { budget, saving: Vec::new() }
    }

    /// Returns in how many plies the side to move wins, if at most `most` and the budget
    /// suffices.
    pub(crate) fn distance(&mut self, game: &Game, most: usize) -> Option<usize> {
        let mut game = game.clone();
        let found = (1..=most).step_by(2).find(|&plies| self.wins(&mut game, plies));
        found.filter(|_| self.budget > 0)
    }

    /// Returns the moves that win within this many plies.
    pub(crate) fn winning_moves(&mut self, game: &Game, plies: usize) -> Vec<Move> {
        let mut game = game.clone();
        let moves = moves(&game).into_iter();
        moves.filter(|played| self.wins_by(&mut game, played, plies)).collect()
    }

    /// Returns whether the side to move wins within this many plies, whatever the replies.
    pub(crate) fn wins(&mut self, game: &mut Game, plies: usize) -> bool {
        if self.budget == 0 {
            return false;
        }
        self.budget -= 1;
        let moves = moves(game);
        moves.iter().any(|played| played.ending.is_some())
            || moves.iter().any(|played| self.wins_by(game, played, plies))
    }

    fn wins_by(&mut self, game: &mut Game, played: &Move, plies: usize) -> bool {
        let mover = game.position().to_move;
        game.play(played).unwrap();
        let wins = match game.outcome() {
            Some(Outcome { winner, .. }) => winner == Some(mover),
            None => plies > 2 && self.loses(game, plies - 1),
        };
        game.undo();
        wins
    }

    /// Returns whether the side to move loses within this many plies, whatever it plays.
    pub(crate) fn loses(&mut self, game: &mut Game, plies: usize) -> bool {
        let mut moves = moves(game);
        self.saving.resize(self.saving.len().max(plies + 1), None);
        if let Some(first) = moves.iter().position(|played| Some(*played) == self.saving[plies]) {
            moves.swap(0, first);
        }
        let saves = moves.iter().find(|played| !self.loses_by(game, played, plies));
        self.saving[plies] = saves.copied().or(self.saving[plies]);
        saves.is_none()
    }

    fn loses_by(&mut self, game: &mut Game, played: &Move, plies: usize) -> bool {
        let mover = game.position().to_move;
        game.play(played).unwrap();
        let loses = match game.outcome() {
            Some(Outcome { winner, .. }) => winner == Some(mover.other()),
            None => plies > 1 && self.wins(game, plies - 1),
        };
        game.undo();
        loses
    }
}

/// Returns the moves that may be played.
fn moves(game: &Game) -> Vec<Move> {
    let mut moves = legal_moves(game.rules(), game.position());
    moves.retain(|played| !game.is_barred(played));
    moves
}
