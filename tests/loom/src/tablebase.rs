//! The cache of decoded blocks.

#[path = "../../../src/tablebase/directory.rs"]
mod directory;
#[path = "../../../src/tablebase/frames.rs"]
mod frames;

use std::ops::Range;

use directory::Piece;
use frames::Frames;

/// A cache of one shard, whose pieces have one word each.
pub struct Cache(Frames);

impl Cache {
    /// Creates an empty cache of that many frames.
    pub fn new(frames: usize) -> Cache {
        Cache(Frames::new(frames))
    }

    /// Returns the word of a piece, if it is cached.
    pub fn word(&self, number: u64) -> Option<u64> {
        self.0.word(Piece { shard: 0, number }, 0)
    }

    /// Caches the word of a piece.
    pub fn insert(&self, number: u64, word: u64) {
        self.0.insert(Piece { shard: 0, number }, &word.to_le_bytes());
    }

    /// Frees the frames of pieces with these numbers.
    pub fn remove(&self, numbers: &Range<u64>) {
        self.0.remove(numbers);
    }
}
