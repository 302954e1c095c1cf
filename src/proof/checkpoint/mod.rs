//! The table of proof numbers in a file, so that a search that has ended can go on.
//!
//! A file consists of the line `taflbase proof numbers 1` and a zstd frame with a checksum. The frame
//! contains a header, one line of JSON, and the words of all entries in the order of the table. The
//! estimates of leaves are left out: they are soon made again.
//!
//! The file can be written while other threads search: an entry that one of them is writing does not
//! match its key, and is lost.
//!
//! A search locks its checkpoint by a file beside it, which is never removed: the checkpoint itself is
//! replaced whenever it is written.

mod error;
mod file;
#[cfg(test)]
mod tests;

pub use error::CheckpointError;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::system::filesystem::{FileSystem, SystemFiles};

/// A file that keeps the table of proof numbers of a search.
#[derive(Clone)]
pub struct Checkpoint<'a> {
    path: PathBuf,
    /// Called with a message if the file cannot be written. The search goes on, and tries again.
    pub notice: &'a dyn Fn(&str),
    files: Arc<dyn FileSystem>,
    /// The least time between two writings.
    pub(super) every: Duration,
}

/// What a search has taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Effort {
    /// The number of expanded positions.
    pub nodes: u64,
    /// The time.
    pub time: Duration,
}

impl std::ops::Add for Effort {
    type Output = Effort;

    fn add(self, other: Effort) -> Effort {
        Effort { nodes: self.nodes.saturating_add(other.nodes), time: self.time + other.time }
    }
}

/// The least time between two writings of the file. A table of many gigabytes takes a minute.
const EVERY: Duration = Duration::from_secs(600);

impl<'a> Checkpoint<'a> {
    /// Names the file. It is created if it is missing, and so is the lock file, whose name has `.lock`
    /// appended. A symbolic link stays one.
    pub fn new(path: &Path) -> Checkpoint<'a> {
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        Checkpoint { path, notice: &|_| (), files: Arc::new(SystemFiles), every: EVERY }
    }
}

impl fmt::Debug for Checkpoint<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Checkpoint").field("path", &self.path).finish_non_exhaustive()
    }
}
