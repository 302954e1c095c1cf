use super::block::{BlockContent, EncodedBlock};
use super::block_index::ONE_VALUE_FLAG;
use super::code::Code;
use super::error::{KindResult, TableErrorKind};
use super::header::Header;
use crate::game::rules::Side;

/// The index entry of a block, before the index is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum IndexEntry {
    /// The block has not been written yet.
    Missing,
    /// A block of don't-cares only.
    DontCares,
    /// The only value of the block.
    OneValue(Code),
    /// The offset of the block's record.
    Record(u64),
}

/// Returns the index entry of a block and its record, which is empty if the block needs
/// none and is written at `offset` otherwise.
pub(super) fn place_record(encoded: EncodedBlock, offset: u64) -> (IndexEntry, Vec<u8>) {
    match encoded.content {
        BlockContent::DontCares => (IndexEntry::DontCares, Vec::new()),
        BlockContent::OneValue(code) => (IndexEntry::OneValue(code), Vec::new()),
        BlockContent::Record(bytes) => (IndexEntry::Record(offset), bytes),
    }
}

impl Header {
    /// Returns the side of an encoded block.
    ///
    /// # Errors
    /// If the table has no such block, or one of another size or packing.
    pub(super) fn side_of(&self, block: u64, encoded: &EncodedBlock) -> KindResult<Side> {
        let extent = self.grid.block_extent(block).ok_or(TableErrorKind::OutsideTable)?;
        if encoded.values != extent.values() || encoded.packing != self.packing {
            return Err(TableErrorKind::UnexpectedBlock(block));
        }
        Ok(extent.side)
    }
}

impl IndexEntry {
    /// Returns the entry as a number for its kind and a value.
    pub(super) fn to_parts(self) -> (u8, u64) {
        match self {
            IndexEntry::Missing => (0, 0),
            IndexEntry::DontCares => (1, 0),
            IndexEntry::OneValue(code) => (2, code.into()),
            IndexEntry::Record(offset) => (3, offset),
        }
    }

    /// Reverses [`to_parts`](IndexEntry::to_parts); `None` for an invalid entry.
    pub(super) fn from_parts(kind: u8, value: u64) -> Option<IndexEntry> {
        match kind {
            0 => Some(IndexEntry::Missing),
            1 => Some(IndexEntry::DontCares),
            2 => Code::try_from(value).ok().map(IndexEntry::OneValue),
            3 => Some(IndexEntry::Record(value)),
            _ => None,
        }
    }

    /// Adds `bytes` to the offset of a record.
    pub(super) fn move_by(&mut self, bytes: u64) {
        if let IndexEntry::Record(offset) = self {
            *offset += bytes;
        }
    }

    pub(super) fn to_bytes(self) -> [u8; 8] {
        match self {
            IndexEntry::Record(offset) => offset,
            IndexEntry::OneValue(code) => ONE_VALUE_FLAG | u64::from(code),
            IndexEntry::DontCares | IndexEntry::Missing => ONE_VALUE_FLAG,
        }
        .to_le_bytes()
    }
}
