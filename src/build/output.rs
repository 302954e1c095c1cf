//! From the solver's rows to table files.

use std::path::Path;

use rayon::prelude::*;

use crate::index::SliceIndex;
use crate::progress::{Phase, Progress};
use crate::retrograde::{Row, Solver};
use crate::rules::{Ruleset, Side};
use crate::table::{
    BlockShape, Code, DONT_CARE, EncodedBlock, Grid, Header, Metric, Packing, SideSummary,
    TableWriter, dtw_code_to_wdl_code, dtw_value, encode_block,
};
use crate::value::Value;

use super::rows::SolverRows;
use super::{BuildError, SliceFiles};

/// The memory of the tiles that are spread out before their values go to the
/// blocks, about; one at least.
const TILES_BYTES: usize = 64 << 20;

/// The codes of some rows of a table, by side to move, lane by lane.
struct Tile {
    rows: usize,
    codes: [Vec<Code>; 2],
    summaries: [SideSummary; 2],
    /// Positions with a slot of their own, both sides to move.
    positions: u64,
}

/// Writes the files of a solved slice.
pub fn write<const N: usize>(
    rules: &Ruleset,
    solver: &Solver<N>,
    index: &SliceIndex,
    folder: &Path,
    metrics: &[Metric],
    level: i32,
    progress: &dyn Progress,
) -> Result<SliceFiles, BuildError> {
    let slice = index.slice();
    progress.phase(slice, Phase::Writing, solver.chunks() as u64);
    let greatest = solver.greatest_code();
    let mut outputs = metrics
        .iter()
        .map(|&metric| Output::create(rules, index, folder, metric, level, greatest))
        .collect::<Result<Vec<_>, _>>()?;
    let mut files = SliceFiles { positions: 0, summaries: Default::default(), bytes: Vec::new() };
    let tile_bytes = 2 * size_of::<Code>() * index.lanes().count() * solver.chunk_rows();
    let at_once = (TILES_BYTES / tile_bytes).max(rayon::current_num_threads());
    for first in (0..solver.chunks()).step_by(at_once) {
        let chunks = first..(first + at_once).min(solver.chunks());
        let count = chunks.len() as u64;
        let tiles = chunks
            .into_par_iter()
            .map(|chunk| tile(rules, solver, index, chunk))
            .collect::<Result<Vec<Tile>, BuildError>>()?;
        for tile in &tiles {
            files.positions += tile.positions;
            for (sum, part) in files.summaries.iter_mut().zip(&tile.summaries) {
                sum.add(part);
            }
            outputs.iter_mut().for_each(|output| output.append(tile));
        }
        outputs.iter_mut().try_for_each(|output| output.write_blocks(false))?;
        progress.advance(count);
    }
    for mut output in outputs {
        output.write_blocks(true)?;
        let summaries = files.summaries.map(|summary| output.metric.summary(summary));
        files.bytes.push((output.metric, output.writer.finish(summaries)?));
    }
    Ok(files)
}

fn tile<const N: usize>(
    rules: &Ruleset,
    solver: &Solver<N>,
    index: &SliceIndex,
    chunk: usize,
) -> Result<Tile, BuildError> {
    let frame = solver.frame();
    let rows = SolverRows {
        attackers: frame.attackers.sets(),
        defenders: &frame.defenders,
        region: &frame.region,
        index,
    };
    let blocks = solver.blocks(chunk);
    let table_rows = rows.table_rows(&blocks);
    let height = (table_rows.end - table_rows.start) as usize;
    let lanes = index.lanes();
    let mut tile = Tile {
        rows: height,
        codes: [0, 1].map(|_| vec![DONT_CARE; lanes.count() * height]),
        summaries: Default::default(),
        positions: 0,
    };
    let coded = solver.coded_rows(chunk)?;
    for (side, coded) in Side::ALL.into_iter().zip(&coded) {
        let codes = &mut tile.codes[side as usize];
        let summary = &mut tile.summaries[side as usize];
        let (mut solver_row, mut at) = (0, 0);
        rows.visit(rules, blocks.clone(), |row| {
            if let Some(row) = row {
                for (code, set) in coded.row(solver_row) {
                    tile.positions += u64::from(set.count());
                    count(summary, code, set, row.weight);
                    for bit in set.lanes() {
                        if let Some(lane) = lanes.lane(frame.region.square(bit)) {
                            codes[usize::from(lane) * height + at] = code;
                        }
                    }
                }
                at += 1;
            }
            solver_row += 1;
        });
    }
    Ok(tile)
}

fn count<const N: usize>(summary: &mut SideSummary, code: Code, lanes: Row<N>, weight: u64) {
    let positions = u64::from(lanes.count()) * weight;
    if positions == 0 {
        return;
    }
    summary.positions += positions;
    match dtw_value(code) {
        Some(Value::Win(plies)) => {
            summary.wins += positions;
            summary.max_win = summary.max_win.max(plies);
        }
        Some(Value::Loss(plies)) => {
            summary.losses += positions;
            summary.max_loss = summary.max_loss.max(plies);
        }
        _ => summary.draws += positions,
    }
}

/// One file that is being written.
struct Output {
    metric: Metric,
    packing: Packing,
    level: i32,
    grid: Grid,
    writer: TableWriter,
    /// By side, by lane: the codes of rows that are not yet in a block.
    pending: [Vec<Vec<Code>>; 2],
    /// The first of those rows.
    first_row: u64,
}

impl Output {
    fn create(
        rules: &Ruleset,
        index: &SliceIndex,
        folder: &Path,
        metric: Metric,
        level: i32,
        greatest: Code,
    ) -> Result<Output, BuildError> {
        let packing = match metric {
            Metric::Wdl => Packing::Base3,
            Metric::Dtw => Packing::for_codes_up_to(greatest),
        };
        let lanes = index.lanes().count();
        let shape = BlockShape::holding(packing.default_block_values(), lanes, index.rows());
        let grid = Grid::new(lanes, index.rows(), shape).map_err(BuildError::Grid)?;
        let slice = index.slice();
        let header = Header { metric, packing, fingerprint: rules.fingerprint(), slice, grid };
        let writer = TableWriter::create(&folder.join(metric.file_name(slice)), header)?;
        let pending = [0, 1].map(|_| vec![Vec::new(); lanes]);
        Ok(Output { metric, packing, level, grid, writer, pending, first_row: 0 })
    }

    fn append(&mut self, tile: &Tile) {
        for (pending, codes) in self.pending.iter_mut().zip(&tile.codes) {
            for (lane, codes) in pending.iter_mut().zip(codes.chunks_exact(tile.rows.max(1))) {
                match self.metric {
                    Metric::Dtw => lane.extend_from_slice(codes),
                    Metric::Wdl => lane.extend(codes.iter().map(|&c| dtw_code_to_wdl_code(c))),
                }
            }
        }
    }

    /// Writes the blocks whose rows are all there; in the end, all of them.
    fn write_blocks(&mut self, end: bool) -> Result<(), BuildError> {
        let shape = self.grid.shape();
        let height = shape.rows_per_block as usize;
        let waiting = self.pending[0][0].len();
        let groups = if end { waiting.div_ceil(height) } else { waiting / height };
        let lane_groups = self.grid.lanes().div_ceil(shape.lanes_per_block);
        let tasks: Vec<(usize, Side, usize)> = (0..groups)
            .flat_map(|group| Side::ALL.map(|side| (group, side)))
            .flat_map(|(group, side)| (0..lane_groups).map(move |lanes| (group, side, lanes)))
            .collect();
        let encoded = tasks
            .par_iter()
            .map(|&(group, side, lane_group)| {
                let first = lane_group * shape.lanes_per_block;
                let last = (first + shape.lanes_per_block).min(self.grid.lanes());
                let rows = group * height..((group + 1) * height).min(waiting);
                let values: Vec<Code> = self.pending[side as usize][first..last]
                    .iter()
                    .flat_map(|lane| lane[rows.clone()].iter().copied())
                    .collect();
                let row = self.first_row + (group * height) as u64;
                let (number, _) =
                    self.grid.locate(side, first, row).ok_or(BuildError::ForeignGrid)?;
                Ok((number, encode_block(self.packing, self.level, &values)?))
            })
            .collect::<Result<Vec<(u64, EncodedBlock)>, BuildError>>()?;
        for (number, block) in encoded {
            self.writer.append(number, block)?;
        }
        let written = (groups * height).min(waiting);
        for lane in self.pending.iter_mut().flatten() {
            lane.drain(..written);
        }
        self.first_row += written as u64;
        Ok(())
    }
}
