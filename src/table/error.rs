use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use super::{Code, FORMAT_VERSION};

/// What went wrong, and with which file.
#[derive(Debug)]
#[non_exhaustive]
pub struct TableError {
    /// The file; `None` for a table in memory.
    pub path: Option<PathBuf>,
    /// What went wrong.
    pub kind: TableErrorKind,
}

/// What can be wrong with a table, or with the making of one.
#[derive(Debug)]
#[non_exhaustive]
pub enum TableErrorKind {
    /// The system refused: what was tried, and its answer.
    Io {
        /// What was tried, as in "cannot *open* the file".
        action: &'static str,
        /// The system's answer.
        source: io::Error,
    },
    /// The file does not begin like a table.
    NotATable,
    /// The table is of a format that came after this program.
    UnsupportedVersion(u16),
    /// The table uses a way of storing that came after this program.
    Unsupported {
        /// The field of the header: metric, packing, filling or compression.
        field: &'static str,
        /// The number in that field.
        id: u8,
    },
    /// The file is shorter than it was, or was never finished.
    Truncated,
    /// The bytes are not those that were written.
    Corrupted(Part),
    /// A block or slot was asked for that the table does not have.
    OutsideTable,
    /// What was given to the writer makes no table.
    Unwritable(&'static str),
    /// A value was given to the writer that its packing or the table's summary
    /// does not allow.
    CodeTooLarge {
        /// The value.
        code: Code,
        /// The largest that is allowed.
        largest: Code,
    },
    /// A block was given to the writer twice, or with a wrong number of values
    /// or a wrong packing.
    UnexpectedBlock(u64),
    /// The writer was to finish before it had all blocks.
    MissingBlocks {
        /// How many there are to come.
        missing: u64,
        /// The first of them.
        first: u64,
    },
}

/// A part of a table that has its own checksum.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Part {
    /// The first bytes: what the table is.
    Header,
    /// The last bytes: counts, and where the index is.
    Footer,
    /// Where the blocks are.
    Index,
    /// The values of one block.
    Block(u64),
    /// Every byte: compared by a check of the whole file only.
    File,
}

/// A result inside the module, where the path is not at hand.
pub(super) type KindResult<T> = Result<T, TableErrorKind>;

impl TableErrorKind {
    pub(super) fn io(action: &'static str) -> impl Fn(io::Error) -> TableErrorKind {
        move |source| TableErrorKind::Io { action, source }
    }

    pub(super) fn at(self, path: Option<&Path>) -> TableError {
        TableError { path: path.map(Path::to_owned), kind: self }
    }
}

impl fmt::Display for TableError {
    /// One line: which file, what is wrong, what to do.
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
                    io::ErrorKind::StorageFull => "; free some space and build again",
                    io::ErrorKind::PermissionDenied => {
                        "; allow it, or take a folder that you may use"
                    }
                    _ => "",
                })
            }
            NotATable => f.write_str("not a table file; take it out of the table folder"),
            UnsupportedVersion(version) if *version < FORMAT_VERSION => write!(
                f,
                "table format {version} is older than this program, which knows \
                 {FORMAT_VERSION}; delete the file and build the table again"
            ),
            UnsupportedVersion(version) => write!(
                f,
                "table format {version} is newer than this program, which knows \
                 {FORMAT_VERSION}; update taflbase"
            ),
            Unsupported { field, id } => {
                write!(f, "the table's {field} {id} is newer than this program; update taflbase")
            }
            Truncated => {
                f.write_str("the table is cut short; delete it and build it, or copy it, again")
            }
            Corrupted(part) => {
                write!(
                    f,
                    "the table's {part} is damaged; delete it and build it, or copy it, again"
                )
            }
            OutsideTable => f.write_str("the table has no such block or slot"),
            Unwritable(reason) => write!(f, "cannot make a table: {reason}"),
            CodeTooLarge { code, largest } => {
                write!(f, "cannot store the code {code}: the largest here is {largest}")
            }
            UnexpectedBlock(block) => write!(
                f,
                "block {block} came twice, or not with the values and packing it should have"
            ),
            MissingBlocks { missing, first } => {
                write!(f, "{missing} blocks are missing, the first is block {first}")
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
