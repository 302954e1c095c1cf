//! Memory use of the machine and of this process.

use std::fs;

/// Returns the bytes of memory available to this process; `None` where the system does not
/// report them (other than Linux).
pub fn available_bytes() -> Option<u64> {
    kibibytes("/proc/meminfo", "MemAvailable:")
}

/// Returns the peak resident memory of this process in bytes; `None` where the system does not
/// report it (other than Linux).
pub fn peak_bytes() -> Option<u64> {
    kibibytes("/proc/self/status", "VmHWM:")
}

/// Reads a field that a file of `/proc` gives in kB.
fn kibibytes(file: &str, name: &str) -> Option<u64> {
    let text = fs::read_to_string(file).ok()?;
    let value = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kib: u64 = value.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kib << 10)
}
