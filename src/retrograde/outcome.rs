//! The plies of one outcome: a least fixpoint, reached in order of distance.

use std::ops::Range;

use bitvec::vec::BitVec;
use rayon::prelude::*;

use crate::rules::Side;
use crate::value::Plies;

use super::frame::Frame;
use super::log::{ChunkLog, note};
use super::quiet::{Scratch, Targets};
use super::row::Row;
use super::seeds::{Event, SeedEvents, SeedRows, last_ply};

/// How the blocks are shared out: in chunks of consecutive ones.
#[derive(Clone, Copy, Debug)]
pub struct Chunks {
    /// All blocks.
    pub blocks: usize,
    /// Blocks of a chunk; the last one may have fewer.
    pub chunk_blocks: usize,
    /// Rows of a block.
    pub block_rows: usize,
}

impl Chunks {
    /// How many chunks there are.
    pub fn count(self) -> usize {
        self.blocks.div_ceil(self.chunk_blocks)
    }

    /// Rows of a chunk; the last one may have fewer.
    pub fn chunk_rows(self) -> usize {
        self.chunk_blocks * self.block_rows
    }

    /// The blocks of a chunk.
    pub fn blocks_of(self, chunk: usize) -> Range<usize> {
        let first = chunk * self.chunk_blocks;
        first..(first + self.chunk_blocks).min(self.blocks)
    }
}

/// The tables of one outcome, all by row.
pub struct Outcome<const N: usize> {
    /// The side that wins; the other one is the loser.
    pub winner: Side,
    chunks: Chunks,
    /// The winner to move and known to win.
    won: Vec<Row<N>>,
    /// The loser to move and not yet known to lose; only captures that are
    /// known to lose, and moves that capture nothing, are left to him.
    open: Vec<Row<N>>,
    /// The loser to move and found to lose at the last ply.
    lost: Vec<Row<N>>,
    /// By chunk.
    events: Vec<SeedEvents<N>>,
}

/// A worker's buffers.
struct Buffers<const N: usize> {
    scratch: Scratch<N>,
    /// By row of a block: positions for which a move is sought.
    sought: Vec<Row<N>>,
    /// By row of a block: positions found at this ply.
    found: Vec<Row<N>>,
}

impl<const N: usize> Buffers<N> {
    fn new(block_rows: usize) -> Buffers<N> {
        let rows = || vec![Row::EMPTY; block_rows];
        Buffers { scratch: Scratch::default(), sought: rows(), found: rows() }
    }
}

impl<const N: usize> Outcome<N> {
    /// Nothing known yet.
    pub fn new(winner: Side, chunks: Chunks) -> Outcome<N> {
        let table = || vec![Row::EMPTY; chunks.blocks * chunks.block_rows];
        Outcome { winner, chunks, won: table(), open: table(), lost: table(), events: Vec::new() }
    }

    /// The tables by chunk, for the initial pass.
    pub fn seed_rows(&mut self) -> impl IndexedParallelIterator<Item = SeedRows<'_, N>> {
        let rows = self.chunks.chunk_rows();
        let won = self.won.par_chunks_mut(rows);
        let others = self.open.par_chunks_mut(rows).zip(self.lost.par_chunks_mut(rows));
        won.zip(others).map(|(won, (open, lost))| SeedRows { won, open, lost })
    }

    /// What the initial pass says of the next chunk.
    pub fn add_events(&mut self, events: SeedEvents<N>) {
        self.events.push(events);
    }

    /// The last ply at which captures decide something.
    pub fn last_event(&self) -> Plies {
        let last = |e: &SeedEvents<N>| last_ply(&e.wins).max(last_ply(&e.releases));
        self.events.iter().map(last).max().unwrap_or(0)
    }

    /// Logs the positions lost in 0; returns the blocks that have any.
    pub fn stalemates(&self, logs: &mut [ChunkLog<N>]) -> BitVec {
        let mut blocks = BitVec::new();
        for (log, rows) in logs.iter_mut().zip(self.lost.chunks(self.chunks.chunk_rows())) {
            let mut events = Vec::new();
            for (i, rows) in rows.chunks(self.chunks.block_rows).enumerate() {
                blocks.push(note(&mut events, i * self.chunks.block_rows, rows));
            }
            log.push(self.winner, 0, events);
        }
        blocks
    }

    /// The winner's positions that win in `ply`: a move leads to one that was
    /// lost at the ply before, or a capture does. `lost` are the blocks that
    /// changed at that ply; returns those that change now. `done` is told the
    /// rows of each finished chunk.
    pub fn winning_ply(
        &mut self,
        frame: &Frame<N>,
        ply: Plies,
        lost: &BitVec,
        logs: &mut [ChunkLog<N>],
        done: &(dyn Fn(usize) + Sync),
    ) -> BitVec {
        let Chunks { block_rows, .. } = self.chunks;
        let (chunks, winner) = (self.chunks, self.winner);
        let targets = Targets { rows: &self.lost, complement: false, blocks: Some(lost) };
        let reaching = frame.reaching(winner, lost);
        let tables = self.won.par_chunks_mut(chunks.chunk_rows()).zip(&self.events).zip(logs);
        let results = tables.enumerate().map_init(
            || Buffers::new(block_rows),
            |Buffers { scratch, sought, found }, (chunk, ((won, captures), log))| {
                let mut events = Vec::new();
                let mut blocks = BitVec::new();
                let mut wins = Cursor::at(&captures.wins, ply);
                for (i, won) in won.chunks_mut(block_rows).enumerate() {
                    let number = chunks.blocks_of(chunk).start + i;
                    found.fill(Row::EMPTY);
                    if may(&reaching, number) {
                        let block = frame.block(number);
                        for ((sought, &valid), &won) in
                            sought.iter_mut().zip(&block.valid).zip(&*won)
                        {
                            *sought = valid.without(won);
                        }
                        found.copy_from_slice(sought);
                        frame.quiet_moves(winner, &block, targets, scratch, sought);
                        for (found, &sought) in found.iter_mut().zip(&*sought) {
                            *found = found.without(sought);
                        }
                    }
                    wins.take(i * block_rows, found);
                    if ply == 1 {
                        // Wins by rule are in the table already.
                        for (found, won) in found.iter_mut().zip(&mut *won) {
                            *found |= std::mem::replace(won, Row::EMPTY);
                        }
                    }
                    for (found, won) in found.iter_mut().zip(won) {
                        *found = found.without(*won);
                        *won |= *found;
                    }
                    blocks.push(note(&mut events, i * block_rows, found));
                }
                done(blocks.len() * block_rows);
                log.push(winner, ply, events);
                blocks
            },
        );
        joined(results.collect())
    }

    /// The loser's positions that are lost in `ply`: every move leads to a win
    /// found so far. `won` are the blocks that changed at the ply before, `lost`
    /// those at the one before that; returns those that change now.
    pub fn losing_ply(
        &mut self,
        frame: &Frame<N>,
        ply: Plies,
        [won, lost]: [&BitVec; 2],
        logs: &mut [ChunkLog<N>],
        done: &(dyn Fn(usize) + Sync),
    ) -> BitVec {
        let Chunks { block_rows, .. } = self.chunks;
        let (chunks, winner, loser) = (self.chunks, self.winner, self.winner.other());
        let safe = Targets { rows: &self.won, complement: true, blocks: None };
        let reaching = frame.reaching(loser, won);
        let rows = chunks.chunk_rows();
        let tables = self.open.par_chunks_mut(rows).zip(self.lost.par_chunks_mut(rows));
        let results = tables.zip(&self.events).zip(logs).enumerate().map_init(
            || Buffers::new(block_rows),
            |Buffers { scratch, .. }, (chunk, (((open, now), captures), log))| {
                let mut events = Vec::new();
                let mut blocks = BitVec::new();
                let mut releases = Cursor::at(&captures.releases, ply - 1);
                let tables = open.chunks_mut(block_rows).zip(now.chunks_mut(block_rows));
                for (i, (open, now)) in tables.enumerate() {
                    let number = chunks.blocks_of(chunk).start + i;
                    if lost[number] {
                        now.fill(Row::EMPTY);
                    }
                    let released = releases.take(i * block_rows, open);
                    // Nothing can be lost that has no new win within reach.
                    let look = released || may(&reaching, number);
                    if !look || open.iter().all(|lanes| lanes.is_empty()) {
                        blocks.push(false);
                        continue;
                    }
                    // What is left of the open ones has no safe move.
                    now.copy_from_slice(open);
                    frame.quiet_moves(loser, &frame.block(number), safe, scratch, now);
                    for (open, now) in open.iter_mut().zip(&*now) {
                        *open = open.without(*now);
                    }
                    blocks.push(note(&mut events, i * block_rows, now));
                }
                done(blocks.len() * block_rows);
                log.push(winner, ply, events);
                blocks
            },
        );
        joined(results.collect())
    }
}

/// Goes through a chunk's events of one ply, block by block.
struct Cursor<'e, const N: usize>(&'e [Event<N>]);

impl<'e, const N: usize> Cursor<'e, N> {
    fn at(events: &'e [Vec<Event<N>>], ply: Plies) -> Cursor<'e, N> {
        Cursor(events.get(usize::from(ply)).map_or(&[], |events| events))
    }

    /// Adds the events of the block whose first row in the chunk is `first` to
    /// its rows; returns whether there were any.
    fn take(&mut self, first: usize, rows: &mut [Row<N>]) -> bool {
        let (now, later) = self
            .0
            .split_at(self.0.partition_point(|&(row, _)| (row as usize) < first + rows.len()));
        for &(row, lanes) in now {
            rows[row as usize - first] |= lanes;
        }
        self.0 = later;
        !now.is_empty()
    }
}

/// Whether the block is among those that may have changed.
fn may(blocks: &Option<BitVec>, block: usize) -> bool {
    blocks.as_ref().is_none_or(|blocks| blocks[block])
}

fn joined(chunks: Vec<BitVec>) -> BitVec {
    chunks.into_iter().fold(BitVec::new(), |mut all, chunk| {
        all.extend_from_bitslice(&chunk);
        all
    })
}
