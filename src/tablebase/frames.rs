//! The memory of a cache: frames of 4 KiB, filled and emptied under locks.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

use crate::system::mapping::Words;

pub const FRAME_BYTES: usize = 1 << 12;
pub const WORD_BYTES: usize = size_of::<u64>();
const FRAME_WORDS: usize = FRAME_BYTES / WORD_BYTES;
/// The words of a line of memory.
const LINE_WORDS: usize = 64 / WORD_BYTES;
/// Frames that get their memory together: one large page.
const CHUNK_FRAMES: usize = 512;
/// A terabyte of them.
pub const MOST_FRAMES: usize = (1 << 28) - 1;
/// A slot that names no frame.
pub const EMPTY: u64 = 0;
const MOST_SHARES: usize = 16;
/// Fewer frames than that have no use for several locks.
const LEAST_SHARE: usize = 64;

/// A table's slots, for its pieces block by block.
pub type Slots = Arc<[AtomicU64]>;

/// The frames of a cache, and which pieces are in them.
pub struct Frames {
    pub count: usize,
    chunks: Box<[OnceLock<Words>]>,
    /// Which frames were read since the clock came to them.
    pub used: Box<[AtomicBool]>,
    /// The number of the piece, in its table, that each frame was last filled with.
    pub pieces: Box<[AtomicUsize]>,
    pub shares: Box<[Mutex<Share>]>,
}

/// Every `shares.len()`th of the frames.
#[derive(Default)]
pub struct Share {
    /// What the frames hold that have ever been filled.
    pub holdings: Vec<Option<Holding>>,
    /// Frames that were filled once and hold nothing.
    pub free: Vec<usize>,
    hand: usize,
    pub turn: u64,
}

/// The slot that names a frame.
pub struct Holding {
    pub slots: Slots,
    pub slot: usize,
}

impl Frames {
    /// So many, without memory as yet.
    pub fn new(count: usize) -> Frames {
        let count = count.min(MOST_FRAMES);
        let shares = (count / LEAST_SHARE).clamp(1, MOST_SHARES);
        Frames {
            count,
            chunks: (0..count.div_ceil(CHUNK_FRAMES)).map(|_| OnceLock::new()).collect(),
            used: (0..count).map(|_| AtomicBool::new(false)).collect(),
            pieces: (0..count).map(|_| AtomicUsize::new(0)).collect(),
            shares: (0..shares).map(|_| Mutex::default()).collect(),
        }
    }

    /// How many hold a piece.
    pub fn filled(&self) -> usize {
        let filled = |share: &Share| share.holdings.len() - share.free.len();
        (0..self.shares.len()).map(|number| filled(&self.share(number))).sum()
    }

    /// One share, for this thread only.
    pub fn share(&self, number: usize) -> MutexGuard<'_, Share> {
        // Nothing that is done under the lock can panic halfway.
        self.shares[number].lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// The number of a share's frame among all frames.
    pub fn frame(&self, share: usize, at: usize) -> usize {
        at * self.shares.len() + share
    }

    /// Where in a frame its word of that number is. Each frame begins elsewhere: what
    /// is first in every frame is read most, and would else have the same few places
    /// in the processor's caches.
    #[inline]
    pub fn place(frame: usize, word: usize) -> usize {
        (word + frame * LINE_WORDS) % FRAME_WORDS
    }

    /// A frame's words, if it has ever had memory.
    #[inline]
    pub fn words(&self, frame: usize) -> Option<&[AtomicU64]> {
        let words = self.chunks.get(frame / CHUNK_FRAMES)?.get()?;
        words.get(frame % CHUNK_FRAMES * FRAME_WORDS..)?.get(..FRAME_WORDS)
    }

    /// The same, with memory asked for if need be; `None` if there is none left.
    fn words_or_new(&self, frame: usize) -> Option<&[AtomicU64]> {
        let chunk = frame / CHUNK_FRAMES;
        if self.chunks[chunk].get().is_none() {
            let frames = CHUNK_FRAMES.min(self.count - chunk * CHUNK_FRAMES);
            let words = Words::new(frames * FRAME_WORDS).ok()?;
            self.chunks[chunk].get_or_init(|| words);
        }
        self.words(frame)
    }
}

impl Share {
    /// A frame of the share's that may be filled, by its place in the share; nothing
    /// names it any more.
    pub fn vacant(&mut self, frames: &Frames, share: usize) -> Option<usize> {
        if let Some(at) = self.free.pop() {
            return Some(at);
        }
        let at = self.holdings.len();
        let frame = frames.frame(share, at);
        if frame < frames.count && frames.words_or_new(frame).is_some() {
            self.holdings.push(None);
            return Some(at);
        }
        self.evict(frames, share)
    }

    fn evict(&mut self, frames: &Frames, share: usize) -> Option<usize> {
        // Readers may go on marking frames: after one round any frame will do.
        let mut spared = self.holdings.len();
        loop {
            let at = self.hand;
            self.hand = (at + 1) % self.holdings.len().max(1);
            let used = &frames.used[frames.frame(share, at)..].first()?;
            if spared > 0 && used.swap(false, Ordering::Relaxed) {
                spared -= 1;
                continue;
            }
            self.vacate(at)?;
            return Some(at);
        }
    }

    /// Empties the slot that names the frame.
    pub fn vacate(&mut self, at: usize) -> Option<()> {
        let Holding { slots, slot } = self.holdings.get_mut(at)?.take()?;
        slots[slot].store(EMPTY, Ordering::Relaxed);
        Some(())
    }
}
