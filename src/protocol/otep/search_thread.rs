//! An engine that searches in a background thread.

use std::io;
use std::num::NonZeroUsize;
use std::thread::{self, JoinHandle};

use crate::engine::{Engine, EngineError, Iteration, Limits, SearchRequest, Stopper};
use crate::game::history::Game;

/// A running search.
pub(super) struct SearchThread {
    stopper: Stopper,
    thread: JoinHandle<(Engine, Result<Iteration, EngineError>)>,
}

impl SearchThread {
    /// Starts a search. `done` is dropped when the search ends, even by a panic.
    ///
    /// # Errors
    /// If the system refuses a thread; the engine is lost then.
    pub(super) fn start(
        mut engine: Engine,
        game: Game,
        limits: Limits,
        lines: NonZeroUsize,
        done: impl Send + 'static,
    ) -> io::Result<SearchThread> {
        let stopper = engine.stopper();
        // Discard a stop that came too late for the previous search.
        stopper.reset();
        let thread = thread::Builder::new().spawn(move || {
            let _done = done;
            let request = SearchRequest { lines, ..limits.into() };
            let found = engine.search(&game, request, &mut |_| {});
            (engine, found)
        })?;
        Ok(SearchThread { stopper, thread })
    }

    /// Stops the search; its result so far remains.
    pub(super) fn stop(&self) {
        self.stopper.stop();
    }

    /// Waits for the end of the search and returns the engine and the result, or `None` after a
    /// panic.
    pub(super) fn join(self) -> Option<(Engine, Result<Iteration, EngineError>)> {
        self.thread.join().ok()
    }

    /// Stops the search, discards its result and returns the engine.
    pub(super) fn cancel(self) -> Option<Engine> {
        self.stopper.stop();
        self.join().map(|(engine, _)| engine)
    }
}
