//! Reading solved slices for the captures that lead to them.

use std::ops::Range;

use memmap2::Mmap;
use rayon::prelude::*;

use crate::index::{AttackerSets, SliceIndex};
use crate::retrograde::{
    BlockLookup, Child, Children, CodedRows, DefenderSets, Region, Row, counted_sets,
};
use crate::rules::{Kind, Ruleset, Side};
use crate::slice::Slice;
use crate::table::{Code, Metric, Table};
use crate::tablebase::{ProbeError, Tablebase};

use super::BuildError;
use super::rows::SolverRows;

/// Blocks of a table that one task reads, about; more means fewer blocks read
/// twice, at the ends of tasks, and more memory.
const ROW_GROUPS_PER_TASK: u64 = 4;

/// The solver counts plies in 16 bits, and no game comes near to half of that:
/// a table that says so is none of ours.
const LARGEST_CODE: Code = 1 << 15;

/// The slices that captures in this slice lead to, with the side to move there:
/// first after captures of defenders, then of attackers. Slices without
/// attackers are finished games and left out.
pub fn children(slice: Slice) -> impl Iterator<Item = (Slice, Side)> {
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
pub fn read_children<const N: usize>(
    base: &Tablebase,
    region: &Region<N>,
    slice: Slice,
) -> Result<Children<N>, BuildError> {
    let rules = base.rules();
    let mut read = Children { fewer_defenders: Vec::new(), fewer_attackers: Vec::new() };
    for (slice, to_move) in children(slice) {
        let metric = Metric::Dtw;
        let table = base.table(slice, metric)?;
        if table.summary(to_move).largest_code(metric) > LARGEST_CODE {
            return Err(ProbeError::Foreign { slice, metric }.into());
        }
        let attackers = counted_sets(rules, slice)?;
        let defenders = DefenderSets::new(rules, region, slice.defenders);
        let rows = read_rows(rules, region, table, &attackers, &defenders, slice, to_move)?;
        let places = rules.places(Kind::Attacker);
        let attackers = BlockLookup::new(attackers, places, slice.attackers);
        let child = Child { attackers, block_rows: defenders.len(), rows };
        match to_move {
            Side::Defenders => read.fewer_defenders.push((child, defenders)),
            Side::Attackers => read.fewer_attackers.push(child),
        }
    }
    Ok(read)
}

fn read_rows<const N: usize>(
    rules: &Ruleset,
    region: &Region<N>,
    table: &Table<Mmap>,
    attackers: &AttackerSets,
    defenders: &DefenderSets<N>,
    slice: Slice,
    to_move: Side,
) -> Result<CodedRows<N>, BuildError> {
    let index = SliceIndex::new(rules, slice)?;
    let lanes: Vec<Row<N>> = index.lanes().squares().iter().map(|&s| region.bit(s)).collect();
    let rows = SolverRows { attackers, defenders, region, index: &index };
    let task_rows = ROW_GROUPS_PER_TASK * table.header().grid.shape().rows_per_block;
    let task_blocks = (task_rows as usize / defenders.len()).max(1);
    let tasks = rows.blocks().div_ceil(task_blocks);
    let parts: Vec<CodedRows<N>> = (0..tasks)
        .into_par_iter()
        .map(|task| {
            let blocks = task * task_blocks..((task + 1) * task_blocks).min(rows.blocks());
            let table_rows = rows.table_rows(&blocks);
            let height = (table_rows.end - table_rows.start) as usize;
            let codes = read_codes(table, to_move, index.lanes().count(), table_rows)?;
            let mut part = CodedRows::default();
            let mut entries: Vec<(Code, Row<N>)> = Vec::new();
            let mut at = 0;
            rows.visit(rules, blocks, |row| {
                let Some(row) = row else {
                    return part.push_hole();
                };
                entries.clear();
                for (lane, &bit) in lanes.iter().enumerate() {
                    if (row.valid & bit).is_empty() {
                        continue;
                    }
                    let code = codes[lane * height + at];
                    match entries.iter_mut().find(|(known, _)| *known == code) {
                        Some((_, lanes)) => *lanes |= bit,
                        None => entries.push((code, bit)),
                    }
                }
                part.push(entries.iter().copied());
                at += 1;
            });
            Ok(part)
        })
        .collect::<Result<_, BuildError>>()?;
    let mut all = CodedRows::default();
    parts.into_iter().for_each(|part| all.append(part));
    Ok(all)
}

/// The codes of a range of rows, lane by lane.
fn read_codes(
    table: &Table<Mmap>,
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
