//! A table that several processes write: the first one has a [`TableWriter`], and each
//! other one encodes some blocks, which follow those of the one before it.
//!
//! [`TableWriter`]: super::TableWriter

use std::io::{self, Write};
use std::path::Path;

use crate::game::rules::BySide;
use crate::system::filesystem::{FileSystem, TempFile};
use crate::system::tree_hash::{TreeHasher, read_array};

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
    records: Box<dyn TempFile>,
    length: u64,
    /// Of the records, as they were written.
    written: blake3::Hasher,
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
        let records = files.temp_file(folder).map_err(error)?;
        let (written, entries, largest) = Default::default();
        Ok(PartWriter { header, records, length: 0, written, entries, largest })
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
        self.written.update(&record);
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
        self,
        files: &dyn FileSystem,
        path: &Path,
        start: u64,
    ) -> Result<WrittenPart, TableError> {
        let (mut hasher, mut read) = (TreeHasher::new(start), blake3::Hasher::new());
        let mut copy = || {
            let mut output = files.open(path, start)?;
            for from in (0..self.length).step_by(COPIED as usize) {
                let bytes = self.records.read_at(from, COPIED.min(self.length - from) as usize)?;
                output.write_all(&bytes)?;
                hasher.update(&bytes);
                read.update(&bytes);
            }
            // The sum of the file is of these bytes, whatever they are.
            if read.finalize() != self.written.finalize() {
                return Err(io::Error::other("the disk has changed what was written to it"));
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
        let hasher = TreeHasher::read_from(bytes)?;
        let mut largest = BySide::default();
        for largest in largest.iter_mut() {
            *largest = Code::from_le_bytes(read_array(bytes)?);
        }
        let mut entries = Vec::new();
        for _ in 0..u64::from_le_bytes(read_array(bytes)?) {
            let number = u64::from_le_bytes(read_array(bytes)?);
            let [kind] = read_array(bytes)?;
            entries
                .push((number, Entry::from_parts(kind, u64::from_le_bytes(read_array(bytes)?))?));
        }
        Some(WrittenPart { entries, largest, hasher })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::game::rules::Fingerprint;
    use crate::game::slice::Slice;
    use crate::system::filesystem::faulty::{Fault, FaultyFiles, NEVER};
    use crate::table::block::{Effort, encode_block};
    use crate::table::{BlockShape, Grid, Metric, Packing};

    const START: usize = 5;

    /// What a part writes of two blocks, with one bit of a call flipped.
    fn written(after: usize) -> Result<Vec<u8>, TableError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("table");
        fs::write(&path, [7; START]).unwrap();
        let files = FaultyFiles::new(folder.path(), Fault::Flip, after, after as u64);
        let shape = BlockShape { lanes_per_block: 1, rows_per_block: 700 };
        let header = Header {
            metric: Metric::Dtw,
            packing: Packing::Words,
            fingerprint: Fingerprint([0; 32]),
            slice: Slice { defenders: 0, attackers: 1 },
            grid: Grid::new(2, 700, shape).unwrap(),
        };
        let mut part = PartWriter::create(&files, folder.path(), header)?;
        let values: Vec<Code> = (0..700).map(|value| value % 97).collect();
        for block in 0..2 {
            let encoded = encode_block(Packing::Words, Effort::Level(1), &values)?;
            part.append_encoded(block, encoded)?;
        }
        part.write_to(&files, &path, START as u64)?;
        Ok(fs::read(&path).unwrap())
    }

    #[test]
    fn what_the_disk_has_changed_is_no_part_of_a_table() {
        let right = written(NEVER).unwrap();
        assert!(right.len() > START);
        let outcomes: Vec<_> = (0..12).map(written).collect();
        let refused = outcomes.iter().filter_map(|outcome| outcome.as_ref().err());
        assert!(refused.clone().count() > 0);
        for error in refused {
            assert!(error.to_string().contains("the disk has changed"), "{error}");
        }
        assert!(outcomes.iter().flatten().all(|bytes| *bytes == right));
    }
}
