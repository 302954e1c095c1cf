//! The bit tables of an outcome, all by row. There are two ways to hold them and to work
//! out a ply on them: [in memory](super::in_memory) and [on disk](super::on_disk).

use crate::solve::plies::frontier::Frontier;
use crate::solve::plies::ply::{Given, Ply};
use crate::solve::rows::numbers::ChunkNumber;
use crate::solve::rows::row::Row;
use crate::solve::store::{ScratchError, StageFile};
use crate::value::Plies;

/// Where the tables of the outcome in progress are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Storage {
    /// All in memory.
    Memory,
    /// In files, of which ranges are mapped into memory: one range of chunks is
    /// worked on, while others, one after the other, are looked at.
    Disk {
        /// How many chunks are worked on at a time.
        own_chunks: usize,
        /// How many chunks are looked at at a time.
        window_chunks: usize,
    },
}

/// The rows of a chunk, or of all chunks, in each table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EachTable<T> {
    /// The winner to move and known to win. Lanes without a position are set,
    /// too: nothing is sought there.
    pub won: T,
    /// The loser to move and not yet known to lose; only captures that are
    /// known to lose, and moves that capture nothing, are left to him.
    pub open: T,
    /// The loser to move and found to lose at the last ply.
    pub lost: T,
}

/// What is done to the tables of a chunk, by its number.
pub(crate) type Change<'c, const N: usize> =
    dyn Fn(ChunkNumber, EachTable<&mut [Row<N>]>) -> Result<(), ScratchError> + Sync + 'c;

/// The tables of an outcome, and how to work out a ply on them.
pub(crate) trait Tables<const N: usize> {
    /// Changes the tables chunk by chunk.
    ///
    /// # Errors
    /// If the disk fails, or the change does.
    fn change(&mut self, given: &Given<N>, change: &Change<N>) -> Result<(), ScratchError>;

    /// Takes note of what a ply found that was worked out earlier; won, open and lost
    /// have been changed already.
    ///
    /// # Errors
    /// If what was found cannot be read.
    fn note(&mut self, given: &Given<N>, ply: Plies, found: &StageFile)
    -> Result<(), ScratchError>;

    /// The winner's positions that win at this ply: a move leads to one that was
    /// lost at the ply before, or a capture does. `lost` is what changed at that
    /// ply; returns what changes now.
    ///
    /// # Errors
    /// If the disk fails or is full.
    fn winning_ply(
        &mut self,
        given: &Given<N>,
        ply: &Ply,
        lost: &Frontier,
    ) -> Result<Frontier, ScratchError>;

    /// The loser's positions that are lost at this ply: every move leads to a win
    /// found so far. `won` is what changed at the ply before, `lost` at the one
    /// before that; returns what changes now.
    ///
    /// # Errors
    /// If the disk fails or is full.
    fn losing_ply(
        &mut self,
        given: &Given<N>,
        ply: &Ply,
        won: &Frontier,
        lost: &Frontier,
    ) -> Result<Frontier, ScratchError>;
}
