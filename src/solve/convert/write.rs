//! Writes the solver's rows to table files.

use std::ops::Range;

use crate::game::rules::BySide;
use crate::game::value::Plies;
use crate::solve::advance::advance;
use crate::solve::communicator::{Communicator, CommunicatorError};
use crate::solve::error::BuildError;
use crate::solve::rows::numbers::ChunkNumber;
use crate::solve::solver::Solution;
use crate::system::parallel;
use crate::table::progress::{Phase, Progress};
use crate::table::{Code, Metric, SideSummary};

use super::output::{Output, OutputTarget};
use super::pending_rows::PendingRows;
use super::table_rows::SolverRows;
use super::tile::Tile;

/// The approximate memory of the tiles that are expanded at a time; there is at least one for each
/// thread.
const TILES_BYTES: usize = 64 << 20;

/// The files of a slice after writing.
pub(crate) struct SliceFiles {
    /// Positions with a slot of their own, both sides to move.
    pub positions: u64,
    /// By side to move.
    pub summaries: BySide<SideSummary>,
    /// By file.
    pub bytes: Vec<(Metric, u64)>,
}

/// Writes the files of a solved slice. Each process encodes a part of the blocks and hashes a part
/// of the rows.
pub(crate) fn write<const N: usize>(
    rows: &SolverRows<N>,
    solution: Solution,
    target: &OutputTarget,
    progress: &dyn Progress,
) -> Result<SliceFiles, BuildError> {
    let (rules, index) = (rows.frame.rules, rows.index);
    let comm = solution.comm();
    let greatest = solution.greatest_code();
    let mut outputs = target
        .metrics
        .iter()
        .map(|&metric| Output::create(rules, index, target, metric, greatest, comm))
        .collect::<Result<Vec<_>, _>>()?;
    let own = solution.own_chunks();
    let (solution, chunks) = with_needed_chunks(rows, solution, &outputs)?;
    progress.phase(index.slice(), Phase::Writing, solution.rows(chunks.clone()));
    let mut files = SliceFiles { positions: 0, summaries: Default::default(), bytes: Vec::new() };
    let start = first_row(rows, &solution, chunks.start);
    let mut pending = PendingRows::new(index.lanes().count(), start);
    let threads = rayon::current_num_threads();
    let at_once = tiles_at_once(index.lanes().count(), solution.chunk_rows(), threads);
    for first in chunks.clone().step_by(at_once) {
        let batch = first..(first + at_once).min(chunks.end);
        let tiles = parallel::try_map(batch.clone().map(ChunkNumber::new), |_, chunk| {
            Tile::of(rows, &solution, chunk)
        })?;
        // Chunks of other processes, read to complete blocks, are counted there.
        for (_, tile) in batch.clone().zip(&tiles).filter(|(chunk, _)| own.contains(chunk)) {
            files.positions += tile.positions;
            for (sum, part) in files.summaries.iter_mut().zip(&tile.summaries) {
                sum.add(part);
            }
        }
        let row = pending.end();
        outputs.iter_mut().for_each(|output| output.hash(&tiles, row));
        pending.append(&tiles);
        // Free the tiles before encoding, which takes memory of its own.
        drop(tiles);
        write_blocks(&mut outputs, &mut pending)?;
        advance(progress, solution.rows(batch))?;
    }
    files.sum(comm)?;
    for output in outputs {
        let metric = output.metric;
        let summaries = files.summaries.map(|summary| metric.summary(summary));
        files.bytes.push((metric, output.finish(summaries, target, comm)?));
    }
    Ok(files)
}

/// Returns the first table row of a chunk, or the end of the table after the last chunk.
fn first_row<const N: usize>(rows: &SolverRows<N>, solution: &Solution, chunk: usize) -> u64 {
    if chunk >= solution.chunks() {
        return rows.index.rows();
    }
    rows.table_rows(&solution.blocks(ChunkNumber::new(chunk))).start
}

/// Returns the chunks that hold this process's rows of all outputs and its own chunks, and the
/// solution, which reads them from now on.
fn with_needed_chunks<'a, const N: usize>(
    rows: &SolverRows<N>,
    solution: Solution<'a>,
    outputs: &[Output],
) -> Result<(Solution<'a>, Range<usize>), BuildError> {
    let mut chunks = solution.own_chunks();
    let all: Vec<usize> = (0..solution.chunks()).collect();
    for own in outputs.iter().flat_map(Output::rows).filter(|own| !own.is_empty()) {
        let [start, end] = [own.start, own.end - 1]
            .map(|row| all.partition_point(|&chunk| first_row(rows, &solution, chunk) <= row));
        chunks = if chunks.is_empty() {
            start - 1..end
        } else {
            chunks.start.min(start - 1)..chunks.end.max(end)
        };
    }
    Ok((solution.reading(&chunks)?, chunks))
}

/// Returns the number of tiles expanded at a time.
pub(crate) fn tiles_at_once(lanes: usize, chunk_rows: usize, threads: usize) -> usize {
    (TILES_BYTES / (2 * size_of::<Code>() * lanes * chunk_rows)).max(threads)
}

/// Writes the blocks whose rows are complete.
fn write_blocks(outputs: &mut [Output], pending: &mut PendingRows) -> Result<(), BuildError> {
    for output in outputs.iter_mut() {
        output.write_blocks(pending)?;
    }
    let next = outputs.iter().filter_map(Output::next_row).min();
    pending.discard_before(next.map_or(pending.end(), |next| next.min(pending.end())));
    Ok(())
}

impl SliceFiles {
    /// Adds up the counts of all processes.
    fn sum(&mut self, comm: &dyn Communicator) -> Result<(), CommunicatorError> {
        self.positions = comm.sum(self.positions)?;
        for summary in self.summaries.iter_mut() {
            let SideSummary { positions, wins, losses, draws, max_win, max_loss } = summary;
            for count in [positions, wins, losses, draws] {
                *count = comm.sum(*count)?;
            }
            for longest in [max_win, max_loss] {
                *longest = comm.max((*longest).into())? as Plies;
            }
        }
        Ok(())
    }
}
