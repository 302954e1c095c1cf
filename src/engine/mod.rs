//! The engine: plays every ruleset, and asks the tables at every node.

mod bits;
mod board_tables;
mod captures;
mod evaluate;
mod generate;
mod iteration;
mod iteration_report;
mod limits;
pub mod pilarski;
mod player;
mod search;
mod state;
#[cfg(test)]
mod tests;

use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::game::history::Game;
use crate::game::moves::{Move, find_move};
use crate::game::rules::Ruleset;
use crate::tablebase::Tablebase;

use search::Search;

#[doc(hidden)]
pub use evaluate::Counts;
pub use evaluate::{Term, Weight, Weights, WeightsError};
pub use iteration::{Iteration, Line, Score};
pub use iteration_report::{IterationReport, LineReport};
pub use limits::{Clock, Limits, SearchRequest};
pub use player::{Player, PlayerError};

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
    /// What the terms of the evaluation are worth; the ruleset's own, unless you say
    /// otherwise.
    pub weights: Option<Weights>,
    /// How much less than nothing a draw is to the side that the engine moves for, in
    /// hundredths of a soldier, up to [`EngineOptions::MAX_CONTEMPT`] either way: against
    /// weaker players a game is worth going on with. None, unless you say otherwise.
    pub contempt: i32,
    /// Kept back from a player's clock for the way of the answer.
    pub overhead: Duration,
}

impl EngineOptions {
    /// The most [contempt](EngineOptions::contempt): what is more, counts as so much.
    pub const MAX_CONTEMPT: i32 = 1000;

    /// One thread, 64 MiB, and the ruleset's tables that are part of the library.
    pub fn new(rules: &Ruleset) -> EngineOptions {
        EngineOptions {
            threads: NonZeroUsize::MIN,
            table_bytes: 64 << 20,
            tables: Some(Arc::new(Tablebase::new(rules.clone()))),
            weights: None,
            contempt: 0,
            overhead: Duration::from_millis(20),
        }
    }
}

/// Searches for the best move.
pub struct Engine {
    rules: Arc<Ruleset>,
    options: EngineOptions,
    search: Box<dyn Search>,
    stopped: Arc<AtomicBool>,
}

/// Ends a search from another thread.
#[derive(Clone, Debug)]
pub struct Stopper(pub(crate) Arc<AtomicBool>);

impl Stopper {
    /// Ends the running search, which returns what it knows. While no search is running,
    /// ends the next one as soon as it begins.
    pub fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Withdraws a stop that no search has met yet.
    pub fn reset(&self) {
        self.0.store(false, Ordering::Relaxed);
    }
}

/// Why there is no engine, or nothing to search.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum EngineError {
    /// The game is over.
    GameOver,
    /// The game is played by other rules than the player's.
    OtherRules,
    /// The tables are those of other rules than the engine's.
    OtherTables {
        /// The ruleset of the tables.
        tables: String,
        /// The engine's ruleset.
        rules: String,
    },
    /// A move that the search was to be restricted to is not legal.
    IllegalMove {
        /// The move.
        text: String,
    },
    /// There is not the memory that it is to take.
    Memory {
        /// The bytes of the transposition table.
        bytes: usize,
    },
}

impl fmt::Display for EngineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EngineError::GameOver => f.write_str("the game is over"),
            EngineError::OtherRules => {
                f.write_str("the game is played by other rules than the player's")
            }
            EngineError::OtherTables { tables, rules } => write!(
                f,
                "the tables of {tables} do not hold for {rules}, whose rules differ: give the \
                 engine tables of its own rules, or none"
            ),
            EngineError::IllegalMove { text } => {
                write!(f, "{text} is not a legal move here: search legal moves only")
            }
            EngineError::Memory { bytes } => {
                let mib = bytes >> 20;
                write!(f, "the system gives no {mib} MiB for the engine's hash table: allow less")
            }
        }
    }
}

impl std::error::Error for EngineError {}

impl Engine {
    /// An engine for games of these rules.
    ///
    /// # Errors
    /// If the tables are those of other rules, or the system does not give the memory of
    /// its transposition table.
    pub fn new(rules: Arc<Ruleset>, options: EngineOptions) -> Result<Engine, EngineError> {
        if let Some(tables) = &options.tables
            && tables.rules().fingerprint() != rules.fingerprint()
        {
            let (tables, rules) = (tables.rules().name.clone(), rules.name.clone());
            return Err(EngineError::OtherTables { tables, rules });
        }
        let search = search::for_rules(&rules, &options)?;
        Ok(Engine { rules, options, search, stopped: Arc::default() })
    }

    /// What can stop a running search from another thread.
    pub fn stopper(&self) -> Stopper {
        Stopper(Arc::clone(&self.stopped))
    }

    /// Forgets what it remembers of earlier searches.
    pub fn clear(&mut self) {
        self.search.clear();
    }

    /// Searches the game's position: `request` is [`Limits`], or a [`SearchRequest`] for
    /// several lines or certain moves. Calls `report` after each iteration, and returns
    /// the last one; its first line begins with the best move.
    ///
    /// # Errors
    /// If the game is over, or one of other rules, or a move of the request is not legal.
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

    /// The best move within the limits.
    ///
    /// # Errors
    /// As [`search`](Engine::search).
    pub fn best_move(&mut self, game: &Game, limits: &Limits) -> Result<Move, EngineError> {
        let found = self.search(game, limits, &mut |_| {})?;
        Ok(found.lines[0].moves[0])
    }

    /// What it thinks of the game's position when it has that clock.
    pub(crate) fn think(&mut self, game: &Game, clock: Clock) -> Result<Iteration, PlayerError> {
        let limits = clock.limits(self.options.overhead);
        self.search(game, limits, &mut |_| {}).map_err(|error| self.refusal(error))
    }

    fn refusal(&self, error: EngineError) -> PlayerError {
        PlayerError { player: self.name(), reason: error.to_string() }
    }
}

/// Whether these are legal moves of the game's position.
fn check_moves(game: &Game, moves: &[Move]) -> Result<(), EngineError> {
    let (rules, position) = (game.rules(), game.position());
    let is_legal = |mv: &Move| find_move(rules, position, mv.from, mv.to).as_ref() == Some(mv);
    match moves.iter().find(|mv| !is_legal(mv)) {
        None => Ok(()),
        Some(mv) => Err(EngineError::IllegalMove { text: mv.display(rules.board).to_string() }),
    }
}

/// Whether the game is played by the rules of whoever is to play it.
fn check_rules(game: &Game, rules: &Ruleset) -> Result<(), EngineError> {
    let same = game.rules().fingerprint() == rules.fingerprint();
    if same { Ok(()) } else { Err(EngineError::OtherRules) }
}

impl Player for Engine {
    fn name(&self) -> String {
        "taflbase".to_owned()
    }

    fn begin(&mut self, game: &Game) -> Result<(), PlayerError> {
        self.clear();
        check_rules(game, &self.rules).map_err(|error| self.refusal(error))
    }

    fn choose(&mut self, game: &Game, clock: Clock) -> Result<Move, PlayerError> {
        Ok(self.think(game, clock)?.lines[0].moves[0])
    }
}
