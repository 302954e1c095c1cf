//! The plies of one outcome: a least fixpoint, reached in order of distance.

use bitvec::vec::BitVec;

use crate::rules::Side;
use crate::solve::frame::Block;
use crate::solve::moves::Moves;
use crate::solve::plies::chunks::Chunks;
use crate::solve::plies::frontier::Frontier;
use crate::solve::plies::in_memory::InMemory;
use crate::solve::plies::on_disk::OnDisk;
use crate::solve::plies::ply::{Given, Ply, finds_wins};
use crate::solve::plies::tables::{EachTable, Storage, Tables};
use crate::solve::rows::numbers::{BlockNumber, ChunkNumber};
use crate::solve::rows::row::{Event, Row};
use crate::solve::store::codec::{decode_rows, read_events};
use crate::solve::store::{Content, Parts, ScratchError, ScratchFolder, StageFile};
use crate::value::Plies;

/// An outcome that is being worked out.
pub(crate) struct Outcome<'a, const N: usize> {
    given: Given<'a, N>,
    tables: Box<dyn Tables<N> + 'a>,
}

impl<'a, const N: usize> Outcome<'a, N> {
    /// The outcome as the initial pass leaves it.
    ///
    /// # Errors
    /// If what that said cannot be read, or the disk has no room for the tables.
    pub(crate) fn new(
        moves: &'a Moves<'a, N>,
        winner: Side,
        chunks: Chunks,
        storage: &Storage,
        folder: &ScratchFolder,
        initial: &'a Parts<'a>,
    ) -> Result<Outcome<'a, N>, ScratchError> {
        let given = Given { moves, winner, chunks, initial };
        let mut tables: Box<dyn Tables<N> + 'a> = match *storage {
            Storage::Memory => Box::new(InMemory::new(chunks)),
            Storage::Disk { own_chunks, window_chunks } => {
                Box::new(OnDisk::new::<N>(chunks, own_chunks, window_chunks, folder)?)
            }
        };
        tables.change(&given, &|chunk, EachTable { won, open, lost }| {
            let numbers = chunks.blocks_of(chunk).map(BlockNumber::new);
            let (mut walker, mut block) = (moves.frame.walker(), Block::default());
            for (number, rows) in numbers.zip(won.chunks_mut(chunks.block_rows)) {
                moves.frame.put_block(number, walker.set(number.into()).0, &mut block);
                for (row, &valid) in rows.iter_mut().zip(&block.valid) {
                    *row = !valid;
                }
            }
            let said = initial.of(chunk);
            if let Some(bytes) = said.read(given.key(Content::Open, 0, chunk))? {
                let rows = decode_rows(&bytes, open.len()).ok_or_else(|| said.damaged())?;
                open.iter_mut().zip(rows).for_each(|(row, lanes)| *row = lanes);
            }
            for Event { row, lanes } in given.events(Content::Stalemates, 0, chunk)? {
                lost[row.index()] = lanes;
            }
            Ok(())
        })?;
        Ok(Outcome { given, tables })
    }

    /// The last ply at which captures decide something.
    pub(crate) fn last_event(&self) -> Plies {
        let own = self.given.initial.keys().filter(|key| key.winner == self.given.winner);
        own.map(|key| key.ply).max().unwrap_or(0)
    }

    /// Where positions are lost in 0.
    ///
    /// # Errors
    /// If what the initial pass said cannot be read.
    pub(crate) fn stalemates(&self) -> Result<Frontier, ScratchError> {
        let events = |chunk| self.given.events(Content::Stalemates, 0, chunk);
        frontier(self.given.chunks, events)
    }

    /// Does a ply again of which the results are known; returns what it
    /// changed.
    ///
    /// # Errors
    /// If the results cannot be read.
    pub(crate) fn replay(
        &mut self,
        ply: Plies,
        found: &StageFile,
    ) -> Result<Frontier, ScratchError> {
        let given = self.given;
        let events = |chunk| read_events(found, given.key(Content::Found, ply, chunk));
        self.tables.change(&given, &|chunk, EachTable { won, open, lost }| {
            if finds_wins(ply) {
                for Event { row, lanes } in events(chunk)? {
                    won[row.index()] |= lanes;
                }
                return Ok(());
            }
            lost.fill(Row::EMPTY);
            for Event { row, lanes } in given.events(Content::Releases, ply - 1, chunk)? {
                open[row.index()] |= lanes;
            }
            for Event { row, lanes } in events(chunk)? {
                let open = &mut open[row.index()];
                *open = open.without(lanes);
                lost[row.index()] = lanes;
            }
            Ok(())
        })?;
        self.tables.note(&given, ply, found)?;
        frontier(given.chunks, events)
    }

    /// The winner's positions that win at this ply: a move leads to one that was
    /// lost at the ply before, or a capture does. `lost` is what changed at that
    /// ply; returns what changes now.
    ///
    /// # Errors
    /// If the disk fails or is full.
    pub(crate) fn winning_ply(
        &mut self,
        ply: &Ply,
        lost: &Frontier,
    ) -> Result<Frontier, ScratchError> {
        self.tables.winning_ply(&self.given, ply, lost)
    }

    /// The loser's positions that are lost at this ply: every move leads to a win
    /// found so far. `won` is what changed at the ply before, `lost` at the one
    /// before that; returns what changes now.
    ///
    /// # Errors
    /// If the disk fails or is full.
    pub(crate) fn losing_ply(
        &mut self,
        ply: &Ply,
        won: &Frontier,
        lost: &Frontier,
    ) -> Result<Frontier, ScratchError> {
        self.tables.losing_ply(&self.given, ply, won, lost)
    }
}

/// What the events of all chunks change.
fn frontier<const N: usize>(
    chunks: Chunks,
    events: impl Fn(ChunkNumber) -> Result<Vec<Event<N>>, ScratchError>,
) -> Result<Frontier, ScratchError> {
    let mut changed = Frontier { blocks: BitVec::repeat(false, chunks.blocks), rows: 0 };
    for chunk in chunks.numbers() {
        let first = chunks.blocks_of(chunk).start;
        let found = events(chunk)?;
        changed.rows += found.len();
        for event in found {
            changed.blocks.set(first + chunks.block_with(event.row), true);
        }
    }
    Ok(changed)
}
