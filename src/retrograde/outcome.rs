//! The plies of one outcome: a least fixpoint, reached in order of distance.

use std::ops::Range;

use bitvec::vec::BitVec;
use rayon::prelude::*;

use crate::index::Walker;
use crate::rules::Side;
use crate::value::Plies;

use super::log::{ChunkLog, note};
use super::quiet::{Scratch, Targets};
use super::reach::{Changed, Reach, clear, few, fewer_than_stars, lanes_of, reach};
use super::row::Row;
use super::row_moves::{RankLanes, RowMoves, RowScratch};
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
    /// The winner to move and found to win at the last ply.
    new: Vec<Row<N>>,
    /// By chunk.
    events: Vec<SeedEvents<N>>,
}

/// A worker's buffers.
struct Worker<'f, const N: usize> {
    walker: Walker<'f>,
    scratch: Scratch<N>,
    row_scratch: RowScratch<N>,
    /// Rows of a block with lanes.
    rows: Vec<RankLanes<N>>,
    /// By row of a block.
    lanes: Vec<Row<N>>,
}

impl<'f, const N: usize> Worker<'f, N> {
    fn new(moves: &RowMoves<'f, N>) -> Worker<'f, N> {
        Worker {
            walker: moves.walker(),
            scratch: Scratch::default(),
            row_scratch: RowScratch::default(),
            rows: Vec::new(),
            lanes: vec![Row::EMPTY; moves.frame.block_rows()],
        }
    }
}

impl<const N: usize> Outcome<N> {
    /// Nothing known yet.
    pub fn new(winner: Side, chunks: Chunks) -> Outcome<N> {
        let table = || vec![Row::EMPTY; chunks.blocks * chunks.block_rows];
        let [won, open, lost, new] = std::array::from_fn(|_| table());
        Outcome { winner, chunks, won, open, lost, new, events: Vec::new() }
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

    /// Logs the positions lost in 0; returns where there are any.
    pub fn stalemates(&self, logs: &mut [ChunkLog<N>]) -> Changed {
        let mut changed = Changed::default();
        for (log, rows) in logs.iter_mut().zip(self.lost.chunks(self.chunks.chunk_rows())) {
            let mut events = Vec::new();
            for (i, rows) in rows.chunks(self.chunks.block_rows).enumerate() {
                changed.blocks.push(note(&mut events, i * self.chunks.block_rows, rows));
            }
            changed.rows += events.len();
            log.push(self.winner, 0, events);
        }
        changed
    }

    /// The winner's positions that win in `ply`: a move leads to one that was
    /// lost at the ply before, or a capture does. `lost` is what changed at that
    /// ply; returns what changes now. `done` is told the rows of each finished
    /// chunk.
    pub fn winning_ply(
        &mut self,
        moves: &RowMoves<N>,
        ply: Plies,
        lost: &Changed,
        logs: &mut [ChunkLog<N>],
        done: &(dyn Fn(usize) + Sync),
    ) -> Changed {
        let (chunks, winner) = (self.chunks, self.winner);
        let Chunks { block_rows, .. } = chunks;
        let reach = reach(moves, chunks, winner, &self.lost, lost, false, &mut self.new);
        let targets = Targets { rows: &self.lost, complement: false, blocks: Some(&lost.blocks) };
        let rows = chunks.chunk_rows();
        let tables = self.won.par_chunks_mut(rows).zip(self.new.par_chunks_mut(rows));
        let results = tables.zip(&self.events).zip(logs).enumerate().map_init(
            || Worker::new(moves),
            |worker, (chunk, (((won, new), captures), log))| {
                let mut events = Vec::new();
                let blocks = chunks.blocks_of(chunk);
                let reached = reach.blocks(blocks.clone());
                let mut wins = Cursor::at(&captures.wins, ply);
                // Wins by rule are in the table already.
                let visited = wins.blocks(&reached, block_rows, ply == 1);
                let mut changed = BitVec::repeat(false, blocks.len());
                for i in visited.iter_ones() {
                    let number = blocks.start + i;
                    let found = &mut new[i * block_rows..][..block_rows];
                    let won = &mut won[i * block_rows..][..block_rows];
                    if reached[i] {
                        match &reach {
                            Reach::Lanes(_) => {
                                let (_, symmetries) = worker.walker.set(number as u64);
                                moves.add_images(symmetries, found);
                            }
                            _ => worker.winning_moves(moves, winner, number, targets, won, found),
                        }
                    }
                    wins.take(i * block_rows, found);
                    if ply == 1 {
                        for (found, won) in found.iter_mut().zip(&mut *won) {
                            *found |= std::mem::replace(won, Row::EMPTY);
                        }
                    }
                    for (found, won) in found.iter_mut().zip(won) {
                        *found = found.without(*won);
                        *won |= *found;
                    }
                    changed.set(i, note(&mut events, i * block_rows, found));
                }
                done(blocks.len() * block_rows);
                let changed = Changed { blocks: changed, rows: events.len() };
                log.push(winner, ply, events);
                changed
            },
        );
        joined(results.collect())
    }

    /// The loser's positions that are lost in `ply`: every move leads to a win
    /// found so far. `won` is what changed at the ply before, `lost` at the one
    /// before that; returns what changes now.
    pub fn losing_ply(
        &mut self,
        moves: &RowMoves<N>,
        ply: Plies,
        [won, lost]: [&Changed; 2],
        logs: &mut [ChunkLog<N>],
        done: &(dyn Fn(usize) + Sync),
    ) -> Changed {
        let (chunks, loser) = (self.chunks, self.winner.other());
        let Chunks { block_rows, .. } = chunks;
        clear(chunks, &mut self.lost, &lost.blocks);
        // Nothing can be lost that has no new win within reach.
        let reach = reach(moves, chunks, loser, &self.new, won, true, &mut self.lost);
        let candidates = self.candidates(moves, loser, ply, &reach);
        let stars = moves.stars.as_ref().filter(|_| {
            loser == Side::Attackers && !fewer_than_stars(candidates.rows, self.won.len())
        });
        if let Some(stars) = stars {
            stars.attackers_escape(moves, &self.won, &mut self.lost);
        }
        let rows = chunks.chunk_rows();
        let tables = self.open.par_chunks_mut(rows).zip(self.lost.par_chunks_mut(rows));
        let results = tables.zip(logs).enumerate().map_init(
            || Worker::new(moves),
            |worker, (chunk, ((open, now), log))| {
                let mut events = Vec::new();
                let blocks = chunks.blocks_of(chunk);
                let mut changed = BitVec::repeat(false, blocks.len());
                for i in candidates.blocks[blocks.clone()].iter_ones() {
                    let number = blocks.start + i;
                    let now = &mut now[i * block_rows..][..block_rows];
                    let open = &mut open[i * block_rows..][..block_rows];
                    if stars.is_some() {
                        let (_, symmetries) = worker.walker.set(number as u64);
                        moves.keep_images(symmetries, now);
                    } else {
                        worker.without_escape(moves, loser, number, &self.won, now);
                    }
                    for (open, now) in open.iter_mut().zip(&*now) {
                        *open = open.without(*now);
                    }
                    changed.set(i, note(&mut events, i * block_rows, now));
                }
                done(blocks.len() * block_rows);
                let changed = Changed { blocks: changed, rows: events.len() };
                log.push(self.winner, ply, events);
                changed
            },
        );
        let changed = joined(results.collect());
        clear(chunks, &mut self.new, &won.blocks);
        changed
    }

    /// Puts into `lost` where the loser may be lost in `ply`: open positions
    /// with a new win within reach, and those that become open.
    fn candidates(
        &mut self,
        moves: &RowMoves<N>,
        loser: Side,
        ply: Plies,
        reach: &Reach,
    ) -> Changed {
        let (chunks, new) = (self.chunks, &self.new);
        let Chunks { block_rows, .. } = chunks;
        let rows = chunks.chunk_rows();
        let tables = self.open.par_chunks_mut(rows).zip(self.lost.par_chunks_mut(rows));
        let results = tables.zip(&self.events).enumerate().map_init(
            || Worker::new(moves),
            |worker, (chunk, ((open, now), captures))| {
                let blocks = chunks.blocks_of(chunk);
                let reached = reach.blocks(blocks.clone());
                let mut releases = Cursor::at(&captures.releases, ply - 1);
                let visited = releases.blocks(&reached, block_rows, false);
                let mut candidates = BitVec::repeat(false, blocks.len());
                let mut rows = 0;
                for i in visited.iter_ones() {
                    let number = blocks.start + i;
                    let now = &mut now[i * block_rows..][..block_rows];
                    let open = &mut open[i * block_rows..][..block_rows];
                    if reached[i] {
                        match reach {
                            Reach::Lanes(_) => {
                                let (_, symmetries) = worker.walker.set(number as u64);
                                moves.add_images(symmetries, now);
                            }
                            _ if loser == Side::Defenders => {
                                let new = &new[number * block_rows..][..block_rows];
                                worker.defenders_back(moves, number, new, now);
                            }
                            _ => now.fill(!Row::EMPTY),
                        }
                        for (now, &open) in now.iter_mut().zip(&*open) {
                            *now &= open;
                        }
                    }
                    for &(row, lanes) in releases.here(i * block_rows, block_rows) {
                        open[row as usize - i * block_rows] |= lanes;
                        now[row as usize - i * block_rows] |= lanes;
                    }
                    let count = now.iter().filter(|lanes| !lanes.is_empty()).count();
                    candidates.set(i, count > 0);
                    rows += count;
                }
                Changed { blocks: candidates, rows }
            },
        );
        joined(results.collect())
    }
}

impl<const N: usize> Worker<'_, N> {
    /// Puts into `found`, by rank, the lanes of a block from which the winner
    /// has a move to a target.
    fn winning_moves(
        &mut self,
        moves: &RowMoves<N>,
        winner: Side,
        number: usize,
        targets: Targets<N>,
        won: &[Row<N>],
        found: &mut [Row<N>],
    ) {
        let block_rows = moves.frame.block_rows();
        if winner == Side::Defenders {
            let targets = &targets.rows[number * block_rows..][..block_rows];
            lanes_of(targets, &mut self.rows);
            if few(self.rows.len(), 1, block_rows) {
                return self.defenders_back(moves, number, targets, found);
            }
        }
        let block = moves.frame.block(number);
        let sought = &mut self.lanes;
        for ((sought, &valid), &won) in sought.iter_mut().zip(&block.valid).zip(won) {
            *sought = valid.without(won);
        }
        found.copy_from_slice(sought);
        moves.frame.quiet_moves(winner, &block, targets, &mut self.scratch, sought);
        for (found, &sought) in found.iter_mut().zip(&*sought) {
            *found = found.without(sought);
        }
    }

    /// Adds to `found`, by rank, at least the lanes of a block from which the
    /// defenders have a move to the targets; just those if the targets are few.
    fn defenders_back(
        &mut self,
        moves: &RowMoves<N>,
        number: usize,
        targets: &[Row<N>],
        found: &mut [Row<N>],
    ) {
        lanes_of(targets, &mut self.rows);
        if !few(self.rows.len(), 1, targets.len()) {
            return found.fill(!Row::EMPTY);
        }
        let (attackers, _) = self.walker.set(number as u64);
        for &row in &self.rows {
            moves.defender_unmoves(attackers, row, |rank, lanes| found[rank as usize] |= lanes);
        }
    }

    /// Takes out of the rows of a block, by rank, the lanes from which the loser
    /// has a move to a position that is not in `table`.
    fn without_escape(
        &mut self,
        moves: &RowMoves<N>,
        loser: Side,
        number: usize,
        table: &[Row<N>],
        rows: &mut [Row<N>],
    ) {
        let frame = moves.frame;
        lanes_of(rows, &mut self.rows);
        if self.rows.is_empty() {
            return;
        }
        if !few(self.rows.len(), 1, rows.len()) {
            let safe = Targets { rows: table, complement: true, blocks: None };
            return frame.quiet_moves(loser, &frame.block(number), safe, &mut self.scratch, rows);
        }
        let (attackers, _) = self.walker.set(number as u64);
        match loser {
            Side::Attackers => {
                rows.fill(Row::EMPTY);
                moves.attackers_escape(attackers, table, &mut self.rows, &mut self.row_scratch);
                self.rows.iter().for_each(|&(rank, lanes)| rows[rank as usize] = lanes);
            }
            Side::Defenders => {
                let table = &table[number * rows.len()..][..rows.len()];
                for &(rank, lanes) in &self.rows {
                    rows[rank as usize] =
                        moves.without_defenders_escape(attackers, table, (rank, lanes));
                }
            }
        }
    }
}

/// Goes through a chunk's events of one ply, block by block.
struct Cursor<'e, const N: usize>(&'e [Event<N>]);

impl<'e, const N: usize> Cursor<'e, N> {
    fn at(events: &'e [Vec<Event<N>>], ply: Plies) -> Cursor<'e, N> {
        Cursor(events.get(usize::from(ply)).map_or(&[], |events| events))
    }

    /// The blocks of the chunk that are reached or have events, or all.
    fn blocks(&self, reached: &BitVec, block_rows: usize, all: bool) -> BitVec {
        let mut blocks = reached.clone();
        if all {
            blocks.fill(true);
        }
        self.0.iter().for_each(|&(row, _)| blocks.set(row as usize / block_rows, true));
        blocks
    }

    /// Takes the next events, those of the block whose first row in the chunk is
    /// `first`.
    fn here(&mut self, first: usize, block_rows: usize) -> &'e [Event<N>] {
        let end = self.0.iter().position(|&(row, _)| row as usize >= first + block_rows);
        let (now, later) = self.0.split_at(end.unwrap_or(self.0.len()));
        self.0 = later;
        now
    }

    /// Adds them to the block's rows.
    fn take(&mut self, first: usize, rows: &mut [Row<N>]) {
        for &(row, lanes) in self.here(first, rows.len()) {
            rows[row as usize - first] |= lanes;
        }
    }
}

fn joined(chunks: Vec<Changed>) -> Changed {
    chunks.iter().fold(Changed::default(), |mut all, chunk| {
        all.extend(chunk);
        all
    })
}
