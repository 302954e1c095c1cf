//! The inputs and outputs of a ply.

use bitvec::vec::BitVec;

use crate::game::rules::Side;
use crate::game::value::Plies;
use crate::solve::moves::Moves;
use crate::solve::plies::chunks::Chunks;
use crate::solve::plies::frontier::Frontier;
use crate::solve::rows::numbers::{ChunkNumber, ChunkRow};
use crate::solve::rows::row::{Event, Row};
use crate::solve::store::{Content, ScratchError};
use crate::table::progress::Progress;

/// The rows on which the plies of an outcome are computed, and the moves among them.
#[derive(Clone, Copy)]
pub(crate) struct Domain<'a, const N: usize> {
    /// The moves.
    pub moves: &'a Moves<'a, N>,
    /// The winner of the outcome; the other side is the loser.
    pub winner: Side,
    /// The rows.
    pub chunks: Chunks,
}

/// The source of a ply's seeds and the destination of its findings.
pub(crate) trait PlyIo<const N: usize>: Sync {
    /// Returns the seeds of a chunk at a ply.
    ///
    /// # Errors
    /// If the record cannot be read.
    fn seeds(
        &self,
        content: Content,
        ply: Plies,
        chunk: ChunkNumber,
    ) -> Result<Vec<Event<N>>, ScratchError>;

    /// Saves the findings of a chunk, if there are any.
    ///
    /// # Errors
    /// If the disk fails or is full.
    fn save(&self, chunk: ChunkNumber, events: &[Event<N>]) -> Result<(), ScratchError>;
}

/// Returns `true` if the ply finds wins of the winner, to move; otherwise it finds losses of the
/// loser, to move.
pub(crate) fn finds_wins(ply: Plies) -> bool {
    ply % 2 == 1
}

/// Returns the side to move in the positions that the ply finds.
pub(crate) fn mover(winner: Side, ply: Plies) -> Side {
    if finds_wins(ply) { winner } else { winner.other() }
}

/// A ply that is being computed.
#[derive(Clone, Copy)]
pub(crate) struct Ply<'a, const N: usize> {
    /// Its number.
    pub number: Plies,
    /// The source of seeds and the destination of findings.
    pub io: &'a dyn PlyIo<N>,
    /// Receives the number of rows of each finished chunk.
    pub progress: &'a dyn Progress,
}

/// The findings of a ply in a chunk.
pub(crate) struct Findings<const N: usize> {
    events: Vec<Event<N>>,
    /// The blocks with findings.
    blocks: BitVec,
}

impl<const N: usize> Findings<N> {
    /// Creates empty findings for a number of blocks.
    pub(crate) fn new(blocks: usize) -> Findings<N> {
        Findings { events: Vec::new(), blocks: BitVec::repeat(false, blocks) }
    }

    /// Adds the findings of the block at a place in the chunk.
    pub(crate) fn add_block(&mut self, place: usize, found: &[Row<N>]) {
        let before = self.events.len();
        let rows = (place * found.len()..).map(ChunkRow::new).zip(found);
        let some = rows.filter(|(_, lanes)| !lanes.is_empty());
        self.events.extend(some.map(|(row, &lanes)| Event { row, lanes }));
        self.blocks.set(place, self.events.len() > before);
    }

    /// Returns the findings so far.
    pub(crate) fn events(&self) -> &[Event<N>] {
        &self.events
    }

    /// Saves the findings; returns the changes.
    ///
    /// # Errors
    /// If the disk fails or is full.
    pub(crate) fn save(self, ply: &Ply<N>, chunk: ChunkNumber) -> Result<Frontier, ScratchError> {
        if !self.events.is_empty() {
            ply.io.save(chunk, &self.events)?;
        }
        Ok(Frontier { blocks: self.blocks, rows: self.events.len() })
    }
}

/// Returns the rows of a chunk that have lanes.
pub(crate) fn events_of<const N: usize>(rows: &[Row<N>]) -> Vec<Event<N>> {
    let some = rows.iter().enumerate().filter(|(_, lanes)| !lanes.is_empty());
    some.map(|(row, &lanes)| Event { row: ChunkRow::new(row), lanes }).collect()
}
