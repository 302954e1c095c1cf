//! The engine: plays every ruleset, and probes endgame tables at every node.

pub(crate) mod bits;
pub(crate) mod board_tables;
mod captures;
mod check;
pub(crate) mod coverage;
mod edge;
mod error;
pub(crate) mod evaluate;
pub(crate) mod generate;
mod iteration;
mod iteration_report;
mod limits;
mod options;
pub mod pilarski;
mod player;
mod proved;
mod regions;
#[cfg(test)]
mod rule_tests;
mod search;
mod shieldwall;
pub(crate) mod state;
mod stopper;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::game::history::Game;
use crate::game::moves::Move;
use crate::game::rules::Ruleset;

use check::{check_moves, check_rules};
use search::Search;

pub use error::EngineError;
#[doc(hidden)]
pub use evaluate::counts::Counts;
pub use evaluate::features::Term;
pub use evaluate::weights::{Weight, Weights, WeightsError};
pub use iteration::{Iteration, Line, Score};
pub use iteration_report::{IterationReport, LineReport};
pub use limits::{Clock, Limits, SearchRequest};
pub use options::EngineOptions;
pub use player::{Player, PlayerError};
pub use proved::ProvedPositions;
pub use stopper::Stopper;

/// Searches for the best move.
pub struct Engine {
    rules: Arc<Ruleset>,
    options: EngineOptions,
    search: Box<dyn Search>,
    stopped: Arc<AtomicBool>,
}

impl Engine {
    /// Creates an engine for games of these rules.
    ///
    /// # Errors
    /// If the tables, the proofs or the weights are for other rules, a table cannot be opened, or the
    /// transposition table cannot be allocated.
    pub fn new(rules: Arc<Ruleset>, options: EngineOptions) -> Result<Engine, EngineError> {
        let engine = Engine::with_usable_tables(rules, options)?;
        if let Some(tables) = &engine.options.tables {
            tables
                .open_all_tables()
                .map_err(|error| EngineError::UnusableTable { reason: error.to_string() })?;
        }
        Ok(engine)
    }

    /// As [`new`](Engine::new), but an engine that does without the tables that cannot be opened: a
    /// server reports them where they are probed.
    pub(crate) fn with_usable_tables(
        rules: Arc<Ruleset>,
        options: EngineOptions,
    ) -> Result<Engine, EngineError> {
        if let Some(tables) = &options.tables
            && tables.rules().fingerprint() != rules.fingerprint()
        {
            let (tables, rules) = (tables.rules().name.clone(), rules.name.clone());
            return Err(EngineError::OtherTables { tables, rules });
        }
        if let Some(proofs) = &options.proofs
            && proofs.rules().fingerprint() != rules.fingerprint()
        {
            let (proofs, rules) = (proofs.rules().name.clone(), rules.name.clone());
            return Err(EngineError::OtherProofs { proofs, rules });
        }
        if options.weights.as_ref().is_some_and(|weights| !weights.fit(&rules)) {
            return Err(EngineError::OtherWeights { rules: rules.name.clone() });
        }
        let search = search::for_rules(&rules, &options)?;
        Ok(Engine { rules, options, search, stopped: Arc::default() })
    }

    /// Returns a handle that stops a running search from another thread.
    pub fn stopper(&self) -> Stopper {
        Stopper(Arc::clone(&self.stopped))
    }

    /// Clears the transposition table and the move histories.
    pub fn clear(&mut self) {
        self.search.clear();
    }

    /// Searches the game's position: `request` is [`Limits`], or a [`SearchRequest`] for several
    /// lines or certain moves. Calls `report` after each iteration, and returns the last one; its
    /// first line begins with the best move.
    ///
    /// # Errors
    /// If the game is over or its rules differ from the engine's, or a move of the request is
    /// illegal.
    pub fn search<'r>(
        &mut self,
        game: &Game,
        request: impl Into<SearchRequest<'r>>,
        report: &mut dyn FnMut(&Iteration),
    ) -> Result<Iteration, EngineError> {
        let request = request.into();
        check_rules(game, &self.rules)?;
        if game.outcome().is_some() {
            return Err(EngineError::GameOver);
        }
        check_moves(game, request.root_moves)?;
        let found = self.search.search(game, &request, &self.stopped, report);
        // A stop ends one search.
        self.stopped.store(false, Ordering::Relaxed);
        Ok(found)
    }

    /// Returns the best move within the limits.
    ///
    /// # Errors
    /// As [`search`](Engine::search).
    pub fn best_move(&mut self, game: &Game, limits: &Limits) -> Result<Move, EngineError> {
        let found = self.search(game, limits, &mut |_| {})?;
        Ok(found.lines[0].moves[0])
    }

    /// Searches the game's position within the time that the clock allows for a move.
    pub(crate) fn think(&mut self, game: &Game, clock: Clock) -> Result<Iteration, PlayerError> {
        let limits = clock.limits(self.options.overhead);
        self.search(game, limits, &mut |_| {}).map_err(|error| self.player_error(&error))
    }

    fn player_error(&self, error: &EngineError) -> PlayerError {
        PlayerError::new(self.name(), error)
    }
}

impl Player for Engine {
    fn name(&self) -> String {
        "taflbase".to_owned()
    }

    fn begin(&mut self, game: &Game) -> Result<(), PlayerError> {
        self.clear();
        check_rules(game, &self.rules).map_err(|error| self.player_error(&error))
    }

    fn choose(&mut self, game: &Game, clock: Clock) -> Result<Move, PlayerError> {
        Ok(self.think(game, clock)?.lines[0].moves[0])
    }
}
