//! Reading solved slices for the captures that lead to them.

use std::ops::Range;

use rayon::prelude::*;

use crate::rules::Side;
use crate::slice::Slice;
use crate::solve::error::BuildError;
use crate::solve::frame::Frame;
use crate::solve::initial::coded_rows::CodedRows;
use crate::solve::initial::pass::SubSlices;
use crate::solve::initial::sub_slice::SubSlice;
use crate::solve::rows::numbers::BlockNumber;
use crate::solve::rows::row::Row;
use crate::table::{BlockShape, Code, Metric, Table, TableFile, WIN_IN_1};
use crate::tablebase::{Tablebase, foreign};

use super::table_rows::{SolverBlock, SolverRows};

/// Blocks of a table that one task reads, about; more means fewer blocks read
/// twice, at the ends of tasks, and more memory.
const ROW_GROUPS_PER_TASK: u64 = 4;

/// As many rows as these have in a table of ours, however a table is cut.
const MOST_TASK_ROWS: u64 = 1 << 18;

/// Of the 16 bits of plies and codes, half of the numbers are for the smaller slices
/// and half for what this one adds. No game comes near to that: a table that goes
/// beyond is none of ours.
const LARGEST_CODE: Code = Code::MAX / 2;

/// The slices that captures in this slice lead to, with the side to move there:
/// first after captures of defenders, then of attackers. Slices without
/// attackers are finished games and left out.
pub(crate) fn sub_slices(slice: Slice) -> impl Iterator<Item = (Slice, Side)> {
    let Slice { defenders, attackers } = slice;
    let fewer_defenders = (1..=3.min(defenders)).map(move |captured| {
        (Slice { defenders: defenders - captured, attackers }, Side::Defenders)
    });
    let fewer_attackers = (1..=3.min(attackers.saturating_sub(1))).map(move |captured| {
        (Slice { defenders, attackers: attackers - captured }, Side::Attackers)
    });
    fewer_defenders.chain(fewer_attackers)
}

/// Reads all that captures in the slice lead to.
pub(crate) fn read_sub_slices<const N: usize>(
    base: &Tablebase,
    slice: Slice,
) -> Result<SubSlices<N>, BuildError> {
    let rules = base.rules();
    let mut read = SubSlices { fewer_defenders: Vec::new(), fewer_attackers: Vec::new() };
    for (slice, to_move) in sub_slices(slice) {
        let metric = Metric::Dtw;
        let table = base.table(slice, metric)?;
        if table.summary(to_move).largest_code(metric) > LARGEST_CODE {
            return Err(foreign(table.path(), table.header()).into());
        }
        let frame = Frame::new(rules, slice)?;
        let index = base.index(slice)?;
        let rows = read_rows(&SolverRows { frame: &frame, index }, table, to_move)?;
        let Frame { attackers, defenders, .. } = frame;
        let child = SubSlice { attackers, block_rows: defenders.len(), rows };
        match to_move {
            Side::Defenders => read.fewer_defenders.push((child, defenders)),
            Side::Attackers => read.fewer_attackers.push(child),
        }
    }
    Ok(read)
}

fn read_rows<const N: usize>(
    rows: &SolverRows<N>,
    table: &Table<TableFile>,
    to_move: Side,
) -> Result<CodedRows<N>, BuildError> {
    let (blocks, block_rows) = (rows.frame.blocks(), rows.frame.block_rows());
    let task_rows = task_rows(table.header().grid.shape());
    let task_blocks = (task_rows as usize / block_rows).max(1);
    let tasks = blocks.div_ceil(task_blocks);
    // A few at a time: parts that wait would take as much memory as the whole.
    let at_once = 4 * rayon::current_num_threads();
    let mut all = CodedRows::default();
    for first in (0..tasks).step_by(at_once) {
        let parts = (first..(first + at_once).min(tasks))
            .into_par_iter()
            .map(|task| {
                let blocks = task * task_blocks..((task + 1) * task_blocks).min(blocks);
                read_blocks(rows, table, to_move, blocks)
            })
            .collect::<Result<Vec<CodedRows<N>>, BuildError>>()?;
        parts.into_iter().for_each(|part| all.append(part));
    }
    Ok(all)
}

/// The rows of a table that one task reads, about.
fn task_rows(shape: BlockShape) -> u64 {
    (ROW_GROUPS_PER_TASK * shape.rows_per_block).min(MOST_TASK_ROWS)
}

/// The codes of a row, each with its lanes.
type Entries<const N: usize> = Vec<(Code, Row<N>)>;

/// Adds lanes that have the code.
#[inline]
fn add<const N: usize>(entries: &mut Entries<N>, code: Code, lanes: Row<N>) {
    match entries.iter_mut().find(|(known, _)| *known == code) {
        Some((_, known)) => *known |= lanes,
        None => entries.push((code, lanes)),
    }
}

/// The true values of all positions in some blocks, those that the table does
/// not hold included.
fn read_blocks<const N: usize>(
    rows: &SolverRows<N>,
    table: &Table<TableFile>,
    to_move: Side,
    blocks: Range<usize>,
) -> Result<CodedRows<N>, BuildError> {
    let (frame, lanes) = (rows.frame, rows.index.lanes());
    let bits: Vec<Row<N>> = lanes.squares().iter().map(|&s| frame.region.bit(s)).collect();
    let table_rows = rows.table_rows(&blocks);
    let height = (table_rows.end - table_rows.start) as usize;
    let codes = read_codes(table, to_move, lanes.count(), table_rows)?;
    let mut part = CodedRows::default();
    let mut block = rows.room();
    let mut entries: Vec<Entries<N>> = vec![Vec::new(); frame.block_rows()];
    let mut at = 0;
    for number in blocks.map(BlockNumber::new) {
        rows.block(number, to_move, &mut block);
        for (entries, row) in entries.iter_mut().zip(&block.rows) {
            entries.clear();
            let Some(row) = row else { continue };
            let stored = row.stored();
            for (lane, &bit) in bits.iter().enumerate() {
                if !(stored & bit).is_empty() {
                    add(entries, codes[lane * height + at], bit);
                }
            }
            at += 1;
        }
        spread(frame, &block, &mut entries);
        for (entries, row) in entries.iter_mut().zip(&block.rows) {
            let Some(row) = row else {
                part.push([]);
                continue;
            };
            if !row.decided.is_empty() {
                add(entries, WIN_IN_1, row.decided);
            }
            part.push(entries.iter().copied());
        }
    }
    Ok(part)
}

/// Gives the values of least images to all images.
fn spread<const N: usize>(
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
                add(&mut entries[to.index()], code, frame.region.transform(symmetry, lanes));
            }
        }
    }
}

/// The codes of a range of rows, lane by lane.
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
    use crate::index::SliceIndex;
    use crate::rules::{BySide, Ruleset};
    use crate::table::{Grid, Header, Packing, SideSummary, TableWriter, ValueHash, dtw_value};
    use crate::tablebase::ProbeError;
    use crate::value::Value;

    /// The tables that captures in brandubh K1v1 lead to, where all positions of K0v1
    /// have that code.
    fn sub_slices_of_code(code: Code) -> Result<SubSlices<1>, BuildError> {
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
        read_sub_slices(&base, "K1v1".parse().unwrap())
    }

    #[test]
    fn smaller_slices_have_half_of_all_codes() {
        let sub_slices = sub_slices_of_code(32767).unwrap();
        let (child, _) = &sub_slices.fewer_defenders[0];
        assert_eq!(child.rows.greatest_code(), 32767);
        let error = sub_slices_of_code(32768).err().unwrap();
        assert!(matches!(error, BuildError::Probe(ProbeError::Foreign { .. })), "{error}");
    }

    #[test]
    fn tasks_are_no_larger_for_large_blocks() {
        let task_rows =
            |rows_per_block| task_rows(BlockShape { lanes_per_block: 1, rows_per_block });
        for packing in [Packing::Bytes, Packing::Words] {
            let rows = packing.default_block_values() as u64;
            assert_eq!(task_rows(rows), ROW_GROUPS_PER_TASK * rows);
        }
        assert_eq!(task_rows(1 << 20), MOST_TASK_ROWS);
    }
}
