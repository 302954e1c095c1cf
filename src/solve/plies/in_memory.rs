//! Plies with all tables in memory: each in the way that takes least for what
//! changed before it, by whole blocks, by rows, or by stars.

use bitvec::vec::BitVec;
use rayon::prelude::*;

use crate::index::Walker;
use crate::rules::Side;
use crate::solve::store::{Content, Key, ScratchError};
use crate::value::Plies;

use crate::solve::frame::Block;
use crate::solve::initial::seeds::Event;
use crate::solve::moves::by_block::{Scratch, Targets};
use crate::solve::moves::by_row::{RankLanes, RowMoves, RowScratch};
use crate::solve::plies::fixpoint::{Findings, Outcome, Ply, joined, read_events};
use crate::solve::plies::frontier::{
    Changed, Reach, STAR_ROWS_ON, clear, few, fewer_than_stars, lanes_of, reach,
};
use crate::solve::rows::row::Row;

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

impl<const N: usize> Outcome<'_, N> {
    /// The winner's positions that win at this ply: a move leads to one that was
    /// lost at the ply before, or a capture does.
    pub(super) fn winning_in_memory(
        &mut self,
        ply: &Ply,
        lost: &Changed,
    ) -> Result<Changed, ScratchError> {
        let (chunks, winner, moves, initial) = (self.chunks, self.winner, self.moves, self.initial);
        let block_rows = chunks.block_rows;
        let all = 0..chunks.rows();
        let known = self.lost.rows(all.clone())?;
        let reach = reach(moves, chunks, winner, &known, lost, false, &mut self.new);
        if let (Reach::Stars, Some(stars)) = (&reach, &moves.stars) {
            let won = self.won.rows(all.clone())?;
            self.new.par_iter_mut().zip(&*won).for_each(|(new, &won)| *new = !won);
            stars.without_moves(moves, &known, false, &mut self.new);
        }
        let blocks = Some(&lost.blocks[..]);
        let targets = Targets { rows: &known, first_block: 0, complement: false, blocks };
        let mut won = self.won.rows_mut(all)?;
        let tables = won.par_chunks_mut(chunks.chunk_rows());
        let tables = tables.zip(self.new.par_chunks_mut(chunks.chunk_rows()));
        let changed = tables.enumerate().map_init(
            || Worker::new(moves),
            |worker, (chunk, (won, new))| {
                let blocks = chunks.blocks_of(chunk);
                let reached = reach.blocks(blocks.clone());
                let key = Key { content: Content::Wins, winner, ply: ply.ply, chunk: chunk as u32 };
                let captures = read_events(initial.of(chunk), key)?;
                let mut wins = Cursor(&captures);
                let visited = wins.blocks(&reached, block_rows);
                let mut findings = Findings::new(blocks.len());
                for i in visited.iter_ones() {
                    let number = blocks.start + i;
                    let found = &mut new[i * block_rows..][..block_rows];
                    let won = &mut won[i * block_rows..][..block_rows];
                    match &reach {
                        _ if !reached[i] => {}
                        Reach::Lanes(_) => moves.add_images(&mut worker.walker, number, found),
                        Reach::Stars => worker.won_by_stars(moves, number, won, found),
                        _ => worker.winning_moves(moves, winner, number, targets, won, found),
                    }
                    for &(row, lanes) in wins.here(i * block_rows, block_rows) {
                        found[row as usize - i * block_rows] |= lanes;
                    }
                    for (found, won) in found.iter_mut().zip(won) {
                        *found = found.without(*won);
                        *won |= *found;
                    }
                    findings.note(i, found);
                }
                (ply.done)(blocks.len() * block_rows);
                findings.keep(ply, winner, chunk)
            },
        );
        Ok(joined(&changed.collect::<Result<Vec<_>, _>>()?))
    }

    /// The loser's positions that are lost at this ply: every move leads to a win
    /// found so far.
    pub(super) fn losing_in_memory(
        &mut self,
        ply: &Ply,
        [won, lost]: [&Changed; 2],
    ) -> Result<Changed, ScratchError> {
        let (chunks, winner, moves) = (self.chunks, self.winner, self.moves);
        let loser = winner.other();
        let block_rows = chunks.block_rows;
        let all = 0..chunks.rows();
        let mut now = self.lost.rows_mut(all.clone())?;
        clear(chunks, &mut now, &lost.blocks);
        // Nothing can be lost that has no new win within reach.
        let reach = reach(moves, chunks, loser, &self.new, won, true, &mut now);
        drop(now);
        let candidates = self.candidates(ply.ply, &reach)?;
        let known = self.won.rows(all.clone())?;
        let mut now = self.lost.rows_mut(all.clone())?;
        let by_stars = moves.stars.as_ref().filter(|_| {
            let rows = candidates.rows;
            loser == Side::Attackers && !fewer_than_stars(rows, chunks.rows(), STAR_ROWS_ON)
        });
        if let Some(stars) = by_stars {
            stars.without_moves(moves, &known, true, &mut now);
        }
        let mut open = self.open.rows_mut(all)?;
        let tables = open.par_chunks_mut(chunks.chunk_rows());
        let tables = tables.zip(now.par_chunks_mut(chunks.chunk_rows()));
        let changed = tables.enumerate().map_init(
            || Worker::new(moves),
            |worker, (chunk, (open, now))| {
                let blocks = chunks.blocks_of(chunk);
                let mut findings = Findings::new(blocks.len());
                for i in candidates.blocks[blocks.clone()].iter_ones() {
                    let number = blocks.start + i;
                    let now = &mut now[i * block_rows..][..block_rows];
                    let open = &mut open[i * block_rows..][..block_rows];
                    if by_stars.is_some() {
                        moves.keep_images(&mut worker.walker, number, now);
                    } else {
                        worker.without_escape(moves, loser, number, &known, now);
                    }
                    for (open, now) in open.iter_mut().zip(&*now) {
                        *open = open.without(*now);
                    }
                    findings.note(i, now);
                }
                (ply.done)(blocks.len() * block_rows);
                findings.keep(ply, winner, chunk)
            },
        );
        let changed = joined(&changed.collect::<Result<Vec<_>, _>>()?);
        clear(chunks, &mut self.new, &won.blocks);
        Ok(changed)
    }

    /// Puts into `lost` where the loser may be lost: open positions with a new
    /// win within reach, and those that become open.
    fn candidates(&mut self, ply: Plies, reach: &Reach) -> Result<Changed, ScratchError> {
        let (chunks, winner, moves, initial, new) =
            (self.chunks, self.winner, self.moves, self.initial, &self.new);
        let loser = winner.other();
        let block_rows = chunks.block_rows;
        let all = 0..chunks.rows();
        let (mut open, mut now) = (self.open.rows_mut(all.clone())?, self.lost.rows_mut(all)?);
        let tables = open.par_chunks_mut(chunks.chunk_rows());
        let tables = tables.zip(now.par_chunks_mut(chunks.chunk_rows()));
        let candidates = tables.enumerate().map_init(
            || Worker::new(moves),
            |worker, (chunk, (open, now))| {
                let blocks = chunks.blocks_of(chunk);
                let reached = reach.blocks(blocks.clone());
                let content = Content::Releases;
                let key = Key { content, winner, ply: ply - 1, chunk: chunk as u32 };
                let captures = read_events(initial.of(chunk), key)?;
                let mut releases = Cursor(&captures);
                let visited = releases.blocks(&reached, block_rows);
                let mut candidates = BitVec::repeat(false, blocks.len());
                let mut rows = 0;
                for i in visited.iter_ones() {
                    let number = blocks.start + i;
                    let now = &mut now[i * block_rows..][..block_rows];
                    let open = &mut open[i * block_rows..][..block_rows];
                    if reached[i] {
                        match reach {
                            Reach::Lanes(_) => {
                                moves.add_images(&mut worker.walker, number, now);
                            }
                            _ => {
                                let new = &new[number * block_rows..][..block_rows];
                                let exact = loser == Side::Defenders
                                    && worker.defenders_back(moves, number, new, now);
                                if !exact {
                                    now.fill(!Row::EMPTY);
                                }
                            }
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
                Ok(Changed { blocks: candidates, rows })
            },
        );
        Ok(joined(&candidates.collect::<Result<Vec<_>, ScratchError>>()?))
    }
}

impl<const N: usize> Worker<'_, N> {
    /// Makes of what the stars have left in `found`, the lanes of a block that are
    /// won or from which no move leads to a target, those that are newly won.
    fn won_by_stars(
        &mut self,
        moves: &RowMoves<N>,
        number: usize,
        won: &[Row<N>],
        found: &mut [Row<N>],
    ) {
        moves.keep_images(&mut self.walker, number, found);
        for (found, &won) in found.iter_mut().zip(won) {
            *found = !(*found | won);
        }
    }

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
        if winner == Side::Defenders {
            let targets = &targets.rows[number * found.len()..][..found.len()];
            if self.defenders_back(moves, number, targets, found) {
                return;
            }
        }
        let block = self.block(moves, number);
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

    /// Adds to `found`, by rank, the lanes of a block from which the defenders
    /// have a move to the targets, if these are few; tells whether they are.
    fn defenders_back(
        &mut self,
        moves: &RowMoves<N>,
        number: usize,
        targets: &[Row<N>],
        found: &mut [Row<N>],
    ) -> bool {
        lanes_of(targets, &mut self.rows);
        if !few(self.rows.len(), 1, targets.len()) {
            return false;
        }
        let (attackers, _) = self.walker.set(number as u64);
        for &row in &self.rows {
            moves.defender_unmoves(attackers, row, |rank, lanes| found[rank as usize] |= lanes);
        }
        true
    }

    fn block(&mut self, moves: &RowMoves<N>, number: usize) -> Block<N> {
        moves.frame.block_of(number, self.walker.set(number as u64).0)
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
        lanes_of(rows, &mut self.rows);
        if self.rows.is_empty() {
            return;
        }
        if !few(self.rows.len(), 1, rows.len()) {
            let safe = Targets { rows: table, first_block: 0, complement: true, blocks: None };
            let block = self.block(moves, number);
            return moves.frame.quiet_moves(loser, &block, safe, &mut self.scratch, rows);
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
    /// The blocks of the chunk that are reached or have events.
    fn blocks(&self, reached: &BitVec, block_rows: usize) -> BitVec {
        let mut blocks = reached.clone();
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
}
