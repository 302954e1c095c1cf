//! A table that several processes write: the first one has a [`TableWriter`], and each
//! other one encodes some blocks, which follow those of the one before it.
//!
//! [`TableWriter`]: super::TableWriter

use std::io::Write;
use std::path::Path;

use crate::rules::BySide;
use crate::system::filesystem::{FileSystem, Unnamed};
use crate::system::tree_hash::{TreeHasher, array};

use super::block::EncodedBlock;
use super::code::Code;
use super::error::{KindResult, TableError, TableErrorKind};
use super::header::Header;
use super::writer::{Entry, entry};

/// Bytes that are copied at a time.
const COPIED: u64 = 1 << 20;

/// The blocks that one process has encoded, until it is known where they go.
#[derive(Debug)]
pub(crate) struct PartWriter {
    header: Header,
    records: Box<dyn Unnamed>,
    length: u64,
    /// By number; records are counted from the first of these.
    entries: Vec<(u64, Entry)>,
    largest: BySide<Code>,
}

/// What the first process must know of the blocks of another one.
pub(crate) struct WrittenPart {
    /// By number; records are where they are in the file.
    pub(super) entries: Vec<(u64, Entry)>,
    /// The largest code of each side.
    pub(super) largest: BySide<Code>,
    /// Of the records.
    pub(super) hasher: TreeHasher,
}

impl PartWriter {
    /// No blocks yet; they wait in a file without a name in the table's folder.
    ///
    /// # Errors
    /// If the folder cannot be written to.
    pub(crate) fn create(
        files: &dyn FileSystem,
        folder: &Path,
        header: Header,
    ) -> Result<PartWriter, TableError> {
        let error = |source| TableErrorKind::io("create the table")(source).at(Some(folder));
        let records = files.unnamed(folder).map_err(error)?;
        let (entries, largest) = Default::default();
        Ok(PartWriter { header, records, length: 0, entries, largest })
    }

    /// Adds a block.
    ///
    /// # Errors
    /// If the block is not one of the table's, or the disk is full.
    pub(crate) fn append_encoded(
        &mut self,
        block: u64,
        encoded: EncodedBlock,
    ) -> Result<(), TableError> {
        self.add(block, encoded).map_err(|kind| kind.at(None))
    }

    fn add(&mut self, block: u64, encoded: EncodedBlock) -> KindResult<()> {
        let (side, largest) = (self.header.side_of(block, &encoded)?, encoded.largest);
        let (entry, record) = entry(encoded, self.length);
        let written = self.records.write_at(self.length, &record);
        written.map_err(TableErrorKind::io("write the table"))?;
        self.length += record.len() as u64;
        self.entries.push((block, entry));
        self.largest[side] = self.largest[side].max(largest);
        Ok(())
    }

    /// How many bytes the records take.
    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// Puts the records into the file of the first process, from that place on.
    ///
    /// # Errors
    /// If the disk fails or is full.
    pub(crate) fn write_to(
        mut self,
        files: &dyn FileSystem,
        path: &Path,
        start: u64,
    ) -> Result<WrittenPart, TableError> {
        let mut hasher = TreeHasher::new(start);
        let mut copy = || {
            let mut output = files.open(path, start)?;
            for from in (0..self.length).step_by(COPIED as usize) {
                let bytes = self.records.read_at(from, COPIED.min(self.length - from) as usize)?;
                output.write_all(&bytes)?;
                hasher.update(&bytes);
            }
            output.sync()
        };
        let error = |source| TableErrorKind::io("write the table")(source).at(Some(path));
        copy().map_err(error)?;
        let mut entries = self.entries;
        entries.iter_mut().for_each(|(_, entry)| entry.move_by(start));
        Ok(WrittenPart { entries, largest: self.largest, hasher })
    }
}

impl WrittenPart {
    /// For the first process.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.hasher.to_bytes();
        bytes.extend(self.largest.iter().flat_map(|code| code.to_le_bytes()));
        bytes.extend((self.entries.len() as u64).to_le_bytes());
        for (number, entry) in &self.entries {
            let (kind, value) = entry.to_parts();
            bytes.extend(number.to_le_bytes());
            bytes.push(kind);
            bytes.extend(value.to_le_bytes());
        }
        bytes
    }

    /// The part of [`to_bytes`](WrittenPart::to_bytes), of which these bytes are taken; `None` if
    /// they are others.
    pub(crate) fn take(bytes: &mut &[u8]) -> Option<WrittenPart> {
        let hasher = TreeHasher::take(bytes)?;
        let mut largest = BySide::default();
        for largest in largest.iter_mut() {
            *largest = Code::from_le_bytes(array(bytes)?);
        }
        let mut entries = Vec::new();
        for _ in 0..u64::from_le_bytes(array(bytes)?) {
            let number = u64::from_le_bytes(array(bytes)?);
            let [kind] = array(bytes)?;
            entries.push((number, Entry::from_parts(kind, u64::from_le_bytes(array(bytes)?))?));
        }
        Some(WrittenPart { entries, largest, hasher })
    }
}
