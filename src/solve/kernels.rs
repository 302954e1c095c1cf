//! The solver's inner loops in isolation, for `benches/kernels.rs`.

use crate::game::board::Symmetry;
use crate::game::rules::{Ruleset, Side};
use crate::game::slice::Slice;

use crate::solve::captures::decided::Decider;
use crate::solve::error::BuildError;
use crate::solve::frame::{Block, Frame};
use crate::solve::moves::Moves;
use crate::solve::moves::by_block::{BlockMoves, TargetSet};
use crate::solve::rows::numbers::BlockNumber;
use crate::solve::rows::row::Row;
use crate::solve::rows::simd::{self, Kernel, Processor};

/// A slice whose rows have `N` words, and a table of it in which some lanes are set.
#[doc(hidden)]
pub struct Kernels<'a, const N: usize> {
    frame: Frame<'a, N>,
    table: Vec<Row<N>>,
}

impl<'a, const N: usize> Kernels<'a, N> {
    /// Builds the table of a slice; every third valid lane is set.
    ///
    /// # Errors
    /// If the slice is invalid, or the memory is exhausted.
    pub fn new(rules: &'a Ruleset, slice: Slice) -> Result<Kernels<'a, N>, BuildError> {
        let frame: Frame<N> = Frame::new(rules, slice)?;
        let blocks = frame.block_numbers().flat_map(|number| frame.block(number).valid);
        let table = blocks.map(every_third).collect();
        Ok(Kernels { frame, table })
    }

    /// Prepares the kernels for slices without defenders.
    pub fn bare_king(&self) -> BareKing<'_, N> {
        BareKing {
            table: &self.table,
            moves: Moves::new(&self.frame),
            blocks: self.frame.block_numbers().map(|number| self.frame.block(number)).collect(),
        }
    }

    /// Returns the number of rows of the table.
    pub fn rows(&self) -> usize {
        self.table.len()
    }

    /// Transforms all rows by a symmetry; returns the number of lanes set in the results.
    pub fn transform(&self, symmetry: Symmetry) -> u64 {
        let mut lanes = 0;
        let transform = Transform { kernels: self, symmetry, lanes: &mut lanes };
        simd::run(transform);
        lanes
    }

    /// Un-moves the king of all rows; returns the number of origins.
    pub fn king_origins(&self) -> u64 {
        let men = self.frame.defender_lanes.iter().cycle();
        let rows = self.table.iter().zip(men);
        rows.map(|(&row, &men)| u64::from(self.frame.region.king_origins(row, !men).count())).sum()
    }

    /// Searches a block for moves of a side into the table; returns the number of lanes with such a
    /// move.
    pub fn quiet_moves(&self, side: Side, block: usize) -> u64 {
        let block = self.frame.block(BlockNumber::new(block));
        let mut remaining = block.valid.clone();
        let targets = TargetSet {
            rows: &self.table,
            first_block: BlockNumber::FIRST,
            complement: false,
            blocks: None,
        };
        BlockMoves::new(&self.frame).quiet_moves(side, &block, targets, &mut remaining);
        let found = block.valid.iter().zip(&remaining).map(|(valid, rest)| valid.without(*rest));
        found.map(|lanes| u64::from(lanes.count())).sum()
    }
}

/// Kernels for slices without defenders, whose blocks have one row.
#[doc(hidden)]
pub struct BareKing<'k, const N: usize> {
    table: &'k [Row<N>],
    moves: Moves<'k, N>,
    blocks: Vec<Block<N>>,
}

impl<const N: usize> BareKing<'_, N> {
    /// Searches the moves of all attackers into the table by stars; returns the number of lanes
    /// without such a move.
    ///
    /// # Panics
    /// If the slice has defenders.
    pub fn stars(&self) -> u64 {
        let mut left: Vec<Row<N>> = self.blocks.iter().map(|block| block.valid[0]).collect();
        let stars = self.moves.stars.as_ref().expect("a slice without defenders has stars");
        stars.without_moves(self.table, false, &mut left);
        count(left)
    }

    /// Un-moves the king of all rows, without captures; returns the number of origins.
    ///
    /// # Panics
    /// If the slice has defenders.
    pub fn kings(&self) -> u64 {
        let kings = self.moves.kings.as_ref().expect("a slice without defenders has bare kings");
        let numbers = self.blocks.iter().map(|block| block.number);
        let blocks: Vec<_> = numbers.zip(self.table.iter().copied()).collect();
        let mut lanes = 0;
        kings.origins(&mut self.moves.frame.walker(), &blocks, |_, row| lanes += count([row]));
        lanes
    }

    /// Returns the number of lanes that are decided at once with `side` to move.
    pub fn decided(&self, side: Side) -> u64 {
        let (mut decider, mut decided) = (Decider::default(), Vec::new());
        let mut walker = self.moves.frame.walker();
        let blocks = self.blocks.iter().map(|block| {
            decider.find(self.moves.frame, &mut walker, block, side, &mut decided);
            count([decided[0] & block.valid[0]])
        });
        blocks.sum()
    }
}

fn every_third<const N: usize>(row: Row<N>) -> Row<N> {
    Row(row.0.map(|word| word & 0x9249_2492_4924_9249))
}

fn count<const N: usize>(rows: impl IntoIterator<Item = Row<N>>) -> u64 {
    rows.into_iter().map(|row| u64::from(row.count())).sum()
}

struct Transform<'k, 'a, const N: usize> {
    kernels: &'k Kernels<'a, N>,
    symmetry: Symmetry,
    lanes: &'k mut u64,
}

impl<const N: usize> Kernel for Transform<'_, '_, N> {
    #[inline(always)]
    fn run(self, processor: impl Processor) {
        let transform = self.kernels.frame.region.transforms.of(self.symmetry);
        for &row in &self.kernels.table {
            *self.lanes += u64::from(processor.transform(transform, row).count());
        }
    }
}
