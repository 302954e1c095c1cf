use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::game::rules::{BySide, Side};
use crate::system::filesystem::{self, FileSystem, SystemFiles};
use crate::system::tree_hash::TreeHasher;

use super::block::{BlockContent, Effort, EncodedBlock, encode};
use super::block_index::ONE_VALUE_FLAG;
use super::bytes::checksum;
use super::code::Code;
use super::error::{KindResult, TableError, TableErrorKind};
use super::footer::{Footer, SideSummary};
use super::header::Header;
use super::part_writer::WrittenPart;
use super::temporary::Temporary;
use super::value_hash::ValueHash;

/// Writes one table, block by block in any order.
///
/// Until [`finish`](TableWriter::finish) the blocks are in a temporary file beside
/// the table's place; a writer that is dropped earlier deletes it.
#[derive(Debug)]
pub struct TableWriter {
    path: PathBuf,
    output: HashedOutput<BufWriter<Box<dyn filesystem::Output>>>,
    temporary: Temporary,
    header: Header,
    /// By block number.
    entries: Vec<Entry>,
    /// The largest code of each side.
    largest: BySide<Code>,
}

/// What the index will say about a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Entry {
    Missing,
    DontCares,
    OneValue(Code),
    Record(u64),
}

impl TableWriter {
    /// Starts the table that is to be at `path`.
    ///
    /// # Errors
    /// If the folder cannot be written to, or the header describes no table.
    pub fn create(path: &Path, header: Header) -> Result<TableWriter, TableError> {
        TableWriter::create_on(Arc::new(SystemFiles), path, header)
    }

    /// The same on some disk.
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
            .map_err(|_| TableErrorKind::Unwritable("more blocks than this machine can count"))?;
        let (temporary, file) = Temporary::create(files, path)?;
        let mut output = HashedOutput::new(BufWriter::new(file));
        output.write(&bytes)?;
        Ok(TableWriter {
            path: path.to_owned(),
            output,
            temporary,
            header,
            entries: vec![Entry::Missing; blocks],
            largest: BySide::default(),
        })
    }

    /// Fills, packs and compresses the values of a block, and adds it.
    ///
    /// Values are in the block's order (see [`BlockExtent`](super::BlockExtent));
    /// [`DONT_CARE`](super::DONT_CARE) marks the slots that nobody will ask for. `level`
    /// is that of zstd, 1 (fast) to 22. Blocks are stored in the order of these calls:
    /// the same blocks in the same order make the same file.
    ///
    /// # Errors
    /// If the block is not one of the table's, came before, has another number of
    /// values, or one that is too large for the packing; or if the disk is full.
    pub fn append(&mut self, block: u64, level: i32, values: &[Code]) -> Result<(), TableError> {
        let encoded = encode(self.header.packing, Effort::Level(level), values);
        encoded
            .and_then(|encoded| self.add(block, encoded))
            .map_err(|kind| kind.at(Some(&self.path)))
    }

    /// As [`append`](TableWriter::append), for a block that was encoded elsewhere in the
    /// table's packing.
    pub(crate) fn append_encoded(
        &mut self,
        block: u64,
        encoded: EncodedBlock,
    ) -> Result<(), TableError> {
        self.add(block, encoded).map_err(|kind| kind.at(Some(&self.path)))
    }

    fn add(&mut self, block: u64, encoded: EncodedBlock) -> KindResult<()> {
        let (side, largest) = (self.header.side_of(block, &encoded)?, encoded.largest);
        let (entry, record) = entry(encoded, self.output.written);
        self.put(block, entry)?;
        self.output.write(&record)?;
        self.largest[side] = self.largest[side].max(largest);
        Ok(())
    }

    fn put(&mut self, block: u64, entry: Entry) -> KindResult<()> {
        match self.entries.get_mut(block as usize) {
            Some(place @ Entry::Missing) => *place = entry,
            Some(_) => return Err(TableErrorKind::UnexpectedBlock(block)),
            None => return Err(TableErrorKind::OutsideTable),
        }
        Ok(())
    }

    /// The file in which the blocks so far are, and where the next ones go: other
    /// processes write there.
    ///
    /// # Errors
    /// If the disk is full.
    pub(crate) fn place(&mut self) -> Result<(PathBuf, u64), TableError> {
        let flushed = self.output.inner.flush().map_err(TableErrorKind::io("write the table"));
        flushed.map_err(|kind| kind.at(Some(&self.path)))?;
        Ok((self.temporary.path().to_owned(), self.output.written))
    }

    /// Adds the blocks that another process has written into the file after those so far.
    ///
    /// # Errors
    /// If a block is not one of the table's, or came before, or the file is not there.
    pub(crate) fn append_part(&mut self, part: &WrittenPart) -> Result<(), TableError> {
        self.add_part(part).map_err(|kind| kind.at(Some(&self.path)))
    }

    fn add_part(&mut self, part: &WrittenPart) -> KindResult<()> {
        part.entries.iter().try_for_each(|&(block, entry)| self.put(block, entry))?;
        for (largest, &other) in self.largest.iter_mut().zip(part.largest.iter()) {
            *largest = other.max(*largest);
        }
        self.output.hasher.append(&part.hasher);
        self.output.written = self.output.hasher.end();
        let file = self.temporary.reopen(self.output.written);
        self.output.inner = BufWriter::new(file.map_err(TableErrorKind::io("write the table"))?);
        Ok(())
    }

    /// Writes the index and what is known at the end, and gives the file its name.
    /// A file that has this name is replaced. The hash is that of the values that
    /// the blocks hold: it is believed. Returns the file's size in bytes.
    ///
    /// # Errors
    /// If blocks are missing, if the summaries do not add up or forbid a value
    /// that a block has, or if the disk is full.
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
        let of_side = |side| &self.entries[side as usize * per_side..][..per_side];
        let one_value = BySide::from_fn(|side| one_value(of_side(side)));
        let mut index = Vec::new();
        for (entries, one_value) in self.entries.chunks(per_side).zip(one_value) {
            if one_value.is_none() {
                index.extend(entries.iter().flat_map(|entry| entry.to_bytes()));
            }
        }
        let footer = Footer {
            index_offset: self.output.written,
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
        file.sync().map_err(TableErrorKind::io("write the table"))?;
        self.temporary.rename(&self.path)?;
        Ok(self.output.written)
    }

    fn check_complete(&self, summaries: &BySide<SideSummary>) -> KindResult<()> {
        let missing = |entry: &&Entry| **entry == Entry::Missing;
        if let Some(first) = self.entries.iter().position(|entry| missing(&entry)) {
            let missing = self.entries.iter().filter(missing).count() as u64;
            return Err(TableErrorKind::MissingBlocks { missing, first: first as u64 });
        }
        for (summary, code) in summaries.iter().zip(self.largest) {
            if !summary.adds_up() {
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

/// What the index will say about a block whose record, if it has one, is to begin there;
/// and the record.
pub(super) fn entry(encoded: EncodedBlock, offset: u64) -> (Entry, Vec<u8>) {
    match encoded.content {
        BlockContent::Nothing => (Entry::DontCares, Vec::new()),
        BlockContent::OneValue(code) => (Entry::OneValue(code), Vec::new()),
        BlockContent::Record(bytes) => (Entry::Record(offset), bytes),
    }
}

impl Header {
    /// The side of a block, which must be one of the table's.
    pub(super) fn side_of(&self, block: u64, encoded: &EncodedBlock) -> KindResult<Side> {
        let extent = self.grid.block_extent(block).ok_or(TableErrorKind::OutsideTable)?;
        if encoded.values != extent.values() || encoded.packing != self.packing {
            return Err(TableErrorKind::UnexpectedBlock(block));
        }
        Ok(extent.side)
    }
}

impl Entry {
    /// The kind, and what it is about.
    pub(super) fn to_parts(self) -> (u8, u64) {
        match self {
            Entry::Missing => (0, 0),
            Entry::DontCares => (1, 0),
            Entry::OneValue(code) => (2, code.into()),
            Entry::Record(offset) => (3, offset),
        }
    }

    /// The entry of [`to_parts`](Entry::to_parts).
    pub(super) fn from_parts(kind: u8, value: u64) -> Option<Entry> {
        match kind {
            0 => Some(Entry::Missing),
            1 => Some(Entry::DontCares),
            2 => Code::try_from(value).ok().map(Entry::OneValue),
            3 => Some(Entry::Record(value)),
            _ => None,
        }
    }

    /// A record may be further on in the file.
    pub(super) fn move_by(&mut self, bytes: u64) {
        if let Entry::Record(offset) = self {
            *offset += bytes;
        }
    }

    fn to_bytes(self) -> [u8; 8] {
        match self {
            Entry::Record(offset) => offset,
            Entry::OneValue(code) => ONE_VALUE_FLAG | u64::from(code),
            Entry::DontCares | Entry::Missing => ONE_VALUE_FLAG,
        }
        .to_le_bytes()
    }
}

/// The one value of a side's blocks, if they have only one.
fn one_value(entries: &[Entry]) -> Option<Code> {
    let mut only = None;
    for entry in entries {
        match (*entry, only) {
            (Entry::DontCares, _) => {}
            (Entry::OneValue(code), None) => only = Some(code),
            (Entry::OneValue(code), Some(other)) if code == other => {}
            _ => return None,
        }
    }
    Some(only.unwrap_or(0))
}

/// Counts and hashes what goes through it.
#[derive(Debug)]
struct HashedOutput<W> {
    inner: W,
    written: u64,
    hasher: TreeHasher,
    /// A write failed, and nobody knows how much of it is in the file.
    broken: bool,
}

impl<W: Write> HashedOutput<W> {
    fn new(inner: W) -> HashedOutput<W> {
        HashedOutput { inner, written: 0, hasher: TreeHasher::new(0), broken: false }
    }

    fn write(&mut self, bytes: &[u8]) -> KindResult<()> {
        if self.broken {
            return Err(TableErrorKind::Unwritable("an earlier write failed"));
        }
        let written = self.inner.write_all(bytes);
        self.broken = written.is_err();
        self.hasher.update(bytes);
        self.written += bytes.len() as u64;
        written.map_err(TableErrorKind::io("write the table"))
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    /// A disk with room for so many bytes.
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
    fn a_full_disk_is_told_and_ends_the_writing() {
        let mut output = HashedOutput::new(Disk(10));
        output.write(&[0; 8]).unwrap();
        let error = output.write(&[0; 8]).unwrap_err();
        assert!(error.to_string().contains("free some space"), "{error}");
        output.inner = Disk(100);
        assert!(matches!(output.write(&[0; 8]), Err(TableErrorKind::Unwritable(_))));
    }

    #[test]
    fn a_side_has_one_value_if_all_its_blocks_have_it() {
        use Entry::{DontCares, OneValue, Record};
        assert_eq!(one_value(&[DontCares, OneValue(2), OneValue(2)]), Some(2));
        assert_eq!(one_value(&[DontCares]), Some(0));
        assert_eq!(one_value(&[OneValue(1), OneValue(2)]), None);
        assert_eq!(one_value(&[OneValue(1), Record(74)]), None);
    }
}
