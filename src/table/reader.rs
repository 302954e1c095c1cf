use std::borrow::Cow;
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::block::{RECORD_HEAD, decode_record, packed_record, record_bytes};
use super::block_index::{BlockIndex, StoredBlock};
use super::code::Code;
use super::error::{KindResult, Part, TableError, TableErrorKind};
use super::footer::{FOOTER_BYTES, Footer, SideSummary};
use super::head::TableHead;
use super::header::Header;
use super::source::{Access, Source, TableFile, read};
use super::value_hash::ValueHash;
use crate::game::rules::{BySide, Side};

/// An open table over any [`Source`] of bytes: a file, or a table in memory.
///
/// Opening compares the checksums of header, footer and index; reading a block
/// compares that of the block. Tables are read from many threads at once.
#[derive(Debug)]
pub struct Table<S> {
    pub(super) source: S,
    pub(super) path: Option<PathBuf>,
    pub(super) header: Header,
    pub(super) footer: Footer,
    pub(super) file_checksum: blake3::Hash,
    pub(super) index: BlockIndex,
    /// The largest code that each side can have.
    pub(super) largest: BySide<Code>,
}

/// A block, checked and decompressed but still packed: a fifth of a byte to two
/// bytes a value.
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
    /// The memory that it takes.
    pub fn size_bytes(&self) -> usize {
        let bytes = match &self.content {
            PackedContent::OneValue(_) => 0,
            PackedContent::Bytes(bytes) => bytes.len(),
        };
        size_of::<PackedBlock>() + bytes
    }

    /// The packed values; nothing where all are one.
    pub(crate) fn bytes(&self) -> &[u8] {
        match &self.content {
            PackedContent::OneValue(_) => &[],
            PackedContent::Bytes(bytes) => bytes,
        }
    }
}

impl Table<TableFile> {
    /// Opens a file, to be read in this way. Whoever knows what table it should be opens
    /// its [`TableHead`] first.
    ///
    /// # Errors
    /// If the file cannot be opened or is no whole table of a known format.
    pub fn open(path: &Path, access: Access) -> Result<Table<TableFile>, TableError> {
        TableHead::open(path, access)?.into_table()
    }
}

impl<S: Source> Table<S> {
    /// Opens a table that is in memory, or anywhere else.
    ///
    /// # Errors
    /// If the bytes are no whole table of a known format.
    pub fn new(source: S) -> Result<Table<S>, TableError> {
        TableHead::new(source)?.into_table()
    }

    /// The file; `None` for a table that is not one.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// What the table is.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// What the table says about the positions with this side to move.
    pub fn summary(&self, side: Side) -> &SideSummary {
        &self.footer.summaries[side]
    }

    /// The hash of the table's values, as its writer computed it: `verify` proves
    /// it, a check of the file does not.
    pub fn value_hash(&self) -> ValueHash {
        self.footer.value_hash
    }

    /// The size of the file in bytes.
    pub fn size_bytes(&self) -> u64 {
        self.source.size_bytes()
    }

    /// The checksum of all bytes before it, as the footer has it.
    pub fn file_checksum(&self) -> blake3::Hash {
        self.file_checksum
    }

    /// Puts the values of a block into `values`, in the order of its
    /// [extent](super::BlockExtent). Don't-cares have some value.
    ///
    /// # Errors
    /// If the table has no such block or the block is damaged.
    pub fn read_block(&self, block: u64, values: &mut Vec<Code>) -> Result<(), TableError> {
        self.decode(block, values).map_err(|kind| kind.at(self.path.as_deref()))
    }

    /// The only value of a block that has but one: it takes no bytes but in the
    /// index. `None` for other blocks.
    ///
    /// # Errors
    /// If the table has no such block or the index is wrong.
    #[inline]
    pub fn one_value(&self, block: u64) -> Result<Option<Code>, TableError> {
        let one = self.index.block(&self.source, block).and_then(|(side, stored)| match stored {
            StoredBlock::Record(_) => Ok(None),
            StoredBlock::OneValue(code) if code <= self.largest[side] => Ok(Some(code)),
            StoredBlock::OneValue(_) => Err(TableErrorKind::Corrupted(Part::Block(block))),
        });
        one.map_err(|kind| kind.at(self.path.as_deref()))
    }

    /// A block as it is packed, for those who want few of its values.
    ///
    /// # Errors
    /// If the table has no such block or the block is damaged.
    pub fn read_packed(&self, block: u64) -> Result<PackedBlock, TableError> {
        self.packed(block).map_err(|kind| kind.at(self.path.as_deref()))
    }

    /// The value at a place of a packed block of this table.
    ///
    /// # Errors
    /// If there is no value that the table can have.
    pub fn value_of(&self, packed: &PackedBlock, at: usize) -> Result<Code, TableError> {
        let value = match &packed.content {
            PackedContent::OneValue(code) => Some(*code),
            PackedContent::Bytes(bytes) => self.header.packing.value(bytes, at),
        };
        self.checked(packed.number, value)
    }

    /// Adds the values at these places of a packed block of this table to `values`.
    ///
    /// # Errors
    /// If there are no such values, or none that the table can have.
    pub(crate) fn values_of(
        &self,
        packed: &PackedBlock,
        places: Range<usize>,
        values: &mut Vec<Code>,
    ) -> Result<(), TableError> {
        let before = values.len();
        let there = match &packed.content {
            PackedContent::OneValue(code) => {
                values.resize(before + places.len(), *code);
                Some(())
            }
            PackedContent::Bytes(bytes) => self.header.packing.unpack_some(bytes, places, values),
        };
        let largest = there.map(|()| values[before..].iter().copied().max().unwrap_or(0));
        self.checked(packed.number, largest).map(|_| ())
    }

    /// Which of a packed block's bytes holds the value at that place.
    #[inline]
    pub(crate) fn byte_of(&self, at: usize) -> usize {
        self.header.packing.byte(at)
    }

    /// The value at a place of a block, from the bytes that begin with that one, the
    /// first one lowest.
    ///
    /// # Errors
    /// As [`value_of`](Table::value_of).
    #[inline]
    pub(crate) fn value_in(&self, block: u64, bytes: u64, at: usize) -> Result<Code, TableError> {
        self.checked(block, self.header.packing.value_in(bytes, at))
    }

    /// How many blocks have an entry in the index: all but those of a side of one
    /// value.
    pub(crate) fn entries(&self) -> usize {
        self.index.entries()
    }

    /// The number of a block's entry, if it has one.
    #[inline]
    pub(crate) fn entry_number(&self, block: u64) -> usize {
        self.index.entry_number(block)
    }

    /// The most bytes that a packed block can have.
    pub(crate) fn largest_block_bytes(&self) -> usize {
        let shape = self.header.grid.shape();
        // At most MAX_BLOCK_VALUES.
        let values = shape.lanes_per_block * shape.rows_per_block as usize;
        self.header.packing.packed_bytes(values)
    }

    /// A value of the block's that the table can have.
    #[inline]
    fn checked(&self, block: u64, value: Option<Code>) -> Result<Code, TableError> {
        let largest = self.largest[self.header.grid.side(block)];
        let value = value.filter(|&code| code <= largest);
        let damaged = || TableErrorKind::Corrupted(Part::Block(block));
        value.ok_or_else(|| damaged().at(self.path.as_deref()))
    }

    /// The value of one slot; decompresses the whole block that holds it.
    ///
    /// # Errors
    /// If the table has no such slot or its block is damaged.
    pub fn value(&self, side: Side, lane: usize, row: u64) -> Result<Code, TableError> {
        let outside = || TableErrorKind::OutsideTable.at(self.path.as_deref());
        let (block, at) = self.header.grid.locate(side, lane, row).ok_or_else(outside)?;
        self.value_of(&self.read_packed(block)?, at)
    }

    /// Reads every byte and compares every checksum.
    ///
    /// # Errors
    /// Names each damaged block; last, the checksum of the file.
    pub fn check(&self) -> Result<(), Vec<TableError>> {
        let mut errors = Vec::new();
        let mut values = Vec::new();
        let per_side = self.header.grid.blocks_per_side();
        for side in Side::ALL {
            // A side of one value has no bytes to check, however many blocks it has.
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
        let mut left = self.size_bytes() - (FOOTER_BYTES - super::footer::FILE_CHECKSUM) as u64;
        let mut hasher = blake3::Hasher::new();
        while left > 0 {
            let length = left.min(CHECKED_AT_ONCE) as usize;
            hasher.update(&read(&self.source, hasher.count(), length)?);
            left -= length as u64;
        }
        if hasher.finalize() == self.file_checksum {
            Ok(())
        } else {
            Err(TableErrorKind::Corrupted(Part::File))
        }
    }

    fn decode(&self, block: u64, values: &mut Vec<Code>) -> KindResult<()> {
        let extent = self.header.grid.block_extent(block).ok_or(TableErrorKind::OutsideTable)?;
        let damaged = || TableErrorKind::Corrupted(Part::Block(block));
        let (side, stored) = self.index.block(&self.source, block)?;
        match stored {
            StoredBlock::OneValue(code) => {
                values.clear();
                values.resize(extent.values(), code);
            }
            StoredBlock::Record(start) => {
                let packing = self.header.packing;
                let record = self.record(block, start, extent.values())?;
                decode_record(packing, &record, extent.values(), values).ok_or_else(damaged)?;
            }
        }
        let sound = values.iter().all(|&code| code <= self.largest[side]);
        if sound { Ok(()) } else { Err(damaged()) }
    }

    fn packed(&self, block: u64) -> KindResult<PackedBlock> {
        let extent = self.header.grid.block_extent(block).ok_or(TableErrorKind::OutsideTable)?;
        let content = match self.index.block(&self.source, block)?.1 {
            StoredBlock::OneValue(code) => PackedContent::OneValue(code),
            StoredBlock::Record(start) => {
                let record = self.record(block, start, extent.values())?;
                packed_record(self.header.packing, &record, extent.values())
                    .map(PackedContent::Bytes)
                    .ok_or(TableErrorKind::Corrupted(Part::Block(block)))?
            }
        };
        Ok(PackedBlock { number: block, content })
    }

    /// The bytes of the record that begins there, which must end before the index
    /// and not be longer than so many values can make it.
    fn record(&self, block: u64, start: u64, values: usize) -> KindResult<Cow<'_, [u8]>> {
        // The index has no record that begins elsewhere than between header and index.
        let room = self.footer.index_offset.saturating_sub(start);
        let bytes = record_bytes(&read(&self.source, start, RECORD_HEAD)?);
        let most = RECORD_HEAD + self.header.packing.packed_bytes(values);
        if bytes > most || bytes as u64 > room {
            return Err(TableErrorKind::Corrupted(Part::Block(block)));
        }
        read(&self.source, start, bytes)
    }
}

/// How many bytes a check of the whole file takes at once.
const CHECKED_AT_ONCE: u64 = 1 << 20;
