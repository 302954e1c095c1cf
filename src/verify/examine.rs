use std::ops::Range;

use rayon::prelude::*;

use crate::game::board::SquareSet;
use crate::game::rules::Side;
use crate::table::{
    Code, DONT_CARE, LaneHasher, Table, TableFile, ValueHash, ValueHasher, wdl_code,
};

use super::VerifyError;
use super::held_blocks::HeldBlocks;
use super::row_layout::{FileRow, RowLayout};
use super::score::Score;
use super::values::{Values, row_groups};

/// A code of a WDL table that is not the sign of the distance known for it.
pub(super) struct WrongSign {
    pub side: Side,
    pub lane: usize,
    pub attackers: SquareSet,
    pub defenders: SquareSet,
    /// The code.
    pub stored: Code,
    /// The distance's sign.
    pub found: Code,
}

/// Wrong signs, of which only some are kept.
#[derive(Default)]
pub(super) struct WrongSigns {
    pub count: u64,
    /// The first few of each lane of a row of blocks.
    pub first: Vec<WrongSign>,
}

impl WrongSigns {
    fn add(&mut self, next: WrongSigns) {
        self.count += next.count;
        self.first.extend(next.first);
    }
}

/// Hashes all that a table answers for in the blocks held, and holds a WDL table against
/// the distances if `values` are these. The hash is that of the table if all blocks are
/// held.
pub(super) fn examine<T: Score>(
    table: &Table<TableFile>,
    layout: &RowLayout,
    held: &HeldBlocks,
    values: &Values<T>,
    distances: bool,
    few: usize,
) -> Result<(ValueHash, WrongSigns), VerifyError> {
    let grid = table.header().grid;
    let mut hasher = ValueHasher::new(grid.lanes());
    let mut wrong = WrongSigns::default();
    for rows in row_groups(table) {
        let file_rows = layout.file_rows(held, rows.clone());
        if file_rows.is_empty() {
            continue;
        }
        for side in Side::ALL {
            let place = |row: &FileRow| values.place(side, row.block, row.number);
            let places = file_rows.iter().map(place).collect();
            let (rows, file_rows) = (rows.clone(), &file_rows[..]);
            let group = RowGroup { table, side, rows, file_rows, places, values, distances, few };
            let lanes = grid.shape().lanes_per_block;
            let blocks = hasher.side(side).par_chunks_mut(lanes).enumerate();
            let parts = blocks.map(|(number, hashers)| group.block(number * lanes, hashers));
            for part in parts.collect::<Result<Vec<_>, VerifyError>>()? {
                wrong.add(part);
            }
        }
    }
    Ok((hasher.finish(), wrong))
}

/// What is examined of a row of blocks of one side.
struct RowGroup<'a, T> {
    table: &'a Table<TableFile>,
    side: Side,
    rows: Range<u64>,
    /// The rows of blocks held.
    file_rows: &'a [FileRow],
    /// Where they are among the values.
    places: Vec<usize>,
    values: &'a Values<'a, T>,
    distances: bool,
    few: usize,
}

impl<T: Score> RowGroup<'_, T> {
    /// Examines the block that begins with that lane.
    fn block(&self, first: usize, hashers: &mut [LaneHasher]) -> Result<WrongSigns, VerifyError> {
        let grid = self.table.header().grid;
        let block = grid.locate(self.side, first, self.rows.start);
        let (block, _) = block.expect("a block of the table");
        let mut codes = Vec::new();
        self.table.read_block(block, &mut codes)?;
        let height = (self.rows.end - self.rows.start) as usize;
        let mut wrong = WrongSigns::default();
        for (lane, (codes, hasher)) in (first..).zip(codes.chunks_exact(height).zip(hashers)) {
            let slots = self.file_rows.iter().zip(&self.places);
            hasher.update(slots.map(|(row, &place)| {
                match self.values.is_asked(self.side, place, lane) {
                    true => codes[row.at],
                    false => DONT_CARE,
                }
            }));
            if self.distances {
                self.compare(lane, codes, &mut wrong);
            }
        }
        Ok(wrong)
    }

    /// Holds the codes of a lane against the distances.
    fn compare(&self, lane: usize, codes: &[Code], wrong: &mut WrongSigns) {
        let (side, values) = (self.side, self.values);
        for (row, &place) in self.file_rows.iter().zip(&self.places) {
            let stored = codes[row.at];
            let known = values.row_at(side, place)[lane].value();
            let found = known.map_or(stored, |value| wdl_code(value.wdl()));
            if stored == found || !values.is_asked(side, place, lane) {
                continue;
            }
            wrong.count += 1;
            if wrong.first.len() < self.few {
                let FileRow { attackers, defenders, .. } = *row;
                wrong.first.push(WrongSign { side, lane, attackers, defenders, stored, found });
            }
        }
    }
}
