//! How a block is kept in the cache: much smaller than it is, and yet each value is
//! found in three steps at the most.
//!
//! A block's packed bytes are cut into *groups* of 64, and 32 of these are a *page*.
//! Most groups are one byte over and over: of brandubh K2v4, 93 % in the WDL table and
//! 51 % in the DTW table; and so are most pages of WDL tables. The compact form has
//!
//! - the *root*: 16 bits for each page: the byte of a page that is one byte, or 256 and
//!   the number of the *item* with the page's directory;
//! - items of 64 bytes: a page's *directory*, which has 16 bits for each group in the
//!   same way, and behind it those of its groups that are not one byte, as they are.
//!
//! The root is as long as the table's largest block needs, so that where it ends is
//! known without reading. It is small, so that the roots of many blocks are near at
//! hand: most probes need nothing else.

const GROUP: usize = 64;
const ENTRY: usize = size_of::<u16>();
/// A directory has an item's size.
const PAGE_GROUPS: usize = GROUP / ENTRY;
const PAGE: usize = PAGE_GROUPS * GROUP;
/// From here on entries are numbers of items.
const NUMBERS: u16 = 256;

/// The layout of the compact blocks of one table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct CompactLayout {
    groups: usize,
}

impl CompactLayout {
    /// For blocks of at most so many bytes, at most 2 MiB.
    pub(super) fn new(block_bytes: usize) -> CompactLayout {
        CompactLayout { groups: block_bytes.div_ceil(GROUP) }
    }

    /// The most bytes that a compact block can have.
    pub(super) fn most_bytes(self) -> usize {
        self.root_bytes() + (self.pages() + self.groups) * GROUP
    }

    fn pages(self) -> usize {
        self.groups.div_ceil(PAGE_GROUPS)
    }

    /// Whole items, so that no item lies across two lines of memory.
    fn root_bytes(self) -> usize {
        (self.pages() * ENTRY).next_multiple_of(GROUP)
    }

    /// The compact form of a block's bytes.
    pub(super) fn compact(self, bytes: &[u8]) -> Vec<u8> {
        let mut compact = vec![0; self.root_bytes()];
        for (page, number) in bytes.chunks(PAGE).zip(0..) {
            let entry = only_byte(page).unwrap_or_else(|| {
                let directory = compact.len();
                compact.resize(directory + GROUP, 0);
                for (group, number) in page.chunks(GROUP).zip(0..) {
                    let entry = only_byte(group).unwrap_or_else(|| {
                        let item = compact.len();
                        // Only the last group can be shorter.
                        compact.extend_from_slice(group);
                        self.entry_of(item)
                    });
                    put(&mut compact, directory + ENTRY * number, entry);
                }
                self.entry_of(directory)
            });
            put(&mut compact, ENTRY * number, entry);
        }
        compact
    }

    /// The entry that names the item which begins there.
    fn entry_of(self, item: usize) -> u16 {
        // The largest blocks have 33,792 items.
        NUMBERS + ((item - self.root_bytes()) / GROUP) as u16
    }

    /// The bytes of a block from that one on, up to the end of their word of 8.
    /// `word` gives the word of the compact form that a byte is in.
    #[inline]
    pub(super) fn bytes_at(self, byte: usize, word: impl Fn(usize) -> Option<u64>) -> Option<u64> {
        let mut steps = [byte % PAGE / GROUP * ENTRY, byte % GROUP].into_iter();
        let mut at = byte / PAGE * ENTRY;
        loop {
            let bytes = word(at)? >> (8 * (at % size_of::<u64>()));
            let Some(step) = steps.next() else {
                return Some(bytes);
            };
            let entry = bytes as u16;
            let Some(item) = entry.checked_sub(NUMBERS) else {
                return Some(u64::from(entry) * 0x0101_0101_0101_0101);
            };
            at = self.root_bytes() + usize::from(item) * GROUP + step;
        }
    }
}

/// The entry for bytes that are all one: each is as the one before it, which is compared
/// many at a time.
fn only_byte(bytes: &[u8]) -> Option<u16> {
    let (&last, before) = bytes.split_last()?;
    (bytes[1..] == *before).then_some(last.into())
}

fn put(compact: &mut [u8], at: usize, entry: u16) {
    compact[at..at + ENTRY].copy_from_slice(&entry.to_le_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_byte_is_found(
            runs in prop::collection::vec((any::<u8>(), 1..5000usize), 1..20),
            room in 0..5000usize,
        ) {
            let bytes: Vec<u8> =
                runs.iter().flat_map(|&(byte, length)| vec![byte; length]).collect();
            let layout = CompactLayout::new(bytes.len() + room);
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
        let layout = CompactLayout::new(bytes.len());
        assert_eq!(layout.compact(&bytes).len(), layout.most_bytes());
    }
}
