//! What a ply is worked out from, and what it finds.

use bitvec::vec::BitVec;

use crate::game::rules::Side;
use crate::game::value::Plies;
use crate::solve::moves::Moves;
use crate::solve::plies::chunks::Chunks;
use crate::solve::plies::frontier::Frontier;
use crate::solve::rows::numbers::{ChunkNumber, ChunkRow};
use crate::solve::rows::row::{Event, Row};
use crate::solve::store::{Content, ScratchError};

/// What stays the same through all plies of an outcome.
#[derive(Clone, Copy)]
pub(crate) struct Domain<'a, const N: usize> {
    /// How the men move.
    pub moves: &'a Moves<'a, N>,
    /// The side that wins; the other one is the loser.
    pub winner: Side,
    /// The rows.
    pub chunks: Chunks,
}

/// What a ply is told of the rows, and where what it finds goes.
pub(crate) trait PlyIo<const N: usize>: Sync {
    /// What captures, or the rules, do to a chunk at a ply.
    ///
    /// # Errors
    /// If the record cannot be read.
    fn seeds(
        &self,
        content: Content,
        ply: Plies,
        chunk: ChunkNumber,
    ) -> Result<Vec<Event<N>>, ScratchError>;

    /// Keeps what the ply has found in a chunk; there is something.
    ///
    /// # Errors
    /// If the disk fails or is full.
    fn save(&self, chunk: ChunkNumber, events: &[Event<N>]) -> Result<(), ScratchError>;
}

/// Whether the ply finds what the winner, to move, wins; otherwise it finds what the
/// loser, to move, loses.
pub(crate) fn finds_wins(ply: Plies) -> bool {
    ply % 2 == 1
}

/// Who is to move in the positions that the ply finds.
pub(crate) fn mover(winner: Side, ply: Plies) -> Side {
    if finds_wins(ply) { winner } else { winner.other() }
}

/// Is told how many rows more have been seen to; an error if the build is cancelled.
pub(crate) type Advance<'d> = &'d (dyn Fn(usize) -> Result<(), ScratchError> + Sync);

/// A ply that is being worked on.
#[derive(Clone, Copy)]
pub(crate) struct Ply<'a, const N: usize> {
    /// Its number.
    pub number: Plies,
    /// What it is told, and where what it finds goes.
    pub io: &'a dyn PlyIo<N>,
    /// Told the rows of each finished chunk.
    pub advance: Advance<'a>,
}

/// What a ply finds in a chunk.
pub(crate) struct Findings<const N: usize> {
    events: Vec<Event<N>>,
    /// The blocks with findings.
    blocks: BitVec,
}

impl<const N: usize> Findings<N> {
    /// Nothing found yet in that many blocks.
    pub(crate) fn new(blocks: usize) -> Findings<N> {
        Findings { events: Vec::new(), blocks: BitVec::repeat(false, blocks) }
    }

    /// Notes what was found in the block at that place in the chunk.
    pub(crate) fn note(&mut self, place: usize, found: &[Row<N>]) {
        let before = self.events.len();
        let rows = (place * found.len()..).map(ChunkRow::new).zip(found);
        let some = rows.filter(|(_, lanes)| !lanes.is_empty());
        self.events.extend(some.map(|(row, &lanes)| Event { row, lanes }));
        self.blocks.set(place, self.events.len() > before);
    }

    /// What was found so far.
    pub(crate) fn events(&self) -> &[Event<N>] {
        &self.events
    }

    /// Keeps all that was found in the chunk.
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

/// The rows of a chunk that have lanes.
pub(crate) fn events_of<const N: usize>(rows: &[Row<N>]) -> Vec<Event<N>> {
    let some = rows.iter().enumerate().filter(|(_, lanes)| !lanes.is_empty());
    some.map(|(row, &lanes)| Event { row: ChunkRow::new(row), lanes }).collect()
}
