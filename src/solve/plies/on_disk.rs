//! Plies with tables that are larger than memory: whole blocks are pulled, one
//! range of the tables after the other.

use std::ops::Range;

use bitvec::vec::BitVec;
use rayon::prelude::*;

use crate::rules::Side;
use crate::solve::store::{Content, Key, ScratchError};

use crate::solve::frame::Frame;
use crate::solve::moves::by_block::{Scratch as Buffers, Targets};
use crate::solve::plies::chunks::{Chunks, Placement};
use crate::solve::plies::fixpoint::{Findings, Outcome, Ply, joined, read_events};
use crate::solve::plies::frontier::Changed;
use crate::solve::plies::row_table::{RowTable, Rows};
use crate::solve::rows::row::Row;

impl<const N: usize> Outcome<'_, N> {
    /// The winner's positions that win at this ply: a move leads to one that was
    /// lost at the ply before, or a capture does.
    pub(super) fn winning_on_disk(
        &mut self,
        ply: &Ply,
        lost: &Changed,
    ) -> Result<Changed, ScratchError> {
        let (chunks, winner, initial) = (self.chunks, self.winner, self.initial);
        let frame = self.moves.frame;
        let reaching = frame.reaching(winner, &lost.blocks);
        let pull = Pull {
            frame,
            mover: winner,
            chunks,
            placement: self.placement,
            source: &self.lost,
            complement: false,
            changed: Some(&lost.blocks),
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
            for (won, &now) in won.iter_mut().zip(&*sought) {
                *won |= now;
            }
            found(chunks, sought, ply).keep(ply, winner, chunk)
        };
        let mut changed = Vec::new();
        for own in self.placement.own(chunks) {
            let mut won = self.won.rows_mut(chunks.rows_of(&own))?;
            let parts = won.par_chunks_mut(chunks.chunk_rows());
            changed.extend(pull.run(own, parts, begin, end)?);
        }
        Ok(joined(&changed))
    }

    /// The loser's positions that are lost at this ply: every move leads to a win
    /// found so far.
    pub(super) fn losing_on_disk(
        &mut self,
        ply: &Ply,
        [won, lost]: [&Changed; 2],
    ) -> Result<Changed, ScratchError> {
        let (chunks, winner, loser) = (self.chunks, self.winner, self.winner.other());
        let (frame, initial) = (self.moves.frame, self.initial);
        let reaching = frame.reaching(loser, &won.blocks);
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
            let findings = found(chunks, sought, ply);
            let first = chunks.blocks_of(chunk).start;
            for (i, changed) in findings.blocks.iter().by_vals().enumerate() {
                let rows = i * chunks.block_rows..(i + 1) * chunks.block_rows;
                if changed {
                    for (open, found) in open[rows.clone()].iter_mut().zip(&sought[rows.clone()]) {
                        *open = open.without(*found);
                    }
                }
                if changed || lost.blocks[first + i] {
                    now[rows.clone()].copy_from_slice(&sought[rows]);
                }
            }
            findings.keep(ply, winner, chunk)
        };
        let mut changed = Vec::new();
        for own in self.placement.own(chunks) {
            let rows = chunks.rows_of(&own);
            let (mut open, mut now) =
                (self.open.rows_mut(rows.clone())?, self.lost.rows_mut(rows)?);
            let open = open.par_chunks_mut(chunks.chunk_rows());
            let parts = open.zip(now.par_chunks_mut(chunks.chunk_rows()));
            changed.extend(pull.run(own, parts, begin, end)?);
        }
        Ok(joined(&changed))
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

impl<const N: usize> Pull<'_, N> {
    /// For each chunk of a range: `begin` fills in what is sought, and `end`
    /// takes what is left of it. Returns by chunk what `end` does.
    fn run<T: Send>(
        &self,
        own: Range<usize>,
        parts: impl IndexedParallelIterator<Item = T>,
        begin: impl Fn(usize, &mut T, &mut [Row<N>]) -> Result<(), ScratchError> + Sync,
        end: impl Fn(usize, T, &mut [Row<N>]) -> Result<Changed, ScratchError> + Sync,
    ) -> Result<Vec<Changed>, ScratchError> {
        let chunks = self.chunks;
        let windows = self.windows(&own);
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
            if may && sought.iter().any(|lanes| !lanes.is_empty()) {
                let block = self.frame.block(number);
                self.frame.quiet_moves(self.mover, &block, targets, buffers, sought);
            }
        }
    }
}

/// What is left in the rows of a chunk.
fn found<const N: usize>(chunks: Chunks, rows: &[Row<N>], ply: &Ply) -> Findings<N> {
    let blocks = rows.chunks(chunks.block_rows);
    let mut findings = Findings::new(blocks.len());
    blocks.enumerate().for_each(|(i, rows)| findings.note(i, rows));
    (ply.done)(rows.len());
    findings
}
