//! The rows of the solver and those of a table: the solver has one for every
//! set of defenders, a table leaves out those that meet the attackers.

use std::ops::Range;

use crate::game::board::{SquareSet, Symmetry};
use crate::game::rules::{Kind, Side};
use crate::index::{AttackerSets, SliceIndex, Walker};
use crate::solve::captures::decided::Decider;
use crate::solve::frame::{Block, Frame};
use crate::solve::rows::numbers::BlockNumber;
use crate::solve::rows::row::Row;
use crate::table::dont_care::LeastImages;

/// A slice as the solver numbers it.
pub(crate) struct SolverRows<'a, 'f, const N: usize> {
    /// The slice; its blocks are the canonical attacker sets.
    pub frame: &'a Frame<'f, N>,
    /// The index of the table.
    pub index: &'a SliceIndex,
}

/// One block of the solver, for one side to move; buffers that are used again.
pub(crate) struct SolverBlock<'a, const N: usize> {
    walker: Walker<'a>,
    /// Its rows by defender rank; `None` where the table has no such row.
    pub rows: Vec<Option<SolverRow<N>>>,
    /// The symmetries, other than the identity, that leave the attackers unchanged.
    pub symmetries: Vec<Symmetry>,
    solved: Block<N>,
    decided: Vec<Row<N>>,
    decider: Decider<N>,
}

/// One row of the solver.
#[derive(Clone, Copy)]
pub(crate) struct SolverRow<const N: usize> {
    /// The lanes with positions.
    pub valid: Row<N>,
    /// Those of positions that the side to move decides at once.
    pub decided: Row<N>,
    /// Those of positions whose least image is on this row and lane.
    pub least: Row<N>,
    /// How many placements each of its positions stands for.
    pub weight: u64,
}

impl<const N: usize> SolverRow<N> {
    /// The lanes of which the table holds the values: no don't-cares.
    pub(crate) fn stored(&self) -> Row<N> {
        (self.valid & self.least).without(self.decided)
    }
}

impl<const N: usize> SolverRows<'_, '_, N> {
    fn attackers(&self) -> &AttackerSets {
        self.frame.attackers.sets()
    }

    /// CompressionPolicy for a block; it is quick to go from one block to the next one.
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

    /// The rows of the table that these blocks have.
    pub(crate) fn table_rows(&self, blocks: &Range<usize>) -> Range<u64> {
        let first = |block: usize| {
            if block >= self.frame.blocks() {
                return self.index.rows();
            }
            let (set, _) = self.attackers().unrank(block as u64);
            self.index.attackers().place(set).0
        };
        first(blocks.start)..first(blocks.end)
    }

    /// What is known of a block before its values. The rows that the table has
    /// are those with any free set of defenders, in the same order.
    pub(crate) fn load(&self, number: BlockNumber, to_move: Side, block: &mut SolverBlock<'_, N>) {
        let frame = self.frame;
        let (attackers, stabilizer) = block.walker.set(number.into());
        let solved = &mut block.solved;
        frame.load_block(number, attackers, solved);
        block.decider.find(frame, &mut block.walker, solved, to_move, &mut block.decided);
        let least = LeastImages::new(frame.rules, stabilizer);
        let kings = frame.rules.places(Kind::King);
        let weight = (frame.rules.symmetries().order() / stabilizer.order()) as u64;
        let rows = solved.valid.iter().zip(&block.decided).zip(frame.defenders.ranks());
        block.rows.clear();
        block.rows.extend(rows.map(|((&valid, &decided), rank)| {
            let least = match least.all() {
                true => valid,
                false => frame.region.row(least.kings(frame.defenders.set(rank), kings)),
            };
            Some(SolverRow { valid, decided: decided & valid, least, weight })
        }));
        self.remove_overlaps(attackers, &mut block.rows);
        block.symmetries.clear();
        block.symmetries.extend(least.symmetries());
    }

    /// Leaves out the rows whose defenders meet the attackers.
    fn remove_overlaps(&self, attackers: SquareSet, rows: &mut [Option<SolverRow<N>>]) {
        for square in attackers {
            for &rank in self.frame.defenders.ranks_holding(square) {
                rows[rank.index()] = None;
            }
        }
    }
}
