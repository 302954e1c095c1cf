use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use tokio::sync::OwnedSemaphorePermit;

use crate::engine::{Engine, EngineOptions, Iteration, Limits, SearchRequest, Stopper};
use crate::game::history::Game;
use crate::system::priority;

use super::limiter::Limiter;
use super::problem::Problem;
use super::served_ruleset::Knowledge;

/// Maximum searches in the queue.
const MAX_QUEUED: usize = 16;
/// Size of a search's transposition table.
const TABLE_BYTES: usize = 16 << 20;

/// Runs engine searches, each on one thread of low priority.
pub(super) struct SearchPool {
    limiter: Limiter,
    /// Time limit of a search.
    pub(super) time: Duration,
}

/// A position to search, with limits.
pub(super) struct SearchTask {
    pub(super) game: Game,
    /// Tables and proofs that the engine probes.
    pub(super) knowledge: Option<Knowledge>,
    pub(super) lines: NonZeroUsize,
    pub(super) limits: Limits,
}

/// A running search, which is cancelled when this is dropped.
pub(super) struct RunningSearch(Arc<Cancellation>);

/// Cancels a search, even one that has not started.
#[derive(Default)]
struct Cancellation {
    is_cancelled: AtomicBool,
    stopper: Mutex<Option<Stopper>>,
}

impl Cancellation {
    fn cancel(&self) {
        self.is_cancelled.store(true, Ordering::Relaxed);
        if let Some(stopper) = &*self.stopper.lock().unwrap_or_else(PoisonError::into_inner) {
            stopper.stop();
        }
    }

    fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Ordering::Relaxed)
    }
}

impl Drop for RunningSearch {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

impl SearchPool {
    pub(super) fn new(concurrent: usize, time: Duration) -> SearchPool {
        SearchPool { limiter: Limiter::new(concurrent, MAX_QUEUED), time }
    }

    /// Waits for a permit to search.
    pub(super) async fn acquire(&self) -> Result<OwnedSemaphorePermit, Problem> {
        self.limiter.acquire().await
    }

    /// Starts a search that holds the permit to its end. Calls `report` with each iteration, and
    /// with the last one again at the end; never if there is nothing to search.
    pub(super) fn start(
        &self,
        permit: OwnedSemaphorePermit,
        task: SearchTask,
        mut report: impl FnMut(&Iteration) + Send + 'static,
    ) -> RunningSearch {
        let cancellation = Arc::new(Cancellation::default());
        let running = RunningSearch(Arc::clone(&cancellation));
        // If no thread can be started, `report` is dropped, and the caller sees an empty search.
        let _ = thread::Builder::new().spawn(move || {
            priority::lower();
            search(task, &cancellation, &mut report);
            drop(permit);
        });
        running
    }
}

fn search(task: SearchTask, cancellation: &Cancellation, report: &mut dyn FnMut(&Iteration)) {
    let rules = Arc::clone(task.game.rules());
    let (tables, proofs) = match task.knowledge {
        Some(Knowledge { tables, proofs }) => (Some(tables), proofs),
        None => (None, None),
    };
    let options =
        EngineOptions { table_bytes: TABLE_BYTES, tables, proofs, ..EngineOptions::new(&rules) };
    // Without memory for the table, the caller sees an empty search, as without a thread.
    let Ok(mut engine) = Engine::new(rules, options) else { return };
    // Publish the stopper before reading the flag: a concurrent `cancel` then either finds the
    // stopper or is seen here.
    *cancellation.stopper.lock().unwrap_or_else(PoisonError::into_inner) = Some(engine.stopper());
    if cancellation.is_cancelled() {
        return;
    }
    let request = SearchRequest { lines: task.lines, ..task.limits.into() };
    if let Ok(last) = engine.search(&task.game, request, report) {
        report(&last);
    }
}
