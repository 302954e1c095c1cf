//! The memory of a cache: frames of 4 KiB, filled and emptied under locks.

use std::iter;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering, fence};
use std::sync::{Mutex, MutexGuard, OnceLock};

use crate::system::mapping::AtomicWords;

use super::directory::{Directory, MOST_FRAMES, Piece};

pub(super) const FRAME_BYTES: usize = 1 << 12;
pub(super) const WORD_BYTES: usize = size_of::<u64>();
const FRAME_WORDS: usize = FRAME_BYTES / WORD_BYTES;
/// The words of a line of memory.
const LINE_WORDS: usize = 64 / WORD_BYTES;
/// Frames that get their memory together: one large page.
const CHUNK_FRAMES: usize = 512;
pub(super) const MOST_SHARES: usize = 16;
/// Fewer frames than that have no use for several locks.
const LEAST_SHARE: usize = 64;

/// The frames of a cache, and which pieces are in them.
pub(super) struct Frames {
    pub count: usize,
    chunks: Box<[OnceLock<AtomicWords>]>,
    /// `None` if there are no frames.
    directory: Option<Directory>,
    /// A power of two of them.
    pub shares: Box<[Mutex<Share>]>,
}

/// A part of the directory, and every `shares.len()`th of the frames.
#[derive(Default)]
pub(super) struct Share {
    /// The entries of the frames that have ever been filled; nothing for those that are
    /// free.
    entries: Vec<Option<u32>>,
    /// Frames that were filled once and hold nothing.
    free: Vec<usize>,
    hand: usize,
    turn: u64,
}

impl Frames {
    /// So many, without memory as yet; fewer if the system has no memory to find more
    /// again.
    pub(super) fn new(count: usize) -> Frames {
        let shares = |count: usize| 1 << (count / LEAST_SHARE).clamp(1, MOST_SHARES).ilog2();
        let counts = iter::successors(Some(count.min(MOST_FRAMES)), |count| Some(count / 2));
        let mut counts = counts.take_while(|&count| count > 0);
        let found = counts.find_map(|count| Some((count, Directory::new(count, shares(count))?)));
        let (count, directory) = found.unzip();
        let count = count.unwrap_or(0);
        Frames {
            count,
            chunks: (0..count.div_ceil(CHUNK_FRAMES)).map(|_| OnceLock::new()).collect(),
            directory,
            shares: (0..shares(count)).map(|_| Mutex::default()).collect(),
        }
    }

    /// How many hold a piece.
    pub(super) fn filled(&self) -> usize {
        let filled = |share: &Share| share.entries.len() - share.free.len();
        (0..self.shares.len()).map(|number| filled(&self.share(number))).sum()
    }

    /// The memory that it takes to find the frames, at the most.
    #[cfg(test)]
    pub(super) fn directory_bytes(&self) -> usize {
        self.directory.as_ref().map_or(0, Directory::bytes)
    }

    /// A word of a piece, if the piece is in a frame.
    #[inline]
    pub(super) fn word(&self, piece: Piece, number: usize) -> Option<u64> {
        let found = self.directory.as_ref()?.find(piece)?;
        let words = self.words(found.frame)?;
        let word = words[place(found.frame, number)].load(Ordering::Relaxed);
        // If it is of a later filling, the entry is seen to have been emptied.
        fence(Ordering::Acquire);
        found.is_still_there().then_some(word)
    }

    /// Puts into frames what is not there of a block, of which this is the first piece, as
    /// far as there is memory.
    pub(super) fn keep(&self, first: Piece, bytes: &[u8]) {
        let Some(directory) = &self.directory else { return };
        let mut share = self.share(first.share);
        for (number, bytes) in (first.number..).zip(bytes.chunks(FRAME_BYTES)) {
            let piece = Piece { number, ..first };
            // Another thread may have been faster.
            if directory.find(piece).is_some() {
                continue;
            }
            let Some(entry) = directory.entry_for(piece, first.number) else { continue };
            let Some(at) = share.room(self, directory, entry, piece.share) else { return };
            self.fill(directory, &mut share, at, entry, piece, bytes);
        }
    }

    fn fill(
        &self,
        directory: &Directory,
        share: &mut Share,
        at: usize,
        entry: usize,
        piece: Piece,
        bytes: &[u8],
    ) {
        let frame = self.frame(piece.share, at);
        // The old entry is seen to be empty by whoever sees a new word or key.
        fence(Ordering::Release);
        if let Some(words) = self.words(frame) {
            for (number, bytes) in bytes.chunks(WORD_BYTES).enumerate() {
                let mut whole = [0; WORD_BYTES];
                whole[..bytes.len()].copy_from_slice(bytes);
                let word = &words[place(frame, number)];
                word.store(u64::from_le_bytes(whole), Ordering::Relaxed);
            }
        }
        share.turn += 1;
        directory.put(entry, piece.number, frame, share.turn);
        share.entries[at] = Some(entry as u32);
    }

    /// Empties the frames that hold pieces with these numbers.
    pub(super) fn forget(&self, numbers: &Range<u64>) {
        let Some(directory) = &self.directory else { return };
        for number in 0..self.shares.len() {
            let mut share = self.share(number);
            for at in 0..share.entries.len() {
                let number = share.entries[at].and_then(|entry| directory.number(entry as usize));
                if number.is_some_and(|number| numbers.contains(&number)) {
                    share.vacate(directory, at);
                    share.free.push(at);
                }
            }
        }
    }

    /// A frame's words, if it has ever had memory.
    #[inline]
    fn words(&self, frame: usize) -> Option<&[AtomicU64; FRAME_WORDS]> {
        let words = self.chunks.get(frame / CHUNK_FRAMES)?.get()?;
        words.as_chunks().0.get(frame % CHUNK_FRAMES)
    }

    /// The same, with memory asked for if need be; `None` if there is none left.
    fn words_or_new(&self, frame: usize) -> Option<&[AtomicU64; FRAME_WORDS]> {
        let chunk = frame / CHUNK_FRAMES;
        if self.chunks[chunk].get().is_none() {
            let frames = CHUNK_FRAMES.min(self.count - chunk * CHUNK_FRAMES);
            let words = AtomicWords::new(frames * FRAME_WORDS).ok()?;
            self.chunks[chunk].get_or_init(|| words);
        }
        self.words(frame)
    }

    /// One share, for this thread only.
    fn share(&self, number: usize) -> MutexGuard<'_, Share> {
        // Nothing that is done under the lock can panic halfway.
        self.shares[number].lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// The number of a share's frame among all frames.
    fn frame(&self, share: usize, at: usize) -> usize {
        at * self.shares.len() + share
    }
}

/// Where in a frame its word of that number is. Each frame begins elsewhere: what is first
/// in every frame is read most, and would else have the same few places in the processor's
/// caches.
#[inline]
fn place(frame: usize, word: usize) -> usize {
    (word + frame * LINE_WORDS) % FRAME_WORDS
}

impl Share {
    /// A frame that an entry may name, by its place in the share; no entry names it any
    /// more. If the entry names one, it is that.
    fn room(
        &mut self,
        frames: &Frames,
        directory: &Directory,
        entry: usize,
        share: usize,
    ) -> Option<usize> {
        match directory.frame(entry) {
            Some(frame) => self.vacate(directory, frame / frames.shares.len()),
            None => self.vacant(frames, directory, share),
        }
    }

    fn vacant(&mut self, frames: &Frames, directory: &Directory, share: usize) -> Option<usize> {
        if let Some(at) = self.free.pop() {
            return Some(at);
        }
        let at = self.entries.len();
        let frame = frames.frame(share, at);
        if frame < frames.count && frames.words_or_new(frame).is_some() {
            self.entries.push(None);
            return Some(at);
        }
        self.evict(directory)
    }

    fn evict(&mut self, directory: &Directory) -> Option<usize> {
        // Readers may go on marking pieces: after one round any of them will do.
        let mut spared = self.entries.len();
        loop {
            let at = self.hand;
            self.hand = (at + 1) % self.entries.len().max(1);
            let entry = *self.entries.get(at)?;
            if spared > 0 && entry.is_some_and(|entry| directory.was_used(entry as usize)) {
                spared -= 1;
                continue;
            }
            return self.vacate(directory, at);
        }
    }

    /// Empties the entry that names the frame.
    fn vacate(&mut self, directory: &Directory, at: usize) -> Option<usize> {
        let entry = self.entries.get_mut(at)?.take()?;
        directory.empty(entry as usize);
        Some(at)
    }
}
