//! Maps pieces to frames: a bounded hash table that is read without a lock.
//!
//! It consists of cache lines with four *entries* each: one line per frame, rounded down so
//! that their number is a power of two. Each shard owns an equal part of the lines. A piece
//! may be in one of eight entries. Four are in its home line, which is its number modulo the
//! number of lines, so that consecutive pieces are close together; four are in a second line,
//! chosen by a hash. Only if all eight are taken is one evicted before the frames are full.

use crate::system::mapping::AtomicWords;
use crate::system::sync::{AtomicU64, Ordering};

/// The tag of an empty entry.
const EMPTY: u64 = 0;
/// The low bits of a tag are the frame's number plus 1, the others the generation: the count
/// of fills of the shard when the frame was filled.
const FRAME_BITS: u32 = 28;
/// The maximum number of frames: a terabyte.
pub(super) const MAX_FRAMES: usize = (1 << FRAME_BITS) - 1;
/// The lowest bit of a key is set when the piece is read and cleared by the clock; the others
/// are the piece's number.
const USED: u64 = 1;

const WAYS: usize = 4;
const ENTRY_WORDS: usize = 2;

/// The multiplier of Fibonacci hashing, which mixes into the highest bits.
const GOLDEN_RATIO: u64 = 0x9e37_79b9_7f4a_7c15;

/// The entries of all cached pieces. Changing an entry requires the lock of its shard.
pub(super) struct Directory {
    words: AtomicWords,
    /// The number of bits of an entry's number within its shard.
    bits: u32,
}

/// A piece of a table's block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Piece {
    /// The shard that it belongs to.
    pub shard: usize,
    /// Its number in the shard, which is never reused.
    pub number: u64,
}

/// A piece that was found, with the state of its entry at that time.
pub(super) struct FoundPiece<'a> {
    entry: &'a [AtomicU64; ENTRY_WORDS],
    tag: u64,
    pub frame: usize,
    is_used: bool,
}

impl Directory {
    /// Creates a directory of `frames` frames in `shards` shards, a power of two that does not
    /// exceed `frames`; `None` if the system has not enough memory.
    pub(super) fn new(frames: usize, shards: usize) -> Option<Directory> {
        let bits = (WAYS * frames).ilog2();
        let words = AtomicWords::new(ENTRY_WORDS << bits).ok()?;
        Some(Directory { words, bits: bits - shards.ilog2() })
    }

    /// Returns the maximum memory that the directory takes.
    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        size_of_val(&*self.words)
    }

    /// Returns the entry of a shard for a number: its remainder after division by the number of
    /// entries, permuted differently for each quotient, so that numbers at equal distances do
    /// not all collide.
    #[inline]
    fn entry_of(&self, shard: usize, number: u64) -> usize {
        let mixed = number ^ number >> self.bits;
        shard << self.bits | (mixed & !(u64::MAX << self.bits)) as usize
    }

    /// Returns the entries that may hold a piece, its home entry first.
    fn entries_of(&self, piece: Piece) -> impl Iterator<Item = usize> + Clone + use<> {
        let scattered = piece.number.wrapping_mul(GOLDEN_RATIO) >> (u64::BITS - self.bits);
        let lines = [piece.number, scattered].map(|number| self.entry_of(piece.shard, number));
        lines.into_iter().flat_map(|home| (0..WAYS).map(move |way| home ^ way))
    }

    /// Finds a piece, if it is in a frame.
    #[inline]
    pub(super) fn find(&self, piece: Piece) -> Option<FoundPiece<'_>> {
        match self.find_at(self.entry_of(piece.shard, piece.number), piece.number) {
            None => self.find_elsewhere(piece),
            found => found,
        }
    }

    #[cold]
    fn find_elsewhere(&self, piece: Piece) -> Option<FoundPiece<'_>> {
        self.entries_of(piece).skip(1).find_map(|entry| self.find_at(entry, piece.number))
    }

    #[inline]
    fn find_at(&self, entry: usize, number: u64) -> Option<FoundPiece<'_>> {
        let words = self.entry(entry)?;
        // In this order: if the key belongs to a later fill than the tag, the tag has changed
        // by the time it is compared again.
        let tag = words[0].load(Ordering::Acquire);
        let key = words[1].load(Ordering::Relaxed);
        if key >> 1 != number {
            return None;
        }
        Some(FoundPiece { entry: words, tag, frame: frame_of(tag)?, is_used: key & USED != 0 })
    }

    /// Chooses an entry for a piece that has none: an empty one, or else that of a piece to
    /// evict, preferably one not read lately. Earlier pieces of its block, which begins with
    /// the number `first`, are not evicted.
    pub(super) fn choose_entry(&self, piece: Piece, first: u64) -> Option<usize> {
        let empty = self.entries_of(piece).find(|&entry| self.frame(entry).is_none());
        if empty.is_some() {
            return empty;
        }
        let block = first..piece.number;
        let mut others = self
            .entries_of(piece)
            .filter(|&entry| !self.number(entry).is_some_and(|number| block.contains(&number)));
        let unread = others.clone().find(|&entry| !self.take_used(entry));
        unread.or_else(|| others.next())
    }

    /// Returns the frame of an entry; `None` if the entry is empty.
    pub(super) fn frame(&self, entry: usize) -> Option<usize> {
        frame_of(self.entry(entry)?[0].load(Ordering::Relaxed))
    }

    /// Returns the number of the piece that an entry has, or had before it was cleared.
    pub(super) fn number(&self, entry: usize) -> Option<u64> {
        Some(self.entry(entry)?[1].load(Ordering::Relaxed) >> 1)
    }

    /// Returns whether an entry's piece has been read since the last call, and clears the mark.
    pub(super) fn take_used(&self, entry: usize) -> bool {
        let key = self.entry(entry).map(|words| words[1].fetch_and(!USED, Ordering::Relaxed));
        key.is_some_and(|key| key & USED != 0)
    }

    /// Empties an entry.
    pub(super) fn clear(&self, entry: usize) {
        if let Some(words) = self.entry(entry) {
            words[0].store(EMPTY, Ordering::Relaxed);
        }
    }

    /// Assigns a frame to an empty entry under a new generation. Readers of the new key must
    /// also see that the entry was empty: a release fence must come before.
    pub(super) fn assign(&self, entry: usize, number: u64, frame: usize, generation: u64) {
        if let Some(words) = self.entry(entry) {
            words[1].store(number << 1, Ordering::Relaxed);
            words[0].store(generation << FRAME_BITS | (frame as u64 + 1), Ordering::Release);
        }
    }

    #[inline]
    fn entry(&self, entry: usize) -> Option<&[AtomicU64; ENTRY_WORDS]> {
        self.words.as_chunks().0.get(entry)
    }
}

impl FoundPiece<'_> {
    /// Returns whether the entry is unchanged since the piece was found, and marks the piece
    /// as used if so.
    #[inline]
    pub(super) fn is_unchanged(&self) -> bool {
        let [tag, key] = self.entry;
        if tag.load(Ordering::Relaxed) != self.tag {
            return false;
        }
        // Skip a redundant store, which would invalidate the line in other caches.
        if !self.is_used {
            // If the entry has changed meanwhile, this marks another piece, which is harmless.
            key.fetch_or(USED, Ordering::Relaxed);
        }
        true
    }
}

/// Returns the frame of a tag; `None` for [`EMPTY`].
#[inline]
fn frame_of(tag: u64) -> Option<usize> {
    (tag as usize & MAX_FRAMES).checked_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readers_notice_that_a_piece_was_evicted() {
        let directory = Directory::new(64, 1).unwrap();
        let piece = Piece { shard: 0, number: 77 };
        assert!(directory.find(piece).is_none());
        let entry = directory.choose_entry(piece, piece.number).unwrap();
        directory.assign(entry, piece.number, 5, 1);
        let found = directory.find(piece).unwrap();
        assert_eq!(found.frame, 5);
        assert!(found.is_unchanged());
        assert!(directory.take_used(entry) && !directory.take_used(entry));
        directory.clear(entry);
        assert!(!found.is_unchanged() && directory.find(piece).is_none());
        // The same frame again, in a later generation.
        directory.assign(entry, piece.number, 5, 2);
        assert!(!found.is_unchanged());
        assert!(directory.find(piece).unwrap().is_unchanged());
    }
}
