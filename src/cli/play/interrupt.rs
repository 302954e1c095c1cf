use std::sync::{Arc, Mutex, PoisonError};

use taflbase::engine::Stopper;

use super::super::interrupt::on_interrupt;

/// A running search; `None` if it cannot be stopped.
type RunningSearch = Option<Stopper>;

/// Stops the running search on Ctrl-C, or exits the program if there is none.
pub(super) struct InterruptHandler(Arc<Mutex<Option<RunningSearch>>>);

impl InterruptHandler {
    /// Installs the handler.
    pub(super) fn new() -> InterruptHandler {
        let current = Arc::new(Mutex::new(None));
        let shared = Arc::clone(&current);
        on_interrupt(move || {
            let search: Option<RunningSearch> = take(&shared);
            if let Some(Some(stopper)) = &search {
                stopper.stop();
            }
            search.is_some()
        });
        InterruptHandler(current)
    }

    /// Runs a search that Ctrl-C can stop; returns `None` if it was stopped, whatever it ended with.
    pub(super) fn run<T>(&self, stopper: Option<Stopper>, search: impl FnOnce() -> T) -> Option<T> {
        // A stop that came too late for the previous search must not end this one.
        stopper.iter().for_each(Stopper::reset);
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(stopper);
        let found = search();
        take(&self.0).map(|_| found)
    }
}

fn take(search: &Mutex<Option<RunningSearch>>) -> Option<RunningSearch> {
    search.lock().unwrap_or_else(PoisonError::into_inner).take()
}
