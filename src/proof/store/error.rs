use std::error::Error;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::proof::prover::ProofError;
use crate::system::disk::is_full;

/// Why a store cannot be used.
#[derive(Debug)]
#[non_exhaustive]
pub enum StoreError {
    /// A file of the store cannot be read or written.
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What went wrong.
        source: io::Error,
    },
    /// The folder is not a store.
    NotAStore {
        /// The folder.
        path: PathBuf,
    },
    /// No store can be created in the folder: it has other files, or another version's store.
    Occupied {
        /// The folder.
        path: PathBuf,
    },
    /// The store is for other rules.
    OtherRules {
        /// The folder.
        path: PathBuf,
        /// The name of the store's rules.
        rules: String,
    },
    /// The system refuses a thread for the search.
    Thread(io::Error),
    /// The search cannot start.
    Proof(ProofError),
    /// The certificate assembled from those in the store fails, although each of them holds.
    Unsound {
        /// The folder.
        path: PathBuf,
        /// Why it fails.
        reason: String,
    },
}

impl StoreError {
    /// Adds the path to an I/O error.
    pub(super) fn at(path: &Path) -> impl FnOnce(io::Error) -> StoreError + '_ {
        |source| StoreError::Io { path: path.to_owned(), source }
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StoreError::Io { path, source } if is_full(source) => {
                write!(
                    f,
                    "{}: the disk is full; make room and start again: finished jobs are kept",
                    path.display()
                )
            }
            StoreError::Io { path, source } => write!(f, "{}: {source}", path.display()),
            StoreError::NotAStore { path } => {
                write!(f, "{}: the folder has no proof store of this version", path.display())
            }
            StoreError::Occupied { path } => write!(
                f,
                "{}: not a proof store of this version; name an empty or new folder",
                path.display()
            ),
            StoreError::OtherRules { path, rules } => write!(
                f,
                "{}: the store is for other rules, named {rules:?}; name another folder",
                path.display()
            ),
            StoreError::Thread(error) => write!(f, "cannot start a thread: {error}"),
            StoreError::Proof(error) => error.fmt(f),
            StoreError::Unsound { path, reason } => {
                write!(f, "{}: the stored proofs contradict each other: {reason}", path.display())
            }
        }
    }
}

impl Error for StoreError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            StoreError::Io { source, .. } | StoreError::Thread(source) => Some(source),
            StoreError::Proof(error) => Some(error),
            _ => None,
        }
    }
}

impl From<ProofError> for StoreError {
    fn from(error: ProofError) -> StoreError {
        StoreError::Proof(error)
    }
}
