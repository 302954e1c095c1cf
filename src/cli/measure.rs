//! Time and memory of building slices, by phase.

use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use serde::Serialize;
use taflbase::build::{Build, BuildError, BuildLimit, BuildOptions, SliceReport};
use taflbase::progress::{Phase, Progress};
use taflbase::rules::Ruleset;
use taflbase::slice::Slice;

use super::error::CliError;
use super::machine::{self, core_time, peak_bytes, reset_peak};
use super::temporary::TemporaryFolder;

/// Builds slices and their dependencies, smallest first, and measures each.
///
/// # Errors
/// If a build fails, or the work in the folder is stopped.
pub(super) fn build_measured(
    rules: &Ruleset,
    slices: &[Slice],
    threads: usize,
    folder: &TemporaryFolder,
) -> Result<Vec<(SliceReport, Measure)>, CliError> {
    let options = BuildOptions { threads, ..BuildOptions::default() };
    let stopwatch = Stopwatch::new(machine::threads(threads).get() as u32, folder);
    let reports = Build::new(rules, folder.path(), slices)
        .options(&options)
        .progress(&stopwatch)
        .run()
        .map_err(build_error)?;
    Ok(reports.into_iter().zip(stopwatch.into_measures()).collect())
}

/// Converts an error. The scratch space is a temporary folder, which TMPDIR sets.
fn build_error(error: BuildError) -> CliError {
    match error.limit() {
        Some(BuildLimit::Scratch) => {
            CliError::Error(format!("{error}; set its folder with TMPDIR"))
        }
        _ => error.into(),
    }
}

/// A value for each step of the work on a slice.
#[derive(Clone, Copy, Default, Serialize)]
pub(super) struct Steps<T> {
    pub reading: T,
    pub initial: T,
    pub plies: T,
    pub writing: T,
    /// All steps but writing.
    pub solving: T,
    pub all: T,
}

/// The time and memory that a slice took.
#[derive(Clone, Copy, Default)]
pub(super) struct Measure {
    pub wall: Steps<Duration>,
    pub core: Steps<Duration>,
    /// Unknown on some systems.
    pub peak_bytes: Option<u64>,
}

/// Measures the time of each phase.
struct Stopwatch<'a> {
    threads: u32,
    folder: &'a TemporaryFolder,
    running: Mutex<Running>,
}

struct Running {
    /// Those of the finished slices.
    finished: Vec<Measure>,
    /// That of the slice in progress.
    measure: Measure,
    /// The current phase, with the wall time and CPU time at its start.
    phase: Option<(Phase, Instant, Option<Duration>)>,
}

impl<'a> Stopwatch<'a> {
    fn new(threads: u32, folder: &'a TemporaryFolder) -> Stopwatch<'a> {
        Stopwatch {
            threads,
            folder,
            running: Mutex::new(Running {
                finished: Vec::new(),
                measure: Measure::default(),
                phase: None,
            }),
        }
    }

    fn running(&self) -> MutexGuard<'_, Running> {
        self.running.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Ends the current phase and starts the next.
    fn lap(&self, next: Option<Phase>) {
        let mut running = self.running();
        let (now, core_now) = (Instant::now(), core_time());
        if let Some((phase, began, core_began)) = running.phase.take() {
            let wall = now - began;
            let core = core_now.zip(core_began).map(|(now, began)| now.saturating_sub(began));
            running.measure.wall.add(phase, wall);
            running.measure.core.add(phase, core.unwrap_or(wall * self.threads));
        }
        running.phase = next.map(|phase| (phase, now, core_now));
    }

    /// The measures of all slices, in the order of their reports.
    fn into_measures(self) -> Vec<Measure> {
        self.running.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner()).finished
    }
}

impl Progress for Stopwatch<'_> {
    fn phase(&self, _: Slice, phase: Phase, _: u64) {
        if phase == Phase::Reading {
            reset_peak();
        }
        self.lap(Some(phase));
    }

    fn slice_done(&self, _: &SliceReport) {
        self.lap(None);
        let mut running = self.running();
        let measure = std::mem::take(&mut running.measure);
        running.finished.push(Measure { peak_bytes: peak_bytes(), ..measure });
    }

    fn is_cancelled(&self) -> bool {
        self.folder.is_stopped()
    }
}

impl Steps<Duration> {
    fn add(&mut self, phase: Phase, time: Duration) {
        let step = match phase {
            Phase::Reading => &mut self.reading,
            Phase::Initial => &mut self.initial,
            Phase::Tables { .. } | Phase::Ply { .. } => &mut self.plies,
            Phase::Writing | Phase::Verifying => &mut self.writing,
        };
        *step += time;
        self.all += time;
        self.solving = self.all - self.writing;
    }
}

impl<T: Copy> Steps<T> {
    /// Converts each value.
    pub(super) fn map<U>(self, f: impl Fn(T) -> U) -> Steps<U> {
        Steps {
            reading: f(self.reading),
            initial: f(self.initial),
            plies: f(self.plies),
            writing: f(self.writing),
            solving: f(self.solving),
            all: f(self.all),
        }
    }

    /// Formats each value.
    pub(super) fn cells(self, cell: impl Fn(T) -> String) -> [String; 6] {
        [self.reading, self.initial, self.plies, self.writing, self.solving, self.all].map(cell)
    }
}
