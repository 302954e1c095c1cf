//! The bit tables of an outcome, all by row. There are two ways to hold them and to work
//! out a ply on them: [in memory](super::in_memory) and [in shares](super::in_shares).

use crate::solve::plies::known::Known;
use crate::solve::rows::row::Row;
use crate::solve::store::{ScratchError, StageWriter};

/// Where the tables of the outcome in progress are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Storage {
    /// All in memory.
    Memory,
    /// In so many shares, of which one at a time is in memory.
    Shares(usize),
}

/// The tables of an outcome, and how to work out a ply on them.
pub(crate) trait Tables {
    /// Makes the tables what they are before the next ply.
    ///
    /// # Errors
    /// If what is known cannot be read, or the disk fails or is full.
    fn begin(&mut self, known: &Known) -> Result<(), ScratchError>;

    /// Works out the next ply, after [`begin`](Tables::begin) or the one before it;
    /// `done` is told the rows that have been seen to.
    ///
    /// # Errors
    /// If what is known cannot be read, or the disk fails or is full.
    fn ply(
        &mut self,
        known: &Known,
        log: &StageWriter,
        done: &(dyn Fn(usize) + Sync),
    ) -> Result<(), ScratchError>;
}

/// The rows of one chunk in a table of which no other chunk is looked at together with
/// it, so that it need not be in memory all the time.
pub(crate) trait TableChunk<const N: usize>: Send {
    /// The rows.
    ///
    /// # Errors
    /// If the disk fails, or has changed them.
    fn rows(&mut self) -> Result<&mut [Row<N>], ScratchError>;

    /// Lets go of the rows, which may have been changed.
    ///
    /// # Errors
    /// If the disk fails or is full.
    fn put_back(&mut self, changed: bool) -> Result<(), ScratchError>;
}

impl<const N: usize> TableChunk<N> for &mut [Row<N>] {
    fn rows(&mut self) -> Result<&mut [Row<N>], ScratchError> {
        Ok(self)
    }

    fn put_back(&mut self, _: bool) -> Result<(), ScratchError> {
        Ok(())
    }
}
