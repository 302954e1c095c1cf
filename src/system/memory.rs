//! Memory use of the machine and of this process.

use std::fs;

#[cfg(unix)]
use super::cgroup;

/// A limit on the memory of this process, which other processes may share.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MemoryLimit {
    /// An identifier of what is limited: the machine or one of its control groups. Containers on
    /// one machine share its memory. Empty if the machine cannot be identified.
    pub id: String,
    /// The bytes that are still available, including caches of files.
    pub available_bytes: u64,
}

/// Returns the limits on the memory of this process: those of the machine, and of the control
/// groups in which a batch system or a container runs it. Empty where the system does not report
/// them (other than Linux).
pub fn limits() -> Vec<MemoryLimit> {
    let machine = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let machine = machine.trim();
    let free = kibibytes("/proc/meminfo", "MemAvailable:");
    let whole = free.map(|bytes| MemoryLimit { id: machine.to_owned(), available_bytes: bytes });
    let groups = group_limits().into_iter();
    let groups = groups.map(|limit| MemoryLimit { id: format!("{machine} {}", limit.id), ..limit });
    whole.into_iter().chain(groups).collect()
}

#[cfg(unix)]
fn group_limits() -> Vec<MemoryLimit> {
    cgroup::limits()
}

#[cfg(not(unix))]
fn group_limits() -> Vec<MemoryLimit> {
    Vec::new()
}

/// Returns the bytes of memory available to this process, within the machine's memory and the
/// limits of its control groups; `None` where the system does not report them (other than Linux).
pub fn available_bytes() -> Option<u64> {
    limits().into_iter().map(|limit| limit.available_bytes).min()
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
