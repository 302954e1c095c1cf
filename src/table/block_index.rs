use std::borrow::Cow;

use super::block::RECORD_HEAD;
use super::bytes::{checksum_of, u64_at};
use super::code::Code;
use super::error::{KindResult, Part, TableErrorKind};
use super::footer::Footer;
use super::header::{HEADER_BYTES, Header};
use super::source::{Source, read};
use crate::game::rules::{BySide, Side};

/// Set in an entry that holds a block's one value.
pub(super) const ONE_VALUE_FLAG: u64 = 1 << 63;

const ENTRY_BYTES: usize = size_of::<u64>();

/// How many bytes of an index are read at once.
const READ_AT_ONCE: usize = 1 << 20;

/// Where each block of a table is: the index of its file, and what the footer says of
/// sides of one value. It stays where it is if the table's bytes are in memory or mapped,
/// since the index of a large table alone may take more memory than there is; otherwise a
/// probe would have to read it first, so that it is kept.
#[derive(Debug)]
pub(super) struct BlockIndex {
    blocks_per_side: u64,
    /// The first block that has an entry: none of a side of one value has.
    first: u64,
    /// Where the entries begin, and how many there are.
    start: u64,
    entries: usize,
    /// All entries, unless the table's bytes are at hand.
    kept: Option<Box<[u64]>>,
    one_value: BySide<Option<Code>>,
}

/// What is stored of a block.
#[derive(Clone, Copy)]
pub(super) enum StoredBlock {
    /// All its values are this one.
    OneValue(Code),
    /// A record, which begins there.
    Record(u64),
}

impl StoredBlock {
    /// What an entry says; `None` if it says nothing.
    #[inline]
    fn of(entry: u64) -> Option<StoredBlock> {
        match entry & ONE_VALUE_FLAG {
            0 => Some(StoredBlock::Record(entry)),
            _ => Code::try_from(entry & !ONE_VALUE_FLAG).ok().map(StoredBlock::OneValue),
        }
    }

    /// Whether a record would have room before the index, which begins at `end`.
    fn fits_before(self, end: u64) -> bool {
        match self {
            StoredBlock::OneValue(_) => true,
            StoredBlock::Record(start) => {
                start >= HEADER_BYTES as u64 && end.saturating_sub(start) >= RECORD_HEAD as u64
            }
        }
    }
}

impl BlockIndex {
    /// Reads the index, which is just what lies between the place that the footer names
    /// and `end`, where the footer begins.
    ///
    /// Entries are looked at as they come, so that no more memory is taken than there are
    /// entries, if any: a hole in the file, which is as long as anybody likes and takes
    /// nothing of the disk, has none.
    ///
    /// # Errors
    /// If it has another length than the blocks ask for, holds what is no entry, or has not
    /// the checksum that the footer names.
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
        let bytes = blocks_per_side * sides * ENTRY_BYTES as u64;
        if start < HEADER_BYTES as u64 || start.checked_add(bytes) != Some(end) {
            return Err(TableErrorKind::Corrupted(Part::Footer));
        }
        let damaged = TableErrorKind::Corrupted(Part::Index);
        let sound =
            |entry: u64| StoredBlock::of(entry).is_some_and(|stored| stored.fits_before(start));
        let mut hasher = blake3::Hasher::new();
        let mut kept: Option<Vec<u64>> = None;
        for at in (start..end).step_by(READ_AT_ONCE) {
            let bytes = read(source, at, (end - at).min(READ_AT_ONCE as u64) as usize)?;
            hasher.update(&bytes);
            let entries = bytes.chunks_exact(ENTRY_BYTES).map(|entry| u64_at(entry, 0));
            if !entries.clone().all(sound) {
                return Err(damaged);
            }
            if let Cow::Owned(_) = bytes {
                kept.get_or_insert_default().extend(entries);
            }
        }
        if checksum_of(hasher.finalize()) != footer.index_checksum {
            return Err(damaged);
        }
        let first = if one_value[Side::Attackers].is_some() { blocks_per_side } else { 0 };
        let entries = ((end - start) / ENTRY_BYTES as u64) as usize;
        let kept = kept.map(Vec::into_boxed_slice);
        Ok(BlockIndex { blocks_per_side, first, start, entries, kept, one_value })
    }

    /// How many blocks have an entry: all but those of a side of one value.
    pub(super) fn entries(&self) -> usize {
        self.entries
    }

    /// The number of a block's entry, if it has one.
    #[inline]
    pub(super) fn entry_number(&self, block: u64) -> usize {
        block.saturating_sub(self.first) as usize
    }

    /// What is stored of a block, and the block's side. `source` is where the index was
    /// read from.
    ///
    /// # Errors
    /// If there is no such block, or its entry is not what it was any more.
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
        // There are as many entries as these sides have blocks.
        let number = self.entry_number(block);
        let entry = match &self.kept {
            Some(kept) => kept.get(number).copied(),
            None => {
                let at = self.start + (number * ENTRY_BYTES) as u64;
                Some(u64_at(&read(source, at, ENTRY_BYTES)?, 0))
            }
        };
        // All were sound, but a file that is mapped can be overwritten.
        let stored =
            entry.and_then(StoredBlock::of).filter(|stored| stored.fits_before(self.start));
        stored.map(|stored| (side, stored)).ok_or(TableErrorKind::Corrupted(Part::Block(block)))
    }
}
