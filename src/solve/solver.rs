use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::game::rules::{BySide, Side};
use crate::game::value::{Plies, Value};
use crate::solve::advance::advance;
use crate::solve::communicator::{Communicator, of_rank};
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
pub(super) struct Solver<'a, const N: usize> {
    frame: &'a Frame<'a, N>,
    stages: Stages<'a>,
    chunks: Chunks,
    /// The chunks that this rank has worked on.
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
    pub ranks: &'a dyn Communicator,
    /// Receives the progress.
    pub progress: &'a dyn Progress,
}

impl<'a, const N: usize> Solver<'a, N> {
    /// Solves the slice: the values of all its positions. Stages in the scratch folder are reused;
    /// `sub_slices` is called only if the initial pass is incomplete.
    ///
    /// # Errors
    /// If the sub-slices cannot be read, the disk fails or is full, or a rank has stopped. Finished
    /// stages are kept.
    pub(super) fn solve<'s>(
        frame: &'a Frame<'a, N>,
        sub_slices: impl FnOnce() -> Result<SubSlices<'s, N>, BuildError>,
        workplace: &SolveContext<'a>,
    ) -> Result<Solver<'a, N>, BuildError> {
        let &SolveContext { scratch, storage, ranks, progress } = workplace;
        let chunks = Chunks::new(frame.blocks(), frame.block_rows());
        let moves = Moves::new(frame);
        let partitions = match storage {
            Storage::Memory => None,
            Storage::Partitions(count) => Some(PartitionLayout::new(frame, chunks, count)),
        };
        let count = partitions.as_ref().map_or(0, PartitionLayout::count);
        let of_rank = of_rank(count, ranks.rank(), ranks.size());
        let own_chunks = partitions
            .as_ref()
            .map_or(0..chunks.count(), |partitions| partitions.chunks_of(&of_rank));
        let stages = Stages::new(scratch, ranks, chunks.count(), own_chunks.clone())?;
        let initial = initial(&moves, chunks, own_chunks.clone(), sub_slices, &stages, progress)?;
        let mut solver = Solver { frame, stages, chunks, own_chunks, initial, plies: Vec::new() };
        let frames =
            partitions.as_ref().map(|partitions| partitions.frames(frame, of_rank.clone()));
        let by_defenders: Vec<Moves<N>> = frames.iter().flatten().map(Moves::new).collect();
        for winner in Side::ALL {
            let plies = match (solver.finished_plies(winner)?, &partitions) {
                (Some(plies), _) => plies,
                (None, None) => {
                    let domain = Domain { moves: &moves, winner, chunks };
                    solver.plies(&mut InMemory::new(domain), winner, progress)?
                }
                (None, Some(partitions)) => {
                    let domain = partitions.domains(of_rank.clone(), winner, &moves, &by_defenders);
                    let mut tables = InPartitions::new(partitions, domain, &solver.stages)?;
                    solver.plies(&mut tables, winner, progress)?
                }
            };
            solver.plies.extend((1..).zip(plies).map(|(ply, parts)| (winner, ply, parts)));
        }
        Ok(solver)
    }

    /// Returns the frame of the slice.
    pub(super) fn frame(&self) -> &Frame<'a, N> {
        self.frame
    }

    /// Returns the number of chunks.
    pub(super) fn chunks(&self) -> usize {
        self.chunks.count()
    }

    /// Returns the chunks that this rank has worked on.
    pub(super) fn own_chunks(&self) -> Range<usize> {
        self.own_chunks.clone()
    }

    /// Returns the number of rows of these chunks.
    fn own_rows(&self) -> u64 {
        self.chunks.some(self.own_chunks.clone()).rows() as u64
    }

    /// Returns the ranks of the build.
    pub(super) fn comm(&self) -> &'a dyn Communicator {
        self.stages.comm()
    }

    /// Opens the results of other chunks than this rank has worked on.
    ///
    /// # Errors
    /// If a stage file is missing.
    pub(super) fn reading(mut self, chunks: &Range<usize>) -> Result<Solver<'a, N>, ScratchError> {
        self.initial.parts = self.initial.parts.reading(chunks)?;
        let of_ply = |(winner, ply, parts): (_, _, Parts<'a>)| {
            Ok::<_, ScratchError>((winner, ply, parts.reading(chunks)?))
        };
        self.plies = self.plies.into_iter().map(of_ply).collect::<Result<_, _>>()?;
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

    /// Returns the values of all positions in a chunk, by side to move and row.
    ///
    /// # Errors
    /// If the scratch folder has been damaged.
    pub(super) fn coded_rows(&self, chunk: ChunkNumber) -> Result<[CodedRows<N>; 2], ScratchError> {
        let blocks = self.blocks(chunk).map(BlockNumber::new);
        let (mut walker, mut block) = (self.frame.walker(), Block::default());
        let mut valid: Vec<Row<N>> = Vec::with_capacity(self.chunk_rows());
        for number in blocks {
            self.frame.load_block(number, walker.set(number.into()).0, &mut block);
            valid.extend(&block.valid);
        }
        let mut plies: [Vec<(Code, Vec<Event<N>>)>; 2] = Default::default();
        let key = |content, winner, ply| Key { content, winner, ply, chunk };
        for winner in Side::ALL {
            let stalemates =
                read_events(self.initial.parts.of(chunk), key(Content::Stalemates, winner, 0))?;
            plies[winner.other() as usize].push((found_at(0), stalemates));
        }
        for &(winner, ply, ref parts) in &self.plies {
            let to_move = mover(winner, ply);
            let events = read_events(parts.of(chunk), key(Content::Found, winner, ply))?;
            if !events.is_empty() {
                plies[to_move as usize].push((found_at(ply), events));
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

    /// Computes the plies of one outcome, from wins in one ply to the last, or reads those that are
    /// finished.
    fn plies(
        &self,
        tables: &mut dyn Tables,
        winner: Side,
        progress: &dyn Progress,
    ) -> Result<Vec<Parts<'a>>, ScratchError> {
        let stages = &self.stages;
        let mut plies: Vec<Parts> = Vec::new();
        let Initial { parts: initial, last_events, .. } = &self.initial;
        let (last_event, mut base) = (last_events[winner], initial.hash());
        // `true` if the tables are in the state before the next ply.
        let mut ready = false;
        for ply in 1.. {
            let stage = Stage::Ply { winner, ply };
            let history = History { winner, initial, last_event, plies: &plies };
            let parts = match stages.finished(stage, base)? {
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
            let found_nothing = parts.is_empty();
            plies.push(parts);
            if !finds_wins(ply) && found_nothing && ply > last_event {
                let (stage, all) = (Stage::Outcome { winner }, 0..self.chunks.count());
                let is_first = stages.comm().rank() == 0;
                let log = is_first.then(|| stages.begin(stage, all, base)).transpose()?;
                stages.finish(stage, base, log)?;
                break;
            }
        }
        Ok(plies)
    }

    /// Brings the tables into the state before the next ply.
    fn begin(
        &self,
        tables: &mut dyn Tables,
        history: &History,
        progress: &dyn Progress,
    ) -> Result<(), ScratchError> {
        let (slice, phase) = (self.frame.slice, Phase::Tables { winner: history.winner });
        let timer = PhaseTimer::start(self.comm());
        progress.phase(slice, phase, self.own_rows() * tables.passes());
        tables.begin(history, progress)?;
        timer.report(slice, phase, &PlyStats::default(), progress)?;
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
        let (slice, stage, phase) =
            (self.frame.slice, Stage::Ply { winner, ply }, Phase::Ply { winner, ply });
        let timer = PhaseTimer::start(stages.comm());
        progress.phase(slice, phase, self.own_rows());
        let own_chunks = Some(self.own_chunks.clone()).filter(|own_chunks| !own_chunks.is_empty());
        let log = own_chunks.map(|own_chunks| stages.begin(stage, own_chunks, base)).transpose()?;
        let stats = tables.ply(history, log.as_ref(), progress)?;
        let parts = stages.finish(stage, base, log)?;
        timer.report(slice, phase, &stats, progress)?;
        Ok(parts)
    }

    /// Returns the plies of a finished outcome, each based on the one before, or `None` if the
    /// outcome is unfinished or files are missing.
    fn finished_plies(&self, winner: Side) -> Result<Option<Vec<Parts<'a>>>, ScratchError> {
        let (mut base, mut plies) = (self.initial.parts.hash(), Vec::new());
        for ply in 1.. {
            let Some(parts) = self.stages.finished(Stage::Ply { winner, ply }, base)? else {
                break;
            };
            base = parts.hash();
            plies.push(parts);
        }
        // The marker of a finished outcome is based on its last ply.
        let all = self.stages.finished(Stage::Outcome { winner }, base)?;
        Ok(all.map(|_| plies))
    }
}

/// Runs the missing parts of the initial pass, for both outcomes.
fn initial<'a, 's, const N: usize>(
    moves: &Moves<N>,
    chunks: Chunks,
    own_chunks: Range<usize>,
    sub_slices: impl FnOnce() -> Result<SubSlices<'s, N>, BuildError>,
    stages: &Stages<'a>,
    progress: &dyn Progress,
) -> Result<Initial<'a>, BuildError> {
    let (mut sub_slices, mut opened) = (Some(sub_slices), None);
    // Every part depends only on the sub-slices, which are part of the identity.
    let (stage, base) = (Stage::Initial, Hash::default());
    let missing = |numbers: Range<usize>, writer: &StageWriter| -> Result<(), BuildError> {
        if let Some(sub_slices) = sub_slices.take() {
            opened = Some(sub_slices()?);
            let rows = chunks.some(own_chunks.clone()).rows() as u64;
            progress.phase(moves.frame.slice, Phase::Initial, rows);
        }
        let Some(sub_slices) = &opened else { return Ok(()) };
        let pass = InitialPass::new(moves.frame, moves, sub_slices);
        let one = |chunk: usize, buffers: &mut Buffers<N>| -> Result<(), BuildError> {
            let chunk = ChunkNumber::new(chunk);
            let blocks = chunks.blocks_of(chunk);
            let rows = (blocks.len() * chunks.block_rows) as u64;
            let outcomes = pass.run(blocks, buffers)?;
            for (winner, seeds) in Side::ALL.into_iter().zip(&outcomes) {
                keep(writer, winner, chunk, seeds)?;
            }
            Ok(advance(progress, rows)?)
        };
        // Chunks are taken in order: captures of neighbours lead to nearby blocks, so that all
        // workers together use few blocks of the sub-slices.
        let next = AtomicUsize::new(numbers.start);
        let worked = rayon::broadcast(|_| {
            let mut buffers = pass.buffers();
            loop {
                let chunk = next.fetch_add(1, Ordering::Relaxed);
                if !numbers.contains(&chunk) {
                    return Ok(());
                }
                one(chunk, &mut buffers)
                    .inspect_err(|_| next.store(numbers.end, Ordering::Relaxed))?;
            }
        });
        worked.into_iter().collect()
    };
    let parts = stages.complete(stage, base, own_chunks.clone(), chunks.part_chunks(), missing)?;
    let of_all = |number: u64| stages.comm().max(number).map_err(ScratchError::from);
    let mut last_events = BySide::default();
    for winner in Side::ALL {
        let events = parts.keys().filter(|key| key.winner == winner).map(|key| key.ply);
        last_events[winner] = of_all(events.max().unwrap_or(0).into())? as Plies;
    }
    let stalemates = parts.keys().any(|key| key.content == Content::Stalemates);
    let has_stalemates = of_all(stalemates.into())? > 0;
    Ok(Initial { parts, last_events, has_stalemates })
}

/// Writes the seeds of a chunk.
fn keep<const N: usize>(
    writer: &StageWriter,
    winner: Side,
    chunk: ChunkNumber,
    seeds: &Seeds<N>,
) -> Result<(), ScratchError> {
    let key = |content, ply: usize| Key { content, winner, ply: ply as Plies, chunk };
    if seeds.open.iter().any(|lanes| !lanes.is_empty()) {
        writer.add(key(Content::Open, 0), &encode_rows(&seeds.open))?;
    }
    let stalemates = std::iter::once((key(Content::Stalemates, 0), &seeds.stalemates));
    let at = |content| move |(ply, events)| (key(content, ply), events);
    let wins = seeds.wins.iter().enumerate().map(at(Content::Wins));
    let releases = seeds.releases.iter().enumerate().map(at(Content::Releases));
    for (key, events) in stalemates.chain(wins).chain(releases) {
        if !events.is_empty() {
            writer.add(key, &encode_events(events))?;
        }
    }
    Ok(())
}

/// Returns the code of positions found at a ply.
fn found_at(ply: Plies) -> Code {
    code_of(if finds_wins(ply) { Value::Win(ply) } else { Value::Loss(ply) })
}
