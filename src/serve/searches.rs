use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use tokio::sync::OwnedSemaphorePermit;

use crate::engine::{Engine, EngineOptions, Iteration, Limits, SearchRequest, Stopper};
use crate::game::history::Game;
use crate::system::priority;
use crate::tablebase::Tablebase;

use super::gate::Gate;
use super::problem::Problem;

/// Searches that may wait for their turn.
const MAY_WAIT: usize = 16;
/// What one search remembers.
const TABLE_BYTES: usize = 16 << 20;

/// Searches of the engine: few at once, each with one thread that gives way to requests.
pub(super) struct Searches {
    gate: Gate,
    /// The most that one may take.
    pub(super) time: Duration,
}

/// What is searched, and how far.
pub(super) struct Task {
    pub(super) game: Game,
    /// Whom the engine asks.
    pub(super) tables: Option<Arc<Tablebase>>,
    pub(super) lines: NonZeroUsize,
    pub(super) limits: Limits,
}

/// A search that runs; it ends when nobody holds this any more.
pub(super) struct Running(Arc<Halt>);

/// What ends a search, even before it begins.
#[derive(Default)]
struct Halt {
    is_halted: AtomicBool,
    stopper: Mutex<Option<Stopper>>,
}

impl Halt {
    fn halt(&self) {
        self.is_halted.store(true, Ordering::Relaxed);
        if let Some(stopper) = &*self.stopper.lock().unwrap_or_else(PoisonError::into_inner) {
            stopper.stop();
        }
    }

    fn is_halted(&self) -> bool {
        self.is_halted.load(Ordering::Relaxed)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.0.halt();
    }
}

impl Searches {
    pub(super) fn new(at_once: usize, time: Duration) -> Searches {
        Searches { gate: Gate::new(at_once, MAY_WAIT), time }
    }

    /// A place among those who search, as soon as there is one.
    pub(super) async fn enter(&self) -> Result<OwnedSemaphorePermit, Problem> {
        self.gate.enter().await
    }

    /// Starts a search in that place. Tells of each iteration, and of the last one again
    /// at the end; of nothing if there is nothing to search.
    pub(super) fn start(
        &self,
        place: OwnedSemaphorePermit,
        task: Task,
        mut tell: impl FnMut(&Iteration) + Send + 'static,
    ) -> Running {
        let halt = Arc::new(Halt::default());
        let running = Running(Arc::clone(&halt));
        // It ends with its limits at the latest. Without a thread, there is nothing to tell.
        let _ = thread::Builder::new().spawn(move || {
            priority::lower();
            search(task, &halt, &mut tell);
            drop(place);
        });
        running
    }
}

fn search(task: Task, halt: &Halt, tell: &mut dyn FnMut(&Iteration)) {
    let rules = Arc::clone(task.game.rules());
    let options = EngineOptions {
        table_bytes: TABLE_BYTES,
        tables: task.tables,
        ..EngineOptions::new(&rules)
    };
    // Without memory for it, as without a thread, there is nothing to tell.
    let Ok(mut engine) = Engine::new(rules, options) else { return };
    *halt.stopper.lock().unwrap_or_else(PoisonError::into_inner) = Some(engine.stopper());
    if halt.is_halted() {
        return;
    }
    let request = SearchRequest { lines: task.lines, ..task.limits.into() };
    let found = engine.search(&task.game, request, tell);
    if let Ok(last) = found {
        tell(&last);
    }
}
