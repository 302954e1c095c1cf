//! Decoded blocks: bounded in bytes, read without a lock.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use thread_local::ThreadLocal;

use super::compact::CompactLayout;
use super::directory::Piece;
use super::frames::{FRAME_BYTES, Frames, WORD_BYTES};

/// A bounded cache of decoded blocks. Clones are the same cache: give one to
/// several [`Tablebase`](super::Tablebase)s, and they share its bytes.
///
/// # How it works
///
/// Blocks are kept in a compact form, in which most of WDL tables take a tenth of
/// their size and DTW tables a half. The memory is cut into *frames* of 4 KiB, and so
/// are blocks, into *pieces*. A *directory* has entries of 16 bytes, two to four for each
/// frame, that name a piece, the frame that holds it, and the turn in which it got there.
/// How many there are does not depend on the tables.
///
/// A reader takes no lock and writes to no memory that threads share. It reads the
/// entry, the bytes, and the entry again: if that has not changed, the bytes are those
/// of the piece, since a frame's old entry is emptied before the frame is filled anew,
/// and no two fillings have the same turn. If it has changed, the block is decoded
/// as if it had never been there. (Each entry is a *seqlock*, its turn the generation.)
///
/// Frames are filled under one of 16 locks, each for a share of the frames, of the
/// directory and of the blocks. When a share is full, its frames are reused in a circle,
/// and those that were read since the last time round are spared (the *clock*).
///
/// The frames never take more than the bound, and the directory never more than a 64th of
/// it. Memory is asked for as they fill, that of frames 2 MiB at a time; if the system has
/// no more, the cache makes do with what it has.
#[derive(Clone)]
pub struct BlockCache(Arc<Shared>);

/// What a cache holds, and how it has served.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct CacheStatistics {
    /// How often a block that was needed was there. Probes that need none, because
    /// the rules or a table's index give the answer, are not counted.
    pub hits: u64,
    /// How often a block had to be decoded.
    pub misses: u64,
    /// The memory that blocks take.
    pub bytes: usize,
    /// The most that they may take.
    pub limit_bytes: usize,
}

struct Shared {
    frames: Frames,
    /// The number of the next table's first piece.
    next_piece: AtomicU64,
    counters: ThreadLocal<Counters>,
}

/// What one thread counts; nobody else writes to it, nor to the lines of memory that it
/// is in, which the processor fetches in pairs.
#[derive(Default)]
#[repr(align(128))]
struct Counters {
    hits: AtomicU64,
    misses: AtomicU64,
}

impl Counters {
    #[inline]
    fn count(counter: &AtomicU64) {
        counter.store(counter.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }
}

impl BlockCache {
    /// The bound of [`BlockCache::default`].
    pub const DEFAULT_BYTES: usize = 64 << 20;

    /// A cache of at most so many bytes, counted in frames of 4 KiB, and a 64th of that to
    /// find them again; 0 keeps nothing.
    pub fn new(limit_bytes: usize) -> BlockCache {
        let frames = Frames::new(limit_bytes / FRAME_BYTES);
        let (next_piece, counters) = (AtomicU64::new(0), ThreadLocal::new());
        BlockCache(Arc::new(Shared { frames, next_piece, counters }))
    }

    /// What the cache holds now, and how it has served so far.
    pub fn statistics(&self) -> CacheStatistics {
        let counters = || self.0.counters.iter();
        CacheStatistics {
            hits: counters().map(|c| c.hits.load(Ordering::Relaxed)).sum(),
            misses: counters().map(|c| c.misses.load(Ordering::Relaxed)).sum(),
            bytes: self.0.frames.filled() * FRAME_BYTES,
            limit_bytes: self.0.frames.count * FRAME_BYTES,
        }
    }

    /// The place for a table of so many blocks of at most so many bytes.
    pub(super) fn table(&self, blocks: usize, block_bytes: usize) -> CachedTable {
        let layout = CompactLayout::new(block_bytes);
        let pieces = layout.most_bytes().div_ceil(FRAME_BYTES) as u64;
        let count = blocks.div_ceil(self.0.frames.shares.len()) as u64 * pieces;
        let first = self.0.next_piece.fetch_add(count, Ordering::Relaxed);
        CachedTable { cache: self.clone(), layout, pieces, numbers: first..first + count }
    }
}

impl Default for BlockCache {
    /// A cache of 64 MiB.
    fn default() -> BlockCache {
        BlockCache::new(BlockCache::DEFAULT_BYTES)
    }
}

impl fmt::Debug for BlockCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("BlockCache").field(&self.statistics()).finish()
    }
}

/// One table's place in a cache, which it leaves when it is dropped.
pub(super) struct CachedTable {
    cache: BlockCache,
    layout: CompactLayout,
    /// The most that a block has.
    pieces: u64,
    /// Those of its pieces in each share, which no other table's have or will have.
    numbers: Range<u64>,
}

impl CachedTable {
    /// The bytes from that one on, up to the end of their word of 8, if the block is
    /// in the cache.
    #[inline]
    pub(super) fn bytes_at(&self, block: usize, byte: usize) -> Option<u64> {
        let (frames, first) = (&self.cache.0.frames, self.first_piece(block));
        let found = self.layout.bytes_at(byte, |byte| {
            let number = first.number + (byte / FRAME_BYTES) as u64;
            frames.word(Piece { number, ..first }, byte % FRAME_BYTES / WORD_BYTES)
        });
        let counters = self.cache.0.counters.get_or_default();
        Counters::count(if found.is_some() { &counters.hits } else { &counters.misses });
        found
    }

    /// Puts a block's bytes into the cache, as far as there is room.
    #[cold]
    pub(super) fn keep(&self, block: usize, bytes: &[u8]) {
        let frames = &self.cache.0.frames;
        if frames.count > 0 {
            frames.keep(self.first_piece(block), &self.layout.compact(bytes));
        }
    }

    /// A block's first piece. Neighbours are in different shares.
    #[inline]
    fn first_piece(&self, block: usize) -> Piece {
        let shares = self.cache.0.frames.shares.len();
        let number = self.numbers.start + (block >> shares.ilog2()) as u64 * self.pieces;
        Piece { share: block & (shares - 1), number }
    }
}

impl Drop for CachedTable {
    fn drop(&mut self) {
        self.cache.0.frames.forget(&self.numbers);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tablebase::frames::MOST_SHARES;

    /// More blocks than any memory has bytes.
    const BLOCKS: usize = 1 << 44;
    const BLOCK_BYTES: usize = 1 << 13;
    /// The pieces of such a block if no two of its bytes are alike.
    const PIECES: usize = 3;

    /// A block that is like no other one.
    fn block_bytes(block: usize) -> Vec<u8> {
        let word = |at: usize| (block ^ at << 45).wrapping_mul(0x9e37_79b9_7f4a_7c15).to_le_bytes();
        (0..BLOCK_BYTES / WORD_BYTES).flat_map(word).collect()
    }

    /// Whether a block is there, and then as it is.
    fn has(table: &CachedTable, block: usize) -> bool {
        let bytes = block_bytes(block);
        let at = [0, 1, block % BLOCK_BYTES, BLOCK_BYTES / 2, BLOCK_BYTES - 1];
        let found = at.map(|at| table.bytes_at(block, at).map(|found| (found as u8, bytes[at])));
        found.iter().flatten().for_each(|(found, right)| assert_eq!(found, right));
        found.iter().all(Option::is_some)
    }

    #[test]
    fn the_bound_holds_however_many_blocks_a_table_has() {
        for frames in [1, 64, 1000, 5000] {
            let cache = BlockCache::new(frames * FRAME_BYTES);
            let tables = [BLOCK_BYTES, 2 << 20].map(|bytes| cache.table(BLOCKS, bytes));
            let mut found = 0;
            for i in 0..20_000 {
                let block = i * 0x1_0000_0081 % BLOCKS;
                let table = &tables[i % 2];
                table.keep(block, &block_bytes(block));
                found += usize::from(has(table, block));
                assert!(i % 999 > 0 || cache.statistics().bytes <= frames * FRAME_BYTES);
            }
            // A piece may have to give way to another one of its block, if seldom.
            assert!(found >= 19_800 || frames < PIECES, "{frames}: {found}");
            assert_eq!(cache.statistics().bytes, frames * FRAME_BYTES);
            assert!(cache.0.frames.directory_bytes() <= frames * FRAME_BYTES / 64);
            drop(tables);
            assert_eq!(cache.statistics().bytes, 0);
        }
    }

    #[test]
    fn blocks_stay_as_long_as_there_is_room() {
        const FRAMES: usize = 1 << 14;
        // Side by side, at equal distances, and anywhere; of all shares or of one.
        type Place = fn(usize) -> usize;
        let anywhere: Place = |i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) % BLOCKS;
        let in_all: [Place; 3] = [|i| i, |i| i * 77, anywhere];
        let in_one: [Place; 2] = [|i| i << 10, |i| i << 20];
        let places = in_all.map(|place| (place, MOST_SHARES)).into_iter();
        let places = places.chain(in_one.map(|place| (place, 1)));
        for (number, (place, shares)) in places.enumerate() {
            let cache = BlockCache::new(FRAMES * FRAME_BYTES);
            let table = cache.table(BLOCKS, BLOCK_BYTES);
            let blocks = FRAMES / MOST_SHARES * shares / PIECES * 3 / 4;
            for block in (0..blocks).map(place) {
                table.keep(block, &block_bytes(block));
            }
            let stayed = (0..blocks).filter(|&i| has(&table, place(i))).count();
            assert!(stayed * 100 >= blocks * 98, "{number}: {stayed} of {blocks}");
        }
    }
}
