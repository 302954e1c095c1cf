use std::sync::{Arc, Mutex, PoisonError};

use taflbase::engine::Stopper;

use super::super::error::CliError;
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

    /// Runs a search that Ctrl-C can stop; returns `None` if it was stopped.
    pub(super) fn run<T, E: Into<CliError>>(
        &self,
        stopper: Option<Stopper>,
        search: impl FnOnce() -> Result<T, E>,
    ) -> Result<Option<T>, CliError> {
        // A stop that came too late for the previous search must not end this one.
        stopper.iter().for_each(Stopper::reset);
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(stopper);
        let result = search();
        let is_finished = take(&self.0).is_some();
        let found = result.map_err(Into::into)?;
        Ok(is_finished.then_some(found))
    }
}

fn take(search: &Mutex<Option<RunningSearch>>) -> Option<RunningSearch> {
    search.lock().unwrap_or_else(PoisonError::into_inner).take()
}
