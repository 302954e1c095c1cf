//! From the solver's rows to table files.

use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;

use crate::index::SliceIndex;
use crate::progress::{Phase, Progress};
use crate::rules::{BySide, Ruleset, Side};
use crate::solve::error::BuildError;
use crate::solve::initial::coded_rows::CodedRows;
use crate::solve::rows::numbers::{BlockNumber, ChunkNumber};
use crate::solve::rows::row::Row;
use crate::solve::rows::simd::{self, Kernel, Processor};
use crate::solve::solver::Solver;
use crate::system::filesystem::FileSystem;
use crate::table::{
    BlockShape, Code, DONT_CARE, Effort, EncodedBlock, Grid, Header, Metric, Packing, SideSummary,
    TableWriter, ValueHasher, dtw_code_to_wdl_code, dtw_value, encode_block,
};
use crate::value::Value;

use super::table_rows::{SolverRow, SolverRows};

/// The memory of the tiles that are spread out before their values go to the
/// blocks, about; one at least.
const TILES_BYTES: usize = 64 << 20;

/// Codes of one side that wait for their blocks, at most about.
const WAITING_CODES: usize = 1 << 25;

/// Rows that are spread out before they are turned into lanes: as many as stay
/// in the cache.
const STRIP_ROWS: usize = 64;

/// The codes of some rows of a table, by side to move, lane by lane.
struct Tile {
    rows: usize,
    codes: BySide<Vec<Code>>,
    summaries: BySide<SideSummary>,
    /// Positions with a slot of their own, both sides to move.
    positions: u64,
}

/// The files of a slice as they were written.
pub(crate) struct SliceFiles {
    /// Positions with a slot of their own, both sides to move.
    pub positions: u64,
    /// By side to move.
    pub summaries: BySide<SideSummary>,
    /// By file.
    pub bytes: Vec<(Metric, u64)>,
}

/// Where the files go, and how they are written.
pub(crate) struct Target<'a> {
    /// The disk.
    pub files: &'a Arc<dyn FileSystem>,
    /// The folder.
    pub folder: &'a Path,
    /// The files.
    pub metrics: &'a [Metric],
    /// The level of zstd, the same for all; otherwise what suits each file.
    pub level: Option<i32>,
}

/// Writes the files of a solved slice.
pub(crate) fn write<const N: usize>(
    rules: &Ruleset,
    solver: &Solver<N>,
    index: &SliceIndex,
    target: &Target,
    progress: &dyn Progress,
) -> Result<SliceFiles, BuildError> {
    let slice = index.slice();
    progress.phase(slice, Phase::Writing, solver.chunks() as u64);
    let greatest = solver.greatest_code();
    let outputs = target.metrics.iter();
    let mut outputs = outputs
        .map(|&metric| Output::create(rules, index, target, metric, greatest))
        .collect::<Result<Vec<_>, _>>()?;
    let mut waiting = Waiting::new(index.lanes().count());
    let mut files = SliceFiles { positions: 0, summaries: Default::default(), bytes: Vec::new() };
    let threads = rayon::current_num_threads();
    let at_once = tiles_at_once(index.lanes().count(), solver.chunk_rows(), threads);
    for first in (0..solver.chunks()).step_by(at_once) {
        let chunks = first..(first + at_once).min(solver.chunks());
        let count = chunks.len() as u64;
        let tiles = chunks
            .into_par_iter()
            .map(|chunk| tile(solver, index, ChunkNumber::new(chunk)))
            .collect::<Result<Vec<Tile>, BuildError>>()?;
        for tile in &tiles {
            files.positions += tile.positions;
            for (sum, part) in files.summaries.iter_mut().zip(&tile.summaries) {
                sum.add(part);
            }
        }
        outputs.iter_mut().for_each(|output| output.hash(&tiles));
        waiting.append(&tiles);
        drop(tiles);
        write_blocks(&mut outputs, &mut waiting, false)?;
        progress.advance(count);
    }
    write_blocks(&mut outputs, &mut waiting, true)?;
    for output in outputs {
        let summaries = files.summaries.map(|summary| output.metric.summary(summary));
        let bytes = output.writer.finish(summaries, output.hasher.finish())?;
        files.bytes.push((output.metric, bytes));
    }
    Ok(files)
}

/// How many tiles are spread out at a time.
pub(crate) fn tiles_at_once(lanes: usize, chunk_rows: usize, threads: usize) -> usize {
    (TILES_BYTES / (2 * size_of::<Code>() * lanes * chunk_rows)).max(threads)
}

/// The shape of a file's blocks.
pub(crate) fn block_shape(packing: Packing, index: &SliceIndex) -> BlockShape {
    let lanes = index.lanes().count();
    let values = packing.default_block_values().min(WAITING_CODES / lanes);
    BlockShape::holding(values, lanes, index.rows())
}

/// Writes the blocks whose rows are all there; in the end, all of them.
fn write_blocks(
    outputs: &mut [Output],
    waiting: &mut Waiting,
    end: bool,
) -> Result<(), BuildError> {
    for output in outputs.iter_mut() {
        output.write_blocks(waiting, end)?;
    }
    let done = outputs.iter().map(|output| output.next_row).min();
    waiting.forget(done.unwrap_or(waiting.first_row));
    Ok(())
}

fn tile<const N: usize>(
    solver: &Solver<N>,
    index: &SliceIndex,
    chunk: ChunkNumber,
) -> Result<Tile, BuildError> {
    let frame = solver.frame();
    let rows = SolverRows { frame, index };
    let blocks = solver.blocks(chunk);
    let table_rows = rows.table_rows(&blocks);
    let height = (table_rows.end - table_rows.start) as usize;
    let lanes: Vec<usize> = index
        .lanes()
        .squares()
        .iter()
        .filter_map(|&s| frame.region.bit(s).lanes().next())
        .collect();
    let mut tile = Tile {
        rows: height,
        codes: BySide::default(),
        summaries: Default::default(),
        positions: 0,
    };
    let mut block = rows.room();
    let coded = solver.coded_rows(chunk)?;
    for (side, coded) in Side::ALL.into_iter().zip(&coded) {
        let summary = &mut tile.summaries[side];
        let mut strip = Strip::<N>::new(&lanes, height);
        let mut solver_row = 0;
        for number in blocks.clone().map(BlockNumber::new) {
            rows.block(number, side, &mut block);
            simd::run(Spread {
                rows: &block.rows,
                coded,
                first: solver_row,
                strip: &mut strip,
                positions: &mut tile.positions,
                summary,
            });
            solver_row += block.rows.len();
        }
        tile.codes[side] = strip.finish();
    }
    Ok(tile)
}

/// Puts the codes of a block's rows into a strip, those that are stored, and counts all.
struct Spread<'a, 'b, const N: usize> {
    rows: &'a [Option<SolverRow<N>>],
    /// Rows of values, of which the block's first is this one.
    coded: &'a CodedRows<N>,
    first: usize,
    strip: &'a mut Strip<'b, N>,
    positions: &'a mut u64,
    summary: &'a mut SideSummary,
}

impl<const N: usize> Kernel for Spread<'_, '_, N> {
    #[inline(always)]
    fn run(self, processor: impl Processor) {
        for (i, row) in self.rows.iter().enumerate() {
            let Some(row) = row else { continue };
            let stored = row.stored();
            for (code, lanes) in self.coded.row(self.first + i) {
                *self.positions += u64::from(lanes.count());
                count(self.summary, code, lanes, row.weight);
                self.strip.put(code, lanes & stored, processor);
            }
            self.strip.next_row();
        }
    }
}

/// Turns rows into lanes, some rows at a time.
struct Strip<'a, const N: usize> {
    /// The bit of each lane of the table.
    lanes: &'a [usize],
    height: usize,
    /// Row by row, a code for each bit.
    codes: Vec<Code>,
    /// Rows in there.
    rows: usize,
    /// Lane by lane, a code for each row of the tile.
    turned: Vec<Code>,
    /// Rows in there.
    done: usize,
}

impl<'a, const N: usize> Strip<'a, N> {
    const WIDTH: usize = 64 * N;

    fn new(lanes: &'a [usize], height: usize) -> Strip<'a, N> {
        Strip {
            lanes,
            height,
            codes: vec![DONT_CARE; Self::WIDTH * STRIP_ROWS],
            rows: 0,
            turned: vec![DONT_CARE; lanes.len() * height],
            done: 0,
        }
    }

    /// Puts a code on lanes of the row at hand.
    #[inline(always)]
    fn put(&mut self, code: Code, lanes: Row<N>, processor: impl Processor) {
        let row = &mut self.codes[self.rows * Self::WIDTH..][..Self::WIDTH];
        for (places, lanes) in row.as_chunks_mut().0.iter_mut().zip(lanes.0) {
            processor.put(places, lanes, code);
        }
    }

    #[inline]
    fn next_row(&mut self) {
        self.rows += 1;
        if self.rows == STRIP_ROWS {
            self.turn();
        }
    }

    fn turn(&mut self) {
        for (lane, &bit) in self.lanes.iter().enumerate() {
            let turned = &mut self.turned[lane * self.height + self.done..][..self.rows];
            let codes = self.codes.chunks_exact(Self::WIDTH);
            for (turned, codes) in turned.iter_mut().zip(codes) {
                *turned = codes[bit];
            }
        }
        self.codes.fill(DONT_CARE);
        self.done += self.rows;
        self.rows = 0;
    }

    fn finish(mut self) -> Vec<Code> {
        self.turn();
        self.turned
    }
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

/// Rows that are not yet in all files' blocks.
struct Waiting {
    /// By side, by lane: the codes of distances.
    codes: BySide<Vec<Vec<Code>>>,
    /// The first of those rows.
    first_row: u64,
}

impl Waiting {
    fn new(lanes: usize) -> Waiting {
        Waiting { codes: BySide::from_fn(|_| vec![Vec::new(); lanes]), first_row: 0 }
    }

    fn append(&mut self, tiles: &[Tile]) {
        for side in Side::ALL {
            let lanes = self.codes[side].par_iter_mut().enumerate();
            lanes.for_each(|(lane, codes)| {
                for tile in tiles {
                    codes.extend_from_slice(tile.lane(side, lane));
                }
            });
        }
    }

    /// The row after the last.
    fn end(&self) -> u64 {
        self.first_row + self.codes[Side::Attackers][0].len() as u64
    }

    fn forget(&mut self, before: u64) {
        let done = (before - self.first_row) as usize;
        self.codes.0.par_iter_mut().flatten().for_each(|lane| {
            lane.drain(..done);
        });
        self.first_row = before;
    }
}

impl Tile {
    fn lane(&self, side: Side, lane: usize) -> &[Code] {
        &self.codes[side][lane * self.rows..][..self.rows]
    }
}

/// One file that is being written.
struct Output {
    metric: Metric,
    packing: Packing,
    effort: Effort,
    grid: Grid,
    writer: TableWriter,
    hasher: ValueHasher,
    /// The first row that is not yet in a block.
    next_row: u64,
}

impl Output {
    fn create(
        rules: &Ruleset,
        index: &SliceIndex,
        target: &Target,
        metric: Metric,
        greatest: Code,
    ) -> Result<Output, BuildError> {
        let packing = match metric {
            Metric::Wdl => Packing::Base3,
            Metric::Dtw => Packing::for_codes_up_to(greatest),
        };
        let lanes = index.lanes().count();
        let shape = block_shape(packing, index);
        let grid = Grid::new(lanes, index.rows(), shape).map_err(BuildError::Grid)?;
        let slice = index.slice();
        let header = Header { metric, packing, fingerprint: rules.fingerprint(), slice, grid };
        let path = target.folder.join(metric.file_name(slice));
        let writer = TableWriter::create_on(target.files.clone(), &path, header)?;
        let effort = target.level.map_or_else(|| Effort::for_packing(packing), Effort::Level);
        let hasher = ValueHasher::new(lanes);
        Ok(Output { metric, packing, effort, grid, writer, hasher, next_row: 0 })
    }

    /// The code of this file for a code of distances.
    #[inline]
    fn code(metric: Metric, code: Code) -> Code {
        match metric {
            Metric::Dtw => code,
            Metric::Wdl => dtw_code_to_wdl_code(code),
        }
    }

    fn hash(&mut self, tiles: &[Tile]) {
        let metric = self.metric;
        for side in Side::ALL {
            let lanes = self.hasher.side(side).par_iter_mut().enumerate();
            lanes.for_each(|(lane, hasher)| {
                for tile in tiles {
                    let codes = tile.lane(side, lane).iter();
                    hasher.update(codes.map(|&code| Output::code(metric, code)));
                }
            });
        }
    }

    /// Writes the blocks whose rows are all there; in the end, all of them.
    fn write_blocks(&mut self, waiting: &Waiting, end: bool) -> Result<(), BuildError> {
        let shape = self.grid.shape();
        let height = shape.rows_per_block;
        let rows = waiting.end() - self.next_row;
        let groups = if end { rows.div_ceil(height) } else { rows / height };
        let lane_groups = self.grid.lanes().div_ceil(shape.lanes_per_block);
        let tasks: Vec<(u64, Side, usize)> = (0..groups)
            .flat_map(|group| Side::ALL.map(|side| (group, side)))
            .flat_map(|(group, side)| (0..lane_groups).map(move |lanes| (group, side, lanes)))
            .collect();
        let encoded = tasks
            .par_iter()
            .map_init(Vec::new, |values, &(group, side, lane_group)| {
                let first = lane_group * shape.lanes_per_block;
                let last = (first + shape.lanes_per_block).min(self.grid.lanes());
                let row = self.next_row + group * height;
                let rows = row..(row + height).min(waiting.end());
                let rows = (rows.start - waiting.first_row) as usize
                    ..(rows.end - waiting.first_row) as usize;
                values.clear();
                for lane in &waiting.codes[side][first..last] {
                    let codes = lane[rows.clone()].iter();
                    values.extend(codes.map(|&code| Output::code(self.metric, code)));
                }
                let (number, _) =
                    self.grid.locate(side, first, row).ok_or(BuildError::ForeignGrid)?;
                Ok((number, encode_block(self.packing, self.effort, values)?))
            })
            .collect::<Result<Vec<(u64, EncodedBlock)>, BuildError>>()?;
        for (number, block) in encoded {
            self.writer.append_encoded(number, block)?;
        }
        self.next_row = (self.next_row + groups * height).min(waiting.end());
        Ok(())
    }
}
