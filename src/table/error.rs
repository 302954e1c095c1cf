use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::system::disk::is_full;

use super::code::Code;
use super::format::FORMAT_VERSION;

/// An error of a table, with its file.
#[derive(Debug)]
#[non_exhaustive]
pub struct TableError {
    /// The file; `None` for a table in memory.
    pub path: Option<PathBuf>,
    /// The cause.
    pub kind: TableErrorKind,
}

/// The causes of errors when a table is read or written.
#[derive(Debug)]
#[non_exhaustive]
pub enum TableErrorKind {
    /// An error of the operating system.
    Io {
        /// The failed action, as in "cannot *open the table*".
        action: &'static str,
        /// The system's error.
        source: io::Error,
    },
    /// The file does not begin like a table.
    NotATable,
    /// The format version is not supported.
    UnsupportedVersion(u16),
    /// The header has an unknown number in one of its fields.
    Unsupported {
        /// The field of the header: metric, packing, filling or compression.
        field: &'static str,
        /// The number in that field.
        id: u8,
    },
    /// The file is shorter than the table, or was never finished.
    Truncated,
    /// A checksum does not match, or a value is impossible.
    Corrupted(Part),
    /// A requested block or slot is outside the table.
    OutsideTable,
    /// The writer was given impossible parameters.
    Unwritable(&'static str),
    /// The writer was given a value that exceeds the limit of the packing or of the
    /// table's summary.
    CodeTooLarge {
        /// The value.
        code: Code,
        /// The largest value allowed.
        largest: Code,
    },
    /// The writer was given a block twice, or with a wrong number of values or packing.
    UnexpectedBlock(u64),
    /// The writer was finished before it had all blocks.
    MissingBlocks {
        /// The number of missing blocks.
        missing: u64,
        /// The first of them.
        first: u64,
    },
}

/// A part of a table with its own checksum.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Part {
    /// The header at the start.
    Header,
    /// The footer at the end.
    Footer,
    /// The index of the blocks.
    Index,
    /// The values of one block.
    Block(u64),
    /// The whole file; compared only by [`Table::check`](super::Table::check).
    File,
}

/// A result inside this module, where the path is unknown.
pub(super) type KindResult<T> = Result<T, TableErrorKind>;

impl TableErrorKind {
    /// Returns a function that wraps a system error; for `map_err`.
    pub(super) fn io(action: &'static str) -> impl Fn(io::Error) -> TableErrorKind {
        move |source| TableErrorKind::Io { action, source }
    }

    /// Returns whether the file is a damaged table, and nothing else.
    pub(crate) fn is_damage(&self) -> bool {
        matches!(self, TableErrorKind::Truncated | TableErrorKind::Corrupted(_))
    }

    /// Adds the file.
    pub(super) fn at(self, path: Option<&Path>) -> TableError {
        TableError { path: path.map(Path::to_owned), kind: self }
    }
}

impl fmt::Display for TableError {
    /// Writes one line: the file, what is wrong, and what to do.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(path) = &self.path {
            write!(f, "{}: ", path.display())?;
        }
        self.kind.fmt(f)
    }
}

impl fmt::Display for TableErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use TableErrorKind::*;
        match self {
            Io { action, source } => {
                write!(f, "cannot {action}: {source}")?;
                f.write_str(match source.kind() {
                    _ if is_full(source) => "; free some space and build again",
                    io::ErrorKind::PermissionDenied => {
                        "; change its permissions, or use another folder"
                    }
                    _ => "",
                })
            }
            NotATable => f.write_str("not a table file; remove it from the table folder"),
            UnsupportedVersion(version) if *version < FORMAT_VERSION => write!(
                f,
                "table format {version} is no longer supported, only {FORMAT_VERSION}; delete the \
                 file and build the table again"
            ),
            UnsupportedVersion(version) => write!(
                f,
                "table format {version} is newer than this program, which reads {FORMAT_VERSION}; \
                 update taflbase"
            ),
            Unsupported { field, id } => {
                write!(f, "the table's {field} {id} is newer than this program; update taflbase")
            }
            Truncated => f.write_str(
                "the table is cut short, or has bytes after its end; delete it, then build or \
                 copy it again",
            ),
            Corrupted(part) => {
                write!(
                    f,
                    "the table's {part} is damaged; delete the table, then build or copy it again"
                )
            }
            OutsideTable => f.write_str("the table has no such block or slot"),
            Unwritable(reason) => write!(f, "cannot make a table: {reason}"),
            CodeTooLarge { code, largest } => {
                write!(f, "cannot store code {code}: the largest code allowed is {largest}")
            }
            UnexpectedBlock(block) => {
                write!(f, "block {block} was written twice, or has the wrong size or packing")
            }
            MissingBlocks { missing, first } => {
                write!(f, "{missing} blocks are missing, the first of them is block {first}")
            }
        }
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Part::Header => f.write_str("header"),
            Part::Footer => f.write_str("footer"),
            Part::Index => f.write_str("index"),
            Part::Block(block) => write!(f, "block {block}"),
            Part::File => f.write_str("file checksum"),
        }
    }
}

impl std::error::Error for TableError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.kind {
            TableErrorKind::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}
