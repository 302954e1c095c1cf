//! The plies of one outcome: a least fixpoint, reached in order of distance.

use std::ops::Range;

use bitvec::vec::BitVec;
use rayon::prelude::*;

use crate::rules::Side;
use crate::scratch::{Content, Key, Parts, Scratch, ScratchError, StageFile, StageWriter};
use crate::value::Plies;

use super::chunks::{Chunks, Placement};
use super::frame::Frame;
use super::packed::{pack_events, unpack_events, unpack_rows};
use super::quiet::{Scratch as Buffers, Targets};
use super::row::Row;
use super::seeds::Event;
use super::table::{RowTable, Rows};

/// The tables of one outcome, all by row.
pub struct Outcome<'a, const N: usize> {
    frame: &'a Frame<'a, N>,
    /// The side that wins; the other one is the loser.
    winner: Side,
    chunks: Chunks,
    placement: &'a Placement,
    /// What the initial pass said.
    initial: &'a Parts,
    /// The winner to move and known to win. Lanes without a position are set,
    /// too: nothing is sought there.
    won: RowTable<N>,
    /// The loser to move and not yet known to lose; only captures that are
    /// known to lose, and moves that capture nothing, are left to him.
    open: RowTable<N>,
    /// The loser to move and found to lose at the last ply.
    lost: RowTable<N>,
}

/// A ply that is being worked on.
pub struct Ply<'a> {
    /// Its number.
    pub ply: Plies,
    /// Where what it finds is kept.
    pub log: &'a StageWriter,
    /// Told the rows of each finished chunk.
    pub done: &'a (dyn Fn(usize) + Sync),
}

impl<'a, const N: usize> Outcome<'a, N> {
    /// The outcome as the initial pass leaves it.
    pub fn new(
        frame: &'a Frame<'a, N>,
        winner: Side,
        chunks: Chunks,
        placement: &'a Placement,
        scratch: &Scratch,
        initial: &'a Parts,
    ) -> Result<Outcome<'a, N>, ScratchError> {
        let table = |name: &str| match placement {
            Placement::Memory => Ok(RowTable::in_memory(chunks.rows())),
            Placement::Disk { .. } => RowTable::on_disk(chunks.rows(), scratch, name),
        };
        let [won, open, lost] = [table("won")?, table("open")?, table("lost")?];
        let mut outcome = Outcome { frame, winner, chunks, placement, initial, won, open, lost };
        outcome.for_chunks(|frame, chunks, chunk, [won, open, lost]| {
            let blocks = chunks.blocks_of(chunk);
            for (number, won) in blocks.zip(won.chunks_mut(chunks.block_rows)) {
                for (won, valid) in won.iter_mut().zip(&frame.block(number).valid) {
                    *won = !*valid;
                }
            }
            let key = |content| Key { content, winner, ply: 0, chunk: chunk as u32 };
            let initial = initial.of(chunk);
            if let Some(bytes) = initial.read(key(Content::Open))? {
                let rows = unpack_rows(&bytes, open.len()).ok_or_else(|| initial.nonsense())?;
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
    pub fn last_event(&self) -> Plies {
        let own = self.initial.keys().filter(|key| key.winner == self.winner);
        own.map(|key| key.ply).max().unwrap_or(0)
    }

    /// The blocks with positions lost in 0.
    pub fn stuck(&self) -> Result<BitVec, ScratchError> {
        let key = (Content::Stuck, self.winner, 0);
        changed_blocks::<N>(|chunk| self.initial.of(chunk), key, self.chunks)
    }

    /// Does a ply again of which the results are known; returns the blocks that
    /// it changed.
    pub fn replay(&mut self, ply: Plies, found: &StageFile) -> Result<BitVec, ScratchError> {
        let (winner, initial) = (self.winner, self.initial);
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
        changed_blocks::<N>(|_| found, (Content::Found, winner, ply), self.chunks)
    }

    /// The winner's positions that win at this ply: a move leads to one that was
    /// lost at the ply before, or a capture does. `lost` are the blocks that
    /// changed at that ply; returns those that change now.
    pub fn winning_ply(&mut self, ply: &Ply, lost: &BitVec) -> Result<BitVec, ScratchError> {
        let (chunks, winner, initial) = (self.chunks, self.winner, self.initial);
        let reaching = self.frame.reaching(winner, lost);
        let pull = Pull {
            frame: self.frame,
            mover: winner,
            chunks,
            placement: self.placement,
            source: &self.lost,
            complement: false,
            changed: Some(lost),
            reaching,
        };
        let begin = |_, won: &mut &mut [Row<N>], sought: &mut [Row<N>]| {
            for (sought, &won) in sought.iter_mut().zip(&**won) {
                *sought = !won;
            }
            Ok(())
        };
        let end = |chunk, won: &mut [Row<N>], sought: &mut [Row<N>]| {
            for (found, &won) in sought.iter_mut().zip(&*won) {
                *found = !(won | *found);
            }
            let key = Key { content: Content::Wins, winner, ply: ply.ply, chunk: chunk as u32 };
            for (row, lanes) in read_events(initial.of(chunk), key)? {
                sought[row as usize] |= lanes.without(won[row as usize]);
            }
            let key = Key { content: Content::Found, ..key };
            let blocks = note(ply, key, chunks, sought)?;
            for (won, &found) in won.iter_mut().zip(&*sought) {
                *won |= found;
            }
            Ok(blocks)
        };
        let mut blocks = BitVec::new();
        for own in self.placement.own(chunks) {
            let mut won = self.won.rows_mut(chunks.rows_of(&own))?;
            let parts = won.par_chunks_mut(chunks.chunk_rows());
            for part in pull.run(own, parts, begin, end)? {
                blocks.extend_from_bitslice(&part);
            }
        }
        Ok(blocks)
    }

    /// The loser's positions that are lost at this ply: every move leads to a win
    /// found so far. `won` are the blocks that changed at the ply before, `lost`
    /// those at the one before that; returns those that change now.
    pub fn losing_ply(
        &mut self,
        ply: &Ply,
        [won, lost]: [&BitVec; 2],
    ) -> Result<BitVec, ScratchError> {
        let (chunks, winner, loser) = (self.chunks, self.winner, self.winner.other());
        let (frame, initial) = (self.frame, self.initial);
        let reaching = frame.reaching(loser, won);
        let may = |block| reaching.as_ref().is_none_or(|blocks| blocks[block]);
        let pull = Pull {
            frame,
            mover: loser,
            chunks,
            placement: self.placement,
            source: &self.won,
            complement: true,
            changed: None,
            reaching: None,
        };
        type Part<'t, const N: usize> = (&'t mut [Row<N>], &'t mut [Row<N>]);
        let begin = |chunk, (open, _): &mut Part<N>, sought: &mut [Row<N>]| {
            let key =
                Key { content: Content::Releases, winner, ply: ply.ply - 1, chunk: chunk as u32 };
            let first = chunks.blocks_of(chunk).start;
            let mut released = vec![false; chunks.chunk_blocks];
            for (row, lanes) in read_events(initial.of(chunk), key)? {
                open[row as usize] |= lanes;
                released[row as usize / chunks.block_rows] = true;
            }
            let blocks = open.chunks(chunks.block_rows).zip(sought.chunks_mut(chunks.block_rows));
            for (i, (open, sought)) in blocks.enumerate() {
                // Nothing can be lost that has no new win within reach.
                if released[i] || may(first + i) {
                    sought.copy_from_slice(open);
                } else {
                    sought.fill(Row::EMPTY);
                }
            }
            Ok(())
        };
        // What is left of the open ones has no safe move.
        let end = |chunk, (open, now): Part<N>, sought: &mut [Row<N>]| {
            let key = Key { content: Content::Found, winner, ply: ply.ply, chunk: chunk as u32 };
            let blocks = note(ply, key, chunks, sought)?;
            let first = chunks.blocks_of(chunk).start;
            for (i, changed) in blocks.iter().by_vals().enumerate() {
                let rows = i * chunks.block_rows..(i + 1) * chunks.block_rows;
                if changed {
                    for (open, found) in open[rows.clone()].iter_mut().zip(&sought[rows.clone()]) {
                        *open = open.without(*found);
                    }
                }
                if changed || lost[first + i] {
                    now[rows.clone()].copy_from_slice(&sought[rows]);
                }
            }
            Ok(blocks)
        };
        let mut blocks = BitVec::new();
        for own in self.placement.own(chunks) {
            let rows = chunks.rows_of(&own);
            let (mut open, mut now) =
                (self.open.rows_mut(rows.clone())?, self.lost.rows_mut(rows)?);
            let open = open.par_chunks_mut(chunks.chunk_rows());
            let parts = open.zip(now.par_chunks_mut(chunks.chunk_rows()));
            for part in pull.run(own, parts, begin, end)? {
                blocks.extend_from_bitslice(&part);
            }
        }
        Ok(blocks)
    }

    /// Changes all tables chunk by chunk.
    fn for_chunks(
        &mut self,
        change: impl Fn(&Frame<N>, Chunks, usize, [&mut [Row<N>]; 3]) -> Result<(), ScratchError> + Sync,
    ) -> Result<(), ScratchError> {
        let (frame, chunks) = (self.frame, self.chunks);
        let rows = chunks.chunk_rows();
        for own in self.placement.own(chunks) {
            let range = || chunks.rows_of(&own);
            let mut won = self.won.rows_mut(range())?;
            let mut open = self.open.rows_mut(range())?;
            let mut lost = self.lost.rows_mut(range())?;
            let tables = won.par_chunks_mut(rows).zip(open.par_chunks_mut(rows));
            let tables = tables.zip(lost.par_chunks_mut(rows)).enumerate();
            tables.try_for_each(|(i, ((won, open), lost))| {
                change(frame, chunks, own.start + i, [won, open, lost])
            })?;
        }
        Ok(())
    }
}

/// One pass over a table: takes out of what is sought the lanes from which a move
/// that captures nothing leads into the source.
struct Pull<'p, const N: usize> {
    frame: &'p Frame<'p, N>,
    mover: Side,
    chunks: Chunks,
    placement: &'p Placement,
    source: &'p RowTable<N>,
    /// Whether the moves sought lead to what is not in the source.
    complement: bool,
    /// The only blocks with anything in the source; `None`: all may have.
    changed: Option<&'p BitVec>,
    /// The blocks with moves to those; `None`: all may have.
    reaching: Option<BitVec>,
}

/// A worker's buffers.
struct Worker<const N: usize> {
    buffers: Buffers<N>,
    sought: Vec<Row<N>>,
}

impl<const N: usize> Pull<'_, N> {
    /// For each chunk of a range: `begin` fills in what is sought, and `end`
    /// takes what is left of it. Returns by chunk what `end` does.
    fn run<T: Send>(
        &self,
        own: Range<usize>,
        parts: impl IndexedParallelIterator<Item = T>,
        begin: impl Fn(usize, &mut T, &mut [Row<N>]) -> Result<(), ScratchError> + Sync,
        end: impl Fn(usize, T, &mut [Row<N>]) -> Result<BitVec, ScratchError> + Sync,
    ) -> Result<Vec<BitVec>, ScratchError> {
        let chunks = self.chunks;
        let windows = self.windows(&own);
        if windows.len() <= 1 {
            let window = &windows.first().cloned().unwrap_or(0..0);
            let source = self.source.rows(chunks.rows_of(window))?;
            let worker = || Worker { buffers: Buffers::default(), sought: Vec::new() };
            let parts = parts.enumerate().map_init(worker, |worker, (i, mut part)| {
                let chunk = own.start + i;
                worker.sought.resize(chunks.rows_of(&(chunk..chunk + 1)).len(), Row::EMPTY);
                begin(chunk, &mut part, &mut worker.sought)?;
                self.pull(chunk, window, &source, &mut worker.buffers, &mut worker.sought);
                end(chunk, part, &mut worker.sought)
            });
            return parts.collect();
        }
        let mut sought = vec![Row::EMPTY; chunks.rows_of(&own).len()];
        let mut parts: Vec<T> = parts.collect();
        let tasks = parts.par_iter_mut().zip(sought.par_chunks_mut(chunks.chunk_rows()));
        tasks.enumerate().try_for_each(|(i, (part, sought))| begin(own.start + i, part, sought))?;
        for window in &windows {
            let source = self.source.rows(chunks.rows_of(window))?;
            let tasks = sought.par_chunks_mut(chunks.chunk_rows()).enumerate();
            tasks.for_each_init(Buffers::default, |buffers, (i, sought)| {
                self.pull(own.start + i, window, &source, buffers, sought);
            });
        }
        let tasks = parts.into_par_iter().zip(sought.par_chunks_mut(chunks.chunk_rows()));
        tasks.enumerate().map(|(i, (part, sought))| end(own.start + i, part, sought)).collect()
    }

    /// The ranges of chunks that are read one after the other.
    fn windows(&self, own: &Range<usize>) -> Vec<Range<usize>> {
        if self.mover == Side::Defenders {
            // Their moves stay in the block.
            return vec![own.clone()];
        }
        let changed = |window: &Range<usize>| {
            let blocks = self.chunks.blocks_of_all(window);
            self.changed.is_none_or(|changed| changed[blocks].any())
        };
        self.placement.windows(self.chunks).into_iter().filter(changed).collect()
    }

    fn pull(
        &self,
        chunk: usize,
        window: &Range<usize>,
        source: &Rows<N>,
        buffers: &mut Buffers<N>,
        sought: &mut [Row<N>],
    ) {
        let targets = Targets {
            rows: source,
            first_block: self.chunks.blocks_of(window.start).start,
            complement: self.complement,
            blocks: self.changed.map(|changed| &changed[..]),
        };
        let blocks = self.chunks.blocks_of(chunk);
        for (number, sought) in blocks.zip(sought.chunks_mut(self.chunks.block_rows)) {
            let may = self.reaching.as_ref().is_none_or(|blocks| blocks[number]);
            if may && !source.is_empty() && sought.iter().any(|lanes| !lanes.is_empty()) {
                let block = self.frame.block(number);
                self.frame.quiet_moves(self.mover, &block, targets, buffers, sought);
            }
        }
    }
}

/// Keeps what a ply found in a chunk; returns for each block whether there is
/// anything.
fn note<const N: usize>(
    ply: &Ply,
    key: Key,
    chunks: Chunks,
    found: &[Row<N>],
) -> Result<BitVec, ScratchError> {
    let mut events = Vec::new();
    let mut blocks = BitVec::with_capacity(chunks.chunk_blocks);
    for (i, rows) in found.chunks(chunks.block_rows).enumerate() {
        let before = events.len();
        let first = i * chunks.block_rows;
        let changed = rows.iter().enumerate().filter(|(_, lanes)| !lanes.is_empty());
        events.extend(changed.map(|(rank, &lanes)| ((first + rank) as u32, lanes)));
        blocks.push(events.len() > before);
    }
    if !events.is_empty() {
        ply.log.add(key, &pack_events(&events))?;
    }
    (ply.done)(found.len());
    Ok(blocks)
}

/// The events of a record; none if there is no such record.
pub fn read_events<const N: usize>(
    file: &StageFile,
    key: Key,
) -> Result<Vec<Event<N>>, ScratchError> {
    match file.read(key)? {
        Some(bytes) => unpack_events(&bytes).ok_or_else(|| file.nonsense()),
        None => Ok(Vec::new()),
    }
}

/// The blocks with events of that kind; `file` tells where those of a chunk are.
fn changed_blocks<'f, const N: usize>(
    file: impl Fn(usize) -> &'f StageFile,
    (content, winner, ply): (Content, Side, Plies),
    chunks: Chunks,
) -> Result<BitVec, ScratchError> {
    let mut blocks = BitVec::repeat(false, chunks.blocks);
    for chunk in 0..chunks.count() {
        let key = Key { content, winner, ply, chunk: chunk as u32 };
        for (row, _) in read_events::<N>(file(chunk), key)? {
            blocks.set(chunks.blocks_of(chunk).start + row as usize / chunks.block_rows, true);
        }
    }
    Ok(blocks)
}
