//! The memory of a cache: frames of 4 KiB, filled and evicted under locks.

use std::iter;
use std::ops::Range;
use std::sync::OnceLock;

use crate::system::mapping::AtomicWords;
use crate::system::sync::{AtomicU64, Mutex, MutexGuard, Ordering, fence};

use super::directory::{Directory, MAX_FRAMES, Piece};

pub(super) const FRAME_BYTES: usize = 1 << 12;
pub(super) const WORD_BYTES: usize = size_of::<u64>();
const FRAME_WORDS: usize = FRAME_BYTES / WORD_BYTES;
/// The words of a cache line.
const LINE_WORDS: usize = 64 / WORD_BYTES;
/// The number of frames allocated at a time: a huge page.
const CHUNK_FRAMES: usize = 512;
pub(super) const MAX_SHARDS: usize = 16;
/// The minimum number of frames of a shard: smaller caches need fewer locks.
const MIN_SHARD_FRAMES: usize = 64;

/// The frames of a cache and the directory of their pieces.
pub(super) struct Frames {
    pub count: usize,
    chunks: Box<[OnceLock<AtomicWords>]>,
    /// `None` if there are no frames.
    directory: Option<Directory>,
    /// The number of shards is a power of two.
    pub shards: Box<[Mutex<Shard>]>,
}

/// A part of the directory, and every `shards.len()`th frame.
#[derive(Default)]
pub(super) struct Shard {
    /// The directory entries of the frames that have ever been filled; `None` for free ones.
    entries: Vec<Option<u32>>,
    /// Frames that have been filled and freed.
    free: Vec<usize>,
    /// The hand of the clock: the next frame to consider for eviction.
    hand: usize,
    /// The number of fills so far.
    generation: u64,
}

impl Frames {
    /// Creates `count` frames, whose memory is allocated as they fill; fewer if the system has
    /// not enough memory for their directory.
    pub(super) fn new(count: usize) -> Frames {
        let created = iter::successors(Some(count.min(MAX_FRAMES)), |count| Some(count / 2))
            .take_while(|&count| count > 0)
            .find_map(|count| Some((count, Directory::new(count, shard_count(count))?)));
        let (count, directory) = match created {
            Some((count, directory)) => (count, Some(directory)),
            None => (0, None),
        };
        Frames {
            count,
            chunks: (0..count.div_ceil(CHUNK_FRAMES)).map(|_| OnceLock::new()).collect(),
            directory,
            shards: (0..shard_count(count)).map(|_| Mutex::default()).collect(),
        }
    }

    /// Returns the number of frames that hold a piece.
    pub(super) fn filled(&self) -> usize {
        (0..self.shards.len()).map(|number| self.lock_shard(number).filled()).sum()
    }

    /// Returns the maximum memory that the directory takes.
    #[cfg(test)]
    pub(super) fn directory_bytes(&self) -> usize {
        self.directory.as_ref().map_or(0, Directory::bytes)
    }

    /// Returns a word of a piece, if the piece is in a frame.
    #[inline]
    pub(super) fn word(&self, piece: Piece, number: usize) -> Option<u64> {
        let found = self.directory.as_ref()?.find(piece)?;
        let words = self.words(found.frame)?;
        let word = words[word_offset(found.frame, number)].load(Ordering::Relaxed);
        // Pairs with the fence in `fill`: if the word is of a later fill, the entry is seen
        // to have changed.
        fence(Ordering::Acquire);
        found.is_unchanged().then_some(word)
    }

    /// Caches the pieces of a block, which begins with `first`, as far as there is memory.
    pub(super) fn insert(&self, first: Piece, bytes: &[u8]) {
        let Some(directory) = &self.directory else { return };
        let mut shard = self.lock_shard(first.shard);
        for (number, bytes) in (first.number..).zip(bytes.chunks(FRAME_BYTES)) {
            let piece = Piece { number, ..first };
            // Another thread may have inserted it first.
            if directory.find(piece).is_some() {
                continue;
            }
            let Some(entry) = directory.choose_entry(piece, first.number) else { continue };
            let Some(at) = shard.take_frame(self, directory, entry, piece.shard) else { return };
            self.fill(directory, &mut shard, at, entry, piece, bytes);
        }
    }

    /// Copies a piece into the frame at position `at` of its shard, and assigns the frame to the
    /// entry.
    fn fill(
        &self,
        directory: &Directory,
        shard: &mut Shard,
        at: usize,
        entry: usize,
        piece: Piece,
        bytes: &[u8],
    ) {
        let frame = self.frame(piece.shard, at);
        // Readers that see a new word or key must also see that the old entry is empty.
        fence(Ordering::Release);
        if let Some(words) = self.words(frame) {
            for (number, bytes) in bytes.chunks(WORD_BYTES).enumerate() {
                let mut padded = [0; WORD_BYTES];
                padded[..bytes.len()].copy_from_slice(bytes);
                let word = &words[word_offset(frame, number)];
                word.store(u64::from_le_bytes(padded), Ordering::Relaxed);
            }
        }
        shard.generation += 1;
        directory.assign(entry, piece.number, frame, shard.generation);
        shard.entries[at] = Some(entry as u32);
    }

    /// Frees the frames that hold pieces with these numbers.
    pub(super) fn remove(&self, numbers: &Range<u64>) {
        let Some(directory) = &self.directory else { return };
        for number in 0..self.shards.len() {
            let mut shard = self.lock_shard(number);
            for at in 0..shard.entries.len() {
                let number = shard.entries[at].and_then(|entry| directory.number(entry as usize));
                if number.is_some_and(|number| numbers.contains(&number)) {
                    shard.vacate(directory, at);
                    shard.free.push(at);
                }
            }
        }
    }

    /// Returns a frame's words, if its memory is allocated.
    #[inline]
    fn words(&self, frame: usize) -> Option<&[AtomicU64; FRAME_WORDS]> {
        let words = self.chunks.get(frame / CHUNK_FRAMES)?.get()?;
        words.as_chunks().0.get(frame % CHUNK_FRAMES)
    }

    /// Returns a frame's words, allocating memory if needed; `None` if the system has none.
    fn words_or_allocate(&self, frame: usize) -> Option<&[AtomicU64; FRAME_WORDS]> {
        let chunk = frame / CHUNK_FRAMES;
        if self.chunks[chunk].get().is_none() {
            let frames = CHUNK_FRAMES.min(self.count - chunk * CHUNK_FRAMES);
            let words = AtomicWords::new(frames * FRAME_WORDS).ok()?;
            self.chunks[chunk].get_or_init(|| words);
        }
        self.words(frame)
    }

    /// Locks a shard.
    fn lock_shard(&self, number: usize) -> MutexGuard<'_, Shard> {
        // No operation under the lock panics halfway, so that a poisoned shard is sound.
        self.shards[number].lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Returns the number, among all frames, of the frame at position `at` of a shard.
    fn frame(&self, shard: usize, at: usize) -> usize {
        at * self.shards.len() + shard
    }
}

/// Returns the number of shards for that many frames.
fn shard_count(frames: usize) -> usize {
    1 << (frames / MIN_SHARD_FRAMES).clamp(1, MAX_SHARDS).ilog2()
}

/// Returns the offset in a frame of a word of its piece. Frames are rotated by different
/// amounts: the first words of all pieces are read most, and would otherwise compete for the
/// same few sets of the processor's caches.
#[inline]
fn word_offset(frame: usize, word: usize) -> usize {
    (word + frame * LINE_WORDS) % FRAME_WORDS
}

impl Shard {
    /// Returns the number of frames that hold a piece.
    fn filled(&self) -> usize {
        self.entries.len() - self.free.len()
    }

    /// Takes a frame for a new piece in `entry` and returns its position in the shard: the
    /// frame of the entry, if it has one, or else a free or evicted one.
    fn take_frame(
        &mut self,
        frames: &Frames,
        directory: &Directory,
        entry: usize,
        shard: usize,
    ) -> Option<usize> {
        match directory.frame(entry) {
            Some(frame) => self.vacate(directory, frame / frames.shards.len()),
            None => self.free_frame(frames, directory, shard),
        }
    }

    fn free_frame(
        &mut self,
        frames: &Frames,
        directory: &Directory,
        shard: usize,
    ) -> Option<usize> {
        if let Some(at) = self.free.pop() {
            return Some(at);
        }
        let at = self.entries.len();
        let frame = frames.frame(shard, at);
        if frame < frames.count && frames.words_or_allocate(frame).is_some() {
            self.entries.push(None);
            return Some(at);
        }
        self.evict(directory)
    }

    /// Evicts a piece by the clock algorithm.
    fn evict(&mut self, directory: &Directory) -> Option<usize> {
        // Readers keep marking pieces: after one round, any of them is evicted.
        let mut spared = self.entries.len();
        loop {
            let at = self.hand;
            self.hand = (at + 1) % self.entries.len().max(1);
            let entry = *self.entries.get(at)?;
            if spared > 0 && entry.is_some_and(|entry| directory.take_used(entry as usize)) {
                spared -= 1;
                continue;
            }
            return self.vacate(directory, at);
        }
    }

    /// Clears the entry of a frame, and returns the frame.
    fn vacate(&mut self, directory: &Directory, at: usize) -> Option<usize> {
        let entry = self.entries.get_mut(at)?.take()?;
        directory.clear(entry as usize);
        Some(at)
    }
}
