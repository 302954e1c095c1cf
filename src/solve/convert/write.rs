//! From the solver's rows to table files.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;

use crate::index::SliceIndex;
use crate::progress::{Phase, Progress};
use crate::rules::{BySide, Ruleset, Side};
use crate::solve::error::BuildError;
use crate::solve::exchange::{Exchange, ExchangeError, of_rank};
use crate::solve::initial::coded_rows::CodedRows;
use crate::solve::rows::numbers::{BlockNumber, ChunkNumber};
use crate::solve::rows::row::Row;
use crate::solve::rows::simd::{self, Kernel, Processor};
use crate::solve::solver::Solver;
use crate::system::filesystem::FileSystem;
use crate::table::{
    BlockShape, Code, DONT_CARE, Effort, EncodedBlock, Grid, Header, Metric, Packing, PartWriter,
    SideSummary, TableWriter, ValueHasher, WrittenPart, dtw_code_to_wdl_code, dtw_value,
    encode_block,
};
use crate::value::{Plies, Value};

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

/// Writes the files of a solved slice: each rank of the build encodes a part of the blocks
/// and hashes a part of the rows.
pub(crate) fn write<const N: usize>(
    rules: &Ruleset,
    solver: Solver<N>,
    index: &SliceIndex,
    target: &Target,
    progress: &dyn Progress,
) -> Result<SliceFiles, BuildError> {
    let ranks = solver.ranks();
    let greatest = solver.greatest_code();
    let outputs = target.metrics.iter();
    let mut outputs = outputs
        .map(|&metric| Output::create(rules, index, target, metric, greatest, ranks))
        .collect::<Result<Vec<_>, _>>()?;
    let own = solver.own();
    let (solver, chunks) = with_rows_of(solver, index, &outputs)?;
    progress.phase(index.slice(), Phase::Writing, chunks.len() as u64);
    let mut files = SliceFiles { positions: 0, summaries: Default::default(), bytes: Vec::new() };
    let first_row = first_row(&solver, index, chunks.start);
    let mut waiting = Waiting::new(index.lanes().count(), first_row);
    let threads = rayon::current_num_threads();
    let at_once = tiles_at_once(index.lanes().count(), solver.chunk_rows(), threads);
    for first in chunks.clone().step_by(at_once) {
        let chunks = first..(first + at_once).min(chunks.end);
        let tiles = chunks
            .clone()
            .into_par_iter()
            .map(|chunk| tile(&solver, index, ChunkNumber::new(chunk)))
            .collect::<Result<Vec<Tile>, BuildError>>()?;
        for (_, tile) in chunks.clone().zip(&tiles).filter(|(chunk, _)| own.contains(chunk)) {
            files.positions += tile.positions;
            for (sum, part) in files.summaries.iter_mut().zip(&tile.summaries) {
                sum.add(part);
            }
        }
        let row = waiting.end();
        outputs.iter_mut().for_each(|output| output.hash(&tiles, row));
        waiting.append(&tiles);
        drop(tiles);
        write_blocks(&mut outputs, &mut waiting)?;
        progress.advance(chunks.len() as u64);
    }
    files.sum(ranks)?;
    for output in outputs {
        let metric = output.metric;
        let summaries = files.summaries.map(|summary| metric.summary(summary));
        files.bytes.push((metric, output.finish(summaries, target, ranks)?));
    }
    Ok(files)
}

/// The first row in the table of a chunk, or after the last one.
fn first_row<const N: usize>(solver: &Solver<N>, index: &SliceIndex, chunk: usize) -> u64 {
    if chunk >= solver.chunks() {
        return index.rows();
    }
    let blocks = solver.blocks(ChunkNumber::new(chunk));
    SolverRows { frame: solver.frame(), index }.table_rows(&blocks).start
}

/// The chunks with the rows that the outputs of this rank take, and its own; and the solver
/// that reads them.
fn with_rows_of<'a, const N: usize>(
    solver: Solver<'a, N>,
    index: &SliceIndex,
    outputs: &[Output],
) -> Result<(Solver<'a, N>, Range<usize>), BuildError> {
    let mut chunks = solver.own();
    if solver.ranks().ranks() == 1 {
        return Ok((solver, chunks));
    }
    let all: Vec<usize> = (0..solver.chunks()).collect();
    for rows in outputs.iter().flat_map(Output::rows).filter(|rows| !rows.is_empty()) {
        let before = |row| all.partition_point(|&chunk| first_row(&solver, index, chunk) <= row);
        let (start, end) = (before(rows.start) - 1, before(rows.end - 1));
        chunks = if chunks.is_empty() {
            start..end
        } else {
            chunks.start.min(start)..chunks.end.max(end)
        };
    }
    Ok((solver.reading(chunks.clone())?, chunks))
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

/// Writes the blocks whose rows are all there.
fn write_blocks(outputs: &mut [Output], waiting: &mut Waiting) -> Result<(), BuildError> {
    for output in outputs.iter_mut() {
        output.write_blocks(waiting)?;
    }
    let next = outputs.iter().filter_map(Output::next_row).min();
    waiting.forget(next.map_or(waiting.end(), |next| next.min(waiting.end())));
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
    fn new(lanes: usize, first_row: u64) -> Waiting {
        Waiting { codes: BySide::from_fn(|_| vec![Vec::new(); lanes]), first_row }
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
        let done = before.saturating_sub(self.first_row) as usize;
        self.codes.0.par_iter_mut().flatten().for_each(|lane| {
            lane.drain(..done);
        });
        self.first_row += done as u64;
    }
}

impl Tile {
    fn lane(&self, side: Side, lane: usize) -> &[Code] {
        &self.codes[side][lane * self.rows..][..self.rows]
    }
}

/// One file that is being written, as far as this rank does it.
struct Output {
    metric: Metric,
    packing: Packing,
    effort: Effort,
    grid: Grid,
    writer: Writer,
    /// The groups of rows that are to be blocks of this rank's and are not yet.
    groups: Range<u64>,
    hasher: ValueHasher,
    /// The rows that are to be hashed and are not yet.
    hashes: Range<u64>,
}

/// Where blocks go.
enum Writer {
    /// Into the file.
    First(Box<TableWriter>),
    /// Into a file of their own, and then behind those of the ranks before this one.
    Other(PartWriter),
}

impl Output {
    fn create(
        rules: &Ruleset,
        index: &SliceIndex,
        target: &Target,
        metric: Metric,
        greatest: Code,
        ranks: &dyn Exchange,
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
        let files = target.files;
        let writer = match ranks.rank() {
            0 => {
                let path = target.folder.join(metric.file_name(slice));
                Writer::First(Box::new(TableWriter::create_on(files.clone(), &path, header)?))
            }
            _ => Writer::Other(PartWriter::create(&**files, target.folder, header)?),
        };
        let effort = target.level.map_or_else(|| Effort::for_packing(packing), Effort::Level);
        let of_rank = |rows_each| {
            let things = index.rows().div_ceil(rows_each) as usize;
            let Range { start, end } = of_rank(things, ranks.rank(), ranks.ranks());
            start as u64..end as u64
        };
        let groups = of_rank(shape.rows_per_block);
        let Range { start, end } = of_rank(ValueHasher::ROWS);
        let hashes = start * ValueHasher::ROWS..(end * ValueHasher::ROWS).min(index.rows());
        let hasher = ValueHasher::from_row(lanes, hashes.start);
        Ok(Output { metric, packing, effort, grid, writer, groups, hasher, hashes })
    }

    /// The rows that are to be in this rank's blocks, and those that are to be hashed.
    fn rows(&self) -> [Range<u64>; 2] {
        let height = self.grid.shape().rows_per_block;
        let end = (self.groups.end * height).min(self.grid.rows());
        [self.groups.start * height..end, self.hashes.clone()]
    }

    /// The first row that is to be in a block and is not yet.
    fn next_row(&self) -> Option<u64> {
        let [rows, _] = self.rows();
        (!rows.is_empty()).then_some(rows.start)
    }

    /// The code of this file for a code of distances.
    #[inline]
    fn code(metric: Metric, code: Code) -> Code {
        match metric {
            Metric::Dtw => code,
            Metric::Wdl => dtw_code_to_wdl_code(code),
        }
    }

    /// Hashes what is to be hashed of these tiles, which begin with that row.
    fn hash(&mut self, tiles: &[Tile], first: u64) {
        let metric = self.metric;
        let rows = self.hashes.clone();
        for side in Side::ALL {
            let lanes = self.hasher.side(side).par_iter_mut().enumerate();
            lanes.for_each(|(lane, hasher)| {
                let mut first = first;
                for tile in tiles {
                    let end = first + tile.rows as u64;
                    let [start, end] =
                        [rows.start, rows.end].map(|row| row.clamp(first, end) - first);
                    let codes = &tile.lane(side, lane)[start as usize..end as usize];
                    hasher.update(codes.iter().map(|&code| Output::code(metric, code)));
                    first += tile.rows as u64;
                }
            });
        }
        let end = first + tiles.iter().map(|tile| tile.rows as u64).sum::<u64>();
        self.hashes.start = end.clamp(rows.start, rows.end);
    }

    /// Writes the blocks of this rank whose rows are all there.
    fn write_blocks(&mut self, waiting: &Waiting) -> Result<(), BuildError> {
        let shape = self.grid.shape();
        let height = shape.rows_per_block;
        let there = match waiting.end() == self.grid.rows() {
            true => self.groups.end,
            false => self.groups.end.min(waiting.end() / height),
        };
        let groups = self.groups.start..there.max(self.groups.start);
        let lane_groups = self.grid.lanes().div_ceil(shape.lanes_per_block);
        let tasks: Vec<(u64, Side, usize)> = groups
            .clone()
            .flat_map(|group| Side::ALL.map(|side| (group, side)))
            .flat_map(|(group, side)| (0..lane_groups).map(move |lanes| (group, side, lanes)))
            .collect();
        let encoded = tasks
            .par_iter()
            .map_init(Vec::new, |values, &(group, side, lane_group)| {
                let first = lane_group * shape.lanes_per_block;
                let last = (first + shape.lanes_per_block).min(self.grid.lanes());
                let row = group * height;
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
            match &mut self.writer {
                Writer::First(writer) => writer.append_encoded(number, block)?,
                Writer::Other(writer) => writer.append_encoded(number, block)?,
            }
        }
        self.groups.start = groups.end;
        Ok(())
    }

    /// Puts together what the ranks have written, and gives the file its name. Returns the
    /// file's size in bytes; only the first rank knows it.
    fn finish(
        self,
        summaries: BySide<SideSummary>,
        target: &Target,
        ranks: &dyn Exchange,
    ) -> Result<u64, BuildError> {
        let mut hasher = self.hasher;
        if ranks.ranks() == 1 {
            let Writer::First(writer) = self.writer else { return Ok(0) };
            return Ok(writer.finish(summaries, hasher.finish())?);
        }
        let mut writer = self.writer;
        let (name, end) = match &mut writer {
            Writer::First(writer) => {
                let (path, end) = writer.place()?;
                let name = path.file_name().map(|name| name.as_encoded_bytes().to_vec());
                (name.unwrap_or_default(), end)
            }
            Writer::Other(writer) => (Vec::new(), writer.length()),
        };
        let name = ranks.of_first(name)?;
        let ends = ranks.numbers(end)?;
        match writer {
            Writer::Other(writer) => {
                let path = target.folder.join(String::from_utf8_lossy(&name).as_ref());
                let start = ends[..ranks.rank()].iter().sum();
                let mut part = writer.write_to(&**target.files, &path, start)?.to_bytes();
                part.extend(hasher.to_bytes());
                ranks.to_first(&part)?;
                Ok(0)
            }
            Writer::First(mut writer) => {
                let mut parts = Vec::new();
                for bytes in &ranks.to_first(&[])?[1..] {
                    let bytes = &mut &bytes[..];
                    parts.push(WrittenPart::take(bytes).ok_or(ExchangeError)?);
                    hasher.append(bytes).ok_or(ExchangeError)?;
                }
                writer.append_parts(&parts)?;
                Ok(writer.finish(summaries, hasher.finish())?)
            }
        }
    }
}

impl SliceFiles {
    /// Adds what the other ranks have counted.
    fn sum(&mut self, ranks: &dyn Exchange) -> Result<(), ExchangeError> {
        self.positions = ranks.sum(self.positions)?;
        for summary in self.summaries.iter_mut() {
            let SideSummary { positions, wins, losses, draws, max_win, max_loss } = summary;
            for count in [positions, wins, losses, draws] {
                *count = ranks.sum(*count)?;
            }
            for longest in [max_win, max_loss] {
                *longest = ranks.max((*longest).into())? as Plies;
            }
        }
        Ok(())
    }
}
