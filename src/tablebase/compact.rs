//! How a block is kept in the cache: much smaller than it is, and yet each value is
//! found in two steps.
//!
//! A block's packed bytes are cut into *groups* of 64. Most groups are one byte over
//! and over: of brandubh K2v4, 93 % in the WDL table and 51 % in the DTW table. The
//! compact form has
//!
//! - a *directory*: 16 bits for each group: the byte of a group that is one byte, or
//!   256 and the number of the group among
//! - the other groups, as they are.
//!
//! The directory is as long as the table's largest block needs, so that where it ends
//! is known without reading.

const GROUP: usize = 64;
const ENTRY: usize = size_of::<u16>();
/// From here on entries are numbers of groups.
const NUMBERS: u16 = 256;

/// The layout of the compact blocks of one table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Layout {
    groups: usize,
}

impl Layout {
    /// For blocks of at most so many bytes, at most 2 MiB.
    pub fn new(block_bytes: usize) -> Layout {
        Layout { groups: block_bytes.div_ceil(GROUP) }
    }

    /// The most bytes that a compact block can have.
    pub fn most_bytes(self) -> usize {
        self.directory_bytes() + self.groups * GROUP
    }

    /// Whole groups, so that no other group lies across two lines of memory.
    fn directory_bytes(self) -> usize {
        (self.groups * ENTRY).next_multiple_of(GROUP)
    }

    /// The compact form of a block's bytes.
    pub fn compact(self, bytes: &[u8]) -> Vec<u8> {
        let mut compact = vec![0; self.directory_bytes()];
        let mut number = NUMBERS;
        for (group, entry) in bytes.chunks(GROUP).zip(0..) {
            let entry_bytes = if group.iter().all(|&byte| byte == group[0]) {
                u16::from(group[0]).to_le_bytes()
            } else {
                // Only the last group can be shorter.
                compact.extend_from_slice(group);
                number += 1;
                (number - 1).to_le_bytes()
            };
            compact[ENTRY * entry..][..ENTRY].copy_from_slice(&entry_bytes);
        }
        compact
    }

    /// The bytes of a block from that one on, up to the end of their word of 8.
    /// `word` gives the word of the compact form that a byte is in.
    #[inline]
    pub fn bytes_at(self, byte: usize, word: impl Fn(usize) -> Option<u64>) -> Option<u64> {
        let from = |at: usize| word(at).map(|word| word >> (8 * (at % size_of::<u64>())));
        let entry = from(byte / GROUP * ENTRY)? as u16;
        match entry.checked_sub(NUMBERS) {
            None => Some(u64::from(entry) * 0x0101_0101_0101_0101),
            Some(number) => {
                from(self.directory_bytes() + usize::from(number) * GROUP + byte % GROUP)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_byte_is_found(
            runs in prop::collection::vec((any::<u8>(), 1..200usize), 1..20),
            room in 0..100usize,
        ) {
            let bytes: Vec<u8> =
                runs.iter().flat_map(|&(byte, length)| vec![byte; length]).collect();
            let layout = Layout::new(bytes.len() + room);
            let compact = layout.compact(&bytes);
            prop_assert!(compact.len() <= layout.most_bytes());
            let word = |at: usize| {
                let mut word = [0; 8];
                let rest = &compact[at / 8 * 8..];
                let length = rest.len().min(8);
                word[..length].copy_from_slice(&rest[..length]);
                Some(u64::from_le_bytes(word))
            };
            for (at, &byte) in bytes.iter().enumerate() {
                let found = layout.bytes_at(at, word).unwrap();
                prop_assert_eq!(found as u8, byte);
                if at % 2 == 0 && at + 1 < bytes.len() {
                    prop_assert_eq!((found >> 8) as u8, bytes[at + 1]);
                }
            }
        }
    }

    #[test]
    fn the_largest_block_has_numbers_enough() {
        let bytes: Vec<u8> = (0..2 << 20).map(|i: u32| (i % 251) as u8).collect();
        let layout = Layout::new(bytes.len());
        assert_eq!(layout.compact(&bytes).len(), layout.most_bytes());
    }
}
