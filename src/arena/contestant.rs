use crate::engine::{Clock, Engine, Player, PlayerError, Score, Stopper};
use crate::game::history::{Game, Outcome};
use crate::game::moves::Move;
use crate::protocol::htp::HtpPlayer;
use crate::protocol::otep::ExternalPlayer;
use crate::system::random::SeededRng;

/// A player in a match.
pub trait Contestant: Player {
    /// Returns the score of the move that it has just chosen, if it reports one.
    fn score(&self) -> Option<Score> {
        None
    }

    /// Returns a handle that stops its search from another thread, if it can be stopped.
    fn stopper(&self) -> Option<Stopper> {
        None
    }

    /// Checks that it can play by this clock, before the first game.
    ///
    /// # Errors
    /// If it would lose every game.
    fn check_clock(&self, _clock: Clock) -> Result<(), PlayerError> {
        Ok(())
    }

    /// Sets the number of the next game in its match. Random choices depend on it.
    fn set_game_number(&mut self, _number: u64) {}
}

impl Contestant for Engine {
    fn stopper(&self) -> Option<Stopper> {
        Some(Engine::stopper(self))
    }
}

/// The engine with a name, which reports its scores.
pub(super) struct EnginePlayer {
    pub(super) name: String,
    pub(super) engine: Engine,
    /// The score of its last move.
    pub(super) score: Option<Score>,
}

impl Player for EnginePlayer {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn begin(&mut self, game: &Game) -> Result<(), PlayerError> {
        self.engine.begin(game)
    }

    fn choose(&mut self, game: &Game, clock: Clock) -> Result<Move, PlayerError> {
        let found = self
            .engine
            .think(game, clock)
            .map_err(|error| PlayerError { player: self.name(), ..error })?;
        self.score = Some(found.lines[0].score);
        Ok(found.lines[0].moves[0])
    }

    fn end(&mut self, game: &Game, outcome: Option<Outcome>) {
        self.engine.end(game, outcome);
    }
}

impl Contestant for EnginePlayer {
    fn score(&self) -> Option<Score> {
        self.score
    }

    fn stopper(&self) -> Option<Stopper> {
        Some(self.engine.stopper())
    }
}

/// Plays uniformly distributed legal moves, which depend only on the seed, the game's number and
/// the game so far.
pub(super) struct RandomMover {
    pub(super) name: String,
    pub(super) seed: u64,
    pub(super) game_number: u64,
}

impl Player for RandomMover {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn begin(&mut self, _game: &Game) -> Result<(), PlayerError> {
        Ok(())
    }

    fn choose(&mut self, game: &Game, _clock: Clock) -> Result<Move, PlayerError> {
        let start = game.positions()[0].to_text(game.rules());
        let mut purpose = format!("{} {start}", self.game_number);
        for played in game.moves() {
            purpose.push_str(&format!(" {}", played.display(game.rules().board)));
        }
        SeededRng::for_purpose(self.seed, purpose.as_bytes())
            .choose(&game.playable_moves())
            .copied()
            .ok_or_else(|| PlayerError::new(self.name(), "the game is over"))
    }
}

impl Contestant for RandomMover {
    fn set_game_number(&mut self, number: u64) {
        self.game_number = number;
    }
}

impl Contestant for ExternalPlayer {
    fn stopper(&self) -> Option<Stopper> {
        Some(ExternalPlayer::stopper(self))
    }
}

impl Contestant for HtpPlayer {
    fn stopper(&self) -> Option<Stopper> {
        Some(HtpPlayer::stopper(self))
    }
}
