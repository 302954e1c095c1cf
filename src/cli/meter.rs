use std::io::{self, IsTerminal, Write};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::colour::is_dumb_terminal;
use super::interrupt::Task;

/// The interval between lines when standard error is not a terminal.
pub(super) const LINE_EVERY: Duration = Duration::from_secs(10);

/// Reports the progress of one task on standard error and stops it on Ctrl-C.
pub(super) struct Meter {
    /// Hidden when standard error is not a terminal.
    bar: ProgressBar,
    last_line: Mutex<Instant>,
    task: Task,
}

impl Meter {
    /// Begins a task of this name.
    pub(super) fn new(name: &'static str) -> Meter {
        let task = Task::begin();
        let bar = progress_bar("{prefix} [{bar:20}] {percent:>3}%  {eta} left").with_prefix(name);
        Meter { bar, last_line: Mutex::new(Instant::now()), task }
    }

    /// Runs what prints, without the bar.
    pub(super) fn suspend<T>(&self, print: impl FnOnce() -> T) -> T {
        self.bar.suspend(print)
    }

    /// Reports that `done` of `of` is done; returns `false` if the task is to stop.
    pub(super) fn update(&self, done: u64, of: u64) -> bool {
        self.bar.set_length(of);
        self.bar.set_position(done);
        let mut last = self.last_line.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if self.bar.is_hidden() && last.elapsed() >= LINE_EVERY {
            // A failure to report progress must not stop the work.
            let _ = writeln!(io::stderr(), "{}: {}%", self.bar.prefix(), 100 * done / of.max(1));
            *last = Instant::now();
        }
        !self.task.is_stopped()
    }
}

/// Removes the bar from the terminal.
impl Drop for Meter {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// Creates a progress bar on standard error, which is hidden if that is not a terminal that can
/// show one.
pub(super) fn progress_bar(template: &str) -> ProgressBar {
    let is_shown = io::stderr().is_terminal() && !is_dumb_terminal();
    let target = if is_shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let bar = ProgressBar::with_draw_target(Some(1), target);
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style.progress_chars("=> "));
    }
    bar
}
