//! The plies of one outcome: a least fixpoint, reached in order of distance.

use bitvec::vec::BitVec;
use rayon::prelude::*;

use crate::rules::Side;
use crate::solve::store::{Content, Key, Parts, Scratch, ScratchError, StageFile, StageWriter};
use crate::value::Plies;

use crate::solve::initial::seeds::Event;
use crate::solve::moves::by_row::RowMoves;
use crate::solve::plies::chunks::{Chunks, Placement};
use crate::solve::plies::frontier::Changed;
use crate::solve::plies::row_table::RowTable;
use crate::solve::rows::row::Row;
use crate::solve::store::codec::{pack_events, unpack_events, unpack_rows};

/// The tables of one outcome, all by row.
pub(crate) struct Outcome<'a, const N: usize> {
    pub(super) moves: &'a RowMoves<'a, N>,
    /// The side that wins; the other one is the loser.
    pub(super) winner: Side,
    pub(super) chunks: Chunks,
    pub(super) placement: &'a Placement,
    /// What the initial pass said.
    pub(super) initial: &'a Parts<'a>,
    /// The winner to move and known to win. Lanes without a position are set,
    /// too: nothing is sought there.
    pub(super) won: RowTable<N>,
    /// The loser to move and not yet known to lose; only captures that are
    /// known to lose, and moves that capture nothing, are left to him.
    pub(super) open: RowTable<N>,
    /// The loser to move and found to lose at the last ply.
    pub(super) lost: RowTable<N>,
    /// The winner to move and found to win at the last ply; without rows where
    /// the tables are on disk.
    pub(super) new: Vec<Row<N>>,
}

/// A ply that is being worked on.
pub(crate) struct Ply<'a> {
    /// Its number.
    pub ply: Plies,
    /// Where what it finds is kept.
    pub log: &'a StageWriter<'a>,
    /// Told the rows of each finished chunk.
    pub done: &'a (dyn Fn(usize) + Sync),
}

impl<'a, const N: usize> Outcome<'a, N> {
    /// The outcome as the initial pass leaves it.
    pub(crate) fn new(
        moves: &'a RowMoves<'a, N>,
        winner: Side,
        chunks: Chunks,
        placement: &'a Placement,
        scratch: &Scratch,
        initial: &'a Parts<'a>,
    ) -> Result<Outcome<'a, N>, ScratchError> {
        let table = || match placement {
            Placement::Memory => Ok(RowTable::in_memory(chunks.rows())),
            Placement::Disk { .. } => RowTable::on_disk(chunks.rows(), scratch),
        };
        let [won, open, lost] = [table()?, table()?, table()?];
        let new = match placement {
            Placement::Memory => vec![Row::EMPTY; chunks.rows()],
            Placement::Disk { .. } => Vec::new(),
        };
        let mut outcome =
            Outcome { moves, winner, chunks, placement, initial, won, open, lost, new };
        outcome.for_chunks(|moves, chunks, chunk, [won, open, lost]| {
            let blocks = chunks.blocks_of(chunk);
            let mut walker = moves.walker();
            for (number, won) in blocks.zip(won.chunks_mut(chunks.block_rows)) {
                let block = moves.frame.block_of(number, walker.set(number as u64).0);
                for (won, valid) in won.iter_mut().zip(&block.valid) {
                    *won = !*valid;
                }
            }
            let key = |content| Key { content, winner, ply: 0, chunk: chunk as u32 };
            let initial = initial.of(chunk);
            if let Some(bytes) = initial.read(key(Content::Open))? {
                let rows = unpack_rows(&bytes, open.len()).ok_or_else(|| initial.damaged())?;
                open.iter_mut().zip(rows).for_each(|(open, row)| *open = row);
            }
            for (row, lanes) in read_events(initial, key(Content::Stuck))? {
                lost[row as usize] = lanes;
            }
            Ok(())
        })?;
        Ok(outcome)
    }

    /// The last ply at which captures decide something.
    pub(crate) fn last_event(&self) -> Plies {
        let own = self.initial.keys().filter(|key| key.winner == self.winner);
        own.map(|key| key.ply).max().unwrap_or(0)
    }

    /// Where positions are lost in 0.
    pub(crate) fn stuck(&self) -> Result<Changed, ScratchError> {
        let winner = self.winner;
        let key = |chunk| Key { content: Content::Stuck, winner, ply: 0, chunk: chunk as u32 };
        changed::<N>(|chunk| read_events(self.initial.of(chunk), key(chunk)), self.chunks)
    }

    /// Does a ply again of which the results are known; returns what it
    /// changed.
    pub(crate) fn replay(
        &mut self,
        ply: Plies,
        found: &StageFile,
    ) -> Result<Changed, ScratchError> {
        let (chunks, winner, initial) = (self.chunks, self.winner, self.initial);
        self.for_chunks(|_, _, chunk, [won, open, lost]| {
            let key = |content, ply| Key { content, winner, ply, chunk: chunk as u32 };
            let events = read_events(found, key(Content::Found, ply))?;
            if ply % 2 == 1 {
                for (row, lanes) in events {
                    won[row as usize] |= lanes;
                }
                return Ok(());
            }
            lost.fill(Row::EMPTY);
            for (row, lanes) in read_events(initial.of(chunk), key(Content::Releases, ply - 1))? {
                open[row as usize] |= lanes;
            }
            for (row, lanes) in events {
                open[row as usize] = open[row as usize].without(lanes);
                lost[row as usize] = lanes;
            }
            Ok(())
        })?;
        let key = |chunk: usize| Key { content: Content::Found, winner, ply, chunk: chunk as u32 };
        if !self.new.is_empty() {
            let new = self.new.par_chunks_mut(chunks.chunk_rows()).enumerate();
            new.try_for_each(|(chunk, new)| {
                new.fill(Row::EMPTY);
                if ply % 2 == 1 {
                    for (row, lanes) in read_events(found, key(chunk))? {
                        new[row as usize] = lanes;
                    }
                }
                Ok::<_, ScratchError>(())
            })?;
        }
        changed::<N>(|chunk| read_events(found, key(chunk)), chunks)
    }

    /// The winner's positions that win at this ply: a move leads to one that was
    /// lost at the ply before, or a capture does. `lost` is what changed at that
    /// ply; returns what changes now.
    pub(crate) fn winning_ply(
        &mut self,
        ply: &Ply,
        lost: &Changed,
    ) -> Result<Changed, ScratchError> {
        match self.placement {
            Placement::Memory => self.winning_in_memory(ply, lost),
            Placement::Disk { .. } => self.winning_on_disk(ply, lost),
        }
    }

    /// The loser's positions that are lost at this ply: every move leads to a win
    /// found so far. `won` is what changed at the ply before, `lost` at the one
    /// before that; returns what changes now.
    pub(crate) fn losing_ply(
        &mut self,
        ply: &Ply,
        changed: [&Changed; 2],
    ) -> Result<Changed, ScratchError> {
        match self.placement {
            Placement::Memory => self.losing_in_memory(ply, changed),
            Placement::Disk { .. } => self.losing_on_disk(ply, changed),
        }
    }

    /// Changes all tables chunk by chunk.
    fn for_chunks(
        &mut self,
        change: impl Fn(&RowMoves<N>, Chunks, usize, [&mut [Row<N>]; 3]) -> Result<(), ScratchError>
        + Sync,
    ) -> Result<(), ScratchError> {
        let (moves, chunks) = (self.moves, self.chunks);
        let rows = chunks.chunk_rows();
        for own in self.placement.own(chunks) {
            let range = || chunks.rows_of(&own);
            let mut won = self.won.rows_mut(range())?;
            let mut open = self.open.rows_mut(range())?;
            let mut lost = self.lost.rows_mut(range())?;
            let tables = won.par_chunks_mut(rows).zip(open.par_chunks_mut(rows));
            let tables = tables.zip(lost.par_chunks_mut(rows)).enumerate();
            tables.try_for_each(|(i, ((won, open), lost))| {
                change(moves, chunks, own.start + i, [won, open, lost])
            })?;
        }
        Ok(())
    }
}

/// What a ply finds in a chunk.
pub(super) struct Findings<const N: usize> {
    events: Vec<Event<N>>,
    /// The blocks with findings.
    pub blocks: BitVec,
}

impl<const N: usize> Findings<N> {
    /// Nothing found yet in that many blocks.
    pub(super) fn new(blocks: usize) -> Findings<N> {
        Findings { events: Vec::new(), blocks: BitVec::repeat(false, blocks) }
    }

    /// Notes what was found in the chunk's block of that number.
    pub(super) fn note(&mut self, block: usize, found: &[Row<N>]) {
        let before = self.events.len();
        let first = block * found.len();
        let some = found.iter().enumerate().filter(|(_, lanes)| !lanes.is_empty());
        self.events.extend(some.map(|(rank, &lanes)| ((first + rank) as u32, lanes)));
        self.blocks.set(block, self.events.len() > before);
    }

    /// Keeps all that was found.
    pub(super) fn keep(
        self,
        ply: &Ply,
        winner: Side,
        chunk: usize,
    ) -> Result<Changed, ScratchError> {
        if !self.events.is_empty() {
            let content = Content::Found;
            let key = Key { content, winner, ply: ply.ply, chunk: chunk as u32 };
            ply.log.add(key, &pack_events(&self.events))?;
        }
        Ok(Changed { blocks: self.blocks, rows: self.events.len() })
    }
}

/// The events of a record; none if there is no such record.
pub(crate) fn read_events<const N: usize>(
    file: &StageFile,
    key: Key,
) -> Result<Vec<Event<N>>, ScratchError> {
    match file.read(key)? {
        Some(bytes) => unpack_events(&bytes).ok_or_else(|| file.damaged()),
        None => Ok(Vec::new()),
    }
}

/// What the events of all chunks change.
fn changed<const N: usize>(
    events: impl Fn(usize) -> Result<Vec<Event<N>>, ScratchError>,
    chunks: Chunks,
) -> Result<Changed, ScratchError> {
    let mut changed = Changed { blocks: BitVec::repeat(false, chunks.blocks), rows: 0 };
    for chunk in 0..chunks.count() {
        let first = chunks.blocks_of(chunk).start;
        let events = events(chunk)?;
        changed.rows += events.len();
        for (row, _) in events {
            changed.blocks.set(first + row as usize / chunks.block_rows, true);
        }
    }
    Ok(changed)
}

/// What changed in all chunks.
pub(super) fn joined(chunks: &[Changed]) -> Changed {
    chunks.iter().fold(Changed::default(), |mut all, chunk| {
        all.extend(chunk);
        all
    })
}
