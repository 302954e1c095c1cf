//! The plies: each outcome is a least fixpoint, reached in order of distance.

use bitvec::vec::BitVec;
use rayon::prelude::*;

use crate::progress::{Phase, Progress};
use crate::rules::Side;
use crate::table::{Code, dtw_code};
use crate::value::{Plies, Value};

use super::coded::CodedRows;
use super::frame::Frame;
use super::initial::{Children, Event, InitialPass, Seeds, last_ply};
use super::quiet::{Scratch, Targets};
use super::row::Row;

/// Rows that one task works on, about: enough to share out evenly, and few
/// enough for its buffers to stay in the cache. Independent of the number of
/// threads, so that results are, too.
const CHUNK_ROWS: usize = 1 << 14;

/// What happened at one ply in one chunk: rows with the lanes set there.
pub type Ply<const N: usize> = (Plies, Vec<Event<N>>);

/// The solved rows of a chunk of blocks: for each outcome, the plies in order.
/// At odd plies the winner is to move and wins in that many plies, at even ones
/// the loser is to move.
#[derive(Clone, Debug, Default)]
pub struct ChunkLog<const N: usize> {
    /// By winner.
    pub plies: [Vec<Ply<N>>; 2],
}

impl<const N: usize> ChunkLog<N> {
    fn push(&mut self, winner: Side, ply: Plies, events: Vec<Event<N>>) {
        if !events.is_empty() {
            self.plies[winner as usize].push((ply, events));
        }
    }
}

/// A slice being solved.
pub struct Solver<'a, const N: usize> {
    frame: &'a Frame<'a, N>,
    chunk_blocks: usize,
    /// By chunk.
    logs: Vec<ChunkLog<N>>,
}

/// The tables of one outcome, all by row.
struct Outcome<const N: usize> {
    winner: Side,
    /// The winner to move and known to win.
    won: Vec<Row<N>>,
    /// The loser to move and not yet known to lose; only captures that are
    /// known to lose, and moves that capture nothing, are left to him.
    open: Vec<Row<N>>,
    /// The loser to move and found to lose at the last ply.
    lost: Vec<Row<N>>,
    /// By chunk, by ply.
    wins: Vec<Vec<Vec<Event<N>>>>,
    releases: Vec<Vec<Vec<Event<N>>>>,
}

impl<'a, const N: usize> Solver<'a, N> {
    /// Solves the slice: the values of all its positions.
    pub fn solve(
        frame: &'a Frame<'a, N>,
        children: &Children<N>,
        progress: &dyn Progress,
    ) -> Solver<'a, N> {
        let chunk_blocks = (CHUNK_ROWS / frame.block_rows()).max(1);
        let chunks = frame.blocks().div_ceil(chunk_blocks);
        let logs = vec![ChunkLog::default(); chunks];
        let mut solver = Solver {
            frame,
            chunk_blocks,
            logs,
        };
        progress.phase(frame.slice, Phase::Initial, solver.rows() as u64);
        let [attackers, defenders] = solver.initial(children, progress);
        solver.plies(attackers, progress);
        solver.plies(defenders, progress);
        solver
    }

    /// The frame of the slice.
    pub fn frame(&self) -> &Frame<'a, N> {
        self.frame
    }

    /// The results by chunk.
    pub fn logs(&self) -> &[ChunkLog<N>] {
        &self.logs
    }

    /// The blocks of a chunk.
    pub fn blocks(&self, chunk: usize) -> std::ops::Range<usize> {
        let first = chunk * self.chunk_blocks;
        first..(first + self.chunk_blocks).min(self.frame.blocks())
    }

    /// The values of all positions in a chunk for one side to move, by row.
    pub fn coded_rows(&self, chunk: usize, to_move: Side) -> CodedRows<N> {
        let blocks = self.blocks(chunk);
        let valid: Vec<Row<N>> = blocks
            .flat_map(|number| self.frame.block(number).valid)
            .collect();
        let [attackers, defenders] = &self.logs[chunk].plies;
        let (own, others) = match to_move {
            Side::Attackers => (attackers, defenders),
            Side::Defenders => (defenders, attackers),
        };
        let wins = own.iter().filter(|(ply, _)| ply % 2 == 1);
        let losses = others.iter().filter(|(ply, _)| ply % 2 == 0);
        let plies: Vec<(u16, &[Event<N>])> = wins
            .map(|(ply, events)| (code(Value::Win(*ply)), &events[..]))
            .chain(losses.map(|(ply, events)| (code(Value::Loss(*ply)), &events[..])))
            .collect();
        CodedRows::from_plies(&plies, &valid)
    }

    /// The greatest DTW code of any position.
    pub fn greatest_code(&self) -> Code {
        let plies = self.logs.iter().flat_map(|log| log.plies.iter().flatten());
        let codes = plies.map(|&(ply, _)| {
            code(if ply % 2 == 1 {
                Value::Win(ply)
            } else {
                Value::Loss(ply)
            })
        });
        codes.max().unwrap_or(0)
    }

    fn start(&self, progress: &dyn Progress, winner: Side, ply: Plies) {
        progress.phase(
            self.frame.slice,
            Phase::Ply { winner, ply },
            self.rows() as u64,
        );
    }

    fn initial(&self, children: &Children<N>, progress: &dyn Progress) -> [Outcome<N>; 2] {
        let pass = InitialPass::new(self.frame, children);
        let chunks: Vec<[Seeds<N>; 2]> = (0..self.logs.len())
            .into_par_iter()
            .map_init(
                || pass.scratch(),
                |scratch, chunk| {
                    let blocks = self.blocks(chunk);
                    let rows = blocks.len() * self.frame.block_rows();
                    let seeds = pass.run(blocks, scratch);
                    progress.advance(rows as u64);
                    seeds
                },
            )
            .collect();
        let mut outcomes = Side::ALL.map(|winner| Outcome::new(winner, self.rows()));
        for seeds in chunks {
            for (outcome, seeds) in outcomes.iter_mut().zip(seeds) {
                outcome.append(seeds);
            }
        }
        outcomes
    }

    fn rows(&self) -> usize {
        self.frame.blocks() * self.frame.block_rows()
    }

    /// One outcome, from wins in one ply to the last.
    fn plies(&mut self, mut outcome: Outcome<N>, progress: &dyn Progress) {
        let winner = outcome.winner;
        let mut ply = 0;
        let mut lost = self.log(winner, 0, &outcome.lost);
        let last_win = outcome
            .wins
            .iter()
            .map(|events| last_ply(events))
            .max()
            .unwrap_or(0);
        let last_release = outcome
            .releases
            .iter()
            .map(|events| last_ply(events))
            .max()
            .unwrap_or(0);
        loop {
            self.start(progress, winner, ply + 1);
            let won = self.winning_ply(&mut outcome, ply + 1, &lost, progress);
            self.start(progress, winner, ply + 2);
            lost = self.losing_ply(&mut outcome, ply + 2, [&won, &lost], progress);
            ply += 2;
            if !lost.any() && ply >= last_win && ply >= last_release {
                break;
            }
        }
    }

    /// Logs a whole table as one ply; returns the blocks with anything in it.
    fn log(&mut self, winner: Side, ply: Plies, table: &[Row<N>]) -> BitVec {
        let rows = self.chunk_blocks * self.frame.block_rows();
        let mut blocks = BitVec::new();
        for (log, rows) in self.logs.iter_mut().zip(table.chunks(rows)) {
            let mut events = Vec::new();
            for (i, rows) in rows.chunks(self.frame.block_rows()).enumerate() {
                blocks.push(note(&mut events, i * self.frame.block_rows(), rows));
            }
            log.push(winner, ply, events);
        }
        blocks
    }

    /// The winner's positions that win in `ply`: a move leads to one that was
    /// lost at the ply before, or a capture does. Returns the changed blocks.
    fn winning_ply(
        &mut self,
        outcome: &mut Outcome<N>,
        ply: Plies,
        changed: &BitVec,
        progress: &dyn Progress,
    ) -> BitVec {
        let frame = self.frame;
        let block_rows = frame.block_rows();
        let (winner, lost) = (outcome.winner, &outcome.lost);
        let targets = Targets {
            rows: lost,
            complement: false,
            blocks: Some(changed),
        };
        let reaching = frame.reaching(winner, changed);
        let chunks = outcome
            .won
            .par_chunks_mut(self.chunk_blocks * block_rows)
            .zip(&outcome.wins)
            .zip(&mut self.logs)
            .enumerate();
        let results = chunks.map_init(Buffers::default, |buffers, (chunk, ((won, wins), log))| {
            let mut events = Vec::new();
            let mut wins = wins
                .get(usize::from(ply))
                .map_or(&[][..], |wins| wins)
                .iter()
                .peekable();
            let mut blocks = BitVec::new();
            for (i, won) in won.chunks_mut(block_rows).enumerate() {
                let number = chunk * self.chunk_blocks + i;
                buffers.reach.clear();
                buffers.reach.resize(block_rows, Row::EMPTY);
                if may(&reaching, number) {
                    let Buffers { scratch, reach } = buffers;
                    frame.quiet_moves(winner, &frame.block(number), targets, scratch, reach);
                }
                let end = (i + 1) * block_rows;
                while let Some(&(row, lanes)) = wins.next_if(|(row, _)| (*row as usize) < end) {
                    buffers.reach[row as usize - i * block_rows] |= lanes;
                }
                if ply == 1 {
                    // Wins by rule are in the table already.
                    buffers
                        .reach
                        .iter_mut()
                        .zip(&*won)
                        .for_each(|(new, &won)| *new |= won);
                    won.fill(Row::EMPTY);
                }
                for (new, won) in buffers.reach.iter_mut().zip(won) {
                    *new = new.without(*won);
                    *won |= *new;
                }
                blocks.push(note(&mut events, i * block_rows, &buffers.reach));
            }
            progress.advance((blocks.len() * block_rows) as u64);
            log.push(winner, ply, events);
            blocks
        });
        joined(results.collect())
    }

    /// The loser's positions that are lost in `ply`: every move leads to a win
    /// found so far. Returns the changed blocks.
    fn losing_ply(
        &mut self,
        outcome: &mut Outcome<N>,
        ply: Plies,
        [changed, before]: [&BitVec; 2],
        progress: &dyn Progress,
    ) -> BitVec {
        let frame = self.frame;
        let block_rows = frame.block_rows();
        let (winner, won) = (outcome.winner, &outcome.won);
        let loser = winner.other();
        let all = Targets {
            rows: won,
            complement: true,
            blocks: None,
        };
        let reaching = frame.reaching(loser, changed);
        let chunk_rows = self.chunk_blocks * block_rows;
        let chunks = outcome
            .open
            .par_chunks_mut(chunk_rows)
            .zip(outcome.lost.par_chunks_mut(chunk_rows))
            .zip(&outcome.releases)
            .zip(&mut self.logs)
            .enumerate();
        let results = chunks.map_init(
            Buffers::default,
            |buffers, (chunk, (((open, lost), held), log))| {
                let mut events = Vec::new();
                let mut held = held
                    .get(usize::from(ply) - 1)
                    .map_or(&[][..], |held| held)
                    .iter()
                    .peekable();
                let mut blocks = BitVec::new();
                let tables = open.chunks_mut(block_rows).zip(lost.chunks_mut(block_rows));
                for (i, (open, lost)) in tables.enumerate() {
                    let number = chunk * self.chunk_blocks + i;
                    if before[number] {
                        lost.fill(Row::EMPTY);
                    }
                    let end = (i + 1) * block_rows;
                    let mut released = false;
                    while let Some(&(row, lanes)) = held.next_if(|(row, _)| (*row as usize) < end) {
                        open[row as usize - i * block_rows] |= lanes;
                        released = true;
                    }
                    // Nothing can be lost that has no new win within reach.
                    let look = released || may(&reaching, number);
                    if !look || open.iter().all(|lanes| lanes.is_empty()) {
                        blocks.push(false);
                        continue;
                    }
                    buffers.reach.clear();
                    buffers.reach.resize(block_rows, Row::EMPTY);
                    let Buffers { scratch, reach } = buffers;
                    frame.quiet_moves(loser, &frame.block(number), all, scratch, reach);
                    for ((lost, open), safe) in lost.iter_mut().zip(open).zip(reach) {
                        *lost = open.without(*safe);
                        *open &= *safe;
                    }
                    blocks.push(note(&mut events, i * block_rows, lost));
                }
                progress.advance((blocks.len() * block_rows) as u64);
                log.push(winner, ply, events);
                blocks
            },
        );
        joined(results.collect())
    }
}

impl<const N: usize> Outcome<N> {
    fn new(winner: Side, rows: usize) -> Outcome<N> {
        let table = || Vec::with_capacity(rows);
        let (wins, releases) = (Vec::new(), Vec::new());
        Outcome {
            winner,
            won: table(),
            open: table(),
            lost: table(),
            wins,
            releases,
        }
    }

    /// Adds the next chunk.
    fn append(&mut self, seeds: Seeds<N>) {
        self.won.extend(seeds.won);
        self.open.extend(seeds.open);
        self.lost.extend(seeds.lost);
        self.wins.push(seeds.wins);
        self.releases.push(seeds.releases);
    }
}

struct Buffers<const N: usize> {
    scratch: Scratch<N>,
    reach: Vec<Row<N>>,
}

impl<const N: usize> Default for Buffers<N> {
    fn default() -> Self {
        Buffers {
            scratch: Scratch::default(),
            reach: Vec::new(),
        }
    }
}

/// Whether the block is among those that may have changed.
fn may(blocks: &Option<BitVec>, block: usize) -> bool {
    blocks.as_ref().is_none_or(|blocks| blocks[block])
}

/// Notes the rows with any lane; returns whether there are any.
fn note<const N: usize>(events: &mut Vec<Event<N>>, first: usize, rows: &[Row<N>]) -> bool {
    let before = events.len();
    for (i, &lanes) in rows.iter().enumerate() {
        if !lanes.is_empty() {
            events.push(((first + i) as u32, lanes));
        }
    }
    events.len() > before
}

fn joined(chunks: Vec<BitVec>) -> BitVec {
    chunks.into_iter().fold(BitVec::new(), |mut all, chunk| {
        all.extend_from_bitslice(&chunk);
        all
    })
}

/// The code of a value that the plies gave: wins at odd, losses at even ones.
fn code(value: Value) -> Code {
    dtw_code(value).expect("plies alternate, and no game is 32,000 plies long")
}
