use std::path::{Path, PathBuf};

use super::block_index::BlockIndex;
use super::error::{KindResult, Part, TableError, TableErrorKind};
use super::footer::{FOOTER_BYTES, Footer};
use super::header::{HEADER_BYTES, Header};
use super::reader::Table;
use super::source::{Access, Source, TableFile, read};

/// A table of which only the header has been read.
///
/// Compare the header with the expected table before reading the rest: the header
/// determines how much memory the rest takes, and headers can be forged.
#[derive(Debug)]
pub struct TableHead<S> {
    source: S,
    path: Option<PathBuf>,
    header: Header,
}

impl TableHead<TableFile> {
    /// Opens a file and reads its header.
    ///
    /// # Errors
    /// If the file cannot be opened or does not begin with the header of a known format.
    pub fn open(path: &Path, access: Access) -> Result<TableHead<TableFile>, TableError> {
        let file = TableFile::open(path, access).map_err(TableErrorKind::io("open the table"));
        let head = file.and_then(|file| TableHead::parse(file, Some(path.to_owned())));
        head.map_err(|kind| kind.at(Some(path)))
    }
}

impl<S: Source> TableHead<S> {
    /// Opens a table in memory or another source, and reads its header.
    ///
    /// # Errors
    /// If the bytes do not begin with the header of a known format.
    pub fn new(source: S) -> Result<TableHead<S>, TableError> {
        TableHead::parse(source, None).map_err(|kind| kind.at(None))
    }

    fn parse(source: S, path: Option<PathBuf>) -> KindResult<TableHead<S>> {
        let bytes = source.size_bytes().min(HEADER_BYTES as u64) as usize;
        let header = Header::parse(&read(&source, 0, bytes)?)?;
        Ok(TableHead { source, path, header })
    }

    /// Returns the file; `None` for a table of another source.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Returns the header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Reads the footer and the index.
    ///
    /// # Errors
    /// If the table is incomplete or damaged.
    pub fn into_table(self) -> Result<Table<S>, TableError> {
        let path = self.path.clone();
        self.table().map_err(|kind| kind.at(path.as_deref()))
    }

    fn table(self) -> KindResult<Table<S>> {
        let TableHead { source, path, header } = self;
        let footer_start = source
            .size_bytes()
            .checked_sub(FOOTER_BYTES as u64)
            .filter(|&start| start >= HEADER_BYTES as u64)
            .ok_or(TableErrorKind::Truncated)?;
        let end = read(&source, footer_start, FOOTER_BYTES)?;
        let footer = Footer::parse(&end)?;
        let file_checksum = Footer::file_checksum(&end)?;
        drop(end);
        let largest = footer.summaries.map(|summary| summary.largest_code(header.metric));
        let one_values = footer.one_value.iter().zip(largest);
        if largest.iter().any(|&code| code > header.packing.largest_code())
            || one_values.into_iter().any(|(one, largest)| one.is_some_and(|one| one > largest))
        {
            return Err(TableErrorKind::Corrupted(Part::Footer));
        }
        let index = BlockIndex::read(&source, footer_start, &header, &footer)?;
        Ok(Table { source, path, header, footer, file_checksum, index, largest })
    }
}

impl Table<TableFile> {
    /// Opens a file. To compare its header with the expected table first, use
    /// [`TableHead::open`].
    ///
    /// # Errors
    /// If the file cannot be opened or is no complete table of a known format.
    pub fn open(path: &Path, access: Access) -> Result<Table<TableFile>, TableError> {
        TableHead::open(path, access)?.into_table()
    }
}

impl<S: Source> Table<S> {
    /// Opens a table in memory or another source.
    ///
    /// # Errors
    /// If the bytes are no complete table of a known format.
    pub fn new(source: S) -> Result<Table<S>, TableError> {
        TableHead::new(source)?.into_table()
    }
}
