use std::ops::Range;

use rayon::prelude::*;

use crate::game::board::SquareSet;
use crate::game::rules::Side;
use crate::table::{
    Code, DONT_CARE, LaneHasher, Table, TableFile, ValueHash, ValueHasher, wdl_code,
};

use super::held_blocks::HeldBlocks;
use super::row_layout::{FileRow, RowLayout};
use super::score::Score;
use super::values::{Values, row_groups};
use super::{MAX_FINDINGS, VerifyError};

/// A code of a WDL table that contradicts the distance in the DTW table.
pub(super) struct WdlMismatch {
    pub side: Side,
    pub lane: usize,
    pub attackers: SquareSet,
    pub defenders: SquareSet,
    /// The code in the WDL table.
    pub stored: Code,
    /// The WDL code of the distance.
    pub found: Code,
}

/// The mismatches of a WDL table; only some are listed.
#[derive(Default)]
pub(super) struct WdlMismatches {
    pub count: u64,
    /// The first ones, at most [`MAX_FINDINGS`].
    pub first: Vec<WdlMismatch>,
}

impl WdlMismatches {
    fn add(&mut self, next: WdlMismatches) {
        self.count += next.count;
        self.first.extend(next.first);
        self.first.truncate(MAX_FINDINGS);
    }
}

/// Hashes the values of a table in the held blocks. With `compare_wdl`, the table is a WDL
/// table, which is compared with the distances in `values`. The hash is that of the table if
/// all blocks are held.
pub(super) fn check_table<T: Score>(
    table: &Table<TableFile>,
    layout: &RowLayout,
    held: &HeldBlocks,
    values: &Values<T>,
    compare_wdl: bool,
) -> Result<(ValueHash, WdlMismatches), VerifyError> {
    let grid = table.header().grid;
    let mut hasher = ValueHasher::new(grid.lanes());
    let mut wrong = WdlMismatches::default();
    // A lane is hashed in the order of its rows, so that rows of blocks are read one after
    // another. The lanes are independent: the blocks of a row are checked in parallel.
    for rows in row_groups(table) {
        let file_rows = layout.file_rows(held, rows.clone());
        // A part of the blocks may be held: rows of blocks without any are not read.
        if file_rows.is_empty() {
            continue;
        }
        for side in Side::ALL {
            let group = RowGroup {
                table,
                side,
                rows: rows.clone(),
                file_rows: &file_rows,
                row_offsets: file_rows
                    .iter()
                    .map(|row| values.row_offset(side, row.block, row.number))
                    .collect(),
                values,
                compare_wdl,
            };
            let lanes = grid.shape().lanes_per_block;
            let blocks = hasher.side(side).par_chunks_mut(lanes).enumerate();
            let checked =
                blocks.map(|(number, hashers)| group.check_block(number * lanes, hashers));
            for mismatches in checked.collect::<Result<Vec<_>, VerifyError>>()? {
                wrong.add(mismatches);
            }
        }
    }
    Ok((hasher.finish(), wrong))
}

/// The check of a row of blocks of one side.
struct RowGroup<'a, T> {
    table: &'a Table<TableFile>,
    side: Side,
    rows: Range<u64>,
    /// The rows in held blocks.
    file_rows: &'a [FileRow],
    /// The offset of each of these rows in `values`.
    row_offsets: Vec<usize>,
    values: &'a Values<'a, T>,
    compare_wdl: bool,
}

impl<T: Score> RowGroup<'_, T> {
    /// Checks the block whose first lane is `first`.
    fn check_block(
        &self,
        first: usize,
        hashers: &mut [LaneHasher],
    ) -> Result<WdlMismatches, VerifyError> {
        let grid = self.table.header().grid;
        let slot = grid.locate(self.side, first, self.rows.start);
        let (block, _) = slot.expect("a block of the table");
        let mut codes = Vec::new();
        self.table.read_block(block, &mut codes)?;
        let height = (self.rows.end - self.rows.start) as usize;
        let mut wrong = WdlMismatches::default();
        for (lane, (codes, hasher)) in (first..).zip(codes.chunks_exact(height).zip(hashers)) {
            let slots = self.file_rows.iter().zip(&self.row_offsets);
            hasher.update(slots.map(|(row, &offset)| {
                match self.values.is_care(self.side, offset, lane) {
                    true => codes[row.at],
                    false => DONT_CARE,
                }
            }));
            if self.compare_wdl {
                self.compare(lane, codes, &mut wrong);
            }
        }
        Ok(wrong)
    }

    /// Compares the codes of a lane with the distances.
    fn compare(&self, lane: usize, codes: &[Code], wrong: &mut WdlMismatches) {
        let (side, values) = (self.side, self.values);
        for (row, &offset) in self.file_rows.iter().zip(&self.row_offsets) {
            let stored = codes[row.at];
            let distance = values.row_at(side, offset)[lane].value();
            let found = distance.map_or(stored, |value| wdl_code(value.wdl()));
            if stored == found || !values.is_care(side, offset, lane) {
                continue;
            }
            wrong.count += 1;
            if wrong.first.len() < MAX_FINDINGS {
                let FileRow { attackers, defenders, .. } = *row;
                wrong.first.push(WdlMismatch { side, lane, attackers, defenders, stored, found });
            }
        }
    }
}
