use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::game::rules::BySide;
use crate::system::filesystem::{self, FileSystem, SystemFiles};
use crate::system::temporary::TemporaryFile;
use crate::system::tree_hash::TreeHasher;

use super::block::{Compression, EncodedBlock, encode};
use super::bytes::checksum;
use super::code::Code;
use super::error::{KindResult, TableError, TableErrorKind};
use super::footer::{Footer, SideSummary};
use super::header::Header;
use super::index_entry::{IndexEntry, place_record};
use super::part_writer::WrittenPart;
use super::value_hash::ValueHash;

/// Writes one table, block by block in any order.
///
/// Until [`finish`](TableWriter::finish), the blocks are in a temporary file beside the
/// table's path; a writer that is dropped earlier deletes it.
#[derive(Debug)]
pub struct TableWriter {
    path: PathBuf,
    output: HashedOutput<BufWriter<Box<dyn filesystem::Output>>>,
    temporary: TemporaryFile,
    header: Header,
    /// By block number.
    entries: Vec<IndexEntry>,
    /// The largest code of each side.
    largest: BySide<Code>,
}

impl TableWriter {
    /// Starts a table that will be at `path`.
    ///
    /// # Errors
    /// If the folder cannot be written to, or the header is invalid.
    pub fn create(path: &Path, header: Header) -> Result<TableWriter, TableError> {
        TableWriter::create_on(Arc::new(SystemFiles), path, header)
    }

    /// As [`create`](TableWriter::create), on a given file system.
    pub(crate) fn create_on(
        files: Arc<dyn FileSystem>,
        path: &Path,
        header: Header,
    ) -> Result<TableWriter, TableError> {
        TableWriter::start(files, path, header).map_err(|kind| kind.at(Some(path)))
    }

    fn start(files: Arc<dyn FileSystem>, path: &Path, header: Header) -> KindResult<TableWriter> {
        let bytes = header.to_bytes()?;
        let blocks = usize::try_from(header.grid.blocks())
            .map_err(|_| TableErrorKind::Unwritable("too many blocks for this machine"))?;
        let (temporary, file) =
            TemporaryFile::create(files, path).map_err(TableErrorKind::io("create the table"))?;
        let mut output = HashedOutput::new(BufWriter::new(file));
        output.write(&bytes)?;
        Ok(TableWriter {
            path: path.to_owned(),
            output,
            temporary,
            header,
            entries: vec![IndexEntry::Missing; blocks],
            largest: BySide::default(),
        })
    }

    /// Fills, packs and compresses the values of a block, and adds it.
    ///
    /// Values are in the block's order (see [`BlockExtent`](super::BlockExtent));
    /// [`DONT_CARE`](super::DONT_CARE) marks slots that are never probed. `level` is the zstd
    /// level, 1 (fast) to 22. Blocks are stored in the order of the calls: the same blocks in
    /// the same order make the same file.
    ///
    /// # Errors
    /// If the block is outside the table or was written before, has a wrong number of values
    /// or a value too large for the packing, or if the disk is full.
    pub fn append(&mut self, block: u64, level: i32, values: &[Code]) -> Result<(), TableError> {
        encode(self.header.packing, Compression::Level(level), values)
            .and_then(|encoded| self.add(block, encoded))
            .map_err(|kind| kind.at(Some(&self.path)))
    }

    /// As [`append`](TableWriter::append), for a block already encoded in the table's packing.
    pub(crate) fn append_encoded(
        &mut self,
        block: u64,
        encoded: EncodedBlock,
    ) -> Result<(), TableError> {
        self.add(block, encoded).map_err(|kind| kind.at(Some(&self.path)))
    }

    fn add(&mut self, block: u64, encoded: EncodedBlock) -> KindResult<()> {
        let (side, largest) = (self.header.side_of(block, &encoded)?, encoded.largest);
        let (entry, record) = place_record(encoded, self.output.end());
        self.set_entry(block, entry)?;
        self.output.write(&record)?;
        self.largest[side] = self.largest[side].max(largest);
        Ok(())
    }

    fn set_entry(&mut self, block: u64, entry: IndexEntry) -> KindResult<()> {
        match self.entries.get_mut(block as usize) {
            Some(missing @ IndexEntry::Missing) => *missing = entry,
            Some(_) => return Err(TableErrorKind::UnexpectedBlock(block)),
            None => return Err(TableErrorKind::OutsideTable),
        }
        Ok(())
    }

    /// Flushes the blocks so far, and returns the temporary file and the offset at which
    /// another process may write the next blocks.
    ///
    /// # Errors
    /// If the disk is full.
    pub(crate) fn append_position(&mut self) -> Result<(PathBuf, u64), TableError> {
        self.output
            .inner
            .flush()
            .map_err(TableErrorKind::io("write the table"))
            .map_err(|kind| kind.at(Some(&self.path)))?;
        Ok((self.temporary.path().to_owned(), self.output.end()))
    }

    /// Adds the blocks that another process has written at
    /// [`append_position`](TableWriter::append_position).
    ///
    /// # Errors
    /// If a block is outside the table or was written before, or the file cannot be opened.
    pub(crate) fn append_part(&mut self, part: &WrittenPart) -> Result<(), TableError> {
        self.add_part(part).map_err(|kind| kind.at(Some(&self.path)))
    }

    fn add_part(&mut self, part: &WrittenPart) -> KindResult<()> {
        part.entries.iter().try_for_each(|&(block, entry)| self.set_entry(block, entry))?;
        for (largest, &other) in self.largest.iter_mut().zip(part.largest.iter()) {
            *largest = other.max(*largest);
        }
        self.output.hasher.append(&part.hasher);
        let file = self.temporary.reopen(self.output.end());
        self.output.inner = BufWriter::new(file.map_err(TableErrorKind::io("write the table"))?);
        Ok(())
    }

    /// Writes the index and the footer, and gives the file its final name, replacing any
    /// file there. `value_hash` must be the hash of the blocks' values; it is not checked.
    /// Returns the file's size in bytes.
    ///
    /// # Errors
    /// If blocks are missing, the summaries do not add up or contradict a block's values, or
    /// the disk is full.
    pub fn finish(
        mut self,
        summaries: BySide<SideSummary>,
        value_hash: ValueHash,
    ) -> Result<u64, TableError> {
        self.complete(summaries, value_hash).map_err(|kind| kind.at(Some(&self.path)))
    }

    fn complete(
        &mut self,
        summaries: BySide<SideSummary>,
        value_hash: ValueHash,
    ) -> KindResult<u64> {
        self.check_complete(&summaries)?;
        let per_side = self.entries.len() / 2;
        let (attackers, defenders) = self.entries.split_at(per_side);
        let one_value = BySide([attackers, defenders]).map(one_value);
        let mut index = Vec::new();
        for (entries, one_value) in [attackers, defenders].into_iter().zip(one_value) {
            // A side whose slots all have one value is described by the footer alone.
            if one_value.is_none() {
                index.extend(entries.iter().flat_map(|entry| entry.to_bytes()));
            }
        }
        let footer = Footer {
            index_offset: self.output.end(),
            index_checksum: checksum(&index),
            summaries,
            one_value,
            value_hash,
        };
        self.output.write(&index)?;
        self.output.write(&footer.to_bytes())?;
        let file_checksum = self.output.hasher.finish();
        self.output.write(&Footer::end(file_checksum))?;
        self.output.inner.flush().map_err(TableErrorKind::io("write the table"))?;
        let file = self.output.inner.get_mut();
        // Synced before it is renamed: after a crash, a file with the final name is complete.
        file.sync().map_err(TableErrorKind::io("write the table"))?;
        self.temporary.rename(&self.path).map_err(TableErrorKind::io("name the table"))?;
        Ok(self.output.end())
    }

    fn check_complete(&self, summaries: &BySide<SideSummary>) -> KindResult<()> {
        let mut missing =
            (0..).zip(&self.entries).filter(|(_, entry)| **entry == IndexEntry::Missing);
        if let Some((first, _)) = missing.next() {
            let missing = 1 + missing.count() as u64;
            return Err(TableErrorKind::MissingBlocks { missing, first });
        }
        for (summary, code) in summaries.iter().zip(self.largest) {
            if !summary.is_consistent() {
                return Err(TableErrorKind::Unwritable("the counts do not add up"));
            }
            let largest = summary.largest_code(self.header.metric);
            if code > largest {
                return Err(TableErrorKind::CodeTooLarge { code, largest });
            }
        }
        Ok(())
    }
}

/// Returns the only value of a side's blocks, if they have only one.
fn one_value(entries: &[IndexEntry]) -> Option<Code> {
    let mut only = None;
    for entry in entries {
        match (*entry, only) {
            (IndexEntry::DontCares, _) => {}
            (IndexEntry::OneValue(code), None) => only = Some(code),
            (IndexEntry::OneValue(code), Some(other)) if code == other => {}
            _ => return None,
        }
    }
    Some(only.unwrap_or(0))
}

/// An output that hashes the bytes written.
#[derive(Debug)]
struct HashedOutput<W> {
    inner: W,
    hasher: TreeHasher,
    /// A write failed, so that the end of the file is unknown.
    broken: bool,
}

impl<W: Write> HashedOutput<W> {
    fn new(inner: W) -> HashedOutput<W> {
        HashedOutput { inner, hasher: TreeHasher::new(0), broken: false }
    }

    /// Returns the number of bytes written so far.
    fn end(&self) -> u64 {
        self.hasher.end()
    }

    fn write(&mut self, bytes: &[u8]) -> KindResult<()> {
        if self.broken {
            return Err(TableErrorKind::Unwritable("an earlier write failed"));
        }
        let written = self.inner.write_all(bytes);
        self.broken = written.is_err();
        self.hasher.update(bytes);
        written.map_err(TableErrorKind::io("write the table"))
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    /// A disk with room for a number of bytes.
    struct Disk(usize);

    impl Write for Disk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let written = bytes.len().min(self.0);
            self.0 -= written;
            if written == 0 { Err(io::ErrorKind::StorageFull.into()) } else { Ok(written) }
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_full_disk_is_reported_and_stops_the_writer() {
        let mut output = HashedOutput::new(Disk(10));
        output.write(&[0; 8]).unwrap();
        let error = output.write(&[0; 8]).unwrap_err();
        assert!(error.to_string().contains("free some space"), "{error}");
        output.inner = Disk(100);
        assert!(matches!(output.write(&[0; 8]), Err(TableErrorKind::Unwritable(_))));
    }

    #[test]
    fn a_side_has_one_value_if_all_its_blocks_have_it() {
        use IndexEntry::{DontCares, OneValue, Record};
        assert_eq!(one_value(&[DontCares, OneValue(2), OneValue(2)]), Some(2));
        assert_eq!(one_value(&[DontCares]), Some(0));
        assert_eq!(one_value(&[OneValue(1), OneValue(2)]), None);
        assert_eq!(one_value(&[OneValue(1), Record(74)]), None);
    }
}
