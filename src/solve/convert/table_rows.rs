//! The mapping between rows of the solver and of a table. The solver has a row for every set of
//! defenders; a table leaves out the sets that overlap the attackers.

use std::ops::Range;

use crate::game::board::{SquareSet, Symmetry};
use crate::game::rules::{Kind, Side};
use crate::index::{AttackerSets, SliceIndex, Walker};
use crate::solve::captures::decided::Decider;
use crate::solve::frame::{Block, Frame};
use crate::solve::rows::numbers::BlockNumber;
use crate::solve::rows::row::Row;
use crate::table::dont_care::LeastImages;

/// A slice in the solver's numbering.
pub(crate) struct SolverRows<'a, 'f, const N: usize> {
    /// The slice; its blocks are the canonical attacker sets.
    pub frame: &'a Frame<'f, N>,
    /// The index of the table.
    pub index: &'a SliceIndex,
}

/// A block of the solver for one side to move, with reusable buffers.
pub(crate) struct SolverBlock<'a, const N: usize> {
    walker: Walker<'a>,
    /// The rows by defender rank; `None` where the table has no row.
    pub rows: Vec<Option<SolverRow<N>>>,
    /// The symmetries, other than the identity, that leave the attackers unchanged.
    pub symmetries: Vec<Symmetry>,
    solved: Block<N>,
    decided: Vec<Row<N>>,
    decider: Decider<N>,
}

/// A row of the solver.
#[derive(Clone, Copy)]
pub(crate) struct SolverRow<const N: usize> {
    /// The lanes with positions.
    pub valid: Row<N>,
    /// The lanes of positions that the side to move decides at once.
    pub decided: Row<N>,
    /// The lanes of positions whose least image is on this same row and lane.
    pub least: Row<N>,
    /// The number of placements that each of its positions stands for.
    pub weight: u64,
}

impl<const N: usize> SolverRow<N> {
    /// Returns the lanes whose values the table stores, without don't-cares.
    pub(crate) fn stored(&self) -> Row<N> {
        (self.valid & self.least).without(self.decided)
    }
}

impl<const N: usize> SolverRows<'_, '_, N> {
    fn attackers(&self) -> &AttackerSets {
        self.frame.attackers.sets()
    }

    /// Creates a block to load into; loading blocks in order is fast.
    pub(crate) fn buffer(&self) -> SolverBlock<'_, N> {
        SolverBlock {
            walker: Walker::new(self.attackers()),
            rows: Vec::new(),
            symmetries: Vec::new(),
            solved: Block::default(),
            decided: Vec::new(),
            decider: Decider::default(),
        }
    }

    /// Returns the table's rows of these blocks.
    pub(crate) fn table_rows(&self, blocks: &Range<usize>) -> Range<u64> {
        self.first_table_row(blocks.start)..self.first_table_row(blocks.end)
    }

    /// Returns the first table row of a block, or the end of the table after the last block.
    fn first_table_row(&self, block: usize) -> u64 {
        if block >= self.frame.blocks() {
            return self.index.rows();
        }
        let (set, _) = self.attackers().unrank(block as u64);
        self.index.attackers().canonicalize(set).0
    }

    /// Loads the properties of a block that do not depend on values. The table's rows are those of
    /// the free sets of defenders, in the same order.
    pub(crate) fn load(&self, number: BlockNumber, to_move: Side, block: &mut SolverBlock<'_, N>) {
        let frame = self.frame;
        let (attackers, stabilizer) = block.walker.set(number.into());
        let solved = &mut block.solved;
        frame.load_block(number, attackers, solved);
        block.decider.find(frame, &mut block.walker, solved, to_move, &mut block.decided);
        let images = LeastImages::new(frame.rules, stabilizer);
        let kings = frame.rules.places(Kind::King);
        let weight = (frame.rules.symmetries().order() / stabilizer.order()) as u64;
        let rows = solved.valid.iter().zip(&block.decided).zip(frame.defenders.ranks());
        block.rows.clear();
        block.rows.extend(rows.map(|((&valid, &decided), rank)| {
            let least = match images.all() {
                true => valid,
                false => frame.region.row(images.kings(frame.defenders.set(rank), kings)),
            };
            Some(SolverRow { valid, decided: decided & valid, least, weight })
        }));
        self.remove_overlaps(attackers, &mut block.rows);
        block.symmetries.clear();
        block.symmetries.extend(images.symmetries());
    }

    /// Removes the rows whose defenders overlap the attackers.
    fn remove_overlaps(&self, attackers: SquareSet, rows: &mut [Option<SolverRow<N>>]) {
        for square in attackers {
            for &rank in self.frame.defenders.ranks_holding(square) {
                rows[rank.index()] = None;
            }
        }
    }
}
