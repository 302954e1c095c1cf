//! A search on a thread of its own, and those who wait for what it finds.

use std::collections::VecDeque;
use std::io;
use std::num::NonZeroUsize;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use pyo3::{PyErr, PyResult, Python};
use taflbase::Game;
use taflbase::engine::{Engine, Iteration, Limits, SearchRequest, Stopper};
use taflbase::moves::Move;

use crate::errors::SearchError;

/// How long somebody waits before Python may interrupt.
const PATIENCE: Duration = Duration::from_millis(20);

/// A search: how far it goes, and what it is to find; a `SearchRequest` that owns its moves.
pub struct Request {
    pub limits: Limits,
    pub lines: NonZeroUsize,
    pub root_moves: Vec<Move>,
}

/// A search that is running, or is over.
pub struct Search {
    stopper: Stopper,
    progress: Mutex<Progress>,
    news: Condvar,
}

#[derive(Default)]
struct Progress {
    /// Iterations that nobody has taken yet.
    untold: VecDeque<Iteration>,
    last: Option<Iteration>,
    /// Why it is to end, if somebody has said so.
    wish: Option<Wish>,
    end: Option<End>,
}

/// Who ends a search before its limits.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Wish {
    /// Somebody who takes what it has found.
    Stop,
    /// Somebody who has other work for the engine.
    Replace,
}

/// How a search has ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Done,
    Replaced,
    Failed,
}

impl Search {
    /// Searches a game of the engine's rules that is not over.
    pub fn start(
        engine: &Arc<Mutex<Engine>>,
        game: Game,
        request: Request,
    ) -> io::Result<Arc<Search>> {
        let stopper = lock(engine).stopper();
        // A stop that came too late for the last search is not for this one.
        stopper.reset();
        let search = Arc::new(Search { stopper, progress: Mutex::default(), news: Condvar::new() });
        let (engine, told) = (Arc::clone(engine), Arc::clone(&search));
        thread::Builder::new().name("taflbase".to_owned()).spawn(move || {
            let mut engine = lock(&engine);
            // Before the engine is let go, so that nobody stops what comes after it.
            let _end = AtEnd(&told);
            let Request { limits, lines, root_moves } = request;
            let request = SearchRequest { limits, lines, root_moves: &root_moves };
            if let Ok(last) = engine.search(&game, request, &mut |iteration| told.tell(iteration)) {
                told.tell(&last);
            }
        })?;
        Ok(search)
    }

    /// Lets the search end; one that is over does not mind.
    pub fn halt(&self, wish: Wish) {
        let mut progress = lock(&self.progress);
        if progress.end.is_none() {
            progress.wish.get_or_insert(wish);
            self.stopper.stop();
        }
    }

    /// Waits for the end, which somebody has wished for.
    pub fn join(&self) {
        let progress = lock(&self.progress);
        let ended = self.news.wait_while(progress, |progress| progress.end.is_none());
        drop(ended.unwrap_or_else(PoisonError::into_inner));
    }

    /// The next iteration that nobody has taken yet; none when there are no more.
    pub fn next(&self, py: Python<'_>) -> PyResult<Option<Iteration>> {
        self.wait(py, |progress| match progress.untold.pop_front() {
            Some(iteration) => Some(Ok(Some(iteration))),
            None => progress.answer().map(|answer| answer.map(|_| None)),
        })?
    }

    /// The last iteration, when the search is over.
    pub fn last(&self, py: Python<'_>) -> PyResult<Iteration> {
        self.wait(py, |progress| progress.answer())?
    }

    /// Waits until there is something to take. An interrupt ends the search.
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
                drop(self.news.wait_timeout_while(lock(&self.progress), PATIENCE, missing));
                taken
            });
            if let Some(taken) = taken {
                return Ok(taken);
            }
            py.check_signals().inspect_err(|_| self.halt(Wish::Stop))?;
        }
    }

    /// Tells of an iteration, unless it is the one that was told last.
    fn tell(&self, iteration: &Iteration) {
        let mut progress = lock(&self.progress);
        if progress.last.as_ref() != Some(iteration) {
            progress.untold.push_back(iteration.clone());
            progress.last = Some(iteration.clone());
            self.news.notify_all();
        }
    }
}

impl Progress {
    /// What the search has found, when it is over.
    fn answer(&self) -> Option<PyResult<Iteration>> {
        let failed = |reason| Err::<Iteration, PyErr>(SearchError::new_err(reason));
        Some(match (self.end?, &self.last) {
            (End::Done, Some(last)) => Ok(last.clone()),
            (End::Replaced, _) => failed("the engine was given other work before the search ended"),
            (End::Failed | End::Done, _) => {
                failed("the search has failed, by a fault of the engine")
            }
        })
    }
}

/// Says that a search is over, even if it has panicked.
struct AtEnd<'a>(&'a Search);

impl Drop for AtEnd<'_> {
    fn drop(&mut self) {
        let mut progress = lock(&self.0.progress);
        progress.end = Some(match progress.wish {
            _ if thread::panicking() => End::Failed,
            Some(Wish::Replace) => End::Replaced,
            Some(Wish::Stop) | None => End::Done,
        });
        self.0.news.notify_all();
    }
}

/// What is locked is never left half done.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
