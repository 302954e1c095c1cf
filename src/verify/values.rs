use std::ops::Range;

use rayon::prelude::*;

use crate::board::SquareSet;
use crate::index::SliceIndex;
use crate::rules::{BySide, Side};
use crate::table::{Code, Metric, Table, TableFile, WIN_IN_1, dtw_code_to_wdl_code};

use super::VerifyError;
use super::geometry::{Blocks, DefenderSets};
use super::held_blocks::HeldBlocks;
use super::score::Score;
use super::unasked_slots::{Attackers, UnaskedSlots};

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
                first = self.index.attackers().place(attackers).0;
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
    fn rows_before(&self, held: &HeldBlocks, row: u64) -> usize {
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

/// The values of a slice, or of some blocks of it, in memory, row by row.
pub(super) struct Values<'a, T> {
    stride: usize,
    /// Rows of a block.
    rows: usize,
    held: BySide<&'a HeldBlocks>,
    scores: BySide<Vec<T>>,
}

impl<'a, T: Score> Values<'a, T> {
    /// Reads the blocks that are to be held, by side, from a table; of a DTW table
    /// the signs only if that is asked for. What the table does not answer for
    /// gets the values that follow from the rules.
    pub(super) fn read(
        table: &Table<TableFile>,
        layout: &RowLayout,
        stride: usize,
        held: BySide<&'a HeldBlocks>,
        metric: Metric,
        unasked: &UnaskedSlots<T>,
    ) -> Result<Values<'a, T>, VerifyError> {
        let rows = layout.defenders.len();
        let mut values = Values { stride, rows, held, scores: Default::default() };
        for side in Side::ALL {
            let held = held[side];
            let mut scores = read_side(table, layout, held, stride, side, metric)?;
            complete(&mut scores, layout, held, stride, side, unasked);
            values.scores[side] = scores;
        }
        Ok(values)
    }

    /// The scores by lane of a row of a block that is held.
    #[inline]
    pub(super) fn row(&self, side: Side, block: usize, number: usize) -> &[T] {
        let row = self.held[side].place(block) * self.rows + number;
        &self.scores[side][row * self.stride..][..self.stride]
    }
}

fn read_side<T: Score>(
    table: &Table<TableFile>,
    layout: &RowLayout,
    held: &HeldBlocks,
    stride: usize,
    side: Side,
    metric: Metric,
) -> Result<Vec<T>, VerifyError> {
    let slice = layout.index.slice();
    let rows = held.len().checked_mul(layout.defenders.len());
    let length = rows.and_then(|rows| rows.checked_mul(stride));
    let bytes = length.map(|length| (length * size_of::<T>()) as u64);
    let too_large = VerifyError::TooLarge { slice, bytes };
    let mut scores = Vec::new();
    let reserved = length.map(|length| scores.try_reserve_exact(length).map(|()| length));
    let Some(Ok(length)) = reserved else {
        return Err(too_large);
    };
    scores.resize(length, T::default());
    if length == 0 {
        return Ok(scores);
    }
    let mut parts = Vec::new();
    let mut rest = &mut scores[..];
    let mut begin = 0;
    for rows in row_groups(table) {
        let end = layout.rows_before(held, rows.end);
        let (part, after) = rest.split_at_mut((end - begin) * stride);
        if !part.is_empty() {
            parts.push((rows, begin, part));
        }
        rest = after;
        begin = end;
    }
    let sign = metric == Metric::Wdl && table.header().metric == Metric::Dtw;
    parts.into_par_iter().try_for_each(|(rows, first, part)| {
        let file_rows = layout.file_rows(held, rows.clone()).into_iter();
        let places: Vec<(usize, usize)> = file_rows
            .map(|place| {
                let row = held.place(place.block) * layout.defenders.len() + place.number;
                (place.at, (row - first) * stride)
            })
            .collect();
        visit(table, side, rows, |lane, codes| {
            for &(at, row) in &places {
                let code = if sign { dtw_code_to_wdl_code(codes[at]) } else { codes[at] };
                part[row + lane] = T::of(code);
            }
        })
    })?;
    Ok(scores)
}

/// The rows of each row of blocks.
pub(super) fn row_groups(table: &Table<TableFile>) -> impl Iterator<Item = Range<u64>> {
    let grid = table.header().grid;
    let height = grid.shape().rows_per_block;
    let groups = (0..grid.rows()).step_by(height as usize);
    groups.map(move |first| first..(first + height).min(grid.rows()))
}

/// Tells the codes of every lane of a row of blocks.
fn visit(
    table: &Table<TableFile>,
    side: Side,
    rows: Range<u64>,
    mut tell: impl FnMut(usize, &[Code]),
) -> Result<(), VerifyError> {
    let grid = table.header().grid;
    let height = (rows.end - rows.start) as usize;
    let mut codes = Vec::new();
    let mut lane = 0;
    while let Some((block, _)) = grid.locate(side, lane, rows.start) {
        table.read_block(block, &mut codes)?;
        for codes in codes.chunks_exact(height) {
            tell(lane, codes);
            lane += 1;
        }
    }
    Ok(())
}

/// Gives the positions that the side to move decides a win in 1, and images that
/// are not the least the value of the least one.
fn complete<T: Score>(
    scores: &mut [T],
    layout: &RowLayout,
    held: &HeldBlocks,
    stride: usize,
    side: Side,
    unasked: &UnaskedSlots<T>,
) {
    let task_blocks = layout.task_blocks();
    let block_len = layout.defenders.len() * stride;
    let tasks = scores.par_chunks_mut(task_blocks * block_len).enumerate();
    tasks.for_each(|(task, scores)| {
        let mut walker = layout.blocks.walker();
        let blocks = held.blocks_from(task * task_blocks);
        for (block, scores) in blocks.zip(scores.chunks_exact_mut(block_len)) {
            let attackers = unasked.attackers(&walker.attackers(block), side);
            complete_block(scores, layout.defenders, stride, &attackers, unasked);
        }
    });
}

fn complete_block<T: Score>(
    scores: &mut [T],
    defenders: &DefenderSets,
    stride: usize,
    attackers: &Attackers,
    unasked: &UnaskedSlots<T>,
) {
    let sets = defenders.sets();
    for symmetry in attackers.mirrors() {
        let lanes = unasked.lane_images(symmetry);
        for number in 0..sets.len() {
            let image = defenders.image(symmetry, number) * stride;
            for lane in unasked.lanes(unasked.least(attackers, defenders, number)) {
                scores[image + usize::from(lanes[lane])] = scores[number * stride + lane];
            }
        }
    }
    for (&set, row) in sets.iter().zip(scores.chunks_exact_mut(stride)) {
        if !set.meets(attackers.set) {
            for lane in unasked.lanes(unasked.decided(attackers, set)) {
                row[lane] = T::of(WIN_IN_1);
            }
        }
    }
}
