//! Which frame a piece is in: a bounded table that is read without a lock.
//!
//! It has lines of memory with four *entries* each: as many lines as there are frames, or up
//! to half as few. Each share has its part of them. A piece is in one of eight entries or in
//! none. Four are those of the line where its number is, counting round and round: pieces
//! that follow each other are found together. If these are taken by pieces of other rounds,
//! there are four more in a line that is scattered, and only if they are taken too, one of
//! the eight gives way before the frames are full.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::system::mapping::AtomicWords;

/// The name of no frame; of 0 frames.
const EMPTY: u64 = 0;
/// A name's low bits are its frame's number and 1, the others the turn in which the frame
/// was filled.
const FRAME_BITS: u32 = 28;
/// A terabyte of them.
pub(super) const MOST_FRAMES: usize = (1 << FRAME_BITS) - 1;
/// A key is its piece's number, and in the lowest bit whether the piece was read since the
/// clock came to it.
const USED: u64 = 1;

const WAYS: usize = 4;
const ENTRY_WORDS: usize = 2;

/// Scatters what is multiplied by it over the highest bits: the golden ratio.
const SCATTER: u64 = 0x9e37_79b9_7f4a_7c15;

/// The entries of all pieces that are in frames. Whoever changes one holds the lock of its
/// share.
pub(super) struct Directory {
    words: AtomicWords,
    /// How many bits the number of an entry has among those of its share.
    bits: u32,
}

/// A piece, of a table's block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Piece {
    /// The share that it belongs to.
    pub share: usize,
    /// Its number in the share, which no other piece has or will have.
    pub number: u64,
}

/// A piece that was found in an entry, and what the entry said.
pub(super) struct Found<'a> {
    entry: &'a [AtomicU64; ENTRY_WORDS],
    name: u64,
    pub frame: usize,
    is_used: bool,
}

impl Directory {
    /// For so many frames in so many shares, a power of two that is no larger; `None` if the
    /// system has not the memory.
    pub(super) fn new(frames: usize, shares: usize) -> Option<Directory> {
        let bits = (WAYS * frames).ilog2();
        let words = AtomicWords::new(ENTRY_WORDS << bits).ok()?;
        Some(Directory { words, bits: bits - shares.ilog2() })
    }

    /// The memory that it takes at the most.
    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        size_of_val(&*self.words)
    }

    /// The entry of a share that is a number's, counting round and round: each round in an
    /// order of its own, so that what is far apart does not meet at equal distances.
    #[inline]
    fn entry_of(&self, share: usize, number: u64) -> usize {
        let number = number ^ number >> self.bits;
        share << self.bits | (number & !(u64::MAX << self.bits)) as usize
    }

    /// The entries that a piece can be in, the first of which is its own.
    fn entries_of(&self, piece: Piece) -> impl Iterator<Item = usize> + Clone + use<> {
        let scattered = piece.number.wrapping_mul(SCATTER) >> (u64::BITS - self.bits);
        let lines = [piece.number, scattered].map(|number| self.entry_of(piece.share, number));
        lines.into_iter().flat_map(|own| (0..WAYS).map(move |way| own ^ way))
    }

    /// Where a piece is, if it is in a frame.
    #[inline]
    pub(super) fn find(&self, piece: Piece) -> Option<Found<'_>> {
        match self.find_at(self.entry_of(piece.share, piece.number), piece.number) {
            None => self.find_beside(piece),
            found => found,
        }
    }

    #[cold]
    fn find_beside(&self, piece: Piece) -> Option<Found<'_>> {
        self.entries_of(piece).skip(1).find_map(|entry| self.find_at(entry, piece.number))
    }

    #[inline]
    fn find_at(&self, entry: usize, number: u64) -> Option<Found<'_>> {
        let entry = self.entry(entry)?;
        // In this order: a key that comes later than the name is that of a later filling,
        // whose name is another.
        let name = entry[0].load(Ordering::Acquire);
        let key = entry[1].load(Ordering::Relaxed);
        if key >> 1 != number {
            return None;
        }
        Some(Found { entry, name, frame: frame(name)?, is_used: key & USED != 0 })
    }

    /// The entry that a piece is to have which has none: one that is free, or that of a
    /// piece which is to give way. None of its block does, which begins with that number.
    pub(super) fn entry_for(&self, piece: Piece, first: u64) -> Option<usize> {
        let free = self.entries_of(piece).find(|&entry| self.frame(entry).is_none());
        let block = first..piece.number;
        let is_other = |&entry: &usize| !self.number(entry).is_some_and(|n| block.contains(&n));
        let mut others = self.entries_of(piece).filter(is_other);
        let unread = || others.clone().find(|&entry| !self.was_used(entry));
        free.or_else(unread).or_else(|| others.next())
    }

    /// The frame that an entry names.
    pub(super) fn frame(&self, entry: usize) -> Option<usize> {
        frame(self.entry(entry)?[0].load(Ordering::Relaxed))
    }

    /// The number of the piece that an entry has or had.
    pub(super) fn number(&self, entry: usize) -> Option<u64> {
        Some(self.entry(entry)?[1].load(Ordering::Relaxed) >> 1)
    }

    /// Whether an entry's piece was read since the last time that this was asked.
    pub(super) fn was_used(&self, entry: usize) -> bool {
        let before = self.entry(entry).map(|entry| entry[1].fetch_and(!USED, Ordering::Relaxed));
        before.is_some_and(|key| key & USED != 0)
    }

    /// Makes an entry name no frame.
    pub(super) fn empty(&self, entry: usize) {
        if let Some(entry) = self.entry(entry) {
            entry[0].store(EMPTY, Ordering::Relaxed);
        }
    }

    /// Makes an entry that names no frame name one, in a turn that it has not had before.
    /// Whoever sees its new key must be able to see that it named none.
    pub(super) fn put(&self, entry: usize, number: u64, frame: usize, turn: u64) {
        if let Some(entry) = self.entry(entry) {
            entry[1].store(number << 1, Ordering::Relaxed);
            entry[0].store(turn << FRAME_BITS | (frame as u64 + 1), Ordering::Release);
        }
    }

    #[inline]
    fn entry(&self, entry: usize) -> Option<&[AtomicU64; ENTRY_WORDS]> {
        self.words.as_chunks().0.get(entry)
    }
}

impl Found<'_> {
    /// Whether the piece has been there all the time. If so, it counts as read.
    #[inline]
    pub(super) fn is_still_there(&self) -> bool {
        let [name, key] = self.entry;
        if name.load(Ordering::Relaxed) != self.name {
            return false;
        }
        // A store that changes nothing would take the line from other threads.
        if !self.is_used {
            // Another piece that has come there by now is spared for once.
            key.fetch_or(USED, Ordering::Relaxed);
        }
        true
    }
}

/// The frame that a name names.
#[inline]
fn frame(name: u64) -> Option<usize> {
    (name as usize & MOST_FRAMES).checked_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_reads_sees_that_a_piece_has_gone() {
        let directory = Directory::new(64, 1).unwrap();
        let piece = Piece { share: 0, number: 77 };
        assert!(directory.find(piece).is_none());
        let entry = directory.entry_for(piece, piece.number).unwrap();
        directory.put(entry, piece.number, 5, 1);
        let found = directory.find(piece).unwrap();
        assert_eq!(found.frame, 5);
        assert!(found.is_still_there());
        assert!(directory.was_used(entry) && !directory.was_used(entry));
        directory.empty(entry);
        assert!(!found.is_still_there() && directory.find(piece).is_none());
        // Back in the same frame, but in a later turn.
        directory.put(entry, piece.number, 5, 2);
        assert!(!found.is_still_there());
        assert!(directory.find(piece).unwrap().is_still_there());
    }
}
