use std::borrow::Cow;
use std::fs::{self, File};
use std::io;
use std::path::Path;

use memmap2::Mmap;

use crate::system::mapping::{ReadOrder, map_file, read_ahead};
use crate::system::positioned::read_at;

use super::error::{KindResult, TableErrorKind};

/// A source of a table's bytes.
pub trait Source {
    /// Returns the size of the table in bytes.
    fn size_bytes(&self) -> u64;

    /// Returns the bytes `start .. start + length`.
    ///
    /// # Errors
    /// [`UnexpectedEof`](io::ErrorKind::UnexpectedEof) if the table ends before them, or an
    /// error of the system.
    fn bytes(&self, start: u64, length: usize) -> io::Result<Cow<'_, [u8]>>;
}

/// Reads the bytes `start .. start + length` of a table.
pub(super) fn read<S: Source>(source: &S, start: u64, length: usize) -> KindResult<Cow<'_, [u8]>> {
    source.bytes(start, length).map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof => TableErrorKind::Truncated,
        _ => TableErrorKind::io("read the table")(error),
    })
}

/// A table in memory.
impl<D: AsRef<[u8]>> Source for D {
    fn size_bytes(&self) -> u64 {
        self.as_ref().len() as u64
    }

    fn bytes(&self, start: u64, length: usize) -> io::Result<Cow<'_, [u8]>> {
        let rest = usize::try_from(start).ok().and_then(|start| self.as_ref().get(start..));
        let bytes = rest.and_then(|rest| rest.get(..length));
        bytes.map(Cow::Borrowed).ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
    }
}

/// The way table files are read.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum Access {
    /// Map the file into memory: the fastest way to probe. Processes share the system's cache of
    /// the file. If a mapped file is truncated or overwritten, or a disk or network drive fails,
    /// the process ends (SIGBUS on Unix) or reads bytes other than those checked at opening;
    /// block checksums are checked at every read.
    #[default]
    Mapped,
    /// Map the file into memory, and have the system read ahead: the fastest way to pass over whole
    /// tables that are not in the system's cache. Otherwise as [`Mapped`](Access::Mapped).
    Scanned,
    /// Read block by block with ordinary system calls: 1 to 2 microseconds slower for each
    /// block that is not in the cache. Any failure of the file is reported as an error.
    Read,
}

/// The length in bytes up to which a part of a mapped file is read page by page. That of a probe
/// whose block is cached is an index entry.
const FEW_PAGES: usize = 2 << 12;

/// An open table file, or a table embedded in the program.
#[derive(Debug)]
pub struct TableFile(Opened);

#[derive(Debug)]
enum Opened {
    Embedded(&'static [u8]),
    Mapped(Mmap),
    Scanned(Mmap),
    /// The file, and its size when it was opened.
    Read(File, u64),
}

impl TableFile {
    /// Opens a file.
    ///
    /// # Errors
    /// If it cannot be opened or mapped, or is not a regular file: opening a pipe could block
    /// forever.
    pub fn open(path: &Path, access: Access) -> io::Result<TableFile> {
        if !fs::metadata(path)?.is_file() {
            return Err(io::Error::other("it is not a file; remove it from the table folder"));
        }
        let file = File::open(path)?;
        Ok(TableFile(match access {
            Access::Mapped => Opened::Mapped(map_file(&file, ReadOrder::Random)?),
            Access::Scanned => Opened::Scanned(map_file(&file, ReadOrder::Sequential)?),
            Access::Read => {
                let size = file.metadata()?.len();
                Opened::Read(file, size)
            }
        }))
    }
}

impl From<&'static [u8]> for TableFile {
    fn from(bytes: &'static [u8]) -> TableFile {
        TableFile(Opened::Embedded(bytes))
    }
}

impl Source for TableFile {
    fn size_bytes(&self) -> u64 {
        match &self.0 {
            Opened::Embedded(bytes) => bytes.size_bytes(),
            Opened::Mapped(map) | Opened::Scanned(map) => map.size_bytes(),
            Opened::Read(_, size) => *size,
        }
    }

    fn bytes(&self, start: u64, length: usize) -> io::Result<Cow<'_, [u8]>> {
        match &self.0 {
            Opened::Embedded(embedded) => Source::bytes(embedded, start, length),
            Opened::Scanned(map) => Source::bytes(map, start, length),
            Opened::Mapped(map) => {
                let bytes = Source::bytes(map, start, length)?;
                if length > FEW_PAGES {
                    // The map has these bytes, so that the conversion is exact.
                    read_ahead(map, start as usize, length);
                }
                Ok(bytes)
            }
            Opened::Read(file, _) => {
                let mut bytes = vec![0; length];
                read_at(file, &mut bytes, start)?;
                Ok(Cow::Owned(bytes))
            }
        }
    }
}
