use std::ops::Range;

use memmap2::Mmap;
use rayon::prelude::*;

use crate::board::SquareSet;
use crate::index::SliceIndex;
use crate::rules::Side;
use crate::table::{Code, Metric, Table, dtw_code_to_wdl_code};

use super::VerifyError;
use super::geometry::{Blocks, DefenderSets};
use super::score::Score;

/// How the rows of a slice lie in memory: blocks of one set of attackers each,
/// with a row for every set of defenders, also for those that meet the
/// attackers, so that one numbering of them serves all blocks.
///
/// Rows of the file come in the same order, without the gaps.
#[derive(Clone, Copy)]
pub(super) struct Layout<'a> {
    pub index: &'a SliceIndex,
    pub blocks: &'a Blocks,
    pub defenders: &'a DefenderSets,
}

impl Layout<'_> {
    /// Rows in memory, gaps and all.
    fn rows(&self) -> Option<usize> {
        let blocks = usize::try_from(self.blocks.count()).ok()?;
        blocks.checked_mul(self.defenders.len())
    }

    /// The row in memory of a set of defenders in a block.
    pub fn row(&self, block: usize, defenders: usize) -> usize {
        block * self.defenders.len() + defenders
    }

    /// Where in memory the rows of the file are; ascending.
    fn places(&self, rows: Range<u64>) -> Vec<usize> {
        let mut places = Vec::with_capacity((rows.end - rows.start) as usize);
        let mut next = rows.start;
        while next < rows.end {
            let (attackers, first) = self.index.attackers().unrank(next);
            let block = self.blocks.find(attackers).0;
            let free = |&(_, set): &(usize, &SquareSet)| !set.meets(attackers);
            let sets = self.defenders.sets().iter().enumerate().filter(free);
            let wanted = sets.skip((next - first) as usize).take((rows.end - next) as usize);
            let before = places.len();
            places.extend(wanted.map(|(number, _)| self.row(block, number)));
            next += (places.len() - before) as u64;
        }
        places
    }
}

/// The values of a slice in memory, row by row, for the sides that are needed.
pub(super) struct Values<T> {
    stride: usize,
    /// By side.
    scores: [Vec<T>; 2],
}

impl<T: Score> Values<T> {
    /// Reads a table; of a DTW table the signs only if that is asked for.
    pub fn read(
        table: &Table<Mmap>,
        layout: &Layout,
        stride: usize,
        sides: &[Side],
        metric: Metric,
    ) -> Result<Values<T>, VerifyError> {
        let mut values = Values { stride, scores: Default::default() };
        for &side in sides {
            values.scores[side as usize] = read_side(table, layout, stride, side, metric)?;
        }
        Ok(values)
    }

    /// The scores of a row by lane.
    #[inline]
    pub fn row(&self, side: Side, row: usize) -> &[T] {
        &self.scores[side as usize][row * self.stride..][..self.stride]
    }
}

fn read_side<T: Score>(
    table: &Table<Mmap>,
    layout: &Layout,
    stride: usize,
    side: Side,
    metric: Metric,
) -> Result<Vec<T>, VerifyError> {
    let slice = layout.index.slice();
    let length = layout.rows().and_then(|rows| rows.checked_mul(stride));
    let bytes = length.map(|length| (length * size_of::<T>()) as u64);
    let too_large = VerifyError::TooLarge { slice, bytes };
    let mut scores = Vec::new();
    let reserved = length.map(|length| scores.try_reserve_exact(length).map(|()| length));
    let Some(Ok(length)) = reserved else {
        return Err(too_large);
    };
    scores.resize(length, T::default());
    let mut parts = Vec::new();
    let mut rest = &mut scores[..];
    let mut begin = 0;
    for rows in row_groups(table) {
        // Up to the row that the next group begins with.
        let end = if rows.end < layout.index.rows() {
            layout.places(rows.end..rows.end + 1)[0] * stride
        } else {
            length
        };
        let (part, after) = rest.split_at_mut(end - begin);
        parts.push((rows, begin / stride, part));
        rest = after;
        begin = end;
    }
    let sign = metric == Metric::Wdl && table.header().metric == Metric::Dtw;
    parts.into_par_iter().try_for_each(|(rows, first, part)| {
        let places = layout.places(rows.clone());
        visit(table, side, rows, |lane, row, code| {
            let code = if sign { dtw_code_to_wdl_code(code) } else { code };
            part[(places[row] - first) * stride + lane] = T::of(code);
        })
    })?;
    Ok(scores)
}

/// The rows of each row of blocks.
fn row_groups(table: &Table<Mmap>) -> impl Iterator<Item = Range<u64>> {
    let grid = table.header().grid;
    let height = grid.shape().rows_per_block;
    let groups = (0..grid.rows()).step_by(height as usize);
    groups.map(move |first| first..(first + height).min(grid.rows()))
}

/// Tells the code of every lane and row of a row of blocks, rows counted from
/// the first of them.
fn visit(
    table: &Table<Mmap>,
    side: Side,
    rows: Range<u64>,
    mut tell: impl FnMut(usize, usize, Code),
) -> Result<(), VerifyError> {
    let grid = table.header().grid;
    let height = (rows.end - rows.start) as usize;
    let mut codes = Vec::new();
    let mut lane = 0;
    while let Some((block, _)) = grid.locate(side, lane, rows.start) {
        table.read_block(block, &mut codes)?;
        for codes in codes.chunks_exact(height) {
            for (row, &code) in codes.iter().enumerate() {
                tell(lane, row, code);
            }
            lane += 1;
        }
    }
    Ok(())
}

/// A code of a WDL table that is not the sign of the distance stored for it.
pub(super) struct WrongSign {
    pub side: Side,
    pub lane: usize,
    /// The row of the file.
    pub row: u64,
    /// The code.
    pub stored: Code,
    /// The distance's sign.
    pub found: Code,
}

/// Compares a WDL table with the values of the DTW table, wherever there is a
/// position: how many differ, and the first few of each row of blocks, those
/// in order.
pub(super) fn wrong_signs<T: Score>(
    table: &Table<Mmap>,
    layout: &Layout,
    values: &Values<T>,
    few: usize,
) -> Result<(u64, Vec<WrongSign>), VerifyError> {
    let lanes = layout.index.lanes();
    let compare = |side: Side, rows: Range<u64>| {
        let places = layout.places(rows.clone());
        let (mut count, mut first) = (0, Vec::new());
        visit(table, side, rows.clone(), |lane, row, stored| {
            let found = values.row(side, places[row])[lane].value();
            let found = found.map_or(stored, |value| crate::table::wdl_code(value.wdl()));
            if stored == found {
                return;
            }
            let row = rows.start + row as u64;
            let (attackers, defenders) = layout.index.unrank_row(row);
            if !(attackers | defenders).contains(lanes.squares()[lane]) {
                count += 1;
                if first.len() < few {
                    first.push(WrongSign { side, lane, row, stored, found });
                }
            }
        })?;
        Ok((count, first))
    };
    let groups: Vec<(Side, Range<u64>)> =
        row_groups(table).flat_map(|rows| Side::ALL.map(|side| (side, rows.clone()))).collect();
    let parts = groups
        .into_par_iter()
        .map(|(side, rows)| compare(side, rows))
        .collect::<Result<Vec<_>, VerifyError>>()?;
    let count = parts.iter().map(|(count, _)| count).sum();
    Ok((count, parts.into_iter().flat_map(|(_, first)| first).collect()))
}
