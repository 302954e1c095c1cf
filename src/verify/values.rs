use std::ops::Range;

use rayon::prelude::*;

use crate::game::rules::{BySide, Side};
use crate::system::prefetch::prefetch_all;
use crate::table::{Code, Metric, Table, TableFile, WIN_IN_1, dtw_code_to_wdl_code};

use super::VerifyError;
use super::geometry::{DefenderSets, words};
use super::held_blocks::HeldBlocks;
use super::row_layout::RowLayout;
use super::score::Score;
use super::unasked_slots::{Attackers, UnaskedSlots};

/// The values of a slice, or of some blocks of it, in memory, row by row.
pub(super) struct Values<'a, T> {
    stride: usize,
    /// Rows of a block.
    rows: usize,
    held: BySide<&'a HeldBlocks>,
    scores: BySide<Vec<T>>,
    /// Row by row: which lanes the table answers for, bit by bit.
    asked: BySide<Vec<u64>>,
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
        let (scores, asked) = Default::default();
        let mut values = Values { stride, rows, held, scores, asked };
        for side in Side::ALL {
            let held = held[side];
            let mut scores = read_side(table, layout, held, stride, side, metric)?;
            let words = held.len() * rows * words(stride);
            let mut asked = reserved(layout, Some(words))?;
            asked.resize(words, 0);
            complete(&mut scores, &mut asked, layout, held, stride, side, unasked);
            (values.scores[side], values.asked[side]) = (scores, asked);
        }
        Ok(values)
    }

    /// The scores by lane of a row of a block that is held.
    #[inline]
    pub(super) fn row(&self, side: Side, block: usize, number: usize) -> &[T] {
        self.row_at(side, self.place(side, block, number))
    }

    /// Says that the first row of a block will be read soon.
    pub(super) fn prefetch(&self, side: Side, block: usize) {
        prefetch_all(self.row(side, block, 0));
    }

    /// Where that row is.
    #[inline]
    pub(super) fn place(&self, side: Side, block: usize, number: usize) -> usize {
        self.held[side].place(block) * self.rows + number
    }

    /// The scores of the row there.
    #[inline]
    pub(super) fn row_at(&self, side: Side, place: usize) -> &[T] {
        &self.scores[side][place * self.stride..][..self.stride]
    }

    /// Whether the table answers for a lane of the row there.
    #[inline]
    pub(super) fn is_asked(&self, side: Side, place: usize, lane: usize) -> bool {
        let word = self.asked[side][place * words(self.stride) + lane / WORD];
        word >> (lane % WORD) & 1 == 1
    }
}

const WORD: usize = u64::BITS as usize;

/// Room for so many numbers, if there is.
fn reserved<T>(layout: &RowLayout, length: Option<usize>) -> Result<Vec<T>, VerifyError> {
    let mut room = Vec::new();
    let bytes = length.map(|length| (length * size_of::<T>()) as u64);
    match length.map(|length| room.try_reserve_exact(length)) {
        Some(Ok(())) => Ok(room),
        _ => Err(VerifyError::TooLarge { slice: layout.index.slice(), bytes }),
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
    let rows = held.len().checked_mul(layout.defenders.len());
    let length = rows.and_then(|rows| rows.checked_mul(stride));
    let mut scores = reserved(layout, length)?;
    let Some(length) = length.filter(|&length| length > 0) else {
        return Ok(scores);
    };
    scores.resize(length, T::default());
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
/// are not the least the value of the least one; notes which are neither.
fn complete<T: Score>(
    scores: &mut [T],
    asked: &mut [u64],
    layout: &RowLayout,
    held: &HeldBlocks,
    stride: usize,
    side: Side,
    unasked: &UnaskedSlots<T>,
) {
    let task_blocks = layout.task_blocks();
    let block_len = layout.defenders.len() * stride;
    let block_words = layout.defenders.len() * words(stride);
    let scores = scores.par_chunks_mut(task_blocks * block_len);
    let asked = asked.par_chunks_mut(task_blocks * block_words);
    scores.zip(asked).enumerate().for_each(|(task, (scores, asked))| {
        let mut walker = layout.blocks.walker();
        let mut attackers = Attackers::none();
        let blocks = held.blocks_from(task * task_blocks);
        let rows = scores.chunks_exact_mut(block_len).zip(asked.chunks_exact_mut(block_words));
        for (block, (scores, asked)) in blocks.zip(rows) {
            unasked.put_attackers(&walker.attackers(block), side, &mut attackers);
            complete_block(scores, asked, layout.defenders, stride, &attackers, unasked);
        }
    });
}

fn complete_block<T: Score>(
    scores: &mut [T],
    asked: &mut [u64],
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
    let rows = scores.chunks_exact_mut(stride).zip(asked.chunks_exact_mut(words(stride)));
    for ((number, &set), (row, asked)) in sets.iter().enumerate().zip(rows) {
        if set.meets(attackers.set) {
            continue;
        }
        let decided = unasked.decided(attackers, set);
        for lane in unasked.lanes(decided) {
            row[lane] = T::of(WIN_IN_1);
        }
        let least = unasked.least(attackers, defenders, number);
        for lane in unasked.lanes(least - attackers.set - set - decided) {
            asked[lane / WORD] |= 1 << (lane % WORD);
        }
    }
}
