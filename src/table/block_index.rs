use super::bytes::{checksum, u64_at};
use super::code::Code;
use super::error::{KindResult, Part, TableErrorKind};
use super::footer::Footer;
use super::header::{HEADER_BYTES, Header};

/// Set in an entry that holds a block's one value.
pub(super) const ONE_VALUE_FLAG: u64 = 1 << 63;

const ENTRY_BYTES: usize = size_of::<u64>();

/// Where each block of a table is: the index of its file, and what the footer says of
/// sides of one value. In memory, so that a probe need not look for it in the file.
#[derive(Debug)]
pub(super) struct BlockIndex {
    blocks_per_side: u64,
    /// By side; nothing for a side of one value.
    entries: [Vec<u64>; 2],
    one_value: [Option<Code>; 2],
}

/// What is stored of a block.
#[derive(Clone, Copy)]
pub(super) enum Stored {
    /// All its values are this one.
    OneValue(Code),
    /// A record, which begins there.
    Record(u64),
}

impl BlockIndex {
    /// How many bytes of a file are its index.
    ///
    /// # Errors
    /// If it is not just what lies between the place that the footer names and
    /// `end`, where the footer begins.
    pub fn bytes(end: u64, header: &Header, footer: &Footer) -> KindResult<usize> {
        let sides = footer.one_value.iter().filter(|one_value| one_value.is_none()).count();
        let entries = header.grid.blocks_per_side().checked_mul(sides as u64);
        let bytes = entries.and_then(|entries| entries.checked_mul(ENTRY_BYTES as u64));
        let start = footer.index_offset;
        let fits = |&bytes: &u64| start.checked_add(bytes) == Some(end);
        bytes
            .filter(|bytes| start >= HEADER_BYTES as u64 && fits(bytes))
            .and_then(|bytes| usize::try_from(bytes).ok())
            .ok_or(TableErrorKind::Corrupted(Part::Footer))
    }

    /// Reads these bytes.
    ///
    /// # Errors
    /// If they have not the checksum that the footer names.
    pub fn parse(bytes: &[u8], header: &Header, footer: &Footer) -> KindResult<BlockIndex> {
        if checksum(bytes) != footer.index_checksum {
            return Err(TableErrorKind::Corrupted(Part::Index));
        }
        let blocks_per_side = header.grid.blocks_per_side();
        let attackers = match footer.one_value[0] {
            None => bytes.len().min(ENTRY_BYTES * blocks_per_side as usize),
            Some(_) => 0,
        };
        let (attackers, defenders) = bytes.split_at(attackers);
        let entries = [attackers, defenders]
            .map(|side| side.chunks_exact(ENTRY_BYTES).map(|entry| u64_at(entry, 0)).collect());
        Ok(BlockIndex { blocks_per_side, entries, one_value: footer.one_value })
    }

    /// How many blocks have an entry: all but those of a side of one value.
    pub fn entries(&self) -> usize {
        self.entries[0].len() + self.entries[1].len()
    }

    /// The number of a block's entry, if it has one.
    #[inline]
    pub fn entry_number(&self, block: u64) -> usize {
        // If the first side has none, those of the second begin where it would.
        let none = self.blocks_per_side - self.entries[0].len() as u64;
        block.saturating_sub(none) as usize
    }

    /// What is stored of a block, and the block's side.
    ///
    /// # Errors
    /// If there is no such block, or its entry is wrong.
    #[inline]
    pub fn block(&self, block: u64) -> KindResult<(usize, Stored)> {
        let (side, in_side) = match block.checked_sub(self.blocks_per_side) {
            None => (0, block),
            Some(in_side) => (1, in_side),
        };
        if in_side >= self.blocks_per_side {
            return Err(TableErrorKind::OutsideTable);
        }
        if let Some(code) = self.one_value[side] {
            return Ok((side, Stored::OneValue(code)));
        }
        // There are as many entries as the side has blocks.
        let entry = self.entries[side].get(in_side as usize).copied();
        let stored = entry.and_then(|entry| match entry & ONE_VALUE_FLAG {
            0 => Some(Stored::Record(entry)),
            _ => Code::try_from(entry & !ONE_VALUE_FLAG).ok().map(Stored::OneValue),
        });
        stored.map(|stored| (side, stored)).ok_or(TableErrorKind::Corrupted(Part::Block(block)))
    }
}
