//! Long operations with progress reports, which signals can interrupt.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender};
use std::thread;
use std::time::Duration;

use pyo3::exceptions::PyRuntimeWarning;
use pyo3::types::PyAnyMethods;
use pyo3::{Bound, PyAny, PyErr, PyResult, Python};
use taflbase::progress::{Phase, Progress};
use taflbase::slice::Slice;

use crate::answers;

/// The interval of checks for signals and of progress reports.
const TICK: Duration = Duration::from_millis(50);

/// Sends progress to the thread that waits for the work.
pub struct Reporter<'a> {
    events: Sender<Event>,
    rows: &'a AtomicU64,
    is_stopped: &'a AtomicBool,
}

/// An event for the waiting thread to report.
enum Event {
    /// The start of a phase; the work continues when the sender is dropped.
    Phase(Step, SyncSender<()>),
    Notice(String),
}

/// A phase of the work on a slice, and its number of rows.
#[derive(Clone, Copy)]
struct Step {
    slice: Slice,
    phase: Phase,
    rows: u64,
}

impl Progress for Reporter<'_> {
    fn phase(&self, slice: Slice, phase: Phase, rows: u64) {
        self.rows.store(0, Ordering::Relaxed);
        let (reported, wait) = mpsc::sync_channel(0);
        if self.events.send(Event::Phase(Step { slice, phase, rows }, reported)).is_ok() {
            // Returns when the receiver of the event has dropped the sender.
            let _ = wait.recv();
        }
    }

    fn advance(&self, rows: u64) {
        self.rows.fetch_add(rows, Ordering::Relaxed);
    }

    fn notice(&self, text: &str) {
        // The receiver outlives the work.
        let _ = self.events.send(Event::Notice(text.to_owned()));
    }

    fn is_cancelled(&self) -> bool {
        self.is_stopped.load(Ordering::Relaxed)
    }
}

/// Does work on a new thread, and calls `progress` with a `Progress` on the current one. If
/// that raises an exception, or a signal arrives, calls `stop` until the work ends.
///
/// # Errors
/// That exception.
pub fn run<T: Send>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    stop: impl Fn(),
    work: impl FnOnce(&Reporter<'_>) -> T + Send,
) -> PyResult<T> {
    let (rows, is_stopped) = (AtomicU64::new(0), AtomicBool::new(false));
    let (events, mut received) = mpsc::channel();
    let reporter = Reporter { events, rows: &rows, is_stopped: &is_stopped };
    thread::scope(|scope| {
        // Moving the reporter closes the channel at the end of the work.
        let worker = scope.spawn(move || {
            let reporter = reporter;
            work(&reporter)
        });
        let reported = report(py, progress, &mut received, &rows, &is_stopped);
        if reported.is_err() {
            is_stopped.store(true, Ordering::Relaxed);
            // Drop events, because the worker waits until they are handled.
            while next_event(py, &mut received).err() != Some(RecvTimeoutError::Disconnected) {
                stop();
            }
        }
        let done = py.detach(|| worker.join());
        reported?;
        // Propagate a panic of the worker.
        Ok(done.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })
}

/// Reports progress until the work is over.
fn report(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    events: &mut Receiver<Event>,
    rows: &AtomicU64,
    is_stopped: &AtomicBool,
) -> PyResult<()> {
    let mut step = None;
    let mut reported_rows = 0;
    loop {
        let event = next_event(py, events);
        py.check_signals()?;
        match event {
            Ok(Event::Notice(text)) => warn(py, &text)?,
            Ok(Event::Phase(next, reported)) => {
                (step, reported_rows) = (Some(next), 0);
                let called = call_progress(progress, next, 0);
                // Must be set before the work continues.
                is_stopped.store(called.is_err(), Ordering::Relaxed);
                drop(reported);
                called?;
            }
            Err(RecvTimeoutError::Timeout) => {
                let done = rows.load(Ordering::Relaxed);
                if let Some(step) = step.filter(|_| done != reported_rows) {
                    reported_rows = done;
                    call_progress(progress, step, done)?;
                }
            }
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        }
    }
}

fn next_event(py: Python<'_>, events: &mut Receiver<Event>) -> Result<Event, RecvTimeoutError> {
    py.detach(move || events.recv_timeout(TICK))
}

fn call_progress(progress: Option<&Bound<'_, PyAny>>, step: Step, done: u64) -> PyResult<()> {
    let Some(progress) = progress else {
        return Ok(());
    };
    let Step { slice, phase, rows } = step;
    let (name, winner, ply) = match phase {
        Phase::Reading => ("reading", None, None),
        Phase::Initial => ("initial", None, None),
        Phase::Tables { winner } => ("tables", Some(winner), None),
        Phase::Ply { winner, ply } => ("ply", Some(winner), Some(ply)),
        Phase::Writing => ("writing", None, None),
        Phase::Verifying => ("verifying", None, None),
    };
    let winner = winner.map(answers::side);
    let fields = (slice.to_string(), answers::phase(name), winner, ply, done, rows);
    progress.call1((answers::answer(progress.py(), "Progress", fields)?,))?;
    Ok(())
}

/// Issues a warning.
pub fn warn(py: Python<'_>, text: &str) -> PyResult<()> {
    let text = std::ffi::CString::new(text.replace('\0', " "))?;
    PyErr::warn(py, &py.get_type::<PyRuntimeWarning>(), &text, 1)
}
