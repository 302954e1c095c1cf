//! Reads a table from its first row to its last, on all threads.

use std::fmt;
use std::ops::{ControlFlow, Range};

use super::multiplicity::Multiplicities;
use crate::game::board::SquareSet;
use crate::game::rules::{BySide, Kind, Ruleset, Side};
use crate::game::value::Wdl;
use crate::index::{IndexError, SliceIndex};
use crate::system::parallel;
use crate::table::{
    Code, Metric, PackedBlock, Table, TableError, TableFile, WIN_IN_1, dtw_value, wdl_value,
};
use crate::tablebase::{ProbeError, Probed};

/// Slots of one side per task: few enough to stay in a processor's cache.
const SLOTS_PER_TASK: usize = 1 << 16;
/// Tasks per thread whose results are held at the same time.
const TASKS_PER_THREAD: usize = 4;

/// A pass over all rows of a table.
pub(super) struct Scan<'a> {
    pub rules: &'a Ruleset,
    pub index: SliceIndex,
    pub table: &'a Table<TableFile>,
}

/// The decoded slots of consecutive rows, lane by lane.
pub(super) struct ScannedRows {
    /// The rows.
    pub rows: Range<u64>,
    /// The number of placements that each slot stands for; 0 for slots to skip.
    pub multiplicities: Vec<u8>,
    /// The values for each side to move that is scanned, including those that the table leaves
    /// to the rules.
    pub codes: BySide<Vec<Code>>,
}

impl ScannedRows {
    /// Returns the number of rows.
    pub(super) fn height(&self) -> usize {
        (self.rows.end - self.rows.start) as usize
    }
}

impl<'a> Scan<'a> {
    /// Prepares to scan a table of these rules.
    pub(super) fn new(
        rules: &'a Ruleset,
        table: &'a Table<TableFile>,
    ) -> Result<Scan<'a>, StatsError> {
        let header = table.header();
        let index = SliceIndex::new(rules, header.slice).map_err(StatsError::Index)?;
        let same_grid =
            (header.grid.lanes(), header.grid.rows()) == (index.lanes().count(), index.rows());
        if header.fingerprint != rules.fingerprint() || !same_grid {
            return Err(StatsError::WrongRules);
        }
        Ok(Scan { rules, index, table })
    }

    /// Returns the value that a code of the table stands for.
    pub(super) fn value(&self, code: Code) -> Option<Probed> {
        match self.table.header().metric {
            Metric::Wdl => wdl_value(code).map(|wdl| Probed { wdl, plies: None }),
            Metric::Dtw => dtw_value(code).map(Probed::from),
        }
    }

    /// Returns the largest code that rows with this side to move can have: reading rejects codes
    /// above the largest one in the footer.
    pub(super) fn largest_code(&self, side: Side) -> Code {
        let metric = self.table.header().metric;
        self.table.summary(side).largest_code(metric).max(WIN_IN_1)
    }

    /// Calls `work` for all rows, with the values for `sides`, and passes the results to `take`
    /// in the order of the rows, until `take` breaks. Reads every block once; runs on rayon's
    /// current threads. A slot counts only if `kings`, called with the row's attackers and
    /// defenders, returns its king's square.
    ///
    /// Holds the packed blocks of one group of rows in memory, and a few tasks' results for
    /// each thread.
    pub(super) fn run<T: Send>(
        &self,
        sides: &[Side],
        kings: &(dyn Fn(SquareSet, SquareSet) -> SquareSet + Sync),
        work: impl Fn(&ScannedRows) -> T + Sync,
        take: impl FnMut(T) -> ControlFlow<()>,
    ) -> Result<(), StatsError> {
        self.run_rows(0..self.index.rows(), sides, kings, work, take)
    }

    /// As [`run`](Scan::run), for some rows, which must exist.
    pub(super) fn run_rows<T: Send>(
        &self,
        rows: Range<u64>,
        sides: &[Side],
        kings: &(dyn Fn(SquareSet, SquareSet) -> SquareSet + Sync),
        work: impl Fn(&ScannedRows) -> T + Sync,
        mut take: impl FnMut(T) -> ControlFlow<()>,
    ) -> Result<(), StatsError> {
        let step = self.table.header().grid.shape().rows_per_block;
        let first_block = rows.start - rows.start % step;
        for block in ranges(first_block..rows.end, step) {
            let group = rows.start.max(block.start)..block.end;
            if group.is_empty() {
                break;
            }
            let blocks = self.blocks(sides, group.start)?;
            let read = |rows| Ok(work(&self.read_rows(sides, &blocks, rows, kings)?));
            if self.run_tasks(group, read, &mut take)?.is_break() {
                break;
            }
        }
        Ok(())
    }

    /// As [`run`](Scan::run), for both sides and all squares of the king in two tables at once,
    /// which must have the same rows. Their kings may have different squares.
    pub(super) fn run_beside<T: Send>(
        &self,
        other: &Scan<'_>,
        work: impl Fn(&ScannedRows, &ScannedRows) -> T + Sync,
        mut take: impl FnMut(T) -> ControlFlow<()>,
    ) -> Result<(), StatsError> {
        let [grid, other_grid] = [self.table.header().grid, other.table.header().grid];
        let [step, other_step] = [grid, other_grid].map(|grid| grid.shape().rows_per_block);
        let (mut blocks, mut other_blocks) = (Vec::new(), Vec::new());
        let mut start = 0;
        while start < grid.rows().min(other_grid.rows()) {
            if start % step == 0 {
                blocks = self.blocks(&Side::ALL, start)?;
            }
            if start % other_step == 0 {
                other_blocks = other.blocks(&Side::ALL, start)?;
            }
            // A group ends where a block of either table ends.
            let end = [(step, grid.rows()), (other_step, other_grid.rows())]
                .map(|(step, rows)| (start - start % step + step).min(rows));
            let group = start..end[0].min(end[1]);
            start = group.end;
            let read = |rows: Range<u64>| {
                let own_rows = self.read_all(&blocks, rows.clone())?;
                Ok(work(&own_rows, &other.read_all(&other_blocks, rows)?))
            };
            if self.run_tasks(group, read, &mut take)?.is_break() {
                break;
            }
        }
        Ok(())
    }

    /// Runs a task for every few rows of a group, in parallel, and passes the results to `take`
    /// in the order of the rows, until it breaks.
    fn run_tasks<T: Send>(
        &self,
        group: Range<u64>,
        task: impl Fn(Range<u64>) -> Result<T, TableError> + Sync,
        take: &mut impl FnMut(T) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, TableError> {
        let batch = rayon::current_num_threads() * TASKS_PER_THREAD;
        let tasks = self.tasks(group);
        // Batches bound the memory: `take` runs in order, so results would pile up behind a
        // slow task.
        for tasks in tasks.chunks(batch) {
            for result in parallel::try_map(tasks.iter(), |_, rows| task(rows.clone()))? {
                if take(result).is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Divides rows into the tasks of the threads.
    pub(super) fn tasks(&self, rows: Range<u64>) -> Vec<Range<u64>> {
        let rows_per_task = (SLOTS_PER_TASK / self.table.header().grid.lanes()).max(1) as u64;
        ranges(rows, rows_per_task).collect()
    }

    /// Reads the blocks that hold the row, for each side lane by lane.
    fn blocks(&self, sides: &[Side], row: u64) -> Result<Vec<PackedBlock>, TableError> {
        let grid = self.table.header().grid;
        let first_lanes = (0..grid.lanes()).step_by(grid.shape().lanes_per_block);
        let places = sides.iter().flat_map(|&side| first_lanes.clone().map(move |l| (side, l)));
        let blocks: Vec<u64> = places
            .filter_map(|(side, lane)| grid.locate(side, lane, row))
            .map(|(block, _)| block)
            .collect();
        parallel::try_map(blocks.into_iter(), |_, block| self.table.read_packed(block))
    }

    /// Decodes the rows from their blocks, for both sides and all squares of the king.
    fn read_all(
        &self,
        blocks: &[PackedBlock],
        rows: Range<u64>,
    ) -> Result<ScannedRows, TableError> {
        self.read_rows(&Side::ALL, blocks, rows, &|_, _| self.rules.places(Kind::King))
    }

    /// Decodes the rows from their blocks.
    fn read_rows(
        &self,
        sides: &[Side],
        blocks: &[PackedBlock],
        rows: Range<u64>,
        kings: &dyn Fn(SquareSet, SquareSet) -> SquareSet,
    ) -> Result<ScannedRows, TableError> {
        let slots = Multiplicities::new(self.rules, &self.index, rows.clone(), sides, kings);
        let (grid, height) = (self.table.header().grid, (rows.end - rows.start) as usize);
        let lanes_per_block = grid.shape().lanes_per_block;
        let mut codes = BySide::<Vec<Code>>::default();
        for (&side, blocks) in
            sides.iter().zip(blocks.chunks(grid.lanes().div_ceil(lanes_per_block)))
        {
            let side_codes = &mut codes[side];
            side_codes.reserve(slots.multiplicities.len());
            for lane in 0..grid.lanes() {
                if let Some((_, start)) = grid.locate(side, lane, rows.start) {
                    let block = &blocks[lane / lanes_per_block];
                    self.table.values_of(block, start..start + height, side_codes)?;
                }
            }
            // Tables store arbitrary values where the rules decide.
            for (code, &decided) in side_codes.iter_mut().zip(&slots.decided[side]) {
                if decided {
                    *code = WIN_IN_1;
                }
            }
        }
        Ok(ScannedRows { rows, multiplicities: slots.multiplicities, codes })
    }
}

/// Returns the outcome that a code of either metric stands for; for loops over all slots.
#[inline]
pub(super) fn outcome(code: Code) -> Wdl {
    match code {
        0 => Wdl::Draw,
        odd if odd % 2 == 1 => Wdl::Win,
        _ => Wdl::Loss,
    }
}

/// Splits the numbers into ranges of that length; the last may be shorter.
fn ranges(all: Range<u64>, length: u64) -> impl Iterator<Item = Range<u64>> {
    let end = all.end;
    all.step_by(length as usize).map(move |start| start..end.min(start + length))
}

/// The reason why a table cannot be scanned.
#[derive(Debug)]
#[non_exhaustive]
pub enum StatsError {
    /// The slice cannot be indexed.
    Index(IndexError),
    /// The table was made for other rules.
    WrongRules,
    /// The table cannot be opened.
    Open(ProbeError),
    /// The table cannot be read.
    Table(TableError),
    /// The callback stopped the scan.
    Stopped,
}

impl fmt::Display for StatsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StatsError::Index(error) => error.fmt(f),
            StatsError::WrongRules => f.write_str("the table was made for other rules"),
            StatsError::Open(error) => error.fmt(f),
            StatsError::Table(error) => error.fmt(f),
            StatsError::Stopped => f.write_str("stopped"),
        }
    }
}

impl std::error::Error for StatsError {}

impl From<ProbeError> for StatsError {
    fn from(error: ProbeError) -> StatsError {
        StatsError::Open(error)
    }
}

impl From<TableError> for StatsError {
    fn from(error: TableError) -> StatsError {
        StatsError::Table(error)
    }
}
