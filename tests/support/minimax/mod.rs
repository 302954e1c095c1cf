//! How many plies a win takes, by trying everything: no bounds, no table, no estimates,
//! and nothing of the engine's.

// Each user takes what it needs.
#![allow(dead_code)]

use taflbase::Game;
use taflbase::history::Outcome;
use taflbase::moves::{Move, legal_moves};

/// A full-width search over the moves of games.
pub(crate) struct Minimax {
    /// Positions of whom is to win that may still be looked at. Without any left, nothing is
    /// found to be won.
    pub(crate) budget: u64,
    /// The answer that saved the last position so many plies from the horizon: tried first.
    saving: Vec<Option<Move>>,
}

impl Minimax {
    pub(crate) fn new(budget: u64) -> Minimax {
        Minimax { budget, saving: Vec::new() }
    }

    /// In how many plies the side to move wins, if they are no more than `most` and the
    /// budget suffices.
    pub(crate) fn distance(&mut self, game: &Game, most: usize) -> Option<usize> {
        let mut game = game.clone();
        let found = (1..=most).step_by(2).find(|&plies| self.wins(&mut game, plies));
        found.filter(|_| self.budget > 0)
    }

    /// The moves that win within so many plies.
    pub(crate) fn winning_moves(&mut self, game: &Game, plies: usize) -> Vec<Move> {
        let mut game = game.clone();
        let moves = legal_moves(game.rules(), game.position()).into_iter();
        moves.filter(|played| self.wins_by(&mut game, played, plies)).collect()
    }

    /// Whether the side to move wins within so many plies, whatever is answered.
    pub(crate) fn wins(&mut self, game: &mut Game, plies: usize) -> bool {
        if self.budget == 0 {
            return false;
        }
        self.budget -= 1;
        let moves = legal_moves(game.rules(), game.position());
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

    /// Whether the side to move has lost within so many plies, whatever it plays.
    pub(crate) fn loses(&mut self, game: &mut Game, plies: usize) -> bool {
        let mut moves = legal_moves(game.rules(), game.position());
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
