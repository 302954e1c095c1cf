//! The division of the rows of a slice into units of work.

use std::ops::Range;

use crate::solve::rows::numbers::{BlockNumber, ChunkNumber};

/// The approximate number of rows of a task: small enough to balance the load and to keep its
/// buffers in the cache. Independent of threads and memory, so that results are, too.
const CHUNK_ROWS: usize = 1 << 14;

/// The approximate number of rows of a part of the initial pass, which is saved when it is
/// finished: some seconds of work.
const PART_ROWS: usize = 1 << 24;

/// The approximate number of rows that are merged together when they come from several partitions.
pub(crate) const WINDOW_ROWS: usize = 1 << 21;

/// Consecutive blocks, grouped in chunks. Blocks and chunks have their numbers in the whole slice;
/// a *place* is the index of a block within this range.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chunks {
    /// The number of the first chunk.
    first: usize,
    /// The number of blocks.
    pub blocks: usize,
    /// The number of blocks of a chunk; the last one may have fewer.
    pub chunk_blocks: usize,
    /// The number of rows of a block.
    pub block_rows: usize,
}

impl Chunks {
    /// Divides a whole slice.
    pub(crate) fn new(blocks: usize, block_rows: usize) -> Chunks {
        Chunks { first: 0, blocks, chunk_blocks: (CHUNK_ROWS / block_rows).max(1), block_rows }
    }

    /// Changes the size of a chunk.
    #[cfg(test)]
    pub(crate) fn of_blocks(self, chunk_blocks: usize) -> Chunks {
        Chunks { chunk_blocks, ..self }
    }

    /// Returns a range of the chunks.
    pub(crate) fn some(self, numbers: Range<usize>) -> Chunks {
        let blocks = self.first_place(numbers.end) - self.first_place(numbers.start);
        Chunks { first: numbers.start, blocks, ..self }
    }

    /// Returns the number of chunks.
    pub(crate) fn count(self) -> usize {
        self.blocks.div_ceil(self.chunk_blocks)
    }

    /// Returns the number of rows of all chunks.
    pub(crate) fn rows(self) -> usize {
        self.blocks * self.block_rows
    }

    /// Returns the number of rows of a full chunk; the last one may have fewer.
    pub(crate) fn chunk_rows(self) -> usize {
        self.chunk_blocks * self.block_rows
    }

    /// Returns the number of chunks of a part of the initial pass; the last part may have fewer.
    pub(crate) fn part_chunks(self) -> usize {
        (PART_ROWS / self.chunk_rows()).max(1)
    }

    /// Returns the number of chunks that are merged together.
    pub(crate) fn window_chunks(self) -> usize {
        (WINDOW_ROWS / self.chunk_rows()).max(1)
    }

    /// Returns the numbers of all chunks.
    pub(crate) fn numbers(self) -> impl Iterator<Item = ChunkNumber> {
        (0..self.count()).map(move |at| self.number(at))
    }

    /// Returns the number of the chunk at an index of this range.
    pub(crate) fn number(self, at: usize) -> ChunkNumber {
        ChunkNumber::new(self.first + at)
    }

    /// Returns the number of the block at a place.
    pub(crate) fn block(self, place: usize) -> BlockNumber {
        BlockNumber::new(self.first * self.chunk_blocks + place)
    }

    /// Returns the places of a chunk's blocks.
    pub(crate) fn places_of(self, chunk: ChunkNumber) -> Range<usize> {
        let at = chunk.index() - self.first;
        self.first_place(at)..self.first_place(at + 1)
    }

    /// Returns the place of the first block of the chunk at an index of this range.
    #[inline]
    fn first_place(self, at: usize) -> usize {
        (at * self.chunk_blocks).min(self.blocks)
    }

    /// Returns the number of rows of a chunk.
    pub(crate) fn rows_of(self, chunk: ChunkNumber) -> usize {
        self.places_of(chunk).len() * self.block_rows
    }

    /// Returns the numbers of a chunk's blocks.
    pub(crate) fn blocks_of(self, chunk: ChunkNumber) -> Range<usize> {
        let places = self.places_of(chunk);
        self.block(places.start).index()..self.block(places.end).index()
    }
}
