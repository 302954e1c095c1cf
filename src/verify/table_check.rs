use std::ops::Range;

use rayon::prelude::*;

use crate::game::position::Position;
use crate::game::rules::Side;
use crate::game::value::{Value, Wdl};
use crate::table::{
    Code, DONT_CARE, LaneHasher, Table, TableFile, ValueHash, ValueHasher, wdl_code, wdl_value,
};

use super::VerifyError;
use super::finding::{Finding, Findings};
use super::held_blocks::HeldBlocks;
use super::row_layout::FileRow;
use super::score::Score;
use super::stored_rows::{StoredRows, StoredSlice};
use super::values::row_groups;

/// Hashes the values of a table in the held blocks. With `compare_wdl`, the table is a WDL
/// table, which is compared with the distances in `stored`. The hash is that of the table if
/// all blocks are held.
pub(super) fn check_table<T: Score>(
    table: &Table<TableFile>,
    stored: &StoredRows<T>,
    held: &HeldBlocks,
    compare_wdl: bool,
) -> Result<(ValueHash, Findings), VerifyError> {
    let StoredSlice { layout, values } = &stored.own;
    let grid = table.header().grid;
    let mut hasher = ValueHasher::new(grid.lanes());
    let mut wrong = Findings::default();
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
                stored,
                compare_wdl,
            };
            let lanes = grid.shape().lanes_per_block;
            let blocks = hasher.side(side).par_chunks_mut(lanes).enumerate();
            let checked =
                blocks.map(|(number, hashers)| group.check_block(number * lanes, hashers));
            for findings in checked.collect::<Result<Vec<_>, VerifyError>>()? {
                wrong.join(findings);
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
    /// The offset of each of these rows in memory.
    row_offsets: Vec<usize>,
    stored: &'a StoredRows<'a, T>,
    compare_wdl: bool,
}

impl<T: Score> RowGroup<'_, T> {
    /// Checks the block whose first lane is `first`.
    fn check_block(
        &self,
        first: usize,
        hashers: &mut [LaneHasher],
    ) -> Result<Findings, VerifyError> {
        let grid = self.table.header().grid;
        let slot = grid.locate(self.side, first, self.rows.start);
        let (block, _) = slot.expect("a block of the table");
        let mut codes = Vec::new();
        self.table.read_block(block, &mut codes)?;
        let height = (self.rows.end - self.rows.start) as usize;
        let mut wrong = Findings::default();
        for (lane, (codes, hasher)) in (first..).zip(codes.chunks_exact(height).zip(hashers)) {
            let slots = self.file_rows.iter().zip(&self.row_offsets);
            hasher.update(slots.map(|(row, &offset)| {
                match self.stored.own.values.is_care(self.side, offset, lane) {
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
    fn compare(&self, lane: usize, codes: &[Code], wrong: &mut Findings) {
        let (to_move, values) = (self.side, &self.stored.own.values);
        for (row, &offset) in self.file_rows.iter().zip(&self.row_offsets) {
            let code = codes[row.at];
            if let Some(found) = values.row_at(to_move, offset)[lane].value().map(Value::wdl)
                && wdl_code(found) != code
                && values.is_care(to_move, offset, lane)
            {
                let FileRow { attackers, defenders, .. } = *row;
                let geometry = self.stored.geometry;
                let (king, rules) = (geometry.lanes.squares()[lane], geometry.rules);
                let position = Position { attackers, defenders, king, to_move, rules };
                let stored = wdl_value(code).unwrap_or(Wdl::Draw);
                wrong.add(Finding::Wdl { position, stored, found });
            }
        }
    }
}
