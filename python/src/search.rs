//! A search on its own thread, and waiting for its iterations.

use std::collections::VecDeque;
use std::io;
use std::num::NonZeroUsize;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use pyo3::{PyResult, Python};
use taflbase::Game;
use taflbase::engine::{Engine, EngineError, Iteration, Limits, SearchRequest, Stopper};
use taflbase::moves::Move;

use crate::errors::SearchError;

/// The interval at which waiting threads check for signals.
const SIGNAL_INTERVAL: Duration = Duration::from_millis(20);

/// A `SearchRequest` that owns its moves.
pub struct Request {
    pub limits: Limits,
    pub lines: NonZeroUsize,
    pub root_moves: Vec<Move>,
}

/// A running or finished search.
pub struct Search {
    stopper: Stopper,
    progress: Mutex<Progress>,
    changed: Condvar,
}

#[derive(Default)]
struct Progress {
    /// Iterations that have not been returned yet.
    pending: VecDeque<Iteration>,
    last: Option<Iteration>,
    /// The reason of a stop, once one was requested.
    stop_reason: Option<StopReason>,
    /// The error of a search that the engine refused.
    error: Option<EngineError>,
    end: Option<End>,
}

/// The reason for stopping a search before its limits.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum StopReason {
    /// The caller wants the result so far.
    Stop,
    /// The engine is needed for other work, or is to end.
    Replace,
}

/// The end of a search.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Done,
    Replaced,
    /// The engine panicked.
    Failed,
}

impl Search {
    /// Starts a search of an unfinished game of the engine's rules.
    pub fn start(
        engine: &Arc<Mutex<Engine>>,
        game: Game,
        request: Request,
    ) -> io::Result<Arc<Search>> {
        let stopper = lock(engine).stopper();
        // A stop that arrived after the last search must not end this one.
        stopper.reset();
        let search =
            Arc::new(Search { stopper, progress: Mutex::default(), changed: Condvar::new() });
        let (engine, running) = (Arc::clone(engine), Arc::clone(&search));
        thread::Builder::new().name("taflbase".to_owned()).spawn(move || {
            let mut engine = lock(&engine);
            // Dropped before the engine is unlocked, so that a late stop cannot end the next search.
            let _end = EndGuard(&running);
            let Request { limits, lines, root_moves } = request;
            let request = SearchRequest { limits, lines, root_moves: &root_moves };
            match engine.search(&game, request, &mut |iteration| running.report(iteration)) {
                Ok(last) => running.report(&last),
                Err(error) => lock(&running.progress).error = Some(error),
            }
        })?;
        Ok(search)
    }

    /// Requests the end of the search; does nothing if it is over.
    pub fn stop(&self, reason: StopReason) {
        let mut progress = lock(&self.progress);
        if progress.end.is_none() {
            progress.stop_reason.get_or_insert(reason);
            self.stopper.stop();
        }
    }

    /// Waits for the end of a stopped search.
    pub fn join(&self) {
        let progress = lock(&self.progress);
        let ended = self.changed.wait_while(progress, |progress| progress.end.is_none());
        drop(ended.unwrap_or_else(PoisonError::into_inner));
    }

    /// Waits for the next iteration; `None` at the end of the search.
    pub fn next(&self, py: Python<'_>) -> PyResult<Option<Iteration>> {
        self.wait(py, |progress| match progress.pending.pop_front() {
            Some(iteration) => Some(Ok(Some(iteration))),
            None => progress.result().map(|result| result.map(|_| None)),
        })?
    }

    /// Waits for the end of the search, and returns the last iteration.
    pub fn last(&self, py: Python<'_>) -> PyResult<Iteration> {
        self.wait(py, |progress| progress.result())?
    }

    /// Waits until `take` returns a value. A signal ends the search.
    fn wait<T: Send>(
        &self,
        py: Python<'_>,
        mut take: impl FnMut(&mut Progress) -> Option<T> + Send,
    ) -> PyResult<T> {
        loop {
            let taken = py.detach(|| {
                let mut taken = None;
                let missing = |progress: &mut Progress| {
                    taken = take(progress);
                    taken.is_none()
                };
                drop(self.changed.wait_timeout_while(
                    lock(&self.progress),
                    SIGNAL_INTERVAL,
                    missing,
                ));
                taken
            });
            if let Some(taken) = taken {
                return Ok(taken);
            }
            py.check_signals().inspect_err(|_| self.stop(StopReason::Stop))?;
        }
    }

    /// Reports an iteration unless it equals the last one.
    fn report(&self, iteration: &Iteration) {
        let mut progress = lock(&self.progress);
        if progress.last.as_ref() != Some(iteration) {
            progress.pending.push_back(iteration.clone());
            progress.last = Some(iteration.clone());
            self.changed.notify_all();
        }
    }
}

impl Progress {
    /// Returns the result of a finished search.
    fn result(&self) -> Option<PyResult<Iteration>> {
        let end = self.end?;
        if let Some(error) = &self.error {
            return Some(Err(SearchError::new_err(error.to_string())));
        }
        let reason = match (end, &self.last) {
            (End::Done, Some(last)) => return Some(Ok(last.clone())),
            (End::Replaced, _) => {
                "the engine was given other work, or closed, before the search ended"
            }
            (End::Failed | End::Done, _) => "the search failed because of a bug in the engine",
        };
        Some(Err(SearchError::new_err(reason)))
    }
}

/// Marks a search as finished when dropped, even after a panic.
struct EndGuard<'a>(&'a Search);

impl Drop for EndGuard<'_> {
    fn drop(&mut self) {
        let mut progress = lock(&self.0.progress);
        progress.end = Some(match progress.stop_reason {
            _ if thread::panicking() => End::Failed,
            Some(StopReason::Replace) => End::Replaced,
            Some(StopReason::Stop) | None => End::Done,
        });
        self.0.changed.notify_all();
    }
}

/// Locks a mutex. Poisoning is ignored, because the data is consistent after every panic.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
