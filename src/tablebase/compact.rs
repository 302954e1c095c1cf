//! The compact form of a cached block: much smaller, and yet any value is found with at most
//! three reads.
//!
//! A block's packed bytes are divided into *groups* of 64 bytes, and 32 groups make a *page*.
//! Most groups repeat a single byte: in brandubh K2v4, 93 % in the WDL table and 51 % in the
//! DTW table; and so do most pages of WDL tables. The compact form consists of
//!
//! - the *root*, with 16 bits per page: the byte that the page repeats, or else 256 plus the
//!   number of the *item* with the page's directory;
//! - items of 64 bytes: a page's *directory*, with 16 bits per group in the same way, followed
//!   by the groups that do not repeat a single byte.
//!
//! The root has the size that the table's largest block needs, so that its end is known
//! without reading. It is small, so that the roots of many blocks fit the processor's caches:
//! most probes read nothing else.

const GROUP: usize = 64;
const ENTRY: usize = size_of::<u16>();
/// A directory fills an item.
const PAGE_GROUPS: usize = GROUP / ENTRY;
const PAGE: usize = PAGE_GROUPS * GROUP;
/// Entries from here on are numbers of items.
const FIRST_ITEM: u16 = 256;

/// The layout of a table's compact blocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct CompactLayout {
    groups: usize,
}

impl CompactLayout {
    /// Creates the layout for blocks of at most `block_bytes` bytes, which may be up to 2 MiB.
    pub(super) fn new(block_bytes: usize) -> CompactLayout {
        CompactLayout { groups: block_bytes.div_ceil(GROUP) }
    }

    /// Returns the maximum size of a compact block in bytes.
    pub(super) fn max_bytes(self) -> usize {
        self.root_bytes() + (self.pages() + self.groups) * GROUP
    }

    fn pages(self) -> usize {
        self.groups.div_ceil(PAGE_GROUPS)
    }

    /// The root is padded to whole items, so that no item straddles two cache lines.
    fn root_bytes(self) -> usize {
        (self.pages() * ENTRY).next_multiple_of(GROUP)
    }

    /// Compacts a block's bytes.
    pub(super) fn compact(self, bytes: &[u8]) -> Vec<u8> {
        let mut compact = vec![0; self.root_bytes()];
        for (page, number) in bytes.chunks(PAGE).zip(0..) {
            let page_entry = only_byte(page).unwrap_or_else(|| {
                let directory = compact.len();
                compact.resize(directory + GROUP, 0);
                for (group, number) in page.chunks(GROUP).zip(0..) {
                    let group_entry = only_byte(group).unwrap_or_else(|| {
                        let item = compact.len();
                        // Only the last group may be shorter than an item.
                        compact.extend_from_slice(group);
                        self.entry_of(item)
                    });
                    put(&mut compact, directory + ENTRY * number, group_entry);
                }
                self.entry_of(directory)
            });
            put(&mut compact, ENTRY * number, page_entry);
        }
        compact
    }

    /// Returns the entry of the item at this offset.
    fn entry_of(self, item: usize) -> u16 {
        // The largest blocks have 33,792 items, which fit 16 bits.
        FIRST_ITEM + ((item - self.root_bytes()) / GROUP) as u16
    }

    /// Returns the bytes of a block from offset `byte` to the end of its 8-byte word. `word`
    /// returns the word of the compact form that contains an offset.
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
            let Some(item) = entry.checked_sub(FIRST_ITEM) else {
                return Some(u64::from(entry) * 0x0101_0101_0101_0101);
            };
            at = self.root_bytes() + usize::from(item) * GROUP + step;
        }
    }
}

/// Returns the entry for bytes that are all equal: comparing each with the one before it is
/// a single slice comparison.
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
            prop_assert!(compact.len() <= layout.max_bytes());
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
    fn item_numbers_of_the_largest_block_fit() {
        let bytes: Vec<u8> = (0..2 << 20).map(|i: u32| (i % 251) as u8).collect();
        let layout = CompactLayout::new(bytes.len());
        assert_eq!(layout.compact(&bytes).len(), layout.max_bytes());
    }
}
