use std::num::NonZeroUsize;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use crate::engine::{Engine, EngineOptions, Iteration, Limits, SearchRequest};
use crate::game::history::Game;
use crate::system::priority;

use super::problem::Problem;
use super::search_queue::{Cancellation, Purpose, SearchQueue, SearchTicket};
use super::served_ruleset::Knowledge;

/// Size of a search's transposition table.
const TABLE_BYTES: usize = 16 << 20;

/// Runs engine searches, each on one thread of low priority.
pub(super) struct SearchPool {
    queue: Arc<SearchQueue>,
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

impl RunningSearch {
    /// Whether the search was ended for a game that had to wait.
    pub(super) fn has_given_way(&self) -> bool {
        self.0.has_given_way()
    }
}

impl Drop for RunningSearch {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

impl SearchPool {
    pub(super) fn new(concurrent: usize, time: Duration) -> SearchPool {
        SearchPool { queue: Arc::new(SearchQueue::new(concurrent)), time }
    }

    /// Enters the queue of searches.
    ///
    /// # Errors
    /// If too many searches wait already.
    pub(super) fn enter(&self, purpose: Purpose) -> Result<SearchTicket, Problem> {
        self.queue.enter(purpose)
    }

    /// Starts a search that holds the ticket, whose turn must have come, to its end. Calls
    /// `report` with each iteration, and with the last one again at the end; never if there is
    /// nothing to search.
    pub(super) fn start(
        ticket: SearchTicket,
        task: SearchTask,
        mut report: impl FnMut(&Iteration) + Send + 'static,
    ) -> RunningSearch {
        let cancellation = ticket.cancellation();
        let running = RunningSearch(Arc::clone(&cancellation));
        // If no thread can be started, `report` is dropped, and the caller sees an empty search.
        let _ = thread::Builder::new().spawn(move || {
            priority::lower();
            search(task, &cancellation, &mut report);
            drop(ticket);
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
    let Ok(mut engine) = Engine::with_usable_tables(rules, options) else { return };
    cancellation.publish(engine.stopper());
    if cancellation.is_cancelled() {
        return;
    }
    let request = SearchRequest { lines: task.lines, ..task.limits.into() };
    if let Ok(last) = engine.search(&task.game, request, report) {
        report(&last);
    }
}
