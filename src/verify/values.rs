use std::ops::Range;

use rayon::prelude::*;

use crate::game::rules::{BySide, Side};
use crate::system::prefetch::prefetch_all;
use crate::table::{Code, Metric, Table, TableFile, WIN_IN_1, dtw_code_to_wdl_code};

use super::VerifyError;
use super::dont_cares::{AttackerContext, DontCares};
use super::geometry::{DefenderSets, words_per_row};
use super::held_blocks::HeldBlocks;
use super::row_layout::RowLayout;
use super::score::Score;

/// The values of a slice or of some of its blocks in memory, row by row.
pub(super) struct Values<'a, T> {
    stride: usize,
    /// Rows per block.
    rows: usize,
    held: BySide<&'a HeldBlocks>,
    scores: BySide<Vec<T>>,
    /// A bit for each lane of each row: clear for don't-cares.
    care: BySide<Vec<u64>>,
}

impl<'a, T: Score> Values<'a, T> {
    /// Reads the blocks in `held` from a table; a DTW table is reduced to outcomes if `metric`
    /// is WDL. Don't-cares get the values that follow from the rules.
    pub(super) fn read(
        table: &Table<TableFile>,
        layout: &RowLayout,
        stride: usize,
        held: BySide<&'a HeldBlocks>,
        metric: Metric,
        dont_cares: &DontCares<T>,
    ) -> Result<Values<'a, T>, VerifyError> {
        let rows = layout.defenders.len();
        let (scores, care) = Default::default();
        let mut values = Values { stride, rows, held, scores, care };
        for side in Side::ALL {
            let blocks = held[side];
            let mut scores = read_side(table, layout, blocks, stride, side, metric)?;
            let words = blocks.len() * rows * words_per_row(stride);
            let mut care = try_reserve(layout, Some(words))?;
            care.resize(words, 0);
            fill_dont_cares(&mut scores, &mut care, layout, blocks, stride, side, dont_cares);
            (values.scores[side], values.care[side]) = (scores, care);
        }
        Ok(values)
    }

    /// Returns the scores of a row of a held block.
    #[inline]
    pub(super) fn row(&self, side: Side, block: usize, number: usize) -> &[T] {
        self.row_at(side, self.row_offset(side, block, number))
    }

    /// Prefetches the first row of a block.
    pub(super) fn prefetch(&self, side: Side, block: usize) {
        prefetch_all(self.row(side, block, 0));
    }

    /// Returns the offset of a row of a held block, in rows.
    #[inline]
    pub(super) fn row_offset(&self, side: Side, block: usize, number: usize) -> usize {
        self.held[side].offset(block) * self.rows + number
    }

    /// Returns the scores of the row at an offset.
    #[inline]
    pub(super) fn row_at(&self, side: Side, offset: usize) -> &[T] {
        &self.scores[side][offset * self.stride..][..self.stride]
    }

    /// Returns whether a lane of the row at an offset has a stored value: no don't-care.
    #[inline]
    pub(super) fn is_care(&self, side: Side, offset: usize, lane: usize) -> bool {
        let word = self.care[side][offset * words_per_row(self.stride) + lane / WORD];
        word >> (lane % WORD) & 1 == 1
    }
}

const WORD: usize = u64::BITS as usize;

/// Allocates a vector of this capacity; an error if it is unknown or the memory is exhausted.
fn try_reserve<T>(layout: &RowLayout, capacity: Option<usize>) -> Result<Vec<T>, VerifyError> {
    let mut vector = Vec::new();
    let bytes = capacity.map(|capacity| (capacity * size_of::<T>()) as u64);
    match capacity.map(|capacity| vector.try_reserve_exact(capacity)) {
        Some(Ok(())) => Ok(vector),
        _ => Err(VerifyError::TooLarge { slice: layout.index.slice(), bytes }),
    }
}

/// Reads the scores of one side to move.
fn read_side<T: Score>(
    table: &Table<TableFile>,
    layout: &RowLayout,
    held: &HeldBlocks,
    stride: usize,
    side: Side,
    metric: Metric,
) -> Result<Vec<T>, VerifyError> {
    let rows = held.len().checked_mul(layout.defenders.len());
    let length = rows.and_then(|rows| rows.checked_mul(stride));
    let mut scores = try_reserve(layout, length)?;
    let Some(length) = length.filter(|&length| length > 0) else {
        return Ok(scores);
    };
    scores.resize(length, T::default());
    // Each row of blocks of the file fills its own part of the scores, in parallel.
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
    let outcomes_only = metric == Metric::Wdl && table.header().metric == Metric::Dtw;
    parts.into_par_iter().try_for_each(|(rows, first, part)| {
        let file_rows = layout.file_rows(held, rows.clone()).into_iter();
        let targets: Vec<(usize, usize)> = file_rows
            .map(|row| {
                let offset = held.offset(row.block) * layout.defenders.len() + row.number;
                (row.at, (offset - first) * stride)
            })
            .collect();
        visit_lanes(table, side, rows, |lane, codes| {
            for &(at, start) in &targets {
                let code = match outcomes_only {
                    true => dtw_code_to_wdl_code(codes[at]),
                    false => codes[at],
                };
                part[start + lane] = T::of(code);
            }
        })
    })?;
    Ok(scores)
}

/// Returns the rows of each row of blocks.
pub(super) fn row_groups(table: &Table<TableFile>) -> impl Iterator<Item = Range<u64>> {
    let grid = table.header().grid;
    let height = grid.shape().rows_per_block;
    let groups = (0..grid.rows()).step_by(height as usize);
    groups.map(move |first| first..(first + height).min(grid.rows()))
}

/// Calls `visit` with the codes of every lane of a row of blocks.
fn visit_lanes(
    table: &Table<TableFile>,
    side: Side,
    rows: Range<u64>,
    mut visit: impl FnMut(usize, &[Code]),
) -> Result<(), VerifyError> {
    let grid = table.header().grid;
    let height = (rows.end - rows.start) as usize;
    let mut codes = Vec::new();
    let mut lane = 0;
    while let Some((block, _)) = grid.locate(side, lane, rows.start) {
        table.read_block(block, &mut codes)?;
        for codes in codes.chunks_exact(height) {
            visit(lane, codes);
            lane += 1;
        }
    }
    Ok(())
}

/// Sets decided positions to a win in 1, and images that are not the least to the value of
/// the least one; sets the bits of the other positions in `care`.
fn fill_dont_cares<T: Score>(
    scores: &mut [T],
    care: &mut [u64],
    layout: &RowLayout,
    held: &HeldBlocks,
    stride: usize,
    side: Side,
    dont_cares: &DontCares<T>,
) {
    let task_blocks = layout.task_blocks();
    let block_len = layout.defenders.len() * stride;
    let block_words = layout.defenders.len() * words_per_row(stride);
    let score_tasks = scores.par_chunks_mut(task_blocks * block_len);
    let care_tasks = care.par_chunks_mut(task_blocks * block_words);
    score_tasks.zip(care_tasks).enumerate().for_each(|(task, (scores, care))| {
        let mut walker = layout.blocks.walker();
        let mut attackers = AttackerContext::empty();
        let blocks = held.blocks_from(task * task_blocks);
        let rows = scores.chunks_exact_mut(block_len).zip(care.chunks_exact_mut(block_words));
        for (block, (scores, care)) in blocks.zip(rows) {
            dont_cares.set_attackers(&walker.attackers(block), side, &mut attackers);
            fill_block(scores, care, layout.defenders, stride, &attackers, dont_cares);
        }
    });
}

fn fill_block<T: Score>(
    scores: &mut [T],
    care: &mut [u64],
    defenders: &DefenderSets,
    stride: usize,
    attackers: &AttackerContext,
    dont_cares: &DontCares<T>,
) {
    let sets = defenders.sets();
    // First, so that decided positions overwrite what is copied from don't-cares.
    for symmetry in attackers.own_symmetries() {
        let lanes = dont_cares.lane_images(symmetry);
        for number in 0..sets.len() {
            let image = defenders.image(symmetry, number) * stride;
            for lane in dont_cares.lanes(dont_cares.least(attackers, defenders, number)) {
                scores[image + usize::from(lanes[lane])] = scores[number * stride + lane];
            }
        }
    }
    let rows = scores.chunks_exact_mut(stride).zip(care.chunks_exact_mut(words_per_row(stride)));
    for ((number, &set), (row, care)) in sets.iter().enumerate().zip(rows) {
        if set.meets(attackers.set) {
            continue;
        }
        let decided = dont_cares.decided(attackers, set);
        for lane in dont_cares.lanes(decided) {
            row[lane] = T::of(WIN_IN_1);
        }
        let least = dont_cares.least(attackers, defenders, number);
        for lane in dont_cares.lanes(least - attackers.set - set - decided) {
            care[lane / WORD] |= 1 << (lane % WORD);
        }
    }
}
