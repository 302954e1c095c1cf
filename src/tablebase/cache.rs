//! A cache of decoded blocks, bounded in bytes and read without a lock.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use thread_local::ThreadLocal;

use super::compact::CompactLayout;
use super::directory::Piece;
use super::frames::{FRAME_BYTES, Frames, WORD_BYTES};

/// A bounded cache of decoded blocks. Clones refer to the same cache, so that several
/// [`Tablebase`](super::Tablebase)s can share its memory.
///
/// # How it works
///
/// Blocks are cached in a compact form, which reduces most blocks of WDL tables to a tenth and
/// of DTW tables to a half. Memory is divided into *frames* of 4 KiB, and blocks into *pieces*
/// of that size. A *directory* has entries of 16 bytes, two to four per frame, each with a
/// piece, its frame and a generation. Their number does not depend on the tables.
///
/// A reader takes no lock and does not write to shared memory, except to mark a piece as used.
/// It reads the entry, the bytes, and the entry again. If the entry has not changed, the bytes
/// are those of the piece, since a frame's old entry is cleared before the frame is refilled,
/// and every fill has its own generation. If it has changed, the block is decoded as if it had
/// not been cached. (Each entry is a *seqlock*.)
///
/// Frames are filled under up to 16 locks, one for each shard of the frames, the directory and
/// the blocks. When a shard is full, its frames are reused by the *clock* algorithm, which
/// spares those that were read since it last passed them.
///
/// The frames never exceed the limit, and the directory takes at most another 64th of it.
/// Memory is allocated as frames fill, 2 MiB at a time; if the system has no more, the cache
/// works with what it has.
#[derive(Clone)]
pub struct BlockCache(Arc<Shared>);

/// The size and the hit counts of a cache.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct CacheStatistics {
    /// The number of lookups that found their block. Probes that the rules or a table's index
    /// answer need no block and are not counted.
    pub hits: u64,
    /// The number of lookups after which a block had to be decoded.
    pub misses: u64,
    /// The memory that blocks take, in bytes.
    pub bytes: usize,
    /// The limit of that memory.
    pub limit_bytes: usize,
}

struct Shared {
    frames: Frames,
    /// The number of the next table's first piece.
    next_piece: AtomicU64,
    counters: ThreadLocal<Counters>,
}

/// The counters of one thread. They are alone in their cache lines, which the processor
/// fetches in pairs, so that threads do not slow each other down.
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
    /// The limit of [`BlockCache::default`].
    pub const DEFAULT_BYTES: usize = 64 << 20;

    /// Creates a cache of at most `limit_bytes`, rounded down to frames of 4 KiB, plus a 64th
    /// of that for the directory; 0 disables caching.
    pub fn new(limit_bytes: usize) -> BlockCache {
        let frames = Frames::new(limit_bytes / FRAME_BYTES);
        let (next_piece, counters) = (AtomicU64::new(0), ThreadLocal::new());
        BlockCache(Arc::new(Shared { frames, next_piece, counters }))
    }

    /// Returns the current size and the hit counts so far.
    pub fn statistics(&self) -> CacheStatistics {
        let Shared { frames, counters, .. } = &*self.0;
        CacheStatistics {
            hits: counters.iter().map(|c| c.hits.load(Ordering::Relaxed)).sum(),
            misses: counters.iter().map(|c| c.misses.load(Ordering::Relaxed)).sum(),
            bytes: frames.filled() * FRAME_BYTES,
            limit_bytes: frames.count * FRAME_BYTES,
        }
    }

    /// Registers a table of `blocks` blocks of at most `block_bytes` bytes each.
    pub(super) fn table(&self, blocks: usize, block_bytes: usize) -> CachedTable {
        let layout = CompactLayout::new(block_bytes);
        let pieces = layout.max_bytes().div_ceil(FRAME_BYTES) as u64;
        let count = blocks.div_ceil(self.0.frames.shards.len()) as u64 * pieces;
        let first = self.0.next_piece.fetch_add(count, Ordering::Relaxed);
        CachedTable { cache: self.clone(), layout, pieces, numbers: first..first + count }
    }
}

impl Default for BlockCache {
    /// Creates a cache of 64 MiB.
    fn default() -> BlockCache {
        BlockCache::new(BlockCache::DEFAULT_BYTES)
    }
}

impl fmt::Debug for BlockCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("BlockCache").field(&self.statistics()).finish()
    }
}

/// A table registered in a cache; its blocks are removed when it is dropped.
pub(super) struct CachedTable {
    cache: BlockCache,
    layout: CompactLayout,
    /// The maximum number of pieces of a block.
    pieces: u64,
    /// The numbers of its pieces in each shard, which are never reused.
    numbers: Range<u64>,
}

impl CachedTable {
    /// Returns the bytes of a block from offset `byte` to the end of its 8-byte word, in
    /// little-endian order; `None` if they are not cached.
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

    /// Caches a block, as far as there is memory.
    #[cold]
    pub(super) fn insert(&self, block: usize, bytes: &[u8]) {
        let frames = &self.cache.0.frames;
        if frames.count > 0 {
            frames.insert(self.first_piece(block), &self.layout.compact(bytes));
        }
    }

    /// Returns a block's first piece. Neighbouring blocks are in different shards.
    #[inline]
    fn first_piece(&self, block: usize) -> Piece {
        let shards = self.cache.0.frames.shards.len();
        let number = self.numbers.start + (block >> shards.ilog2()) as u64 * self.pieces;
        Piece { shard: block & (shards - 1), number }
    }
}

impl Drop for CachedTable {
    fn drop(&mut self) {
        self.cache.0.frames.remove(&self.numbers);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tablebase::frames::MAX_SHARDS;

    /// More blocks than fit any memory.
    const BLOCKS: usize = 1 << 44;
    const BLOCK_BYTES: usize = 1 << 13;
    /// The number of pieces of a block without repetitions.
    const PIECES: usize = 3;

    /// Returns the bytes of a block that equals no other.
    fn block_bytes(block: usize) -> Vec<u8> {
        let word = |at: usize| (block ^ at << 45).wrapping_mul(0x9e37_79b9_7f4a_7c15).to_le_bytes();
        (0..BLOCK_BYTES / WORD_BYTES).flat_map(word).collect()
    }

    /// Whether a block is cached; checks its bytes if so.
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
                table.insert(block, &block_bytes(block));
                found += usize::from(has(table, block));
                assert!(i % 999 > 0 || cache.statistics().bytes <= frames * FRAME_BYTES);
            }
            // In rare cases a piece evicts another one of the same block.
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
        // Neighbours, equal distances, and scattered; in all shards or in one.
        type Place = fn(usize) -> usize;
        let anywhere: Place = |i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) % BLOCKS;
        let in_all: [Place; 3] = [|i| i, |i| i * 77, anywhere];
        let in_one: [Place; 2] = [|i| i << 10, |i| i << 20];
        let places = in_all.map(|place| (place, MAX_SHARDS)).into_iter();
        let places = places.chain(in_one.map(|place| (place, 1)));
        for (number, (place, shards)) in places.enumerate() {
            let cache = BlockCache::new(FRAMES * FRAME_BYTES);
            let table = cache.table(BLOCKS, BLOCK_BYTES);
            let blocks = FRAMES / MAX_SHARDS * shards / PIECES * 3 / 4;
            for block in (0..blocks).map(place) {
                table.insert(block, &block_bytes(block));
            }
            let stayed = (0..blocks).filter(|&i| has(&table, place(i))).count();
            assert!(stayed * 100 >= blocks * 98, "{number}: {stayed} of {blocks}");
        }
    }
}
