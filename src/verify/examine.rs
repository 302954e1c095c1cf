use std::ops::Range;

use rayon::prelude::*;

use crate::board::SquareSet;
use crate::rules::Side;
use crate::table::{
    Code, DONT_CARE, LaneHasher, Table, TableFile, ValueHash, ValueHasher, wdl_code,
};

use super::VerifyError;
use super::held_blocks::HeldBlocks;
use super::score::Score;
use super::unasked_slots::UnaskedSlots;
use super::values::{FileRow, RowLayout, Values, row_groups};

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

/// Hashes all that a table answers for in the blocks held. With the values of the
/// DTW table, a WDL table is held against them. The hash is that of the table if all
/// blocks are held.
pub(super) fn examine<T: Score>(
    table: &Table<TableFile>,
    layout: &RowLayout,
    held: &HeldBlocks,
    distances: Option<&Values<T>>,
    unasked: &UnaskedSlots<T>,
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
            let asked = asked(layout, &file_rows, side, unasked);
            let (rows, file_rows) = (rows.clone(), &file_rows[..]);
            let group = RowGroup { table, layout, side, rows, file_rows, asked, distances, few };
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
    layout: &'a RowLayout<'a>,
    side: Side,
    rows: Range<u64>,
    /// The rows of blocks held.
    file_rows: &'a [FileRow],
    /// For each of them: the king's squares that the table answers for.
    asked: Vec<SquareSet>,
    distances: Option<&'a Values<'a, T>>,
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
            let king = self.layout.index.lanes().squares()[lane];
            let slots = self.file_rows.iter().zip(&self.asked);
            hasher.update(slots.map(
                |(row, asked)| {
                    if asked.contains(king) { codes[row.at] } else { DONT_CARE }
                },
            ));
            if let Some(distances) = self.distances {
                self.compare(lane, codes, distances, &mut wrong);
            }
        }
        Ok(wrong)
    }

    /// Holds the codes of a lane against the distances.
    fn compare(&self, lane: usize, codes: &[Code], distances: &Values<T>, wrong: &mut WrongSigns) {
        let king = self.layout.index.lanes().squares()[lane];
        for (row, asked) in self.file_rows.iter().zip(&self.asked) {
            let stored = codes[row.at];
            let known = distances.row(self.side, row.block, row.number)[lane].value();
            let found = known.map_or(stored, |value| wdl_code(value.wdl()));
            if stored == found || !asked.contains(king) {
                continue;
            }
            wrong.count += 1;
            if wrong.first.len() < self.few {
                let FileRow { attackers, defenders, .. } = *row;
                let side = self.side;
                wrong.first.push(WrongSign { side, lane, attackers, defenders, stored, found });
            }
        }
    }
}

/// By row: the king's squares that the table answers for.
fn asked<T: Score>(
    layout: &RowLayout,
    file_rows: &[FileRow],
    side: Side,
    unasked: &UnaskedSlots<T>,
) -> Vec<SquareSet> {
    let blocks: Vec<&[FileRow]> = file_rows.chunk_by(|one, next| one.block == next.block).collect();
    let tasks = blocks.par_chunks(layout.task_blocks()).map(|blocks| {
        let mut walker = layout.blocks.walker();
        let mut asked = Vec::with_capacity(blocks.iter().map(|rows| rows.len()).sum());
        for rows in blocks {
            let attackers = unasked.attackers(&walker.attackers(rows[0].block), side);
            asked.extend(
                rows.iter().map(|row| unasked.asked(&attackers, layout.defenders, row.number)),
            );
        }
        asked
    });
    tasks.flatten_iter().collect()
}
