//! A part of the solver's rows as codes of a table, for both sides and lane by lane.

use crate::game::rules::{BySide, Side};
use crate::game::value::Value;
use crate::solve::error::BuildError;
use crate::solve::initial::coded_rows::CodedRows;
use crate::solve::rows::numbers::{BlockNumber, ChunkNumber};
use crate::solve::rows::row::Row;
use crate::solve::rows::simd::{self, Kernel, Processor};
use crate::solve::solver::Solution;
use crate::table::{Code, DONT_CARE, SideSummary, dtw_value};

use super::table_rows::{SolverRow, SolverRows};

/// The number of rows expanded before they are transposed into lanes: as many as fit in the cache.
const STRIP_ROWS: usize = 64;

/// The codes of some rows of a table, by side to move and lane by lane.
pub(super) struct Tile {
    /// The number of rows.
    pub rows: usize,
    codes: BySide<Vec<Code>>,
    /// The statistics of the positions.
    pub summaries: BySide<SideSummary>,
    /// Positions with a slot of their own, both sides to move.
    pub positions: u64,
}

impl Tile {
    /// Expands the rows of a chunk.
    ///
    /// # Errors
    /// If the scratch folder has been damaged.
    pub(super) fn of<const N: usize>(
        rows: &SolverRows<N>,
        solution: &Solution,
        chunk: ChunkNumber,
    ) -> Result<Tile, BuildError> {
        let &SolverRows { frame, index } = rows;
        let blocks = solution.blocks(chunk);
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
        let mut block = rows.buffer();
        let coded = solution.coded_rows(frame, chunk)?;
        for (side, coded) in Side::ALL.into_iter().zip(&coded) {
            let summary = &mut tile.summaries[side];
            let mut strip = Strip::<N>::new(&lanes, height);
            let mut solver_row = 0;
            for number in blocks.clone().map(BlockNumber::new) {
                // Loaded once per side, since decided lanes depend on the side to move.
                rows.load(number, side, &mut block);
                simd::run(SpreadKernel {
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

    /// Returns the codes of a lane.
    pub(super) fn lane(&self, side: Side, lane: usize) -> &[Code] {
        &self.codes[side][lane * self.rows..][..self.rows]
    }
}

/// Writes the stored codes of a block's rows to a strip, and counts all positions.
struct SpreadKernel<'a, 'b, const N: usize> {
    rows: &'a [Option<SolverRow<N>>],
    /// Rows of values; the block starts at row `first`.
    coded: &'a CodedRows<N>,
    first: usize,
    strip: &'a mut Strip<'b, N>,
    positions: &'a mut u64,
    summary: &'a mut SideSummary,
}

impl<const N: usize> Kernel for SpreadKernel<'_, '_, N> {
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

/// Transposes rows into lanes, some rows at a time.
struct Strip<'a, const N: usize> {
    /// The bit of each lane of the table.
    lanes: &'a [usize],
    height: usize,
    /// The expanded rows: a code for each bit.
    codes: Vec<Code>,
    /// The number of expanded rows.
    rows: usize,
    /// Lane by lane, a code for each row of the tile.
    transposed: Vec<Code>,
    /// The number of transposed rows.
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
            transposed: vec![DONT_CARE; lanes.len() * height],
            done: 0,
        }
    }

    /// Writes a code to lanes of the current row.
    #[inline(always)]
    fn put(&mut self, code: Code, lanes: Row<N>, processor: impl Processor) {
        let row = &mut self.codes[self.rows * Self::WIDTH..][..Self::WIDTH];
        for (places, &lanes) in row.as_chunks_mut().0.iter_mut().zip(&lanes.0) {
            processor.fill_masked(places, lanes, code);
        }
    }

    /// Finishes the current row.
    #[inline]
    fn next_row(&mut self) {
        self.rows += 1;
        if self.rows == STRIP_ROWS {
            self.transpose();
        }
    }

    /// Moves the expanded rows to the lanes.
    fn transpose(&mut self) {
        for (lane, &bit) in self.lanes.iter().enumerate() {
            let transposed = &mut self.transposed[lane * self.height + self.done..][..self.rows];
            let codes = self.codes.chunks_exact(Self::WIDTH);
            for (transposed, codes) in transposed.iter_mut().zip(codes) {
                *transposed = codes[bit];
            }
        }
        self.codes.fill(DONT_CARE);
        self.done += self.rows;
        self.rows = 0;
    }

    /// Returns the codes of all rows, lane by lane.
    fn finish(mut self) -> Vec<Code> {
        self.transpose();
        self.transposed
    }
}

/// Counts the positions of a row that have this code, each with its weight.
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
