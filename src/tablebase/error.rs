use std::fmt;
use std::io;
use std::path::PathBuf;

use crate::game::position::PositionError;
use crate::game::slice::Slice;
use crate::index::IndexError;
use crate::table::{Metric, TableError, TableErrorKind};

/// The reason why a position cannot be probed.
#[derive(Debug)]
#[non_exhaustive]
pub enum ProbeError {
    /// There is no table of the slice.
    MissingTable {
        /// The slice.
        slice: Slice,
        /// The metric.
        metric: Metric,
    },
    /// A file holds the table of another ruleset.
    WrongRules {
        /// The file.
        path: PathBuf,
        /// The ruleset of the tablebase.
        rules: String,
    },
    /// A file holds the table of another slice or metric than its name says.
    WrongName {
        /// The file.
        path: PathBuf,
    },
    /// A table is damaged.
    Corrupted(TableError),
    /// The system cannot read a table, which may be intact.
    Unreadable(TableError),
    /// The format of a table is not supported.
    Unsupported(TableError),
    /// The size or a value of a table does not match its slice.
    Foreign {
        /// The file; `None` for an embedded table.
        path: Option<PathBuf>,
        /// The slice.
        slice: Slice,
        /// The metric.
        metric: Metric,
    },
    /// The values along a line contradict each other.
    Inconsistent {
        /// The slice of the contradiction.
        slice: Slice,
    },
    /// The position is invalid or the game is over.
    Position(PositionError),
    /// The slice cannot be indexed.
    Index(IndexError),
    /// A folder of tables was given where the folder above it was expected.
    TablesWithoutFolder {
        /// The folder.
        path: PathBuf,
        /// The ruleset of the tablebase.
        rules: String,
    },
    /// A directory cannot be read.
    Directory {
        /// The directory.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

impl fmt::Display for ProbeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProbeError::MissingTable { slice, metric } => {
                write!(
                    f,
                    "there is no {metric} table of {slice}; build the slice or add its folder"
                )
            }
            ProbeError::WrongRules { path, rules } => write!(
                f,
                "{}: this table is of another ruleset, or of other rules with the name {rules}; \
                 move it to a folder of its own, or rename the ruleset",
                path.display()
            ),
            ProbeError::WrongName { path } => write!(
                f,
                "{}: this table is of another slice or metric than its name says; rename it",
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
                    "the {metric} table of {slice} does not match its slice; delete it, then build or copy it again"
                )
            }
            ProbeError::Inconsistent { slice } => write!(
                f,
                "the values of {slice} contradict each other; run `taflbase verify` and rebuild \
                 the tables that it names"
            ),
            ProbeError::Position(error) => error.fmt(f),
            ProbeError::Index(error) => error.fmt(f),
            ProbeError::TablesWithoutFolder { path, rules } => write!(
                f,
                "{}: the tables of {rules} are expected in a folder named {rules}, but this folder \
                 has tables itself; give the folder above it",
                path.display()
            ),
            ProbeError::Directory { path, source } if source.kind() == io::ErrorKind::NotFound => {
                write!(f, "{}: there is no such table folder", path.display())
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
