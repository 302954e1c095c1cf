//! How the rows of a slice are shared out among workers.

use std::ops::Range;

use crate::solve::rows::numbers::{ChunkNumber, ChunkRow};

/// Rows that one task works on, about: enough to share out evenly, and few
/// enough for its buffers to stay in the cache. Independent of the number of
/// threads and of memory, so that results are, too.
const CHUNK_ROWS: usize = 1 << 14;

/// Rows of the initial pass that are kept as soon as they are done, about: some
/// seconds of work.
const PART_ROWS: usize = 1 << 24;

/// Chunks of consecutive blocks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chunks {
    /// All blocks.
    pub blocks: usize,
    /// Blocks of a chunk; the last one may have fewer.
    pub chunk_blocks: usize,
    /// Rows of a block.
    pub block_rows: usize,
}

impl Chunks {
    /// Chunks for that many blocks of so many rows.
    pub(crate) fn new(blocks: usize, block_rows: usize) -> Chunks {
        Chunks { blocks, chunk_blocks: (CHUNK_ROWS / block_rows).max(1), block_rows }
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

    /// The blocks of a chunk.
    pub(crate) fn blocks_of(self, chunk: ChunkNumber) -> Range<usize> {
        self.blocks_of_all(&(chunk.index()..chunk.index() + 1))
    }

    /// The blocks of a range of chunks.
    pub(crate) fn blocks_of_all(self, chunks: &Range<usize>) -> Range<usize> {
        let first = |chunk: usize| (chunk * self.chunk_blocks).min(self.blocks);
        first(chunks.start)..first(chunks.end)
    }

    /// The numbers of all chunks.
    pub(crate) fn numbers(self) -> impl Iterator<Item = ChunkNumber> {
        (0..self.count()).map(ChunkNumber::new)
    }

    /// The place among its chunk's blocks of the block that a row is in.
    pub(crate) fn block_with(self, row: ChunkRow) -> usize {
        row.index() / self.block_rows
    }

    /// The rows of a range of chunks.
    pub(crate) fn rows_of(self, chunks: &Range<usize>) -> Range<usize> {
        let blocks = self.blocks_of_all(chunks);
        blocks.start * self.block_rows..blocks.end * self.block_rows
    }
}

/// All chunks in consecutive ranges of so many.
pub(crate) fn ranges(chunks: Chunks, size: usize) -> impl Iterator<Item = Range<usize>> {
    let count = chunks.count();
    (0..count).step_by(size.max(1)).map(move |first| first..(first + size).min(count))
}
