//! The operations of a worker on the rows of a block or, with a bare king, on the blocks of a
//! chunk. Each chooses the method that is fastest for the number of changed rows.

use bitvec::slice::BitSlice;

use crate::game::rules::Side;
use crate::index::Walker;

use crate::solve::frame::Block;
use crate::solve::moves::Moves;
use crate::solve::moves::by_block::{BlockMoves, TargetSet};
use crate::solve::moves::by_king::KingRows;
use crate::solve::moves::by_row::{RankLanes, RowBuffers};
use crate::solve::moves::cost::row_by_row_is_cheaper;
use crate::solve::plies::frontier::{lanes_of, ones};
use crate::solve::rows::numbers::BlockNumber;
use crate::solve::rows::row::Row;

/// A worker with its buffers.
pub(crate) struct Worker<'f, const N: usize> {
    moves: &'f Moves<'f, N>,
    walker: Walker<'f>,
    /// The current block.
    block: Block<N>,
    block_moves: BlockMoves<'f, N>,
    row_buffers: RowBuffers<N>,
    /// The rows of a block that have lanes.
    rows: Vec<RankLanes<N>>,
    /// All rows of a block.
    lanes: Vec<Row<N>>,
    /// Blocks of one row, and the squares where the king may arrive.
    destinations: Vec<(BlockNumber, Row<N>)>,
}

impl<'f, const N: usize> Worker<'f, N> {
    /// Allocates the buffers for a slice.
    pub(crate) fn new(moves: &'f Moves<'f, N>) -> Worker<'f, N> {
        Worker {
            moves,
            walker: moves.frame.walker(),
            block: Block::default(),
            block_moves: BlockMoves::new(moves.frame),
            row_buffers: RowBuffers::default(),
            rows: Vec::new(),
            lanes: vec![Row::EMPTY; moves.frame.block_rows()],
            destinations: Vec::new(),
        }
    }

    /// Adds to the rows of a block their images under the symmetries of its attackers.
    pub(crate) fn add_images(&mut self, number: BlockNumber, rows: &mut [Row<N>]) {
        self.moves.rows.add_images(&mut self.walker, number, rows);
    }

    /// Keeps only lanes of a block of which all images are set, too.
    pub(crate) fn keep_images(&mut self, number: BlockNumber, rows: &mut [Row<N>]) {
        self.moves.rows.keep_images(&mut self.walker, number, rows);
    }

    /// Converts the result of the stars in `found`, the lanes that are won or have no move to a
    /// target, to the newly won lanes.
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

    /// Puts into `found`, by rank, the lanes of a block from which the winner has a move to a
    /// target.
    pub(crate) fn winning_moves(
        &mut self,
        winner: Side,
        number: BlockNumber,
        targets: TargetSet<N>,
        won: &[Row<N>],
        found: &mut [Row<N>],
    ) {
        if winner == Side::Defenders {
            let own = targets.rows_of(number, found.len());
            if self.defenders_back(number, own, found) {
                return;
            }
        }
        self.load_block(number);
        let (block, remaining) = (&self.block, &mut self.lanes);
        for ((remaining, &valid), &won) in remaining.iter_mut().zip(&block.valid).zip(won) {
            *remaining = valid.without(won);
        }
        found.copy_from_slice(remaining);
        self.block_moves.quiet_moves(winner, block, targets, remaining);
        for (found, &remaining) in found.iter_mut().zip(&*remaining) {
            *found = found.without(remaining);
        }
    }

    /// Adds to `found`, by rank, the lanes of a block from which the defenders have a move to the
    /// targets, if those are few. Returns `false` if they are not.
    pub(crate) fn defenders_back(
        &mut self,
        number: BlockNumber,
        targets: &[Row<N>],
        found: &mut [Row<N>],
    ) -> bool {
        lanes_of(targets, &mut self.rows);
        if !row_by_row_is_cheaper(self.rows.len(), 1, targets.len()) {
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

    /// Puts into `found`, by place, the lanes of some blocks of a chunk from which the king has a
    /// move to the targets; `first` is the chunk's first block.
    pub(crate) fn kings_back(
        &mut self,
        kings: &KingRows<N>,
        first: BlockNumber,
        blocks: &BitSlice,
        targets: &[Row<N>],
        found: &mut [Row<N>],
    ) {
        let destinations = ones(blocks).map(|place| (place, targets[place]));
        self.king_origins(kings, first, destinations, |place, lanes| found[place] = lanes);
    }

    /// Removes from `rows`, by place, the lanes of some blocks of a chunk from which the king has a
    /// move to a position that is not in `table`; `first` is the chunk's first block.
    pub(crate) fn kings_escape(
        &mut self,
        kings: &KingRows<N>,
        first: BlockNumber,
        blocks: &BitSlice,
        table: &[Row<N>],
        rows: &mut [Row<N>],
    ) {
        let destinations = ones(blocks).map(|place| (place, !table[place]));
        self.king_origins(kings, first, destinations, |place, lanes| {
            rows[place] = rows[place].without(lanes);
        });
    }

    /// Calls `visit` with the places and lanes from which the king has a move to a destination.
    fn king_origins(
        &mut self,
        kings: &KingRows<N>,
        first: BlockNumber,
        destinations: impl Iterator<Item = (usize, Row<N>)>,
        mut visit: impl FnMut(usize, Row<N>),
    ) {
        let base = first.index();
        self.destinations.clear();
        self.destinations
            .extend(destinations.map(|(place, lanes)| (BlockNumber::new(base + place), lanes)));
        kings.origins(&mut self.walker, &self.destinations, |number, lanes| {
            visit(number.index() - base, lanes);
        });
    }

    fn load_block(&mut self, number: BlockNumber) {
        let (attackers, _) = self.walker.set(number.into());
        self.moves.frame.load_block(number, attackers, &mut self.block);
    }

    /// Removes from the rows of a block, by rank, the lanes from which the loser has a move to a
    /// safe position.
    pub(crate) fn without_escape(
        &mut self,
        loser: Side,
        number: BlockNumber,
        safe: TargetSet<N>,
        rows: &mut [Row<N>],
    ) {
        lanes_of(rows, &mut self.rows);
        if self.rows.is_empty() {
            return;
        }
        if !row_by_row_is_cheaper(self.rows.len(), 1, rows.len()) {
            self.load_block(number);
            return self.block_moves.quiet_moves(loser, &self.block, safe, rows);
        }
        let (attackers, _) = self.walker.set(number.into());
        let moves = &self.moves.rows;
        match loser {
            Side::Attackers => {
                rows.fill(Row::EMPTY);
                moves.remove_attacker_escapes(
                    attackers,
                    safe.rows,
                    &mut self.rows,
                    &mut self.row_buffers,
                );
                self.rows.iter().for_each(|&(rank, lanes)| rows[rank.index()] = lanes);
            }
            Side::Defenders => {
                let block_safe = safe.rows_of(number, rows.len());
                for &(rank, lanes) in &self.rows {
                    rows[rank.index()] =
                        moves.without_defender_escapes(attackers, block_safe, (rank, lanes));
                }
            }
        }
    }
}
