use std::fmt;
use std::io;
use std::path::PathBuf;

use crate::game::slice::Slice;
use crate::index::IndexError;
use crate::solve::communicator::CommunicatorError;
use crate::solve::store::{ScratchError, ScratchErrorKind};
use crate::system::bytes::Bytes;
use crate::system::disk::is_full;
use crate::table::{GridError, TableError, TableErrorKind};
use crate::tablebase::ProbeError;

/// The reason why a build stopped. Complete tables are kept.
#[derive(Debug)]
#[non_exhaustive]
pub enum BuildError {
    /// A slice cannot be indexed.
    Index(IndexError),
    /// A slice needs more memory than the build may use.
    Memory {
        /// The slice.
        slice: Slice,
        /// The approximate number of bytes needed.
        needed: u64,
        /// The bytes that the build may use.
        allowed: u64,
    },
    /// The disk has too little space for the work on a slice.
    Disk {
        /// The slice.
        slice: Slice,
        /// The scratch folder.
        path: PathBuf,
        /// The approximate number of bytes needed.
        needed: u64,
        /// The bytes that are free.
        available: u64,
    },
    /// The system is out of memory.
    OutOfMemory(io::Error),
    /// A scratch file cannot be written or read.
    Scratch(ScratchError),
    /// A scratch file was damaged and has been deleted. All ranks have to restart from the
    /// remaining files.
    Again(PathBuf),
    /// A slice has more sets of defenders, rows or slots than this version can solve.
    TooLarge(Slice),
    /// The solver does not know a rule that can matter in a slice.
    UnknownRule {
        /// The slice.
        slice: Slice,
        /// The rule's field in ruleset files.
        field: &'static str,
    },
    /// The table folder cannot be created.
    Folder {
        /// The folder.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// Another build, or a pull, is running in the folder.
    Busy {
        /// The folder.
        path: PathBuf,
    },
    /// An existing table cannot be used and must not be overwritten.
    Probe(ProbeError),
    /// A table cannot be written or read.
    Table(TableError),
    /// The rows or lanes of a table do not match its slice.
    ForeignGrid,
    /// A table would exceed the limits of its format.
    Grid(GridError),
    /// Another rank of the build has stopped.
    Communicator(CommunicatorError),
    /// The build was cancelled by its [`Progress`](crate::progress::Progress). Finished work is
    /// kept, and the next build resumes from it.
    Cancelled,
    /// The worker threads cannot be started.
    Threads(String),
}

impl BuildError {
    /// Returns `true` if a disk or a disk quota is full.
    pub(super) fn is_disk_full(&self) -> bool {
        match self {
            BuildError::Scratch(error) => error.is_full(),
            BuildError::Table(TableError { kind: TableErrorKind::Io { source, .. }, .. }) => {
                is_full(source)
            }
            _ => false,
        }
    }
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BuildError::Index(error) => error.fmt(f),
            BuildError::Memory { slice, needed, allowed } => write!(
                f,
                "{slice} needs at least {} of memory, but only {} are allowed: \
                 allow more memory or build slices with fewer men",
                Bytes(*needed),
                Bytes(*allowed)
            ),
            BuildError::Disk { slice, path, needed, available } => write!(
                f,
                "{slice} needs about {} of disk while it is solved, but only {} are free for {}: \
                 free some space or put the scratch folder on another disk",
                Bytes(*needed),
                Bytes(*available),
                path.display()
            ),
            BuildError::OutOfMemory(source) => {
                write!(f, "out of memory; lower the build's memory limit: {source}")
            }
            BuildError::Scratch(error) => error.fmt(f),
            BuildError::Again(path) => write!(
                f,
                "{}: the file was damaged or is missing; start the build again, and it resumes from \
                 the files that are intact",
                path.display()
            ),
            BuildError::TooLarge(slice) => {
                write!(f, "{slice} is too large for this version; build slices with fewer men")
            }
            BuildError::UnknownRule { slice, field } => write!(
                f,
                "{slice} cannot be solved: this version does not solve games with {field} where it \
                 can matter"
            ),
            BuildError::Folder { path, source } => {
                write!(f, "{}: cannot create the folder or write to it: {source}", path.display())
            }
            BuildError::Busy { path } => write!(
                f,
                "{}: another build, or a pull, is running in this folder; wait for it or use another \
                 folder",
                path.display()
            ),
            BuildError::Probe(error) => error.fmt(f),
            BuildError::Table(error) => error.fmt(f),
            BuildError::ForeignGrid => f.write_str(
                "the rows of a table do not match its slice; run `taflbase check` and build it again",
            ),
            BuildError::Grid(error) => error.fmt(f),
            BuildError::Communicator(error) => error.fmt(f),
            BuildError::Cancelled => {
                f.write_str("the build was cancelled; the next one resumes from where it stopped")
            }
            BuildError::Threads(error) => write!(f, "cannot start the threads: {error}"),
        }
    }
}

/// A field of [`BuildOptions`](super::building::BuildOptions) whose limit was reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum BuildLimit {
    /// `memory_bytes`.
    Memory,
    /// The disk of `scratch`.
    Scratch,
}

impl BuildError {
    /// Returns the option to change to avoid this error, if there is one.
    pub fn limit(&self) -> Option<BuildLimit> {
        match self {
            BuildError::Memory { .. } | BuildError::OutOfMemory(_) => Some(BuildLimit::Memory),
            BuildError::Disk { .. } => Some(BuildLimit::Scratch),
            BuildError::Scratch(error) if error.is_of_disk() => Some(BuildLimit::Scratch),
            _ => None,
        }
    }
}

impl std::error::Error for BuildError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            BuildError::OutOfMemory(source) | BuildError::Folder { source, .. } => Some(source),
            BuildError::Scratch(error) => error.source(),
            BuildError::Probe(error) => error.source(),
            BuildError::Table(error) => error.source(),
            _ => None,
        }
    }
}

impl From<ScratchError> for BuildError {
    fn from(error: ScratchError) -> BuildError {
        match error.kind {
            ScratchErrorKind::Cancelled => BuildError::Cancelled,
            ScratchErrorKind::Communicator(error) => BuildError::Communicator(error),
            ScratchErrorKind::Io(source) if source.kind() == io::ErrorKind::OutOfMemory => {
                BuildError::OutOfMemory(source)
            }
            _ => BuildError::Scratch(error),
        }
    }
}

impl From<CommunicatorError> for BuildError {
    fn from(error: CommunicatorError) -> BuildError {
        BuildError::Communicator(error)
    }
}

impl From<TableError> for BuildError {
    fn from(error: TableError) -> BuildError {
        BuildError::Table(error)
    }
}

impl From<ProbeError> for BuildError {
    fn from(error: ProbeError) -> BuildError {
        BuildError::Probe(error)
    }
}

impl From<IndexError> for BuildError {
    fn from(error: IndexError) -> BuildError {
        BuildError::Index(error)
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error;
    use std::path::Path;

    use super::*;
    use crate::solve::store::at;

    #[test]
    fn errors_have_their_causes() {
        let cause = || io::Error::other("the cause");
        for error in [
            BuildError::OutOfMemory(cause()),
            BuildError::Folder { path: PathBuf::from("tables"), source: cause() },
            BuildError::Scratch(at(Path::new("initial@0-1"))(cause())),
        ] {
            assert_eq!(error.source().map(ToString::to_string).as_deref(), Some("the cause"));
        }
    }

    /// Whatever needs the memory, the error names the option to change.
    #[test]
    fn exhausted_memory_is_no_error_of_a_file() {
        let source = io::Error::from(io::ErrorKind::OutOfMemory);
        let error = BuildError::from(ScratchError::from(ScratchErrorKind::Io(source)));
        assert_eq!(error.limit(), Some(BuildLimit::Memory));
    }
}
