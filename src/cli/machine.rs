//! Resources of the machine and their use by this process.

use std::fs;
use std::num::NonZeroUsize;
use std::thread;
use std::time::Duration;

pub(super) use taflbase::memory::{available_bytes, peak_bytes};

/// Returns the number of threads; 0 stands for one per core that this process may use, or one
/// if that is unknown.
pub(super) fn threads(wanted: usize) -> NonZeroUsize {
    NonZeroUsize::new(wanted)
        .or_else(|| thread::available_parallelism().ok())
        .unwrap_or(NonZeroUsize::MIN)
}

/// Returns the CPU time of all threads of this process so far, if the system reports it.
#[cfg(unix)]
pub(super) fn core_time() -> Option<Duration> {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::try_from(time).ok()
}

/// Returns the CPU time of all threads of this process so far, if the system reports it.
#[cfg(not(unix))]
pub fn core_time() -> Option<Duration> {
    None
}

/// Resets [`peak_bytes`], if the system allows it.
pub(super) fn reset_peak() {
    // Otherwise the peak is that of the whole run.
    let _ = fs::write("/proc/self/clear_refs", "5");
}
