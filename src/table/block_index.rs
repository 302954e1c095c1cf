use std::borrow::Cow;

use super::block::RECORD_HEAD;
use super::bytes::{checksum_of, u64_at};
use super::code::Code;
use super::error::{KindResult, Part, TableErrorKind};
use super::footer::Footer;
use super::header::{HEADER_BYTES, Header};
use super::source::{Source, read};
use crate::game::rules::{BySide, Side};

/// Marks an entry that holds the only value of a block.
pub(super) const ONE_VALUE_FLAG: u64 = 1 << 63;

const ENTRY_BYTES: usize = size_of::<u64>();

/// The number of index bytes read at a time.
const READ_CHUNK: usize = 1 << 20;

/// The locations of a table's blocks: the index, and the footer's values for sides that have
/// only one.
///
/// The index is not copied if the table is in memory or mapped, since that of a large table
/// may exceed the memory. If the file is read, the index is loaded once, so that a probe
/// needs no second read.
#[derive(Debug)]
pub(super) struct BlockIndex {
    blocks_per_side: u64,
    /// The first block with an entry; a side with a single value has no entries.
    first: u64,
    /// The offset of the entries in the file.
    start: u64,
    /// The number of entries.
    entries: usize,
    /// All entries; `None` if the table is in memory or mapped.
    loaded: Option<Box<[u64]>>,
    one_value: BySide<Option<Code>>,
}

/// The content of an index entry.
#[derive(Clone, Copy)]
pub(super) enum StoredBlock {
    /// The only value of the block.
    OneValue(Code),
    /// The offset of the block's record.
    Record(u64),
}

impl StoredBlock {
    /// Decodes an entry of an index that begins at `index_start`; `None` if it is invalid.
    #[inline]
    fn of(entry: u64, index_start: u64) -> Option<StoredBlock> {
        if entry & ONE_VALUE_FLAG != 0 {
            return Code::try_from(entry & !ONE_VALUE_FLAG).ok().map(StoredBlock::OneValue);
        }
        // Records lie between the header and the index.
        let has_room =
            entry >= HEADER_BYTES as u64 && index_start.saturating_sub(entry) >= RECORD_HEAD as u64;
        has_room.then_some(StoredBlock::Record(entry))
    }
}

impl BlockIndex {
    /// Reads the index: the bytes from the footer's index offset to `end`, where the footer
    /// begins.
    ///
    /// Entries are checked in chunks, so that memory grows only with valid entries. A hole in
    /// a sparse file may have any length, and holds none.
    ///
    /// # Errors
    /// If its length does not match the number of blocks, an entry is invalid, or the
    /// checksum does not match the footer's.
    pub(super) fn read<S: Source>(
        source: &S,
        end: u64,
        header: &Header,
        footer: &Footer,
    ) -> KindResult<BlockIndex> {
        let blocks_per_side = header.grid.blocks_per_side();
        let one_value = footer.one_value;
        let sides = one_value.iter().filter(|one_value| one_value.is_none()).count() as u64;
        let start = footer.index_offset;
        // The limits of a grid keep this far below 64 bits.
        let length = blocks_per_side * sides * ENTRY_BYTES as u64;
        if start < HEADER_BYTES as u64 || start.checked_add(length) != Some(end) {
            return Err(TableErrorKind::Corrupted(Part::Footer));
        }
        let damaged = TableErrorKind::Corrupted(Part::Index);
        let mut hasher = blake3::Hasher::new();
        let mut loaded: Option<Vec<u64>> = None;
        for at in (start..end).step_by(READ_CHUNK) {
            let bytes = read(source, at, (end - at).min(READ_CHUNK as u64) as usize)?;
            hasher.update(&bytes);
            let entries = bytes.chunks_exact(ENTRY_BYTES).map(|entry| u64_at(entry, 0));
            if !entries.clone().all(|entry| StoredBlock::of(entry, start).is_some()) {
                return Err(damaged);
            }
            if let Cow::Owned(_) = bytes {
                loaded.get_or_insert_default().extend(entries);
            }
        }
        if checksum_of(hasher.finalize()) != footer.index_checksum {
            return Err(damaged);
        }
        let first = if one_value[Side::Attackers].is_some() { blocks_per_side } else { 0 };
        Ok(BlockIndex {
            blocks_per_side,
            first,
            start,
            entries: (length / ENTRY_BYTES as u64) as usize,
            loaded: loaded.map(Vec::into_boxed_slice),
            one_value,
        })
    }

    /// Returns the number of entries: one for each block of a side with several values.
    pub(super) fn entries(&self) -> usize {
        self.entries
    }

    /// Returns the number of a block's entry, provided that it has one.
    #[inline]
    pub(super) fn entry_number(&self, block: u64) -> usize {
        block.saturating_sub(self.first) as usize
    }

    /// Looks up a block, and returns its side and its index entry. `source` is the table
    /// that the index was read from.
    ///
    /// # Errors
    /// If there is no such block, or its entry has been overwritten since the index was read.
    #[inline]
    pub(super) fn block<S: Source>(
        &self,
        source: &S,
        block: u64,
    ) -> KindResult<(Side, StoredBlock)> {
        let side = if block < self.blocks_per_side { Side::Attackers } else { Side::Defenders };
        if block >= 2 * self.blocks_per_side {
            return Err(TableErrorKind::OutsideTable);
        }
        if let Some(code) = self.one_value[side] {
            return Ok((side, StoredBlock::OneValue(code)));
        }
        let number = self.entry_number(block);
        let entry = match &self.loaded {
            Some(entries) => entries.get(number).copied(),
            None => {
                let at = self.start + (number * ENTRY_BYTES) as u64;
                Some(u64_at(&read(source, at, ENTRY_BYTES)?, 0))
            }
        };
        // All entries were valid, but a mapped file can be overwritten.
        let stored = entry.and_then(|entry| StoredBlock::of(entry, self.start));
        stored.map(|stored| (side, stored)).ok_or(TableErrorKind::Corrupted(Part::Block(block)))
    }
}
