use std::iter;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::game::rules::{BySide, Side};
use crate::game::slice::Slice;
use crate::game::value::{Plies, Value};
use crate::solve::advance::advance;
use crate::solve::communicator::{Communicator, even_split};
use crate::solve::error::BuildError;
use crate::solve::store::{
    Content, Hash, Key, Parts, ScratchError, ScratchFolder, Stage, StageWriter, Stages,
};
use crate::table::Code;
use crate::table::progress::{Phase, Progress};

use crate::solve::frame::{Block, Frame};
use crate::solve::initial::coded_rows::{CodedRows, code_of};
use crate::solve::initial::pass::{Buffers, InitialPass};
use crate::solve::initial::seeds::Seeds;
use crate::solve::initial::sub_slice::SubSlices;
use crate::solve::moves::Moves;
use crate::solve::phase_timer::PhaseTimer;
use crate::solve::plies::chunks::Chunks;
use crate::solve::plies::history::History;
use crate::solve::plies::in_memory::InMemory;
use crate::solve::plies::in_partitions::InPartitions;
use crate::solve::plies::layout::PartitionLayout;
use crate::solve::plies::ply::{Domain, finds_wins, mover};
use crate::solve::plies::tables::{PlyStats, Storage, Tables};
use crate::solve::rows::numbers::{BlockNumber, ChunkNumber};
use crate::solve::rows::row::{Event, Row};
use crate::solve::store::codec::{encode_events, encode_rows, read_events};

/// A solved slice. The results are in the stage files of the scratch folder.
pub(super) struct Solution<'a> {
    slice: Slice,
    stages: Stages<'a>,
    chunks: Chunks,
    /// The chunks whose results this rank has computed.
    own_chunks: Range<usize>,
    initial: Initial<'a>,
    /// The stages of all plies of both outcomes.
    plies: Vec<(Side, Plies, Parts<'a>)>,
}

/// The results of the initial pass.
struct Initial<'a> {
    parts: Parts<'a>,
    /// By winner: the last ply with seeds.
    last_events: BySide<Plies>,
    /// `true` if there are positions in which a side has no move.
    has_stalemates: bool,
}

/// The environment in which a slice is solved.
#[derive(Clone, Copy)]
pub(super) struct SolveContext<'a> {
    /// The scratch folder.
    pub scratch: &'a ScratchFolder<'a>,
    /// Where the tables are.
    pub storage: Storage,
    /// The ranks of the build.
    pub comm: &'a dyn Communicator,
    /// Receives the progress.
    pub progress: &'a dyn Progress,
}

impl<'a> Solution<'a> {
    /// Solves a slice: the values of all its positions. Stages in the scratch folder are reused;
    /// `sub_slices` is called only if the initial pass is incomplete.
    ///
    /// # Errors
    /// If the sub-slices cannot be read, the memory is exhausted, the disk fails or is full, or a
    /// rank has stopped. Finished stages are kept.
    pub(super) fn solve<'s, const N: usize>(
        frame: &Frame<N>,
        sub_slices: impl FnOnce() -> Result<SubSlices<'s, N>, BuildError>,
        context: &SolveContext<'a>,
    ) -> Result<Solution<'a>, BuildError> {
        let &SolveContext { scratch, storage, comm, progress } = context;
        let (slice, chunks) = (frame.slice, Chunks::new(frame.blocks(), frame.block_rows()));
        let moves = Moves::new(frame);
        let partitions = match storage {
            Storage::Memory => None,
            Storage::Partitions(count) => {
                let (sets, symmetries) = (&frame.defenders, frame.rules.symmetries());
                Some(PartitionLayout::new(sets, symmetries, chunks, count))
            }
        };
        let count = partitions.as_ref().map_or(0, PartitionLayout::count);
        let own = even_split(count, comm.rank(), comm.size());
        // The files of a rank follow the partitions by attackers, which consist of whole chunks.
        let own_chunks =
            partitions.as_ref().map_or(0..chunks.count(), |partitions| partitions.chunks_of(&own));
        let stages = Stages::new(scratch, comm, chunks.count(), own_chunks.clone())?;
        let initial =
            initial_pass(&moves, chunks, own_chunks.clone(), sub_slices, &stages, progress)?;
        let mut solution =
            Solution { slice, stages, chunks, own_chunks, initial, plies: Vec::new() };
        // A partition by defenders numbers its sets anew, so it has moves of its own. They are the
        // same for both outcomes.
        let frames = partitions.as_ref().map(|partitions| partitions.frames(frame, own.clone()));
        let by_defenders: Vec<Moves<N>> = frames.iter().flatten().map(Moves::new).collect();
        for winner in Side::ALL {
            let (mut plies, is_finished) = solution.existing_plies(winner)?;
            if !is_finished {
                match &partitions {
                    None => {
                        let domain = Domain { moves: &moves, winner, chunks };
                        let mut tables = InMemory::new(domain).map_err(BuildError::OutOfMemory)?;
                        solution.complete(&mut plies, &mut tables, winner, progress)?;
                    }
                    Some(partitions) => {
                        let domain = partitions.domains(own.clone(), winner, &moves, &by_defenders);
                        let mut tables = InPartitions::new(partitions, domain, &solution.stages)?;
                        solution.complete(&mut plies, &mut tables, winner, progress)?;
                    }
                }
            }
            solution.plies.extend((1..).zip(plies).map(|(ply, parts)| (winner, ply, parts)));
        }
        Ok(solution)
    }

    /// Returns the number of chunks.
    pub(super) fn chunks(&self) -> usize {
        self.chunks.count()
    }

    /// Returns the chunks whose results this rank has computed.
    pub(super) fn own_chunks(&self) -> Range<usize> {
        self.own_chunks.clone()
    }

    /// Returns the number of rows of some chunks.
    pub(super) fn rows(&self, chunks: Range<usize>) -> u64 {
        self.chunks.some(chunks).rows() as u64
    }

    /// Returns the number of rows of this rank's chunks.
    fn own_rows(&self) -> u64 {
        self.rows(self.own_chunks())
    }

    /// Returns the ranks of the build.
    pub(super) fn comm(&self) -> &'a dyn Communicator {
        self.stages.comm()
    }

    /// Changes the chunks whose results this rank reads.
    ///
    /// # Errors
    /// If a stage file is missing.
    pub(super) fn reading(mut self, chunks: &Range<usize>) -> Result<Solution<'a>, ScratchError> {
        self.initial.parts = self.initial.parts.reading(chunks)?;
        self.plies = self
            .plies
            .into_iter()
            .map(|(winner, ply, parts)| Ok((winner, ply, parts.reading(chunks)?)))
            .collect::<Result<_, ScratchError>>()?;
        Ok(self)
    }

    /// Returns the rows of a chunk; the last one may have fewer.
    pub(super) fn chunk_rows(&self) -> usize {
        self.chunks.chunk_rows()
    }

    /// Returns the blocks of a chunk.
    pub(super) fn blocks(&self, chunk: ChunkNumber) -> Range<usize> {
        self.chunks.blocks_of(chunk)
    }

    /// Returns the values of all positions in a chunk of the slice that `frame` describes, by side
    /// to move and row.
    ///
    /// # Errors
    /// If the scratch folder has been damaged.
    pub(super) fn coded_rows<const N: usize>(
        &self,
        frame: &Frame<N>,
        chunk: ChunkNumber,
    ) -> Result<BySide<CodedRows<N>>, ScratchError> {
        let blocks = self.blocks(chunk).map(BlockNumber::new);
        let (mut walker, mut block) = (frame.walker(), Block::default());
        let mut valid: Vec<Row<N>> = Vec::with_capacity(self.chunk_rows());
        for number in blocks {
            frame.load_block(number, walker.set(number.into()).0, &mut block);
            valid.extend(&block.valid);
        }
        let mut plies: BySide<Vec<(Code, Vec<Event<N>>)>> = BySide::default();
        for winner in Side::ALL {
            let key = Key { content: Content::Stalemates, winner, ply: 0, chunk };
            let stalemates = read_events(self.initial.parts.of(chunk), key)?;
            plies[winner.other()].push((found_at(0), stalemates));
        }
        for &(winner, ply, ref parts) in &self.plies {
            let key = Key { content: Content::Found, winner, ply, chunk };
            let events = read_events(parts.of(chunk), key)?;
            if !events.is_empty() {
                plies[mover(winner, ply)].push((found_at(ply), events));
            }
        }
        Ok(plies.map(|plies| CodedRows::from_plies(&plies, &valid)))
    }

    /// Returns the greatest DTW code of any position.
    pub(super) fn greatest_code(&self) -> Code {
        let plies = self.plies.iter().filter(|(_, _, parts)| !parts.is_empty());
        let found = plies.map(|&(_, ply, _)| found_at(ply)).max();
        let stalemates = self.initial.has_stalemates.then(|| found_at(0));
        found.into_iter().chain(stalemates).max().unwrap_or(0)
    }

    /// Returns the first plies of an outcome as far as they are finished without a gap, each based
    /// on the one before, and whether they are all.
    fn existing_plies(&self, winner: Side) -> Result<(Vec<Parts<'a>>, bool), ScratchError> {
        let (mut base, mut plies) = (self.initial.parts.hash(), Vec::new());
        for ply in 1.. {
            let Some(parts) = self.stages.finished(Stage::Ply { winner, ply }, base)? else {
                break;
            };
            base = parts.hash();
            plies.push(parts);
        }
        // The marker of a finished outcome is based on its last ply.
        let marker = self.stages.finished(Stage::Outcome { winner }, base)?;
        Ok((plies, marker.is_some()))
    }

    /// Computes the missing plies of one outcome, and reads those that exist after a gap.
    fn complete(
        &self,
        plies: &mut Vec<Parts<'a>>,
        tables: &mut dyn Tables,
        winner: Side,
        progress: &dyn Progress,
    ) -> Result<(), ScratchError> {
        let stages = &self.stages;
        let Initial { parts: initial, last_events, .. } = &self.initial;
        let last_event = last_events[winner];
        let mut base = plies.last().unwrap_or(initial).hash();
        // `true` if the tables are in the state before the next ply.
        let mut ready = false;
        while !is_complete(plies, last_event) {
            // The hash of each ply is based on the one before: a ply that was computed from other
            // findings is not reused.
            let history = History { winner, initial, last_event, plies: &*plies };
            let parts =
                match stages.finished(Stage::Ply { winner, ply: history.next_ply() }, base)? {
                    Some(parts) => {
                        ready = false;
                        parts
                    }
                    None => {
                        if !ready {
                            self.begin(tables, &history, progress)?;
                            ready = true;
                        }
                        self.ply(tables, &history, base, progress)?
                    }
                };
            base = parts.hash();
            plies.push(parts);
        }
        let (stage, all) = (Stage::Outcome { winner }, 0..self.chunks.count());
        let is_first = stages.comm().rank() == 0;
        let log = is_first.then(|| stages.begin(stage, all, base)).transpose()?;
        stages.finish(stage, base, log)?;
        Ok(())
    }

    /// Brings the tables into the state before the next ply.
    fn begin(
        &self,
        tables: &mut dyn Tables,
        history: &History,
        progress: &dyn Progress,
    ) -> Result<(), ScratchError> {
        let phase = Phase::Tables { winner: history.winner };
        let timer = PhaseTimer::start(self.comm());
        progress.phase(self.slice, phase, self.own_rows() * tables.passes());
        tables.begin(history, progress)?;
        timer.report(self.slice, phase, &PlyStats::default(), progress)?;
        Ok(())
    }

    /// Computes the next ply, which is based on the stage `base`.
    fn ply(
        &self,
        tables: &mut dyn Tables,
        history: &History,
        base: Hash,
        progress: &dyn Progress,
    ) -> Result<Parts<'a>, ScratchError> {
        let (stages, winner, ply) = (&self.stages, history.winner, history.next_ply());
        let (stage, phase) = (Stage::Ply { winner, ply }, Phase::Ply { winner, ply });
        let timer = PhaseTimer::start(stages.comm());
        progress.phase(self.slice, phase, self.own_rows());
        let own_chunks = Some(self.own_chunks.clone()).filter(|own_chunks| !own_chunks.is_empty());
        let log = own_chunks.map(|own_chunks| stages.begin(stage, own_chunks, base)).transpose()?;
        let stats = tables.ply(history, log.as_ref(), progress)?;
        let parts = stages.finish(stage, base, log)?;
        timer.report(self.slice, phase, &stats, progress)?;
        Ok(parts)
    }
}

/// Returns `true` if these are all plies of an outcome: without new losses the next ply finds wins
/// only from seeds, and none are left.
fn is_complete(plies: &[Parts], last_event: Plies) -> bool {
    let ply = plies.len() as Plies;
    plies.last().is_some_and(|last| !finds_wins(ply) && last.is_empty() && ply > last_event)
}

/// Runs the missing parts of the initial pass, for both outcomes.
fn initial_pass<'a, 's, const N: usize>(
    moves: &Moves<N>,
    chunks: Chunks,
    own_chunks: Range<usize>,
    open_sub_slices: impl FnOnce() -> Result<SubSlices<'s, N>, BuildError>,
    stages: &Stages<'a>,
    progress: &dyn Progress,
) -> Result<Initial<'a>, BuildError> {
    let (mut unopened, mut sub_slices) = (Some(open_sub_slices), None);
    // Every part depends only on the sub-slices, which the scratch folder's identity covers.
    let (stage, base) = (Stage::Initial, Hash::default());
    let (own, part_chunks) = (own_chunks.clone(), chunks.part_chunks());
    let parts = stages.complete(stage, base, own, part_chunks, |numbers, writer| {
        // Opening the sub-slices takes time and memory: not before the first missing part.
        if let Some(open) = unopened.take() {
            sub_slices = Some(open()?);
            let rows = chunks.some(own_chunks.clone()).rows() as u64;
            progress.phase(moves.frame.slice, Phase::Initial, rows);
        }
        let Some(sub_slices) = &sub_slices else { return Ok(()) };
        let pass = InitialPass::new(moves, sub_slices);
        write_part(&pass, chunks, numbers, writer, progress)
    })?;
    let mut last_events = BySide::default();
    for winner in Side::ALL {
        let events = parts.keys().filter(|key| key.winner == winner).map(|key| key.ply);
        let last_event = events.max().unwrap_or(0);
        last_events[winner] = stages.comm().max(last_event.into())? as Plies;
    }
    let stalemates = parts.keys().any(|key| key.content == Content::Stalemates);
    let has_stalemates = stages.comm().max(stalemates.into())? > 0;
    Ok(Initial { parts, last_events, has_stalemates })
}

/// Computes the seeds of some chunks with all threads and writes them.
fn write_part<const N: usize>(
    pass: &InitialPass<N>,
    chunks: Chunks,
    numbers: Range<usize>,
    writer: &StageWriter,
    progress: &dyn Progress,
) -> Result<(), BuildError> {
    // Chunks are taken in order: captures of neighbours lead to nearby blocks, so that all
    // workers together use few blocks of the sub-slices.
    let next = AtomicUsize::new(numbers.start);
    let results = rayon::broadcast(|_| {
        let mut buffers = pass.buffers();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if !numbers.contains(&number) {
                return Ok(());
            }
            // After an error no worker takes another chunk.
            write_chunk(pass, chunks, ChunkNumber::new(number), &mut buffers, writer, progress)
                .inspect_err(|_| next.store(numbers.end, Ordering::Relaxed))?;
        }
    });
    results.into_iter().collect()
}

/// Computes the seeds of a chunk for both outcomes and writes them.
fn write_chunk<const N: usize>(
    pass: &InitialPass<N>,
    chunks: Chunks,
    chunk: ChunkNumber,
    buffers: &mut Buffers<N>,
    writer: &StageWriter,
    progress: &dyn Progress,
) -> Result<(), BuildError> {
    let outcomes = pass.run(chunks.blocks_of(chunk), buffers)?;
    for (winner, seeds) in Side::ALL.into_iter().zip(&outcomes) {
        write_seeds(writer, winner, chunk, seeds)?;
    }
    Ok(advance(progress, chunks.rows_of(chunk) as u64)?)
}

/// Writes the seeds of a chunk.
fn write_seeds<const N: usize>(
    writer: &StageWriter,
    winner: Side,
    chunk: ChunkNumber,
    seeds: &Seeds<N>,
) -> Result<(), ScratchError> {
    if seeds.open.iter().any(|lanes| !lanes.is_empty()) {
        let key = Key { content: Content::Open, winner, ply: 0, chunk };
        writer.add(key, &encode_rows(&seeds.open))?;
    }
    let stalemates = iter::once((Content::Stalemates, 0, &seeds.stalemates));
    let wins = (0..).zip(&seeds.wins).map(|(ply, events)| (Content::Wins, ply, events));
    let releases = (0..).zip(&seeds.releases).map(|(ply, events)| (Content::Releases, ply, events));
    for (content, ply, events) in stalemates.chain(wins).chain(releases) {
        if !events.is_empty() {
            writer.add(Key { content, winner, ply, chunk }, &encode_events(events))?;
        }
    }
    Ok(())
}

/// Returns the code of positions found at a ply.
fn found_at(ply: Plies) -> Code {
    code_of(if finds_wins(ply) { Value::Win(ply) } else { Value::Loss(ply) })
}
