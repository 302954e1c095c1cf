//! How the rows of a slice are shared out among workers.

use std::ops::Range;

use crate::solve::rows::numbers::{BlockNumber, ChunkNumber, ChunkRow};

/// Rows that one task works on, about: enough to divide evenly, and few
/// enough for its buffers to stay in the cache. Independent of the number of
/// threads and of memory, so that results are, too.
const CHUNK_ROWS: usize = 1 << 14;

/// Rows of the initial pass that are kept as soon as they are done, about: some
/// seconds of work.
const PART_ROWS: usize = 1 << 24;

/// Rows that are looked at together when they come from several partitions, about.
pub(crate) const WINDOW_ROWS: usize = 1 << 21;

/// Consecutive blocks in chunks. Blocks and chunks have their numbers in the whole slice;
/// a *place* is a block's number among these.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chunks {
    /// The number of the first chunk.
    first: usize,
    /// How many blocks there are.
    pub blocks: usize,
    /// Blocks of a chunk; the last one may have fewer.
    pub chunk_blocks: usize,
    /// Rows of a block.
    pub block_rows: usize,
}

impl Chunks {
    /// All of a slice, with that many blocks of so many rows.
    pub(crate) fn new(blocks: usize, block_rows: usize) -> Chunks {
        Chunks { first: 0, blocks, chunk_blocks: (CHUNK_ROWS / block_rows).max(1), block_rows }
    }

    /// The same in chunks of so many blocks.
    #[cfg(test)]
    pub(crate) fn of_blocks(self, chunk_blocks: usize) -> Chunks {
        Chunks { chunk_blocks, ..self }
    }

    /// Some of all chunks, by their numbers.
    pub(crate) fn some(self, numbers: Range<usize>) -> Chunks {
        let first_block = |number: usize| (number * self.chunk_blocks).min(self.blocks);
        let blocks = first_block(numbers.end) - first_block(numbers.start);
        Chunks { first: numbers.start, blocks, ..self }
    }

    /// How many chunks there are.
    pub(crate) fn count(self) -> usize {
        self.blocks.div_ceil(self.chunk_blocks)
    }

    /// The rows of all chunks.
    pub(crate) fn rows(self) -> usize {
        self.blocks * self.block_rows
    }

    /// Rows of a chunk; the last one may have fewer.
    pub(crate) fn chunk_rows(self) -> usize {
        self.chunk_blocks * self.block_rows
    }

    /// Chunks of a part of the initial pass; the last one may have fewer.
    pub(crate) fn part_chunks(self) -> usize {
        (PART_ROWS / self.chunk_rows()).max(1)
    }

    /// Chunks that are looked at together.
    pub(crate) fn window_chunks(self) -> usize {
        (WINDOW_ROWS / self.chunk_rows()).max(1)
    }

    /// The numbers of all chunks.
    pub(crate) fn numbers(self) -> impl Iterator<Item = ChunkNumber> {
        (0..self.count()).map(move |at| self.number(at))
    }

    /// The number of the chunk that comes after so many of these.
    pub(crate) fn number(self, at: usize) -> ChunkNumber {
        ChunkNumber::new(self.first + at)
    }

    /// The number of the block at that place.
    pub(crate) fn block(self, place: usize) -> BlockNumber {
        BlockNumber::new(self.first * self.chunk_blocks + place)
    }

    /// The places of a chunk's blocks.
    pub(crate) fn places_of(self, chunk: ChunkNumber) -> Range<usize> {
        let first = |at: usize| (at * self.chunk_blocks).min(self.blocks);
        let at = chunk.index() - self.first;
        first(at)..first(at + 1)
    }

    /// How many rows a chunk has.
    pub(crate) fn rows_of(self, chunk: ChunkNumber) -> usize {
        self.places_of(chunk).len() * self.block_rows
    }

    /// The numbers of a chunk's blocks.
    pub(crate) fn blocks_of(self, chunk: ChunkNumber) -> Range<usize> {
        let places = self.places_of(chunk);
        self.block(places.start).index()..self.block(places.end).index()
    }

    /// The place among its chunk's blocks of the block that a row is in.
    pub(crate) fn block_with(self, row: ChunkRow) -> usize {
        row.index() / self.block_rows
    }
}
