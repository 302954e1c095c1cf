use std::path::{Path, PathBuf};

use super::block_index::BlockIndex;
use super::error::{KindResult, Part, TableError, TableErrorKind};
use super::footer::{FOOTER_BYTES, Footer};
use super::header::{HEADER_BYTES, Header};
use super::reader::Table;
use super::source::{Access, Source, TableFile, read};

/// A table of which nothing but the header has been read.
///
/// Whoever knows what table it should be compares that first: how much the rest takes
/// depends on what the header says, and anybody can write a header.
#[derive(Debug)]
pub struct TableHead<S> {
    source: S,
    path: Option<PathBuf>,
    header: Header,
}

impl TableHead<TableFile> {
    /// Opens a file, to be read in this way.
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
    /// Opens a table that is in memory, or anywhere else.
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

    /// The file; `None` for a table that is not one.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// What the table says that it is.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Reads the rest that a table is found by: the footer and the index.
    ///
    /// # Errors
    /// If it is no whole table.
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
