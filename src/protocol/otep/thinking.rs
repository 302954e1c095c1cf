//! An engine that thinks in a thread of its own.

use std::num::NonZeroUsize;
use std::thread::{self, JoinHandle};

use crate::engine::{Engine, EngineError, Iteration, Limits, SearchRequest, Stopper};
use crate::game::history::Game;

/// A search that is running.
pub(super) struct Thinking {
    stopper: Stopper,
    thread: JoinHandle<(Engine, Result<Iteration, EngineError>)>,
}

impl Thinking {
    /// Begins a search; `done` is dropped when it is over, or has failed.
    pub(super) fn start(
        mut engine: Engine,
        game: Game,
        limits: Limits,
        lines: NonZeroUsize,
        done: impl Send + 'static,
    ) -> Thinking {
        let stopper = engine.stopper();
        // A stop that came too late for the last search is not for this one.
        stopper.reset();
        let thread = thread::spawn(move || {
            let _done = done;
            let request = SearchRequest { lines, ..limits.into() };
            let found = engine.search(&game, request, &mut |_| {});
            (engine, found)
        });
        Thinking { stopper, thread }
    }

    /// Asks the search to end with what it knows.
    pub(super) fn hurry(&self) {
        self.stopper.stop();
    }

    /// Waits for the search: the engine, and what it has found. Nothing if it has failed.
    pub(super) fn end(self) -> Option<(Engine, Result<Iteration, EngineError>)> {
        self.thread.join().ok()
    }

    /// Ends the search, whatever it knows, and gives the engine back.
    pub(super) fn abandon(self) -> Option<Engine> {
        self.stopper.stop();
        self.end().map(|(engine, _)| engine)
    }
}
