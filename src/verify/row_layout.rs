use std::ops::Range;

use crate::game::board::SquareSet;
use crate::index::SliceIndex;

use super::geometry::{Blocks, DefenderSets};
use super::held_blocks::HeldBlocks;

/// Rows that one task works on, about.
const TASK_ROWS: usize = 1 << 13;

/// How the rows of a slice lie in memory: blocks of one set of attackers each, all or some,
/// with a row for every set of defenders, also for those that meet the
/// attackers, so that one numbering of them serves all blocks.
///
/// Rows of the file come in the same order, without the gaps.
#[derive(Clone, Copy)]
pub(super) struct RowLayout<'a> {
    pub index: &'a SliceIndex,
    pub blocks: &'a Blocks,
    pub defenders: &'a DefenderSets,
}

impl RowLayout<'_> {
    /// Blocks that one task works on: enough to share out evenly.
    pub(super) fn task_blocks(&self) -> usize {
        (TASK_ROWS / self.defenders.len()).max(1)
    }

    /// The rows of the file that are of blocks held, in order.
    pub(super) fn file_rows(&self, held: &HeldBlocks, rows: Range<u64>) -> Vec<FileRow> {
        let mut file_rows = Vec::new();
        let mut walker = self.blocks.walker();
        let (start, mut first) = self.block_of(rows.start);
        let mut next = start;
        for block in held.blocks_from(held.place(start)) {
            let attackers = walker.attackers(block).set;
            if block != next {
                first = self.index.attackers().canonicalize(attackers).0;
            }
            if first >= rows.end {
                break;
            }
            let skipped = rows.start.saturating_sub(first);
            let sets = self.free_sets(attackers).skip(skipped as usize);
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

    /// The block that holds a row of the file, and its first row.
    fn block_of(&self, row: u64) -> (usize, u64) {
        let (attackers, first) = self.index.attackers().unrank(row);
        (self.blocks.find(attackers).0, first)
    }

    /// The sets of defenders beside these attackers, with their numbers.
    fn free_sets(&self, attackers: SquareSet) -> impl Iterator<Item = (usize, &SquareSet)> {
        let sets = self.defenders.sets().iter().enumerate();
        sets.filter(move |(_, set)| !set.meets(attackers))
    }

    /// How many rows in memory lie before a row of the file, and before all
    /// that come after it.
    pub(super) fn rows_before(&self, held: &HeldBlocks, row: u64) -> usize {
        if row >= self.index.rows() {
            return held.len() * self.defenders.len();
        }
        let (block, first) = self.block_of(row);
        let before = held.place(block) * self.defenders.len();
        if !held.contains(block) {
            return before;
        }
        let attackers = self.blocks.walker().attackers(block).set;
        let number = self.free_sets(attackers).nth((row - first) as usize);
        before + number.map_or(0, |(number, _)| number)
    }
}

/// A row of the file.
#[derive(Clone, Copy)]
pub(super) struct FileRow {
    /// Which it is of those asked for.
    pub at: usize,
    pub block: usize,
    /// That of the defenders.
    pub number: usize,
    pub attackers: SquareSet,
    pub defenders: SquareSet,
}
