use std::ops::Range;

use rayon::prelude::*;

use crate::progress::{Phase, Progress};
use crate::rules::Side;
use crate::solve::store::{
    Content, Hash, Key, Parts, ScratchError, ScratchFolder, Stage, StageFile, StageWriter,
};
use crate::table::Code;
use crate::value::{Plies, Value};

use crate::solve::frame::{Block, Frame};
use crate::solve::initial::coded_rows::{CodedRows, code_of};
use crate::solve::initial::pass::{InitialPass, SubSlices};
use crate::solve::initial::seeds::Seeds;
use crate::solve::moves::Moves;
use crate::solve::plies::chunks::Chunks;
use crate::solve::plies::in_memory::InMemory;
use crate::solve::plies::in_shares::InShares;
use crate::solve::plies::known::Known;
use crate::solve::plies::ply::{Given, finds_wins, mover};
use crate::solve::plies::shares::Shares;
use crate::solve::plies::tables::{Storage, Tables};
use crate::solve::rows::numbers::{BlockNumber, ChunkNumber};
use crate::solve::rows::row::{Event, Row};
use crate::solve::store::codec::{encode_events, encode_rows, read_events};

/// A solved slice. What was found is in the stage files of the scratch folder.
pub(super) struct Solver<'a, const N: usize> {
    frame: &'a Frame<'a, N>,
    scratch: &'a ScratchFolder<'a>,
    chunks: Chunks,
    initial: Parts<'a>,
    /// The plies of all outcomes.
    plies: Vec<(Side, Plies, StageFile<'a>)>,
}

impl<'a, const N: usize> Solver<'a, N> {
    /// Solves the slice: the values of all its positions. What the scratch folder
    /// has is not done again; `sub_slices` are read only if they are needed.
    ///
    /// # Errors
    /// If the sub_slices cannot be read, or the disk fails or is full. What is done
    /// is kept.
    pub(super) fn solve<E: From<ScratchError>>(
        frame: &'a Frame<'a, N>,
        sub_slices: impl FnOnce() -> Result<SubSlices<N>, E>,
        scratch: &'a ScratchFolder<'a>,
        storage: &Storage,
        progress: &dyn Progress,
    ) -> Result<Solver<'a, N>, E> {
        let chunks = Chunks::new(frame.blocks(), frame.block_rows());
        let moves = Moves::new(frame);
        let initial = initial(frame, &moves, chunks, sub_slices, scratch, progress)?;
        let mut solver = Solver { frame, scratch, chunks, initial, plies: Vec::new() };
        let shares = match *storage {
            Storage::Memory => None,
            Storage::Shares(count) => Some(Shares::new(frame, chunks, count)),
        };
        let frames = shares.as_ref().map_or(Vec::new(), |shares| shares.frames(frame));
        let by_defenders: Vec<Moves<N>> = frames.iter().map(Moves::new).collect();
        for winner in Side::ALL {
            let plies = match (solver.kept_plies(winner)?, &shares) {
                (Some(plies), _) => plies,
                (None, None) => {
                    let given = Given { moves: &moves, winner, chunks };
                    solver.plies(&mut InMemory::new(given), winner, progress)?
                }
                (None, Some(shares)) => {
                    let given = shares.given(winner, &moves, &by_defenders);
                    let mut tables = InShares::new(shares, given, scratch);
                    solver.plies(&mut tables, winner, progress)?
                }
            };
            solver.plies.extend((1..).zip(plies).map(|(ply, file)| (winner, ply, file)));
        }
        Ok(solver)
    }

    /// The frame of the slice.
    pub(super) fn frame(&self) -> &Frame<'a, N> {
        self.frame
    }

    /// How many chunks the results are in.
    pub(super) fn chunks(&self) -> usize {
        self.chunks.count()
    }

    /// The rows of a chunk; the last one may have fewer.
    pub(super) fn chunk_rows(&self) -> usize {
        self.chunks.chunk_rows()
    }

    /// The blocks of a chunk.
    pub(super) fn blocks(&self, chunk: ChunkNumber) -> Range<usize> {
        self.chunks.blocks_of(chunk)
    }

    /// The values of all positions in a chunk, by side to move and row.
    ///
    /// # Errors
    /// If the scratch folder has been damaged.
    pub(super) fn coded_rows(&self, chunk: ChunkNumber) -> Result<[CodedRows<N>; 2], ScratchError> {
        let blocks = self.blocks(chunk).map(BlockNumber::new);
        let (mut walker, mut block) = (self.frame.walker(), Block::default());
        let mut valid: Vec<Row<N>> = Vec::with_capacity(self.chunk_rows());
        for number in blocks {
            self.frame.put_block(number, walker.set(number.into()).0, &mut block);
            valid.extend(&block.valid);
        }
        let mut plies: [Vec<(Code, Vec<Event<N>>)>; 2] = Default::default();
        let key = |content, winner, ply| Key { content, winner, ply, chunk };
        for winner in Side::ALL {
            let stalemates =
                read_events(self.initial.of(chunk), key(Content::Stalemates, winner, 0))?;
            plies[winner.other() as usize].push((found_at(0), stalemates));
        }
        for &(winner, ply, ref file) in &self.plies {
            let to_move = mover(winner, ply);
            let events = read_events(file, key(Content::Found, winner, ply))?;
            if !events.is_empty() {
                plies[to_move as usize].push((found_at(ply), events));
            }
        }
        Ok(plies.map(|plies| CodedRows::from_plies(&plies, &valid)))
    }

    /// The greatest DTW code of any position.
    pub(super) fn greatest_code(&self) -> Code {
        let stalemates = self.initial.keys().any(|key| key.content == Content::Stalemates);
        let plies = self.plies.iter().filter(|(_, _, file)| file.keys().next().is_some());
        let found = plies.map(|&(_, ply, _)| found_at(ply)).max();
        found.into_iter().chain(stalemates.then(|| found_at(0))).max().unwrap_or(0)
    }

    /// One outcome, from wins in one ply to the last.
    fn plies(
        &self,
        tables: &mut dyn Tables,
        winner: Side,
        progress: &dyn Progress,
    ) -> Result<Vec<StageFile<'a>>, ScratchError> {
        let (slice, scratch) = (self.frame.slice, self.scratch);
        let mut plies: Vec<StageFile> = Vec::new();
        let mut base = self.initial.hash();
        // Whether the tables are what they must be before the ply.
        let mut ready = false;
        for ply in 1.. {
            progress.phase(slice, Phase::Ply { winner, ply }, self.chunks.rows() as u64);
            let stage = Stage::Ply { winner, ply };
            let known = Known { winner, initial: &self.initial, plies: &plies };
            let last_event = known.last_event();
            let file = match scratch.finished(stage, base)? {
                Some(file) => {
                    ready = false;
                    file
                }
                None => {
                    if !ready {
                        tables.begin(&known)?;
                        ready = true;
                    }
                    let log = scratch.begin(stage, base)?;
                    tables.ply(&known, &log, &|rows| progress.advance(rows as u64))?;
                    log.finish()?
                }
            };
            base = file.hash();
            let found_nothing = file.keys().next().is_none();
            plies.push(file);
            if !finds_wins(ply) && found_nothing && ply > last_event {
                let all = scratch.begin(Stage::Outcome { winner }, base)?;
                all.add(last_ply(winner, ply), &[])?;
                all.finish()?;
                break;
            }
        }
        Ok(plies)
    }

    /// The plies of an outcome that is done, each standing on the one before; `None`
    /// if it is not done, or not all of it is there any more.
    fn kept_plies(&self, winner: Side) -> Result<Option<Vec<StageFile<'a>>>, ScratchError> {
        let (scratch, stage) = (self.scratch, Stage::Outcome { winner });
        let (mut base, mut plies) = (self.initial.hash(), Vec::new());
        for ply in 1.. {
            let Some(file) = scratch.finished(Stage::Ply { winner, ply }, base)? else { break };
            base = file.hash();
            plies.push(file);
        }
        // What the last of them stands on is the whole outcome, or not done yet.
        let all = scratch.finished(stage, base)?;
        let whole = all.is_some_and(|all| all.keys().eq([last_ply(winner, plies.len() as Plies)]));
        Ok(whole.then_some(plies))
    }
}

/// The initial pass, for both outcomes, as far as it is not done.
fn initial<'a, const N: usize, E: From<ScratchError>>(
    frame: &Frame<N>,
    moves: &Moves<N>,
    chunks: Chunks,
    sub_slices: impl FnOnce() -> Result<SubSlices<N>, E>,
    scratch: &'a ScratchFolder<'a>,
    progress: &dyn Progress,
) -> Result<Parts<'a>, E> {
    let part_chunks = chunks.part_chunks();
    let chunks_of =
        |part: usize| part * part_chunks..((part + 1) * part_chunks).min(chunks.count());
    let rows = |part| chunks.some(chunks_of(part)).rows() as u64;
    // Each part is made from the smaller slices alone, which the identity stands for.
    let base = Hash::default();
    let kept = (0..chunks.count().div_ceil(part_chunks))
        .map(|part| scratch.finished(Stage::Initial { part }, base))
        .collect::<Result<Vec<_>, _>>()?;
    if kept.iter().all(Option::is_some) {
        return Ok(Parts::new(kept.into_iter().flatten().collect(), part_chunks));
    }
    let sub_slices = sub_slices()?;
    progress.phase(frame.slice, Phase::Initial, chunks.rows() as u64);
    let pass = InitialPass::new(frame, moves, &sub_slices);
    let mut files = Vec::new();
    for (part, kept) in kept.into_iter().enumerate() {
        if let Some(file) = kept {
            progress.advance(rows(part));
            files.push(file);
            continue;
        }
        let writer = scratch.begin(Stage::Initial { part }, base)?;
        chunks_of(part).into_par_iter().try_for_each_init(
            || pass.buffers(),
            |buffers, chunk| {
                let chunk = ChunkNumber::new(chunk);
                let blocks = chunks.blocks_of(chunk);
                let rows = (blocks.len() * chunks.block_rows) as u64;
                let outcomes = pass.run(blocks, buffers);
                for (winner, seeds) in Side::ALL.into_iter().zip(&outcomes) {
                    keep(&writer, winner, chunk, seeds)?;
                }
                progress.advance(rows);
                Ok::<_, ScratchError>(())
            },
        )?;
        files.push(writer.finish()?);
    }
    Ok(Parts::new(files, part_chunks))
}

/// The record that names the last ply of an outcome.
fn last_ply(winner: Side, ply: Plies) -> Key {
    Key { content: Content::Last, winner, ply, chunk: ChunkNumber::FIRST }
}

/// Keeps what the initial pass says of a chunk.
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

/// The code of what is found at a ply.
fn found_at(ply: Plies) -> Code {
    code_of(if finds_wins(ply) { Value::Win(ply) } else { Value::Loss(ply) })
}
