//! What this process has taken of the machine, and what there is to take.

use std::fs;
use std::num::NonZeroUsize;
use std::thread;
use std::time::Duration;

pub(super) use taflbase::memory::{available_bytes, peak_bytes};

/// So many threads; 0 stands for one for each core that this process may use, or one if the
/// system does not tell.
pub(super) fn threads(wanted: usize) -> NonZeroUsize {
    let cores = || thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    NonZeroUsize::new(wanted).unwrap_or_else(cores)
}

/// The time that all threads of this process have spent on cores so far, where
/// the system tells.
#[cfg(unix)]
pub(super) fn core_time() -> Option<Duration> {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::try_from(time).ok()
}

/// The time that all threads of this process have spent on cores so far, where
/// the system tells.
#[cfg(not(unix))]
pub fn core_time() -> Option<Duration> {
    None
}

/// Begins to measure [`peak_bytes`] anew, where the system lets us.
pub(super) fn reset_peak() {
    // Otherwise the peak is that of the whole run, and no less true.
    let _ = fs::write("/proc/self/clear_refs", "5");
}

/// What tells this machine from others, where the system tells; containers on one machine
/// have it in common, as they have its memory.
pub(super) fn identity() -> Vec<u8> {
    fs::read("/proc/sys/kernel/random/boot_id").unwrap_or_default()
}
