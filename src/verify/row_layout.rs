use std::ops::Range;

use crate::game::board::SquareSet;
use crate::index::SliceIndex;

use super::geometry::{Blocks, DefenderSets};
use super::held_blocks::HeldBlocks;

/// The approximate number of rows per task.
const TASK_ROWS: usize = 1 << 13;

/// The layout of a slice's rows in memory: a block for each set of attackers, with a row for
/// every set of defenders. Sets that overlap the attackers have rows too, so that all blocks
/// share one numbering of defenders.
///
/// The rows of the file are in the same order, without these gaps.
#[derive(Clone, Copy)]
pub(super) struct RowLayout<'a> {
    pub index: &'a SliceIndex,
    pub blocks: &'a Blocks,
    pub defenders: &'a DefenderSets,
}

impl RowLayout<'_> {
    /// Returns the number of blocks per task, small enough to balance the load.
    pub(super) fn task_blocks(&self) -> usize {
        (TASK_ROWS / self.defenders.len()).max(1)
    }

    /// Returns those of the file's `rows` that are in held blocks, in order.
    pub(super) fn file_rows(&self, held: &HeldBlocks, rows: Range<u64>) -> Vec<FileRow> {
        let mut file_rows = Vec::new();
        let mut walker = self.blocks.walker();
        let (start, mut first) = self.block_of(rows.start);
        let mut next = start;
        for block in held.blocks_from(held.offset(start)) {
            let attackers = walker.attackers(block).set;
            // Consecutive blocks continue each other; after a gap, look the first row up.
            if block != next {
                first = self.index.attackers().canonicalize(attackers).0;
            }
            if first >= rows.end {
                break;
            }
            let skipped = rows.start.saturating_sub(first);
            let sets = self.disjoint_sets(attackers).skip(skipped as usize);
            let wanted = first + skipped..rows.end;
            let before = file_rows.len();
            file_rows.extend(wanted.zip(sets).map(|(row, (number, &defenders))| FileRow {
                at: (row - rows.start) as usize,
                block,
                number,
                attackers,
                defenders,
            }));
            first += skipped + (file_rows.len() - before) as u64;
            next = block + 1;
        }
        file_rows
    }

    /// Returns the block that holds a row of the file, and the block's first row.
    fn block_of(&self, row: u64) -> (usize, u64) {
        let (attackers, first) = self.index.attackers().unrank(row);
        (self.blocks.find(attackers).0, first)
    }

    /// Returns the sets of defenders disjoint from these attackers, with their numbers.
    fn disjoint_sets(&self, attackers: SquareSet) -> impl Iterator<Item = (usize, &SquareSet)> {
        let sets = self.defenders.sets().iter().enumerate();
        sets.filter(move |(_, set)| !set.meets(attackers))
    }

    /// Returns the number of rows in memory before a row of the file.
    pub(super) fn rows_before(&self, held: &HeldBlocks, row: u64) -> usize {
        if row >= self.index.rows() {
            return held.len() * self.defenders.len();
        }
        let (block, first) = self.block_of(row);
        let before = held.offset(block) * self.defenders.len();
        if !held.contains(block) {
            return before;
        }
        let attackers = self.blocks.walker().attackers(block).set;
        let number = self.disjoint_sets(attackers).nth((row - first) as usize);
        before + number.map_or(0, |(number, _)| number)
    }
}

/// A row of the file.
#[derive(Clone, Copy)]
pub(super) struct FileRow {
    /// Its number among the requested rows.
    pub at: usize,
    pub block: usize,
    /// The number of the defenders.
    pub number: usize,
    pub attackers: SquareSet,
    pub defenders: SquareSet,
}
