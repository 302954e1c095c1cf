//! What one worker does for a ply, block by block: each block in the way that takes least
//! for what changed before it.

use crate::index::Walker;
use crate::rules::Side;
use crate::solve::frame::Block;
use crate::solve::moves::Moves;
use crate::solve::moves::by_block::{BlockMoves, Targets};
use crate::solve::moves::by_row::{RankLanes, RowBuffers};
use crate::solve::moves::cost::are_few;
use crate::solve::plies::frontier::lanes_of;
use crate::solve::rows::numbers::BlockNumber;
use crate::solve::rows::row::Row;

/// What a worker has of its own.
pub(crate) struct Worker<'f, const N: usize> {
    moves: &'f Moves<'f, N>,
    walker: Walker<'f>,
    block_moves: BlockMoves<'f, N>,
    row_buffers: RowBuffers<N>,
    /// Rows of a block with lanes.
    rows: Vec<RankLanes<N>>,
    /// By row of a block.
    lanes: Vec<Row<N>>,
}

impl<'f, const N: usize> Worker<'f, N> {
    /// For a slice.
    pub(crate) fn new(moves: &'f Moves<'f, N>) -> Worker<'f, N> {
        Worker {
            moves,
            walker: moves.frame.walker(),
            block_moves: BlockMoves::new(moves.frame),
            row_buffers: RowBuffers::default(),
            rows: Vec::new(),
            lanes: vec![Row::EMPTY; moves.frame.block_rows()],
        }
    }

    /// Adds to the rows of a block their images under the symmetries of its attackers.
    pub(crate) fn add_images(&mut self, number: BlockNumber, rows: &mut [Row<N>]) {
        self.moves.rows.add_images(&mut self.walker, number, rows);
    }

    /// Keeps of the rows of a block only lanes of which all images are there.
    pub(crate) fn keep_images(&mut self, number: BlockNumber, rows: &mut [Row<N>]) {
        self.moves.rows.keep_images(&mut self.walker, number, rows);
    }

    /// Makes of what the stars have left in `found`, the lanes of a block that are
    /// won or from which no move leads to a target, those that are newly won.
    pub(crate) fn won_by_stars(
        &mut self,
        number: BlockNumber,
        won: &[Row<N>],
        found: &mut [Row<N>],
    ) {
        self.keep_images(number, found);
        for (found, &won) in found.iter_mut().zip(won) {
            *found = !(*found | won);
        }
    }

    /// Puts into `found`, by rank, the lanes of a block from which the winner
    /// has a move to a target.
    pub(crate) fn winning_moves(
        &mut self,
        winner: Side,
        number: BlockNumber,
        targets: Targets<N>,
        won: &[Row<N>],
        found: &mut [Row<N>],
    ) {
        if winner == Side::Defenders {
            let own = targets.rows_of(number, found.len());
            if self.defenders_back(number, own, found) {
                return;
            }
        }
        let block = self.block(number);
        let sought = &mut self.lanes;
        for ((sought, &valid), &won) in sought.iter_mut().zip(&block.valid).zip(won) {
            *sought = valid.without(won);
        }
        found.copy_from_slice(sought);
        self.block_moves.quiet_moves(winner, &block, targets, sought);
        for (found, &sought) in found.iter_mut().zip(&*sought) {
            *found = found.without(sought);
        }
    }

    /// Adds to `found`, by rank, the lanes of a block from which the defenders
    /// have a move to the targets, if these are few; tells whether they are.
    pub(crate) fn defenders_back(
        &mut self,
        number: BlockNumber,
        targets: &[Row<N>],
        found: &mut [Row<N>],
    ) -> bool {
        lanes_of(targets, &mut self.rows);
        if !are_few(self.rows.len(), 1, targets.len()) {
            return false;
        }
        let (attackers, _) = self.walker.set(number.into());
        for &row in &self.rows {
            self.moves
                .rows
                .defender_unmoves(attackers, row, |rank, lanes| found[rank.index()] |= lanes);
        }
        true
    }

    fn block(&mut self, number: BlockNumber) -> Block<N> {
        self.moves.frame.block_of(number, self.walker.set(number.into()).0)
    }

    /// Takes out of the rows of a block, by rank, the lanes from which the loser
    /// has a move to a target: one that is safe for him.
    pub(crate) fn without_escape(
        &mut self,
        loser: Side,
        number: BlockNumber,
        safe: Targets<N>,
        rows: &mut [Row<N>],
    ) {
        lanes_of(rows, &mut self.rows);
        if self.rows.is_empty() {
            return;
        }
        if !are_few(self.rows.len(), 1, rows.len()) {
            let block = self.block(number);
            return self.block_moves.quiet_moves(loser, &block, safe, rows);
        }
        let (attackers, _) = self.walker.set(number.into());
        let moves = &self.moves.rows;
        match loser {
            Side::Attackers => {
                rows.fill(Row::EMPTY);
                moves.attackers_escape(attackers, safe.rows, &mut self.rows, &mut self.row_buffers);
                self.rows.iter().for_each(|&(rank, lanes)| rows[rank.index()] = lanes);
            }
            Side::Defenders => {
                let of_block = safe.rows_of(number, rows.len());
                for &(rank, lanes) in &self.rows {
                    rows[rank.index()] =
                        moves.without_defenders_escape(attackers, of_block, (rank, lanes));
                }
            }
        }
    }
}
