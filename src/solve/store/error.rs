//! Errors of scratch files.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::solve::communicator::CommunicatorError;
use crate::solve::error::BuildError;

use super::compression::is_full;

/// A scratch file cannot be written or read.
#[derive(Debug)]
pub struct ScratchError {
    /// The file or folder.
    pub path: PathBuf,
    /// The cause.
    pub kind: ScratchErrorKind,
}

/// The cause of a [`ScratchError`].
#[derive(Debug)]
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

    /// Returns the error for a file that does not hold what was written.
    pub fn damaged(path: &Path) -> ScratchError {
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
                    f.write_str(
                        "; free some space, and the next build resumes from here, \
                         or put the scratch folder on another disk",
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
            ScratchErrorKind::Damaged | ScratchErrorKind::Cancelled => None,
            ScratchErrorKind::Communicator(error) => Some(error),
        }
    }
}
