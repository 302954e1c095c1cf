use std::fmt;

use crate::game::history::{Game, Outcome};
use crate::game::moves::Move;

use super::limits::Clock;

/// A player of games: the engine, or a program behind a protocol.
pub trait Player: Send {
    /// Returns the name for tables of results.
    fn name(&self) -> String;

    /// Begins a new game, and forgets earlier ones.
    ///
    /// # Errors
    /// If the player cannot play this game.
    fn begin(&mut self, game: &Game) -> Result<(), PlayerError>;

    /// Chooses a move in the game's position; the game has no outcome yet. The clock is that of
    /// the side to move.
    ///
    /// # Errors
    /// If the player gives no move.
    fn choose(&mut self, game: &Game, clock: Clock) -> Result<Move, PlayerError>;

    /// Ends the game; without an outcome, it was aborted.
    fn end(&mut self, _game: &Game, _outcome: Option<Outcome>) {}
}

/// The failure of a player, or its resignation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlayerError {
    /// The player's name.
    pub player: String,
    /// The reason of the failure.
    pub reason: String,
    /// Whether the player resigns, which is no fault.
    pub resigns: bool,
}

impl PlayerError {
    /// The failure of the player with this name.
    pub fn new(player: impl Into<String>, reason: impl ToString) -> PlayerError {
        PlayerError { player: player.into(), reason: reason.to_string(), resigns: false }
    }

    /// The resignation of the player with this name.
    pub fn resignation(player: impl Into<String>) -> PlayerError {
        PlayerError { resigns: true, ..PlayerError::new(player, "resigns") }
    }
}

impl fmt::Display for PlayerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.player, self.reason)
    }
}

impl std::error::Error for PlayerError {}
