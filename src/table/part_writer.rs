//! Tables written by several processes: the first has a [`TableWriter`], and each of the
//! others writes a part, whose blocks follow those of the process before it.
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
use super::index_entry::{IndexEntry, place_record};

/// The number of bytes copied at a time.
const COPY_CHUNK: u64 = 1 << 20;

/// Collects the encoded blocks of one process until their offset in the file is known.
#[derive(Debug)]
pub(crate) struct PartWriter {
    header: Header,
    records: Box<dyn TempFile>,
    length: u64,
    /// Hashes the records as they are written.
    written: blake3::Hasher,
    /// Index entries with block numbers; offsets are from the start of `records`.
    entries: Vec<(u64, IndexEntry)>,
    /// The largest code of each side.
    largest: BySide<Code>,
}

/// A part that has been written into the file, for the index and the hashes of the first
/// process.
pub(crate) struct WrittenPart {
    /// Index entries with block numbers; offsets are from the start of the file.
    pub(super) entries: Vec<(u64, IndexEntry)>,
    /// The largest code of each side.
    pub(super) largest: BySide<Code>,
    /// The hash state of the records.
    pub(super) hasher: TreeHasher,
}

impl PartWriter {
    /// Starts a part without blocks, in an unnamed file in the table's folder.
    ///
    /// # Errors
    /// If the folder cannot be written to.
    pub(crate) fn create(
        files: &dyn FileSystem,
        folder: &Path,
        header: Header,
    ) -> Result<PartWriter, TableError> {
        let records = files
            .temp_file(folder)
            .map_err(TableErrorKind::io("create the table"))
            .map_err(|kind| kind.at(Some(folder)))?;
        let (written, entries, largest) = Default::default();
        Ok(PartWriter { header, records, length: 0, written, entries, largest })
    }

    /// Appends a block.
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
        let (entry, record) = place_record(encoded, self.length);
        let written = self.records.write_at(self.length, &record);
        written.map_err(TableErrorKind::io("write the table"))?;
        self.length += record.len() as u64;
        self.written.update(&record);
        self.entries.push((block, entry));
        self.largest[side] = self.largest[side].max(largest);
        Ok(())
    }

    /// Returns the size of the records in bytes.
    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// Copies the records into the file of the first process, at offset `start`.
    ///
    /// # Errors
    /// If the disk fails or is full.
    pub(crate) fn write_to(
        self,
        files: &dyn FileSystem,
        path: &Path,
        start: u64,
    ) -> Result<WrittenPart, TableError> {
        let hasher = self
            .copy_to(files, path, start)
            .map_err(TableErrorKind::io("write the table"))
            .map_err(|kind| kind.at(Some(path)))?;
        let mut entries = self.entries;
        entries.iter_mut().for_each(|(_, entry)| entry.move_by(start));
        Ok(WrittenPart { entries, largest: self.largest, hasher })
    }

    fn copy_to(&self, files: &dyn FileSystem, path: &Path, start: u64) -> io::Result<TreeHasher> {
        let (mut hasher, mut read) = (TreeHasher::new(start), blake3::Hasher::new());
        let mut output = files.open(path, start)?;
        for from in (0..self.length).step_by(COPY_CHUNK as usize) {
            let length = COPY_CHUNK.min(self.length - from) as usize;
            let bytes = self.records.read_at(from, length)?;
            output.write_all(&bytes)?;
            hasher.update(&bytes);
            read.update(&bytes);
        }
        // The file checksum would match these bytes even if the disk has altered them.
        if read.finalize() != self.written.finalize() {
            return Err(io::Error::other("the disk has altered the data written to it"));
        }
        output.sync()?;
        Ok(hasher)
    }
}

impl WrittenPart {
    /// Serializes the part for the first process.
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

    /// Deserializes a part from the start of `bytes` and advances them; `None` if they are
    /// invalid.
    pub(crate) fn read_from(bytes: &mut &[u8]) -> Option<WrittenPart> {
        let hasher = TreeHasher::read_from(bytes)?;
        let mut largest = BySide::default();
        for code in largest.iter_mut() {
            *code = Code::from_le_bytes(read_array(bytes)?);
        }
        let mut entries = Vec::new();
        for _ in 0..u64::from_le_bytes(read_array(bytes)?) {
            let number = u64::from_le_bytes(read_array(bytes)?);
            let [kind] = read_array(bytes)?;
            entries.push((
                number,
                IndexEntry::from_parts(kind, u64::from_le_bytes(read_array(bytes)?))?,
            ));
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
    use crate::table::block::{Compression, encode_block};
    use crate::table::{BlockShape, Grid, Metric, Packing};

    const START: usize = 5;

    /// Writes a part of two blocks with one bit flipped by the disk, and returns the file.
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
            let encoded = encode_block(Packing::Words, Compression::Level(1), &values)?;
            part.append_encoded(block, encoded)?;
        }
        part.write_to(&files, &path, START as u64)?;
        Ok(fs::read(&path).unwrap())
    }

    #[test]
    fn data_that_the_disk_has_altered_is_refused() {
        let right = written(NEVER).unwrap();
        assert!(right.len() > START);
        let outcomes: Vec<_> = (0..12).map(written).collect();
        let refused = outcomes.iter().filter_map(|outcome| outcome.as_ref().err());
        assert!(refused.clone().count() > 0);
        for error in refused {
            assert!(error.to_string().contains("the disk has altered"), "{error}");
        }
        assert!(outcomes.iter().flatten().all(|bytes| *bytes == right));
    }
}
