//! Decoded blocks: bounded in bytes, read without a lock.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering, fence};

use thread_local::ThreadLocal;

use super::compact::Layout;
use super::frames::{EMPTY, FRAME_BYTES, Frames, Holding, MOST_FRAMES, Share, Slots, WORD_BYTES};

/// A bounded cache of decoded blocks. Clones are the same cache: give one to
/// several [`Tablebase`](super::Tablebase)s, and they share its bytes.
///
/// # How it works
///
/// Blocks are kept in a compact form, in which most of WDL tables take a tenth of
/// their size and DTW tables a half. The memory is cut into *frames* of 4 KiB, and so
/// are blocks, into *pieces*. Each open table has a *slot* of 8 bytes for each piece
/// that its blocks could have, which names the frame that holds the piece and the turn
/// in which it got there. It has twice as many slots as there are frames, at the most:
/// in a table of more pieces some share a slot, one of them is in the cache, and the
/// frame tells which.
///
/// A reader takes no lock and writes to no memory that threads share. It reads the
/// slot, the bytes, and the slot again: if that has not changed, the bytes are those
/// of the piece, since a frame's old slot is emptied before the frame is filled anew,
/// and no two fillings have the same turn. If it has changed, the block is decoded
/// as if it had never been there.
///
/// Frames are filled under one of 16 locks, each for a share of the frames. When a
/// share is full, its frames are reused in a circle, and those that were read since
/// the last time round are spared (the *clock*).
///
/// The frames never take more than the bound. Memory is asked for as they fill, 2
/// MiB at a time; if the system has no more, the cache makes do with what it has.
#[derive(Clone)]
pub struct BlockCache(Arc<Shared>);

/// What a cache holds, and how it has served.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
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

/// A slot's low bits are its frame's number and 1, the others its turn.
const FRAME_BITS: u32 = MOST_FRAMES.count_ones();

/// How many slots a table has for each frame, at the most: enough that pieces which share
/// one are seldom wanted together, and 0.4 % of the bound.
const SLOTS_PER_FRAME: usize = 2;

struct Shared {
    frames: Frames,
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

    /// A cache of at most so many bytes, counted in frames of 4 KiB; 0 keeps nothing.
    pub fn new(limit_bytes: usize) -> BlockCache {
        let frames = Frames::new(limit_bytes / FRAME_BYTES);
        BlockCache(Arc::new(Shared { frames, counters: ThreadLocal::new() }))
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
        let layout = Layout::new(block_bytes);
        let pieces = layout.most_bytes().div_ceil(FRAME_BYTES);
        let all = blocks * pieces;
        let slots: Slots = (0..all.min(SLOTS_PER_FRAME * self.0.frames.count))
            .map(|_| AtomicU64::new(EMPTY))
            .collect();
        let shared = slots.len() < all;
        CachedTable { cache: self.clone(), layout, pieces, slots, shared }
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
    layout: Layout,
    /// The most that a block has.
    pieces: usize,
    slots: Slots,
    /// Whether pieces share slots.
    shared: bool,
}

impl CachedTable {
    /// The bytes from that one on, up to the end of their word of 8, if the block is
    /// in the cache.
    #[inline]
    pub fn bytes_at(&self, block: usize, byte: usize) -> Option<u64> {
        let found = self.layout.bytes_at(byte, |byte| self.word(block, byte));
        let counters = self.cache.0.counters.get_or_default();
        Counters::count(if found.is_some() { &counters.hits } else { &counters.misses });
        found
    }

    /// The word that a byte of the compact block is in.
    #[inline]
    fn word(&self, block: usize, byte: usize) -> Option<u64> {
        let frames = &self.cache.0.frames;
        let piece = block * self.pieces + byte / FRAME_BYTES;
        let slot = self.slots.get(self.slot(piece))?;
        let named = slot.load(Ordering::Acquire);
        let frame = (named as usize & MOST_FRAMES).checked_sub(1)?;
        let place = Frames::place(frame, byte % FRAME_BYTES / WORD_BYTES);
        let bytes = frames.words(frame)?[place].load(Ordering::Relaxed);
        let is_another = self.shared && frames.pieces[frame].load(Ordering::Relaxed) != piece;
        // If these bytes are of a later filling, the slot is seen to be emptied.
        fence(Ordering::Acquire);
        if slot.load(Ordering::Relaxed) != named || is_another {
            return None;
        }
        // A store that changes nothing would take the line from other threads.
        let used = &frames.used[frame];
        if !used.load(Ordering::Relaxed) {
            used.store(true, Ordering::Relaxed);
        }
        Some(bytes)
    }

    /// Puts a block's bytes into the cache, as far as there is room.
    #[cold]
    pub fn keep(&self, block: usize, bytes: &[u8]) {
        let frames = &self.cache.0.frames;
        if frames.count == 0 {
            return;
        }
        let bytes = self.layout.compact(bytes);
        for (piece, bytes) in (block * self.pieces..).zip(bytes.chunks(FRAME_BYTES)) {
            if self.keep_piece(piece, bytes).is_none() {
                return;
            }
        }
    }

    /// Puts a piece into a frame; `None` if there is none for it.
    fn keep_piece(&self, piece: usize, bytes: &[u8]) -> Option<()> {
        let frames = &self.cache.0.frames;
        let slot = self.slot(piece);
        // All that may be in a slot is in one share.
        let number = slot % frames.shares.len();
        let mut share = frames.share(number);
        let named = self.slots.get(slot)?.load(Ordering::Relaxed) as usize & MOST_FRAMES;
        let at = match named.checked_sub(1) {
            // Another thread may have been faster.
            Some(frame) if frames.pieces[frame].load(Ordering::Relaxed) == piece => {
                return Some(());
            }
            Some(frame) => {
                let at = frame / frames.shares.len();
                share.vacate(at)?;
                at
            }
            None => share.vacant(frames, number)?,
        };
        self.fill(&mut share, frames.frame(number, at), at, piece, bytes);
        Some(())
    }

    /// The number of a piece's slot.
    #[inline]
    fn slot(&self, piece: usize) -> usize {
        // A cache that keeps nothing has no slots.
        if self.shared { piece.checked_rem(self.slots.len()).unwrap_or(piece) } else { piece }
    }

    fn fill(&self, share: &mut Share, frame: usize, at: usize, piece: usize, bytes: &[u8]) {
        let frames = &self.cache.0.frames;
        // The old slot is seen to be empty by whoever sees a new byte.
        fence(Ordering::Release);
        if let Some(words) = frames.words(frame) {
            for (number, bytes) in bytes.chunks(WORD_BYTES).enumerate() {
                let mut whole = [0; WORD_BYTES];
                whole[..bytes.len()].copy_from_slice(bytes);
                let word = &words[Frames::place(frame, number)];
                word.store(u64::from_le_bytes(whole), Ordering::Relaxed);
            }
        }
        share.turn += 1;
        frames.used[frame].store(false, Ordering::Relaxed);
        frames.pieces[frame].store(piece, Ordering::Relaxed);
        let named = share.turn << FRAME_BITS | (frame as u64 + 1);
        let slot = self.slot(piece);
        self.slots[slot].store(named, Ordering::Release);
        share.holdings[at] = Some(Holding { slots: self.slots.clone(), slot });
    }
}

impl Drop for CachedTable {
    fn drop(&mut self) {
        let frames = &self.cache.0.frames;
        for number in 0..frames.shares.len() {
            let mut share = frames.share(number);
            for at in 0..share.holdings.len() {
                let holding = share.holdings[at].as_ref();
                if holding.is_some_and(|holding| Arc::ptr_eq(&holding.slots, &self.slots)) {
                    share.vacate(at);
                    share.free.push(at);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRAMES: usize = 16;
    const BLOCK_BYTES: usize = 1 << 16;

    /// A block of that one byte.
    fn block(byte: u8) -> Vec<u8> {
        vec![byte; BLOCK_BYTES]
    }

    fn first_byte(table: &CachedTable, block: usize) -> Option<u8> {
        table.bytes_at(block, 0).map(|bytes| bytes as u8)
    }

    #[test]
    fn a_huge_table_takes_few_slots() {
        let cache = BlockCache::new(FRAMES * FRAME_BYTES);
        let table = cache.table(1 << 40, BLOCK_BYTES);
        assert_eq!(table.slots.len(), SLOTS_PER_FRAME * FRAMES);
        assert_eq!(cache.table(3, 8).slots.len(), 3);
        assert_eq!(BlockCache::new(0).table(1 << 40, BLOCK_BYTES).slots.len(), 0);
    }

    #[test]
    fn pieces_that_share_a_slot_are_told_apart() {
        let cache = BlockCache::new(FRAMES * FRAME_BYTES);
        let table = cache.table(1 << 40, BLOCK_BYTES);
        // Blocks whose first pieces have one slot.
        let (one, other) = (5, 5 + table.slots.len());
        assert_eq!(table.slot(one * table.pieces), table.slot(other * table.pieces));
        for _ in 0..3 {
            table.keep(one, &block(1));
            assert_eq!([one, other].map(|b| first_byte(&table, b)), [Some(1), None]);
            table.keep(other, &block(2));
            assert_eq!([one, other].map(|b| first_byte(&table, b)), [None, Some(2)]);
        }
        assert!(cache.statistics().bytes <= FRAMES * FRAME_BYTES);
        drop(table);
        assert_eq!(cache.statistics().bytes, 0);
    }

    #[test]
    fn a_cache_without_room_finds_nothing() {
        let table = BlockCache::new(0).table(100, BLOCK_BYTES);
        table.keep(7, &block(1));
        assert_eq!(first_byte(&table, 7), None);
    }
}
