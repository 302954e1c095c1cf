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
/// in which it got there.
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
        // A cache that keeps nothing has no use for any.
        let slots = if self.0.frames.count > 0 { blocks * pieces } else { 0 };
        let slots = (0..slots).map(|_| AtomicU64::new(EMPTY)).collect();
        CachedTable { cache: self.clone(), layout, pieces, slots }
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
        let slot = self.slots.get(block * self.pieces + byte / FRAME_BYTES)?;
        let named = slot.load(Ordering::Acquire);
        let frame = (named as usize & MOST_FRAMES).checked_sub(1)?;
        let place = Frames::place(frame, byte % FRAME_BYTES / WORD_BYTES);
        let bytes = frames.words(frame)?[place].load(Ordering::Relaxed);
        // If these bytes are of a later filling, the slot is seen to be emptied.
        fence(Ordering::Acquire);
        if slot.load(Ordering::Relaxed) != named {
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
        let number = block % frames.shares.len();
        let mut share = frames.share(number);
        let first = block * self.pieces;
        for (piece, bytes) in (first..first + self.pieces).zip(bytes.chunks(FRAME_BYTES)) {
            // Another thread may have been faster.
            if self.slots.get(piece).is_none_or(|slot| slot.load(Ordering::Relaxed) != EMPTY) {
                continue;
            }
            let Some(at) = share.vacant(frames, number) else {
                return;
            };
            self.fill(&mut share, frames.frame(number, at), at, piece, bytes);
        }
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
        let named = share.turn << FRAME_BITS | (frame as u64 + 1);
        self.slots[piece].store(named, Ordering::Release);
        share.holdings[at] = Some(Holding { slots: self.slots.clone(), piece });
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
