use std::ops::Range;

use rayon::prelude::*;

use crate::progress::{Phase, Progress};
use crate::rules::Side;
use crate::table::Code;
use crate::value::Plies;

use super::coded::CodedRows;
use super::frame::Frame;
use super::initial::{Children, InitialPass};
use super::log::ChunkLog;
use super::outcome::{Chunks, Outcome};
use super::row::Row;
use super::row_moves::RowMoves;
use super::seeds::SeedEvents;

/// Rows that one task works on, about: enough to share out evenly, and few
/// enough for its buffers to stay in the cache. Independent of the number of
/// threads, so that results are, too.
const CHUNK_ROWS: usize = 1 << 14;

/// A solved slice.
pub struct Solver<'a, const N: usize> {
    frame: &'a Frame<'a, N>,
    chunks: Chunks,
    /// By chunk.
    logs: Vec<ChunkLog<N>>,
}

impl<'a, const N: usize> Solver<'a, N> {
    /// Solves the slice: the values of all its positions.
    pub fn solve(
        frame: &'a Frame<'a, N>,
        children: &Children<N>,
        progress: &dyn Progress,
    ) -> Solver<'a, N> {
        let block_rows = frame.block_rows();
        let chunk_blocks = (CHUNK_ROWS / block_rows).max(1);
        let chunks = Chunks { blocks: frame.blocks(), chunk_blocks, block_rows };
        let logs = vec![ChunkLog::default(); chunks.count()];
        let mut solver = Solver { frame, chunks, logs };
        let moves = RowMoves::new(frame);
        for outcome in solver.initial(&moves, children, progress) {
            solver.plies(&moves, outcome, progress);
        }
        solver
    }

    /// The frame of the slice.
    pub fn frame(&self) -> &Frame<'a, N> {
        self.frame
    }

    /// How many chunks the results are in.
    pub fn chunks(&self) -> usize {
        self.chunks.count()
    }

    /// The rows of a chunk; the last one may have fewer.
    pub fn chunk_rows(&self) -> usize {
        self.chunks.chunk_rows()
    }

    /// The blocks of a chunk.
    pub fn blocks(&self, chunk: usize) -> Range<usize> {
        self.chunks.blocks_of(chunk)
    }

    /// The values of all positions in a chunk for one side to move, by row.
    pub fn coded_rows(&self, chunk: usize, to_move: Side) -> CodedRows<N> {
        let blocks = self.blocks(chunk);
        let valid: Vec<Row<N>> = blocks.flat_map(|number| self.frame.block(number).valid).collect();
        self.logs[chunk].coded_rows(&valid, to_move)
    }

    /// The greatest DTW code of any position.
    pub fn greatest_code(&self) -> Code {
        self.logs.iter().map(ChunkLog::greatest_code).max().unwrap_or(0)
    }

    fn rows(&self) -> u64 {
        (self.chunks.blocks * self.chunks.block_rows) as u64
    }

    fn initial(
        &self,
        moves: &RowMoves<N>,
        children: &Children<N>,
        progress: &dyn Progress,
    ) -> [Outcome<N>; 2] {
        progress.phase(self.frame.slice, Phase::Initial, self.rows());
        let pass = InitialPass::new(moves, children);
        let mut outcomes = Side::ALL.map(|winner| Outcome::new(winner, self.chunks));
        let [attackers, defenders] = &mut outcomes;
        let rows = attackers.seed_rows().zip(defenders.seed_rows());
        let events: Vec<[SeedEvents<N>; 2]> = rows
            .enumerate()
            .map_init(
                || pass.scratch(),
                |scratch, (chunk, (attackers, defenders))| {
                    let rows = attackers.won.len() as u64;
                    let events = pass.run(self.blocks(chunk), scratch, [attackers, defenders]);
                    progress.advance(rows);
                    events
                },
            )
            .collect();
        for events in events {
            for (outcome, events) in outcomes.iter_mut().zip(events) {
                outcome.add_events(events);
            }
        }
        outcomes
    }

    /// One outcome, from wins in one ply to the last.
    fn plies(&mut self, moves: &RowMoves<N>, mut outcome: Outcome<N>, progress: &dyn Progress) {
        let rows = self.rows();
        let (frame, winner, last_event) = (self.frame, outcome.winner, outcome.last_event());
        let phase = |ply| progress.phase(frame.slice, Phase::Ply { winner, ply }, rows);
        let done = |rows: usize| progress.advance(rows as u64);
        let mut lost = outcome.stalemates(&mut self.logs);
        let mut ply: Plies = 1;
        loop {
            phase(ply);
            let won = outcome.winning_ply(moves, ply, &lost, &mut self.logs, &done);
            phase(ply + 1);
            lost = outcome.losing_ply(moves, ply + 1, [&won, &lost], &mut self.logs, &done);
            if lost.rows == 0 && ply >= last_event {
                break;
            }
            ply += 2;
        }
    }
}
