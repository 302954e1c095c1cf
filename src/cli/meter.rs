use std::io::{self, IsTerminal, Write};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::arguments::on_interrupt;

/// How often lines are written where there is no terminal.
const LINE_EVERY: Duration = Duration::from_secs(10);

/// Tells standard error how far one piece of work is, and ends it by Ctrl-C.
pub(super) struct Meter {
    /// Hidden where there is no terminal.
    bar: ProgressBar,
    last_line: Mutex<Instant>,
}

/// Whether there is work to stop.
static IS_AT_WORK: AtomicBool = AtomicBool::new(false);
/// Whether Ctrl-C was pressed.
static STOPPED: AtomicBool = AtomicBool::new(false);

impl Meter {
    /// A meter of work that has this name. From now on Ctrl-C is for it.
    pub(super) fn new(name: &'static str) -> Meter {
        IS_AT_WORK.store(true, Ordering::Relaxed);
        // Who presses it once more does not want to wait.
        on_interrupt(|| {
            IS_AT_WORK.load(Ordering::Relaxed) && !STOPPED.swap(true, Ordering::Relaxed)
        });
        let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let is_shown = io::stderr().is_terminal() && !is_dumb;
        let target =
            if is_shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(1), target).with_prefix(name);
        let style = ProgressStyle::with_template("{prefix} [{bar:20}] {percent:>3}%  {eta} left");
        bar.set_style(
            style
                .map_or_else(|_| ProgressStyle::default_bar(), |style| style.progress_chars("=> ")),
        );
        Meter { bar, last_line: Mutex::new(Instant::now()) }
    }

    /// So much of so much is done. Whether to go on.
    pub(super) fn update(&self, done: u64, of: u64) -> bool {
        self.bar.set_length(of);
        self.bar.set_position(done);
        let mut last = self.last_line.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if self.bar.is_hidden() && last.elapsed() >= LINE_EVERY {
            // Progress that nobody can read is no reason to stop.
            let _ = writeln!(io::stderr(), "{}: {}%", self.bar.prefix(), 100 * done / of.max(1));
            *last = Instant::now();
        }
        !STOPPED.load(Ordering::Relaxed)
    }
}

/// Takes the bar off the terminal, and leaves Ctrl-C to end the program.
impl Drop for Meter {
    fn drop(&mut self) {
        IS_AT_WORK.store(false, Ordering::Relaxed);
        self.bar.finish_and_clear();
    }
}
