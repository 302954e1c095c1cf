//! Errors of scratch files.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::solve::communicator::CommunicatorError;
use crate::solve::error::BuildError;
use crate::system::disk::is_full;

use super::WORK_EXTENSION;

/// A scratch file cannot be written or read.
#[derive(Debug)]
#[non_exhaustive]
pub struct ScratchError {
    /// The file or folder.
    pub path: PathBuf,
    /// The cause.
    pub kind: ScratchErrorKind,
}

/// The cause of a [`ScratchError`].
#[derive(Debug)]
#[non_exhaustive]
pub enum ScratchErrorKind {
    /// An input or output operation failed.
    Io(io::Error),
    /// The file does not hold what was written. Its contents have to be computed again.
    Damaged,
    /// Another rank has stopped.
    Communicator(CommunicatorError),
    /// The build was cancelled.
    Cancelled,
}

impl From<CommunicatorError> for ScratchError {
    fn from(error: CommunicatorError) -> ScratchError {
        ScratchErrorKind::Communicator(error).into()
    }
}

/// An error that does not concern a file.
impl From<ScratchErrorKind> for ScratchError {
    fn from(kind: ScratchErrorKind) -> ScratchError {
        ScratchError { path: PathBuf::new(), kind }
    }
}

impl ScratchError {
    /// Returns `true` if another disk may help: this one is full or corrupts data.
    pub(crate) fn is_of_disk(&self) -> bool {
        self.is_full() || matches!(&self.kind, ScratchErrorKind::Damaged)
    }

    /// Returns `true` if the disk or the quota is full.
    pub(crate) fn is_full(&self) -> bool {
        matches!(&self.kind, ScratchErrorKind::Io(source) if is_full(source))
    }

    /// Returns the scratch folder of the slice.
    fn work_folder(&self) -> &Path {
        let is_work = |path: &&Path| path.extension().is_some_and(|name| name == WORK_EXTENSION);
        self.path.ancestors().find(is_work).unwrap_or(&self.path)
    }

    /// Returns the error for a file that does not hold what was written.
    pub(crate) fn damaged(path: &Path) -> ScratchError {
        ScratchError { path: path.to_owned(), kind: ScratchErrorKind::Damaged }
    }
}

/// Adds a path to an I/O error.
pub(crate) fn at(path: &Path) -> impl Fn(io::Error) -> ScratchError + '_ {
    |source| ScratchError { path: path.to_owned(), kind: ScratchErrorKind::Io(source) }
}

impl fmt::Display for ScratchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match &self.kind {
            ScratchErrorKind::Io(source) => {
                write!(f, "{path}: cannot write or read the work in progress: {source}")?;
                if is_full(source) {
                    let work = self.work_folder();
                    // Work is in a folder with the name of the ruleset.
                    let ruleset = work.parent().and_then(Path::file_name).unwrap_or_default();
                    write!(
                        f,
                        "; free some space, or move {} to <scratch>/{} on another disk and make \
                         <scratch> the scratch folder, and the next build resumes from there",
                        work.display(),
                        ruleset.display()
                    )?;
                }
                Ok(())
            }
            ScratchErrorKind::Damaged => write!(
                f,
                "{path}: the disk repeatedly returns other bytes than were written; \
                 put the scratch folder on another disk"
            ),
            ScratchErrorKind::Communicator(error) => error.fmt(f),
            ScratchErrorKind::Cancelled => BuildError::Cancelled.fmt(f),
        }
    }
}

impl std::error::Error for ScratchError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.kind {
            ScratchErrorKind::Io(source) => Some(source),
            ScratchErrorKind::Damaged
            | ScratchErrorKind::Communicator(_)
            | ScratchErrorKind::Cancelled => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_on_a_full_disk_can_be_moved() {
        let path = Path::new("tables/brandubh/K1v4.work/attackers-3@0-98.part");
        let message = at(path)(io::ErrorKind::StorageFull.into()).to_string();
        let cure = "move tables/brandubh/K1v4.work to <scratch>/brandubh on another disk";
        assert!(message.contains(cure), "{message}");
        let other = at(path)(io::ErrorKind::PermissionDenied.into()).to_string();
        assert!(!other.contains("<scratch>"), "{other}");
    }
}
