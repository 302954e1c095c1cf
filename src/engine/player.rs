use std::fmt;

use crate::game::history::{Game, Outcome};
use crate::game::moves::Move;

use super::Clock;

/// Somebody who plays games: the engine, or a program behind a protocol.
pub trait Player: Send {
    /// What it is called in tables of results.
    fn name(&self) -> String;

    /// A new game begins; what is remembered of an earlier one is forgotten.
    ///
    /// # Errors
    /// If it cannot play this game.
    fn begin(&mut self, game: &Game) -> Result<(), PlayerError>;

    /// Its move in the game's position; the game has no outcome yet. A clock is what
    /// the side to move has.
    ///
    /// # Errors
    /// If it gives none.
    fn choose(&mut self, game: &Game, clock: Clock) -> Result<Move, PlayerError>;

    /// The game is over; without an outcome, it was broken off.
    fn end(&mut self, _game: &Game, _outcome: Option<Outcome>) {}
}

/// Why a player does not play.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlayerError {
    /// The player's name.
    pub player: String,
    /// What went wrong.
    pub reason: String,
}

impl fmt::Display for PlayerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.player, self.reason)
    }
}

impl std::error::Error for PlayerError {}
