use std::fmt;
use std::io;
use std::path::PathBuf;

use crate::game::position::PositionError;
use crate::game::slice::Slice;
use crate::index::IndexError;
use crate::table::{Metric, TableError, TableErrorKind};

/// Why a position cannot be probed.
#[derive(Debug)]
#[non_exhaustive]
pub enum ProbeError {
    /// There is no table of the slice: build it or add its directory.
    MissingTable {
        /// The slice.
        slice: Slice,
        /// What was to be read.
        metric: Metric,
    },
    /// A file is the table of another ruleset.
    WrongRules {
        /// The file.
        path: PathBuf,
        /// The ruleset that it was taken for.
        rules: String,
    },
    /// A file is the table of another slice or metric than its name says.
    WrongName {
        /// The file.
        path: PathBuf,
    },
    /// A table is damaged: what is there is not what was written.
    Corrupted(TableError),
    /// The system does not let a table be read; it may be sound.
    Unreadable(TableError),
    /// A table is of a format that this program does not read.
    Unsupported(TableError),
    /// A table has other slots or values than its slice.
    Foreign {
        /// The file; `None` for a table that is part of the program.
        path: Option<PathBuf>,
        /// The slice.
        slice: Slice,
        /// The metric.
        metric: Metric,
    },
    /// The values along a line do not belong together.
    Inconsistent {
        /// The slice where the line breaks off.
        slice: Slice,
    },
    /// The position is not one of a running game.
    Position(PositionError),
    /// The slice cannot be indexed.
    Index(IndexError),
    /// A directory cannot be read.
    Directory {
        /// The directory.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
}

impl fmt::Display for ProbeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProbeError::MissingTable { slice, metric } => {
                write!(
                    f,
                    "there is no {metric} table of {slice}; build the slice or add the folder \
                     that it is in"
                )
            }
            ProbeError::WrongRules { path, rules } => write!(
                f,
                "{}: the table of another ruleset, or of other rules that were called {rules}; move \
                 it to a folder of its own, or give the ruleset another name",
                path.display()
            ),
            ProbeError::WrongName { path } => write!(
                f,
                "{}: the table of another slice or metric than its name says; rename it",
                path.display()
            ),
            ProbeError::Corrupted(error)
            | ProbeError::Unreadable(error)
            | ProbeError::Unsupported(error) => error.fmt(f),
            ProbeError::Foreign { path, slice, metric } => {
                if let Some(path) = path {
                    write!(f, "{}: ", path.display())?;
                }
                write!(
                    f,
                    "the {metric} table of {slice} has not the values of its slice; build it again"
                )
            }
            ProbeError::Inconsistent { slice } => write!(
                f,
                "the values of {slice} contradict each other; run `taflbase verify` and build \
                 what it names again"
            ),
            ProbeError::Position(error) => error.fmt(f),
            ProbeError::Index(error) => error.fmt(f),
            ProbeError::Directory { path, source } if source.kind() == io::ErrorKind::NotFound => {
                write!(f, "{}: there is no such folder of tables", path.display())
            }
            ProbeError::Directory { path, source } => {
                write!(f, "{}: cannot read the folder: {source}", path.display())
            }
        }
    }
}

impl std::error::Error for ProbeError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            ProbeError::Corrupted(error)
            | ProbeError::Unreadable(error)
            | ProbeError::Unsupported(error) => error.source(),
            ProbeError::Directory { source, .. } => Some(source),
            _ => None,
        }
    }
}

impl From<TableError> for ProbeError {
    fn from(error: TableError) -> ProbeError {
        match error.kind {
            TableErrorKind::Io { .. } => ProbeError::Unreadable(error),
            TableErrorKind::UnsupportedVersion(_) | TableErrorKind::Unsupported { .. } => {
                ProbeError::Unsupported(error)
            }
            _ => ProbeError::Corrupted(error),
        }
    }
}
