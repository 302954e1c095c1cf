//! Goes through a table from its first row to its last, in all threads.

use std::ops::{ControlFlow, Range};

use rayon::prelude::*;

use super::stats::StatsError;
use super::weights::Weights;
use crate::game::board::SquareSet;
use crate::game::rules::{BySide, Ruleset, Side};
use crate::game::value::{Plies, Wdl};
use crate::index::SliceIndex;
use crate::table::{
    Code, Metric, PackedBlock, Source, Table, TableError, WIN_IN_1, dtw_value, wdl_value,
};

/// How many slots of a side are looked at together: few enough to stay in a
/// processor's cache.
const LOT_SLOTS: usize = 1 << 16;
/// How many lots each thread has before it that nobody has taken yet: what they come
/// to is held so long.
const LOTS_AHEAD: usize = 4;

/// A table that is to be gone through.
pub(super) struct Scan<'a, S> {
    pub rules: &'a Ruleset,
    pub index: SliceIndex,
    pub table: &'a Table<S>,
}

/// Some rows of a table: what each slot stands for and holds, lane by lane.
pub(super) struct Lot {
    /// The rows.
    pub rows: Range<u64>,
    /// How many placements a slot stands for; 0 if nobody asks for it.
    pub weights: Vec<u8>,
    /// The values with each side to move, if they were asked for; those that the rules
    /// decide are put in.
    pub codes: BySide<Vec<Code>>,
}

impl Lot {
    /// How many rows there are.
    pub(super) fn height(&self) -> usize {
        (self.rows.end - self.rows.start) as usize
    }
}

impl<'a, S: Source + Sync> Scan<'a, S> {
    /// A table of these rules.
    pub(super) fn new(rules: &'a Ruleset, table: &'a Table<S>) -> Result<Scan<'a, S>, StatsError> {
        let header = table.header();
        let index = SliceIndex::new(rules, header.slice).map_err(StatsError::Index)?;
        let same_grid =
            (header.grid.lanes(), header.grid.rows()) == (index.lanes().count(), index.rows());
        if header.fingerprint != rules.fingerprint() || !same_grid {
            return Err(StatsError::WrongRules);
        }
        Ok(Scan { rules, index, table })
    }

    /// Does the work on all rows, with the values of these sides, and hands over what
    /// it comes to, in the order of the rows; until that breaks off. Reads every block
    /// once; works on rayon's current threads. Slots are asked for only with the king
    /// where `asked` has him for the row's attackers and defenders.
    ///
    /// In memory are the packed blocks of one group of rows, and some lots for each
    /// thread.
    pub(super) fn run<T: Send>(
        &self,
        sides: &[Side],
        asked: impl Fn(SquareSet, SquareSet) -> SquareSet + Sync,
        work: impl Fn(&Lot) -> T + Sync,
        mut take: impl FnMut(T) -> ControlFlow<()>,
    ) -> Result<(), StatsError> {
        let grid = self.table.header().grid;
        let together = rayon::current_num_threads() * LOTS_AHEAD;
        for group in ranges(0..grid.rows(), grid.shape().rows_per_block) {
            let blocks = self.blocks(sides, group.start)?;
            let lots = ranges(group, (LOT_SLOTS / grid.lanes()).max(1) as u64);
            let lots: Vec<Range<u64>> = lots.collect();
            for lots in lots.chunks(together) {
                let done: Result<Vec<T>, TableError> = lots
                    .par_iter()
                    .map(|rows| Ok(work(&self.lot(sides, &blocks, rows.clone(), &asked)?)))
                    .collect();
                for result in done? {
                    if take(result).is_break() {
                        return Ok(());
                    }
                }
            }
        }
        Ok(())
    }

    /// The blocks that hold the row, for each of the sides lane by lane.
    fn blocks(&self, sides: &[Side], row: u64) -> Result<Vec<PackedBlock>, TableError> {
        let grid = self.table.header().grid;
        let first_lanes = (0..grid.lanes()).step_by(grid.shape().lanes_per_block);
        let places = sides.iter().flat_map(|&side| first_lanes.clone().map(move |l| (side, l)));
        let numbers = places.filter_map(|(side, lane)| grid.locate(side, lane, row));
        let numbers: Vec<u64> = numbers.map(|(block, _)| block).collect();
        numbers.into_par_iter().map(|block| self.table.read_packed(block)).collect()
    }

    fn lot(
        &self,
        sides: &[Side],
        blocks: &[PackedBlock],
        rows: Range<u64>,
        asked: impl Fn(SquareSet, SquareSet) -> SquareSet,
    ) -> Result<Lot, TableError> {
        let weights = Weights::new(self.rules, &self.index, rows.clone(), sides, asked);
        let (grid, height) = (self.table.header().grid, weights.height());
        let lanes_per_block = grid.shape().lanes_per_block;
        let mut codes = BySide::<Vec<Code>>::default();
        for (&side, blocks) in
            sides.iter().zip(blocks.chunks(grid.lanes().div_ceil(lanes_per_block)))
        {
            let codes = &mut codes[side];
            codes.reserve(weights.weights().len());
            for lane in 0..grid.lanes() {
                if let Some((_, start)) = grid.locate(side, lane, rows.start) {
                    let block = &blocks[lane / lanes_per_block];
                    self.table.values_of(block, start..start + height, codes)?;
                }
            }
            for (code, &decided) in codes.iter_mut().zip(weights.decided(side)) {
                if decided {
                    *code = WIN_IN_1;
                }
            }
        }
        Ok(Lot { rows, weights: weights.into_weights(), codes })
    }
}

/// What a code stands for: the outcome, and the distance if the table has any.
pub(super) fn value(code: Code, metric: Metric) -> Option<(Wdl, Option<Plies>)> {
    match metric {
        Metric::Wdl => wdl_value(code).map(|wdl| (wdl, None)),
        Metric::Dtw => dtw_value(code).map(|value| (value.wdl(), value.plies())),
    }
}

/// The outcome that a code of either metric stands for, for loops over all slots.
#[inline]
pub(super) fn outcome(code: Code) -> Wdl {
    match code {
        0 => Wdl::Draw,
        odd if odd % 2 == 1 => Wdl::Win,
        _ => Wdl::Loss,
    }
}

/// The numbers in ranges of that length; the last may be shorter.
fn ranges(all: Range<u64>, length: u64) -> impl Iterator<Item = Range<u64>> {
    let end = all.end;
    all.step_by(length as usize).map(move |start| start..end.min(start + length))
}
