//! The bit tables of an outcome, by row. There are two implementations: [in
//! memory](super::in_memory) and [in partitions](super::in_partitions).

use std::time::Duration;

use crate::solve::plies::history::History;
use crate::solve::rows::row::{Event, Row};
use crate::solve::store::{ScratchError, StageWriter};
use crate::table::progress::Progress;

/// Where the tables of the current outcome are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Storage {
    /// All in memory.
    Memory,
    /// In that many partitions, of which each rank has one at a time in memory.
    Partitions(usize),
}

impl Storage {
    /// Returns `true` if tables are packed on disk while others are worked on. If one rank has more
    /// than one partition, all ranks pack theirs.
    pub(crate) fn is_packed(self, ranks: usize) -> bool {
        matches!(self, Storage::Partitions(partitions) if partitions > ranks)
    }
}

/// The tables of an outcome, and the computation of plies on them.
pub(crate) trait Tables {
    /// Returns the number of passes of [`begin`](Tables::begin) over the rows.
    fn passes(&self) -> u64;

    /// Brings the tables into the state before the next ply. Reports finished rows in each pass.
    ///
    /// # Errors
    /// If the state cannot be read, or the disk fails or is full.
    fn begin(&mut self, history: &History, progress: &dyn Progress) -> Result<(), ScratchError>;

    /// Computes the next ply, after [`begin`](Tables::begin) or the ply before it. Reports finished
    /// rows. A rank without rows has no log.
    ///
    /// # Errors
    /// If seeds cannot be read, or the disk fails or is full.
    fn ply(
        &mut self,
        history: &History,
        log: Option<&StageWriter>,
        progress: &dyn Progress,
    ) -> Result<PlyStats, ScratchError>;
}

/// The result of a ply on this rank.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PlyStats {
    /// The number of rows with findings.
    pub rows: usize,
    /// The time that all workers together have spent packing rows for other partitions.
    pub packing: Duration,
}

/// Flips lanes: sets those that are not set and clears those that are.
pub(crate) fn flip<const N: usize>(rows: &mut [Row<N>], events: &[Event<N>]) {
    for event in events {
        let row = &mut rows[event.row.index()];
        *row = *row ^ event.lanes;
    }
}
