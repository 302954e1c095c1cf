//! The bit tables of an outcome, all by row. There are two ways to hold them and to work
//! out a ply on them: [in memory](super::in_memory) and [in partitions](super::in_partitions).

use std::time::Duration;

use crate::solve::plies::chunks::Chunks;
use crate::solve::plies::history::History;
use crate::solve::plies::ply::Advance;
use crate::solve::rows::row::{Event, Row};
use crate::solve::store::{ScratchError, StageWriter};

/// Where the tables of the outcome in progress are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Storage {
    /// All in memory.
    Memory,
    /// In so many partitions, of which one at a time is in memory.
    Partitions(usize),
}

impl Storage {
    /// Whether tables wait packed on the disk: if one of so many ranks has more than one
    /// partition, all do the same.
    pub(crate) fn is_packed(self, ranks: usize) -> bool {
        matches!(self, Storage::Partitions(partitions) if partitions > ranks)
    }
}

/// The tables of an outcome, and how to work out a ply on them.
pub(crate) trait Tables {
    /// How often [`begin`](Tables::begin) goes through the rows.
    fn passes(&self) -> u64;

    /// Makes the tables what they are before the next ply; `done` is told the rows that
    /// have been seen to, in each pass.
    ///
    /// # Errors
    /// If what is known cannot be read, or the disk fails or is full.
    fn begin(&mut self, history: &History, advance: Advance) -> Result<(), ScratchError>;

    /// Works out the next ply, after [`begin`](Tables::begin) or the one before it;
    /// a rank of a build that has no rows has no log; `done` is told the rows that have
    /// been seen to.
    ///
    /// # Errors
    /// If what is known cannot be read, or the disk fails or is full.
    fn ply(
        &mut self,
        history: &History,
        log: Option<&StageWriter>,
        advance: Advance,
    ) -> Result<PlyStats, ScratchError>;
}

/// What a ply has come to, on this rank.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PlyStats {
    /// Rows of which it found something.
    pub rows: usize,
    /// How long all workers together have put rows together for other partitions.
    pub packing: Duration,
}

/// A table of which only the rows of one chunk at a time are looked at together, so that
/// it need not be in memory.
pub(crate) trait Table<const N: usize> {
    /// By chunk: its rows.
    type Chunk<'t>: TableChunk<N>
    where
        Self: 't;

    /// All chunks in their order.
    fn chunks(&mut self, chunks: Chunks) -> Vec<Self::Chunk<'_>>;
}

/// The rows of a chunk.
pub(crate) trait TableChunk<const N: usize>: Send {
    /// The rows.
    ///
    /// # Errors
    /// If the disk fails, or has changed them.
    fn rows(&mut self) -> Result<&[Row<N>], ScratchError>;

    /// Puts lanes in where they are not, and takes them out where they are.
    ///
    /// # Errors
    /// If the disk fails, is full, or has changed the rows.
    fn flip(&mut self, events: &[Event<N>]) -> Result<(), ScratchError>;
}

impl<const N: usize> Table<N> for Vec<Row<N>> {
    type Chunk<'t> = &'t mut [Row<N>];

    fn chunks(&mut self, chunks: Chunks) -> Vec<&mut [Row<N>]> {
        self.chunks_mut(chunks.chunk_rows()).collect()
    }
}

impl<const N: usize> TableChunk<N> for &mut [Row<N>] {
    fn rows(&mut self) -> Result<&[Row<N>], ScratchError> {
        Ok(self)
    }

    fn flip(&mut self, events: &[Event<N>]) -> Result<(), ScratchError> {
        flip(self, events);
        Ok(())
    }
}

/// Puts lanes into rows where they are not, and takes them out where they are.
pub(crate) fn flip<const N: usize>(rows: &mut [Row<N>], events: &[Event<N>]) {
    for event in events {
        let row = &mut rows[event.row.index()];
        *row = *row ^ event.lanes;
    }
}
