use std::error::Error;
use std::fmt;
use std::io;
use std::path::PathBuf;

/// Why a checkpoint cannot be used.
#[derive(Debug)]
#[non_exhaustive]
pub enum CheckpointError {
    /// The file cannot be read or written.
    Io {
        /// The file.
        path: PathBuf,
        /// What went wrong.
        source: io::Error,
    },
    /// Another search uses the file.
    Busy {
        /// The file.
        path: PathBuf,
    },
    /// The file is not a checkpoint of this version.
    NotACheckpoint {
        /// The file.
        path: PathBuf,
    },
    /// The file is damaged.
    Damaged {
        /// The file.
        path: PathBuf,
        /// The fault.
        fault: String,
    },
    /// It is for other rules.
    OtherRules {
        /// The file.
        path: PathBuf,
        /// The name of its rules.
        rules: String,
    },
    /// Its table has another size.
    OtherSize {
        /// The file.
        path: PathBuf,
        /// The size of its table in bytes.
        bytes: u64,
    },
}

impl fmt::Display for CheckpointError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CheckpointError::Io { path, source } => write!(f, "{}: {source}", path.display()),
            CheckpointError::Busy { path } => write!(
                f,
                "{}: another search keeps its proof numbers in this checkpoint; wait for it, or name \
                 another file",
                path.display()
            ),
            CheckpointError::NotACheckpoint { path } => {
                write!(f, "{}: not a checkpoint of this version; name a new file", path.display())
            }
            CheckpointError::Damaged { path, fault } => write!(
                f,
                "{}: the checkpoint is damaged: {fault}; delete it and start again",
                path.display()
            ),
            CheckpointError::OtherRules { path, rules } => write!(
                f,
                "{}: the checkpoint is for other rules, named {rules:?}; name another file",
                path.display()
            ),
            CheckpointError::OtherSize { path, bytes } => write!(
                f,
                "{}: the checkpoint has a table of {bytes} bytes; ask for that much memory",
                path.display()
            ),
        }
    }
}

impl Error for CheckpointError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            CheckpointError::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}
