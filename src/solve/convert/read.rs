//! Reads solved slices for the captures that lead to them.

use std::ops::Range;

use crate::game::rules::{Ruleset, Side};
use crate::game::slice::Slice;
use crate::solve::error::BuildError;
use crate::solve::frame::Frame;
use crate::solve::initial::coded_rows::{CodedRows, MappedRows};
use crate::solve::initial::sub_slice::{SubSliceSource, SubSlices};
use crate::solve::rows::numbers::BlockNumber;
use crate::solve::rows::row::Row;
use crate::table::{BlockShape, Code, Metric, Table, TableFile, WIN_IN_1};
use crate::tablebase::{Tablebase, foreign};

use super::table_rows::{SolverBlock, SolverRows};

/// The approximate number of table blocks, for each group of lanes, to read at a time. More means
/// that fewer blocks at the ends of segments are read twice, but takes more memory.
const ROW_GROUPS_PER_SEGMENT: u64 = 4;

/// The largest number of rows in a segment, which bounds memory however a table is cut.
pub(crate) const MAX_SEGMENT_ROWS: u64 = 1 << 18;

/// The largest code allowed in a smaller slice: half of the 16-bit numbers, so that the other half
/// is left for the plies that this slice adds. No game comes near it, so a table beyond it is not
/// from this program.
const LARGEST_CODE: Code = Code::MAX / 2;

/// Returns the slices that captures in this slice lead to, with the side to move there: first after
/// captures of defenders, then of attackers. Slices without attackers are finished games and are
/// left out.
pub(crate) fn sub_slices(
    rules: &Ruleset,
    slice: Slice,
) -> impl Iterator<Item = (Slice, Side)> + use<> {
    after_captures(slice, most_captures(rules))
}

/// Returns the slices that captures of up to `most` soldiers lead to, as [`sub_slices`] does.
pub(crate) fn after_captures(slice: Slice, most: usize) -> impl Iterator<Item = (Slice, Side)> {
    let Slice { defenders, attackers } = slice;
    let fewer_defenders = (1..=most.min(defenders)).map(move |captured| {
        (Slice { defenders: defenders - captured, attackers }, Side::Defenders)
    });
    let fewer_attackers = (1..=most.min(attackers.saturating_sub(1))).map(move |captured| {
        (Slice { defenders, attackers: attackers - captured }, Side::Attackers)
    });
    fewer_defenders.chain(fewer_attackers)
}

/// Returns a number of soldiers that no move can exceed with its captures: one on each side but that
/// from which it came or, with shieldwalls, the rest of an edge without its corners and one more.
fn most_captures(rules: &Ruleset) -> usize {
    if rules.shieldwall { rules.board.size() - 2 } else { 3 }
}

/// Opens the slices that captures in the slice lead to. They are read on demand and cached up to
/// `cache_bytes`.
///
/// # Errors
/// If a table cannot be opened, or was not written by this program.
pub(crate) fn open_sub_slices<const N: usize>(
    base: &Tablebase,
    slice: Slice,
    cache_bytes: u64,
) -> Result<SubSlices<'_, N>, BuildError> {
    let mut slices = Vec::new();
    for (slice, to_move) in sub_slices(base.rules(), slice) {
        let metric = Metric::Dtw;
        let table = base.table(slice, metric)?;
        let greatest = table.summary(to_move).largest_code(metric);
        if greatest > LARGEST_CODE {
            return Err(foreign(table.path(), table.header()).into());
        }
        let frame = Frame::new(base.rules(), slice)?;
        let index = base.index(slice)?;
        let shape = table.header().grid.shape();
        let segment_blocks = segment_blocks(shape, frame.block_rows());
        let read = Box::new(move |frame: &Frame<N>, blocks| {
            read_blocks(&SolverRows { frame, index }, table, to_move, blocks)
        });
        slices.push(SubSliceSource { to_move, frame, greatest, segment_blocks, read });
    }
    Ok(SubSlices::new(slices, cache_bytes))
}

/// Returns the number of solver blocks, of `block_rows` rows each, to read at a time.
fn segment_blocks(shape: BlockShape, block_rows: usize) -> usize {
    let rows = (ROW_GROUPS_PER_SEGMENT * shape.rows_per_block).min(MAX_SEGMENT_ROWS);
    (rows as usize / block_rows).max(1)
}

/// The codes of a row, each with its lanes.
type Entries<const N: usize> = Vec<(Code, Row<N>)>;

/// Adds lanes with the code.
#[inline]
fn add_lanes<const N: usize>(entries: &mut Entries<N>, code: Code, lanes: Row<N>) {
    match entries.iter_mut().find(|(known, _)| *known == code) {
        Some((_, known)) => *known |= lanes,
        None => entries.push((code, lanes)),
    }
}

/// Reads the true values of all positions in some blocks, including those that the table does not
/// store.
fn read_blocks<const N: usize>(
    rows: &SolverRows<N>,
    table: &Table<TableFile>,
    to_move: Side,
    blocks: Range<usize>,
) -> Result<MappedRows<N>, BuildError> {
    let (frame, lanes) = (rows.frame, rows.index.lanes());
    let bits: Vec<Row<N>> = lanes.squares().iter().map(|&s| frame.region.bit(s)).collect();
    let table_rows = rows.table_rows(&blocks);
    let height = (table_rows.end - table_rows.start) as usize;
    let codes = read_codes(table, to_move, lanes.count(), table_rows)?;
    let mut part = CodedRows::default();
    let mut block = rows.buffer();
    let mut entries: Vec<Entries<N>> = vec![Vec::new(); frame.block_rows()];
    let mut table_row = 0;
    for number in blocks.map(BlockNumber::new) {
        rows.load(number, to_move, &mut block);
        for (entries, row) in entries.iter_mut().zip(&block.rows) {
            entries.clear();
            let Some(row) = row else { continue };
            let stored = row.stored();
            for (lane, &bit) in bits.iter().enumerate() {
                if !(stored & bit).is_empty() {
                    add_lanes(entries, codes[lane * height + table_row], bit);
                }
            }
            table_row += 1;
        }
        // The table stores one image of each position, and none that the rules decide.
        copy_to_images(frame, &block, &mut entries);
        for (entries, row) in entries.iter_mut().zip(&block.rows) {
            let Some(row) = row else {
                // The solver numbers these rows, too, so they must be there.
                part.push([]);
                continue;
            };
            if !row.decided.is_empty() {
                add_lanes(entries, WIN_IN_1, row.decided);
            }
            part.push(entries.iter().copied());
        }
    }
    MappedRows::new(&part).map_err(BuildError::OutOfMemory)
}

/// Copies the values of least images to all images.
fn copy_to_images<const N: usize>(
    frame: &Frame<N>,
    block: &SolverBlock<'_, N>,
    entries: &mut [Entries<N>],
) {
    if block.symmetries.is_empty() {
        return;
    }
    let least = entries.to_vec();
    for &symmetry in &block.symmetries {
        let images = frame.defenders.images(symmetry);
        for (from, &to) in least.iter().zip(images) {
            for &(code, lanes) in from {
                add_lanes(&mut entries[to.index()], code, frame.region.transform(symmetry, lanes));
            }
        }
    }
}

/// Reads the codes of a range of rows, lane by lane.
fn read_codes(
    table: &Table<TableFile>,
    side: Side,
    lanes: usize,
    rows: Range<u64>,
) -> Result<Vec<Code>, BuildError> {
    let height = (rows.end - rows.start) as usize;
    let mut codes = vec![0; lanes * height];
    let grid = table.header().grid;
    let mut values = Vec::new();
    let mut row = rows.start;
    while row < rows.end {
        // Each block is decoded once: all of its rows and lanes in the range are copied.
        let mut lane = 0;
        let mut group_end = rows.end;
        while lane < lanes {
            let located = grid.locate(side, lane, row).ok_or(BuildError::ForeignGrid)?;
            let extent = grid.block_extent(located.0).ok_or(BuildError::ForeignGrid)?;
            table.read_block(located.0, &mut values)?;
            group_end = extent.rows.end.min(rows.end);
            let width = (extent.rows.end - extent.rows.start) as usize;
            let skipped = (row - extent.rows.start) as usize;
            let count = (group_end - row) as usize;
            for (i, lane) in extent.lanes.clone().enumerate() {
                let target = lane * height + (row - rows.start) as usize;
                codes[target..target + count]
                    .copy_from_slice(&values[i * width + skipped..][..count]);
            }
            lane = extent.lanes.end;
        }
        row = group_end;
    }
    Ok(codes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::rules::{BySide, Ruleset};
    use crate::game::value::Value;
    use crate::index::SliceIndex;
    use crate::table::{Grid, Header, Packing, SideSummary, TableWriter, ValueHash, dtw_value};
    use crate::tablebase::ProbeError;

    /// Opens the tables that captures in brandubh K1v1 lead to, with this code for all positions of
    /// K0v1.
    fn sub_slices_of_code(code: Code) -> Result<Code, BuildError> {
        let rules = Ruleset::builtin("brandubh").unwrap();
        let slice: Slice = "K0v1".parse().unwrap();
        let index = SliceIndex::new(&rules, slice).unwrap();
        let (lanes, rows) = (index.lanes().count(), index.rows());
        let shape = BlockShape { lanes_per_block: lanes, rows_per_block: rows };
        let header = Header {
            metric: Metric::Dtw,
            packing: Packing::Words,
            fingerprint: rules.fingerprint(),
            slice,
            grid: Grid::new(lanes, rows, shape).unwrap(),
        };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("K0v1.dtw");
        let mut writer = TableWriter::create(&path, header).unwrap();
        let values = vec![code; lanes * rows as usize];
        for block in 0..2 {
            writer.append(block, 1, &values).unwrap();
        }
        let one = SideSummary { positions: 1, ..Default::default() };
        let summary = match dtw_value(code).unwrap() {
            Value::Win(plies) => SideSummary { wins: 1, max_win: plies, ..one },
            Value::Loss(plies) => SideSummary { losses: 1, max_loss: plies, ..one },
            Value::Draw => one,
        };
        writer.finish(BySide::from_fn(|_| summary), ValueHash([0; 32])).unwrap();
        let mut base = Tablebase::new(rules);
        base.add_directory(folder.path()).unwrap();
        let sub_slices = open_sub_slices::<1>(&base, "K1v1".parse().unwrap(), u64::MAX)?;
        Ok(sub_slices.greatest_code())
    }

    #[test]
    fn smaller_slices_have_half_of_all_codes() {
        assert_eq!(sub_slices_of_code(32767).unwrap(), 32767);
        let error = sub_slices_of_code(32768).err().unwrap();
        assert!(matches!(error, BuildError::Probe(ProbeError::Foreign { .. })), "{error}");
        // A build replaces no such table, even with `force`.
        let message = error.to_string();
        assert!(message.contains("K0v1.dtw: ") && message.contains("delete it"), "{message}");
    }

    #[test]
    fn segments_are_no_larger_for_large_blocks() {
        let segment_rows =
            |rows_per_block| segment_blocks(BlockShape { lanes_per_block: 1, rows_per_block }, 1);
        for packing in [Packing::Bytes, Packing::Words] {
            let rows = packing.default_block_values();
            assert_eq!(segment_rows(rows as u64), ROW_GROUPS_PER_SEGMENT as usize * rows);
        }
        assert_eq!(segment_rows(1 << 20), MAX_SEGMENT_ROWS as usize);
    }
}
