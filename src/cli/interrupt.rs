//! Ctrl-C, and the other signals that ask a program to end.

use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::error::INTERRUPTED_STATUS;

type Action = Box<dyn Fn() -> bool + Send>;

/// What Ctrl-C does. The system's handler is installed once, its action may be replaced.
static ACTION: Mutex<Option<Action>> = Mutex::new(None);
/// Whether the handler is installed.
static IS_INSTALLED: AtomicBool = AtomicBool::new(false);
/// Whether a task is running.
static IS_AT_WORK: AtomicBool = AtomicBool::new(false);
/// Whether Ctrl-C was pressed while a task was running.
static STOPPED: AtomicBool = AtomicBool::new(false);

/// Makes Ctrl-C call `act`, instead of an earlier action. If it returns `false`, the program exits.
pub(super) fn on_interrupt(act: impl Fn() -> bool + Send + 'static) {
    *ACTION.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(act));
    // The handler has a thread. If the system refuses that, signals are already caught, and none would
    // end the program any more: then they are left as they are.
    if IS_INSTALLED.load(Ordering::Relaxed) || !has_threads() {
        return;
    }
    // Systems without Ctrl-C need no handler.
    let installed = ctrlc::set_handler(|| {
        let action = ACTION.lock().unwrap_or_else(PoisonError::into_inner);
        if !action.as_ref().is_some_and(|act| act()) {
            process::exit(INTERRUPTED_STATUS.into());
        }
    });
    IS_INSTALLED.store(installed.is_ok(), Ordering::Relaxed);
}

/// Returns whether the system grants a thread.
fn has_threads() -> bool {
    thread::Builder::new().spawn(|| ()).is_ok_and(|thread| thread.join().is_ok())
}

/// A task that Ctrl-C stops. A second Ctrl-C exits at once, and so does one after the task.
pub(super) struct Task(());

impl Task {
    /// Begins a task. It has to ask now and then whether it is stopped.
    pub(super) fn begin() -> Task {
        IS_AT_WORK.store(true, Ordering::Relaxed);
        on_interrupt(|| {
            IS_AT_WORK.load(Ordering::Relaxed) && !STOPPED.swap(true, Ordering::Relaxed)
        });
        Task(())
    }

    /// Returns whether Ctrl-C was pressed.
    pub(super) fn is_stopped(&self) -> bool {
        STOPPED.load(Ordering::Relaxed)
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        IS_AT_WORK.store(false, Ordering::Relaxed);
    }
}
