//! What can go wrong with the work in progress.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::solve::communicator::CommunicatorError;
use crate::solve::error::BuildError;

use super::compression::is_full;

/// The work in progress cannot be kept or read.
#[derive(Debug)]
pub struct ScratchError {
    /// The file or folder.
    pub path: PathBuf,
    /// What is wrong with it.
    pub kind: ScratchErrorKind,
}

/// What is wrong with a file or folder of the work in progress.
#[derive(Debug)]
pub enum ScratchErrorKind {
    /// The disk did not do what it was asked for.
    Io(io::Error),
    /// The file does not hold what was written. What it held is done again.
    Damaged,
    /// Another rank, which was to do a part of the work, has stopped.
    Communicator(CommunicatorError),
    /// The build was cancelled.
    Cancelled,
}

impl From<CommunicatorError> for ScratchError {
    fn from(error: CommunicatorError) -> ScratchError {
        ScratchErrorKind::Communicator(error).into()
    }
}

/// What is no matter of a file.
impl From<ScratchErrorKind> for ScratchError {
    fn from(kind: ScratchErrorKind) -> ScratchError {
        ScratchError { path: PathBuf::new(), kind }
    }
}

impl ScratchError {
    /// Whether another disk may do better: this one is full, or does not keep what is written.
    pub(crate) fn is_of_disk(&self) -> bool {
        self.is_full() || matches!(&self.kind, ScratchErrorKind::Damaged)
    }

    /// Whether the disk is full, or what one may use of it.
    pub(crate) fn is_full(&self) -> bool {
        matches!(&self.kind, ScratchErrorKind::Io(source) if is_full(source))
    }

    /// A file that does not hold what was written.
    pub fn damaged(path: &Path) -> ScratchError {
        ScratchError { path: path.to_owned(), kind: ScratchErrorKind::Damaged }
    }
}

/// Adds the path to what the system says.
pub(crate) fn at(path: &Path) -> impl Fn(io::Error) -> ScratchError + '_ {
    |source| ScratchError { path: path.to_owned(), kind: ScratchErrorKind::Io(source) }
}

impl fmt::Display for ScratchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match &self.kind {
            ScratchErrorKind::Io(source) => {
                write!(f, "{path}: cannot keep the work done so far: {source}")?;
                if is_full(source) {
                    f.write_str(
                        "; free some space or keep the work on another disk, \
                         and the next build goes on from here",
                    )?;
                }
                Ok(())
            }
            ScratchErrorKind::Damaged => write!(
                f,
                "{path}: the disk gives back other bytes than were written to it, time and \
                 again; keep the work on another disk"
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
