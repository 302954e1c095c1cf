//! Progress of a build or verification: a bar on a terminal, periodic lines elsewhere.

use std::io::{self, Write};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use indicatif::ProgressBar;
use taflbase::progress::{Phase, Progress};
use taflbase::slice::Slice;

use super::meter::{LINE_EVERY, progress_bar};
use super::output::time;

/// Reports progress over a list of slices on standard error, without colours.
pub(super) struct Reporter {
    /// Hidden when standard error is not a terminal.
    bar: ProgressBar,
    slices: Vec<Work>,
    state: Mutex<State>,
}

/// A slice and the size of its work.
struct Work {
    slice: Slice,
    slots: u64,
    rows: u64,
}

struct State {
    /// The index of the current slice.
    current: usize,
    place: String,
    phase: String,
    /// Slots per row in this phase; 0 if the phase does not count positions.
    slots_per_row: u64,
    rows_done: u64,
    begun: Instant,
    slice_begun: Instant,
    phase_begun: Instant,
    last_line: Instant,
}

impl Reporter {
    /// Creates a reporter for slices with their slots and rows, in the order of work.
    pub(super) fn new(slices: impl Iterator<Item = (Slice, u64, u64)>) -> Reporter {
        let bar = progress_bar("{prefix} [{bar:20}] {percent:>3}%  {wide_msg}");
        let now = Instant::now();
        Reporter {
            bar,
            slices: slices.map(|(slice, slots, rows)| Work { slice, slots, rows }).collect(),
            state: Mutex::new(State {
                current: 0,
                place: String::new(),
                phase: String::new(),
                slots_per_row: 0,
                rows_done: 0,
                begun: now,
                slice_begun: now,
                phase_begun: now,
                last_line: now,
            }),
        }
    }

    /// Reports a finished slice.
    pub(super) fn finished(&self, slice: Slice, took: Duration) {
        let mut state = self.state();
        self.line(&format!("{}: done in {}", self.place(slice), time(took)));
        state.last_line = Instant::now();
    }

    /// Removes the bar from the terminal.
    pub(super) fn clear(&self) {
        self.bar.finish_and_clear();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Hides the bar while `print` runs.
    pub(super) fn aside<T>(&self, print: impl FnOnce() -> T) -> T {
        self.bar.suspend(print)
    }

    fn line(&self, line: &str) {
        self.aside(|| {
            // A failure to report progress must not stop the work.
            let _ = writeln!(io::stderr(), "{line}");
        });
    }

    fn number(&self, slice: Slice) -> Option<usize> {
        self.slices.iter().position(|work| work.slice == slice)
    }

    /// Formats a slice with its place in the list: `K2v4 (5 of 12)`.
    fn place(&self, slice: Slice) -> String {
        match self.number(slice) {
            Some(number) => format!("{slice} ({} of {})", number + 1, self.slices.len()),
            None => slice.to_string(),
        }
    }

    /// Updates the bar, or prints a line if the interval has passed.
    fn tell(&self, state: &mut State) {
        if !self.bar.is_hidden() {
            self.bar.set_message(self.message(state));
        } else if state.last_line.elapsed() >= LINE_EVERY {
            self.line(&format!("{}: {}", state.place, self.message(state)));
            state.last_line = Instant::now();
        }
    }

    /// Formats the phase, its speed and the time left.
    fn message(&self, state: &State) -> String {
        let mut message = state.phase.clone();
        let seconds = state.phase_begun.elapsed().as_secs_f64();
        let slots = state.rows_done * state.slots_per_row;
        if slots > 0 && seconds > 0.0 {
            let millions = slots as f64 / seconds / 1e6;
            message.push_str(&format!(", {millions:.1} M positions/s"));
        }
        if let Some(left) = self.time_left(state) {
            message.push_str(&format!(", about {} left", time(left)));
        }
        message
    }

    /// Estimates the remaining time from the speed of the finished slices.
    fn time_left(&self, state: &State) -> Option<Duration> {
        let (done, left) = self.slices.split_at(state.current.min(self.slices.len()));
        let (slots_done, slots_left) = (total_slots(done), total_slots(left));
        let spent = state.slice_begun - state.begun;
        if slots_done == 0.0 || spent < Duration::from_secs(1) {
            return None;
        }
        let all = spent.as_secs_f64() * slots_left / slots_done;
        let left = Duration::try_from_secs_f64(all).ok()?;
        left.checked_sub(state.slice_begun.elapsed())
    }
}

impl Progress for Reporter {
    fn phase(&self, slice: Slice, phase: Phase, rows: u64) {
        let mut state = self.state();
        let number = self.number(slice).unwrap_or(state.current);
        state.phase_begun = Instant::now();
        if number != state.current {
            state.slice_begun = state.phase_begun;
            state.current = number;
        }
        state.rows_done = 0;
        state.slots_per_row = match (phase, self.slices.get(number)) {
            // One side to move at a time.
            (Phase::Ply { .. }, Some(work)) => work.slots / work.rows.max(1) / 2,
            (Phase::Initial | Phase::Verifying, Some(work)) => work.slots / work.rows.max(1),
            _ => 0,
        };
        state.phase = name(phase);
        self.bar.set_prefix(self.place(slice));
        self.bar.set_length(rows.max(1));
        self.bar.set_position(0);
        state.place = self.place(slice);
        self.tell(&mut state);
    }

    fn advance(&self, rows: u64) {
        let mut state = self.state();
        state.rows_done += rows;
        self.bar.inc(rows);
        self.tell(&mut state);
    }

    fn notice(&self, text: &str) {
        self.line(&format!("taflbase: {text}"));
    }
}

fn total_slots(works: &[Work]) -> f64 {
    works.iter().map(|work| work.slots as f64).sum()
}

fn name(phase: Phase) -> String {
    match phase {
        Phase::Reading => "reading".to_owned(),
        Phase::Initial => "captures".to_owned(),
        Phase::Tables { winner } => format!("{} win, making tables", winner.name()),
        Phase::Ply { winner, ply } => format!("{} win, ply {ply}", winner.name()),
        Phase::Writing => "writing".to_owned(),
        Phase::Verifying => "verifying".to_owned(),
    }
}
