use std::sync::{Arc, Mutex, PoisonError};

use taflbase::engine::Stopper;

use super::super::arguments::on_interrupt;
use super::super::error::CliError;

/// Somebody who thinks, and what ends that, if it can be ended.
type Thinker = Option<Stopper>;

/// What Ctrl-C ends: the thinking that goes on, or else the program.
pub(super) struct InterruptHandler(Arc<Mutex<Option<Thinker>>>);

impl InterruptHandler {
    /// From now on.
    pub(super) fn new() -> InterruptHandler {
        let thinks = Arc::new(Mutex::new(None));
        let thinker = Arc::clone(&thinks);
        on_interrupt(move || {
            let thinker: Option<Thinker> = taken(&thinker);
            if let Some(Some(stopper)) = &thinker {
                stopper.stop();
            }
            thinker.is_some()
        });
        InterruptHandler(thinks)
    }

    /// What comes of thinking that Ctrl-C can end; `None` if it has.
    pub(super) fn run<T, E: Into<CliError>>(
        &self,
        stopper: Option<Stopper>,
        think: impl FnOnce() -> Result<T, E>,
    ) -> Result<Option<T>, CliError> {
        // A stop that came too late for the last search is not for this one.
        stopper.iter().for_each(Stopper::reset);
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(stopper);
        let thought = think();
        let was_left_alone = taken(&self.0).is_some();
        let thought = thought.map_err(Into::into)?;
        Ok(was_left_alone.then_some(thought))
    }
}

fn taken(thinker: &Mutex<Option<Thinker>>) -> Option<Thinker> {
    thinker.lock().unwrap_or_else(PoisonError::into_inner).take()
}
