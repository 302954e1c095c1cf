use std::borrow::Cow;
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::block::{RECORD_HEAD, packed_record, record_bytes};
use super::block_index::{BlockIndex, StoredBlock};
use super::code::Code;
use super::error::{KindResult, Part, TableError, TableErrorKind};
use super::footer::{FILE_CHECKSUM, FOOTER_BYTES, Footer, SideSummary};
use super::header::Header;
use super::source::{Source, read};
use super::value_hash::ValueHash;
use crate::game::rules::{BySide, Side};

/// An open table in a file, in memory or in another [`Source`].
///
/// Opening a table checks the checksums of header, footer and index; reading a block
/// checks the block's. Any number of threads may read a table at once.
#[derive(Debug)]
pub struct Table<S> {
    pub(super) source: S,
    pub(super) path: Option<PathBuf>,
    pub(super) header: Header,
    pub(super) footer: Footer,
    pub(super) file_checksum: blake3::Hash,
    pub(super) index: BlockIndex,
    /// The largest code that each side may have.
    pub(super) largest: BySide<Code>,
}

/// A block, checked and decompressed but still packed: a fifth of a byte to two bytes per
/// value.
#[derive(Clone, Debug)]
pub struct PackedBlock {
    number: u64,
    content: PackedContent,
}

#[derive(Clone, Debug)]
enum PackedContent {
    OneValue(Code),
    Bytes(Vec<u8>),
}

impl PackedBlock {
    /// Returns the memory that the block takes.
    pub fn size_bytes(&self) -> usize {
        let bytes = match &self.content {
            PackedContent::OneValue(_) => 0,
            PackedContent::Bytes(bytes) => bytes.len(),
        };
        size_of::<PackedBlock>() + bytes
    }

    /// Returns the packed values; empty if the block has only one value.
    pub(crate) fn bytes(&self) -> &[u8] {
        match &self.content {
            PackedContent::OneValue(_) => &[],
            PackedContent::Bytes(bytes) => bytes,
        }
    }
}

impl<S: Source> Table<S> {
    /// Returns the file; `None` for a table of another source.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Returns the header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Returns the stored counts of positions with this side to move.
    pub fn summary(&self, side: Side) -> &SideSummary {
        &self.footer.summaries[side]
    }

    /// Returns the stored hash of the table's values. `verify` recomputes it; a check of the
    /// file does not.
    pub fn value_hash(&self) -> ValueHash {
        self.footer.value_hash
    }

    /// Returns the size of the file in bytes.
    pub fn size_bytes(&self) -> u64 {
        self.source.size_bytes()
    }

    /// Returns the stored checksum of the file.
    pub fn file_checksum(&self) -> blake3::Hash {
        self.file_checksum
    }

    /// Returns the bytes `start .. start + length` of the file as they are, unchecked.
    ///
    /// # Errors
    /// If the file ends before them or cannot be read.
    pub fn file_bytes(&self, start: u64, length: usize) -> Result<Cow<'_, [u8]>, TableError> {
        read(&self.source, start, length).map_err(|kind| kind.at(self.path.as_deref()))
    }

    /// Reads the values of a block into `values`, in the order of its
    /// [extent](super::BlockExtent). Don't-cares have arbitrary values.
    ///
    /// # Errors
    /// If the table has no such block or the block is damaged.
    pub fn read_block(&self, block: u64, values: &mut Vec<Code>) -> Result<(), TableError> {
        let packed = self.read_packed(block)?;
        let count = self.header.grid.block_extent(block).map_or(0, |extent| extent.values());
        values.clear();
        self.values_of(&packed, 0..count, values)
    }

    /// Returns the value of a block that has only one, which the index holds; `None` for
    /// other blocks.
    ///
    /// # Errors
    /// If the table has no such block or its index entry is invalid.
    #[inline]
    pub fn one_value(&self, block: u64) -> Result<Option<Code>, TableError> {
        self.index
            .block(&self.source, block)
            .and_then(|(side, stored)| match stored {
                StoredBlock::Record(_) => Ok(None),
                StoredBlock::OneValue(code) if code <= self.largest[side] => Ok(Some(code)),
                StoredBlock::OneValue(_) => Err(damaged_block(block)),
            })
            .map_err(|kind| kind.at(self.path.as_deref()))
    }

    /// Reads a block without unpacking it; cheaper if only a few of its values are needed.
    ///
    /// # Errors
    /// If the table has no such block or the block is damaged.
    pub fn read_packed(&self, block: u64) -> Result<PackedBlock, TableError> {
        self.packed(block).map_err(|kind| kind.at(self.path.as_deref()))
    }

    /// Returns the value at position `at` of a packed block of this table.
    ///
    /// # Errors
    /// If the value is missing or impossible.
    pub fn value_of(&self, packed: &PackedBlock, at: usize) -> Result<Code, TableError> {
        let value = match &packed.content {
            PackedContent::OneValue(code) => Some(*code),
            PackedContent::Bytes(bytes) => self.header.packing.value(bytes, at),
        };
        self.check_value(packed.number, value)
    }

    /// Appends the values at these positions of a packed block of this table to `values`.
    ///
    /// # Errors
    /// If a value is missing or impossible.
    pub(crate) fn values_of(
        &self,
        packed: &PackedBlock,
        places: Range<usize>,
        values: &mut Vec<Code>,
    ) -> Result<(), TableError> {
        let before = values.len();
        let unpacked = match &packed.content {
            PackedContent::OneValue(code) => {
                values.resize(before + places.len(), *code);
                Some(())
            }
            PackedContent::Bytes(bytes) => self.header.packing.unpack(bytes, places, values),
        };
        let largest = unpacked.map(|()| values[before..].iter().copied().max().unwrap_or(0));
        self.check_value(packed.number, largest).map(|_| ())
    }

    /// Returns the offset in a packed block of the byte that holds the value at position `at`.
    #[inline]
    pub(crate) fn byte_of(&self, at: usize) -> usize {
        self.header.packing.byte(at)
    }

    /// Decodes the value at position `at` of a block from the bytes from that offset on, in
    /// little-endian order.
    ///
    /// # Errors
    /// See [`value_of`](Table::value_of).
    #[inline]
    pub(crate) fn value_in(&self, block: u64, bytes: u64, at: usize) -> Result<Code, TableError> {
        self.check_value(block, self.header.packing.value_in(bytes, at))
    }

    /// Returns the number of index entries: one for each block of a side with several values.
    pub(crate) fn entries(&self) -> usize {
        self.index.entries()
    }

    /// Returns the number of a block's index entry, provided that it has one.
    #[inline]
    pub(crate) fn entry_number(&self, block: u64) -> usize {
        self.index.entry_number(block)
    }

    /// Returns the maximum size of a packed block in bytes.
    pub(crate) fn largest_block_bytes(&self) -> usize {
        let shape = self.header.grid.shape();
        // Cannot overflow: at most MAX_BLOCK_VALUES.
        let values = shape.lanes_per_block * shape.rows_per_block as usize;
        self.header.packing.packed_bytes(values)
    }

    /// Returns a decoded value of a block, or an error if it is missing or impossible.
    #[inline]
    fn check_value(&self, block: u64, value: Option<Code>) -> Result<Code, TableError> {
        let largest = self.largest[self.header.grid.side(block)];
        value
            .filter(|&code| code <= largest)
            .ok_or_else(|| damaged_block(block).at(self.path.as_deref()))
    }

    /// Returns the value of one slot; decompresses the whole block that holds it.
    ///
    /// # Errors
    /// If the table has no such slot or its block is damaged.
    pub fn value(&self, side: Side, lane: usize, row: u64) -> Result<Code, TableError> {
        let (block, at) = self
            .header
            .grid
            .locate(side, lane, row)
            .ok_or_else(|| TableErrorKind::OutsideTable.at(self.path.as_deref()))?;
        self.value_of(&self.read_packed(block)?, at)
    }

    /// Reads every byte and checks every checksum.
    ///
    /// # Errors
    /// One for each damaged block, then one if the file checksum does not match.
    pub fn check(&self) -> Result<(), Vec<TableError>> {
        let mut errors = Vec::new();
        let mut values = Vec::new();
        let per_side = self.header.grid.blocks_per_side();
        for side in Side::ALL {
            // The blocks of a side with a single value have no bytes to check.
            if self.footer.one_value[side].is_none() {
                let first = side as u64 * per_side;
                let blocks = first..first + per_side;
                errors.extend(blocks.filter_map(|block| self.read_block(block, &mut values).err()));
            }
        }
        if let Err(kind) = self.check_file() {
            errors.push(kind.at(self.path.as_deref()));
        }
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }

    fn check_file(&self) -> KindResult<()> {
        let mut left = self.size_bytes() - (FOOTER_BYTES - FILE_CHECKSUM) as u64;
        let mut hasher = blake3::Hasher::new();
        while left > 0 {
            let length = left.min(CHECK_CHUNK) as usize;
            hasher.update(&read(&self.source, hasher.count(), length)?);
            left -= length as u64;
        }
        if hasher.finalize() == self.file_checksum {
            Ok(())
        } else {
            Err(TableErrorKind::Corrupted(Part::File))
        }
    }

    fn packed(&self, block: u64) -> KindResult<PackedBlock> {
        let extent = self.header.grid.block_extent(block).ok_or(TableErrorKind::OutsideTable)?;
        let content = match self.index.block(&self.source, block)?.1 {
            StoredBlock::OneValue(code) => PackedContent::OneValue(code),
            StoredBlock::Record(start) => {
                let record = self.record(block, start, extent.values())?;
                packed_record(self.header.packing, &record, extent.values())
                    .map(PackedContent::Bytes)
                    .ok_or_else(|| damaged_block(block))?
            }
        };
        Ok(PackedBlock { number: block, content })
    }

    /// Reads the record that begins at `start`. It must end before the index, and be no longer
    /// than a record of that many values can be.
    fn record(&self, block: u64, start: u64, values: usize) -> KindResult<Cow<'_, [u8]>> {
        let room = self.footer.index_offset.saturating_sub(start);
        let bytes = record_bytes(&read(&self.source, start, RECORD_HEAD)?);
        let max_bytes = RECORD_HEAD + self.header.packing.packed_bytes(values);
        if bytes > max_bytes || bytes as u64 > room {
            return Err(damaged_block(block));
        }
        read(&self.source, start, bytes)
    }
}

fn damaged_block(block: u64) -> TableErrorKind {
    TableErrorKind::Corrupted(Part::Block(block))
}

/// The number of bytes that a check of the file reads at a time.
const CHECK_CHUNK: u64 = 1 << 20;
