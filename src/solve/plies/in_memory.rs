//! Plies with all tables in memory: each in the way that takes least for what
//! changed before it, by whole blocks, by rows, or by stars.

use bitvec::slice::BitSlice;
use bitvec::vec::BitVec;
use rayon::prelude::*;

use crate::rules::Side;
use crate::value::Plies;

use crate::solve::moves::by_block::Targets;
use crate::solve::moves::cost::StarRows;
use crate::solve::plies::chunks::Chunks;
use crate::solve::plies::frontier::{Frontier, Predecessors, ones};
use crate::solve::plies::ply::{Findings, Given, Ply, finds_wins};
use crate::solve::plies::tables::{Change, EachTable, Tables};
use crate::solve::plies::worker::Worker;
use crate::solve::rows::numbers::{BlockNumber, ChunkNumber};
use crate::solve::rows::row::{Event, Row};
use crate::solve::store::codec::read_events;
use crate::solve::store::{Content, ScratchError, StageFile};
use crate::system::pages;

/// All rows of all tables.
pub(crate) struct InMemory<const N: usize> {
    won: Vec<Row<N>>,
    open: Vec<Row<N>>,
    /// Between the plies, those lost at the last one; while a ply of losses is worked
    /// out, first where something may be lost.
    lost: Vec<Row<N>>,
    /// The winner to move and found to win at the last ply; while a ply of wins is
    /// worked out, first where something may be won.
    newly_won: Vec<Row<N>>,
}

impl<const N: usize> InMemory<N> {
    /// How many tables there are.
    pub(crate) const TABLES: usize = size_of::<InMemory<N>>() / size_of::<Vec<Row<N>>>();

    /// Tables of empty rows.
    pub(crate) fn new(chunks: Chunks) -> InMemory<N> {
        let empty = || {
            let mut rows = pages::with_capacity(chunks.rows());
            rows.resize(chunks.rows(), Row::EMPTY);
            rows
        };
        InMemory { won: empty(), open: empty(), lost: empty(), newly_won: empty() }
    }
}

impl<const N: usize> Tables<N> for InMemory<N> {
    fn change(&mut self, given: &Given<N>, change: &Change<N>) -> Result<(), ScratchError> {
        let rows = given.chunks.chunk_rows();
        let tables = self.won.par_chunks_mut(rows).zip(self.open.par_chunks_mut(rows));
        let tables = tables.zip(self.lost.par_chunks_mut(rows)).enumerate();
        tables.try_for_each(|(chunk, ((won, open), lost))| {
            change(ChunkNumber::new(chunk), EachTable { won, open, lost })
        })
    }

    fn note(
        &mut self,
        given: &Given<N>,
        ply: Plies,
        found: &StageFile,
    ) -> Result<(), ScratchError> {
        let tables = self.newly_won.par_chunks_mut(given.chunks.chunk_rows()).enumerate();
        tables.try_for_each(|(chunk, newly_won)| {
            newly_won.fill(Row::EMPTY);
            if finds_wins(ply) {
                let key = given.key(Content::Found, ply, ChunkNumber::new(chunk));
                for Event { row, lanes } in read_events(found, key)? {
                    newly_won[row.index()] = lanes;
                }
            }
            Ok(())
        })
    }

    fn winning_ply(
        &mut self,
        given: &Given<N>,
        ply: &Ply,
        lost: &Frontier,
    ) -> Result<Frontier, ScratchError> {
        let &Given { moves, winner, chunks, .. } = given;
        let InMemory { won: all_won, lost: known, newly_won, .. } = self;
        let star_rows = StarRows::BACK;
        let predecessors =
            Predecessors::find(moves, chunks, winner, known, lost, star_rows, newly_won);
        if let (Predecessors::Stars, Some(stars)) = (&predecessors, &moves.stars) {
            newly_won.par_iter_mut().zip(&*all_won).for_each(|(new, &won)| *new = !won);
            stars.without_moves(known, false, newly_won);
        }
        let kings = moves.kings.as_ref().filter(|_| winner == Side::Defenders);
        let blocks = Some(&lost.blocks[..]);
        let targets =
            Targets { rows: known, first_block: BlockNumber::FIRST, complement: false, blocks };
        let tables = all_won.par_chunks_mut(chunks.chunk_rows());
        let tables = tables.zip(newly_won.par_chunks_mut(chunks.chunk_rows()));
        let changed = tables.enumerate().map_init(
            || Worker::new(moves),
            |worker, (chunk, (chunk_won, chunk_new))| {
                let chunk = ChunkNumber::new(chunk);
                let (blocks, block_rows) = (chunks.blocks_of(chunk), chunks.block_rows);
                let among = predecessors.among(blocks.clone());
                let captures = given.events(Content::Wins, ply.number, chunk)?;
                let mut wins = Cursor(&captures);
                let visited = wins.blocks(&among, block_rows);
                let mut findings = Findings::new(blocks.len());
                if let Some(kings) = kings {
                    worker.kings_back(kings, blocks.start, &among, known, chunk_new);
                }
                for place in ones(&visited) {
                    let number = BlockNumber::new(blocks.start + place);
                    let first = place * block_rows;
                    let found = &mut chunk_new[first..][..block_rows];
                    let won = &mut chunk_won[first..][..block_rows];
                    match &predecessors {
                        _ if !among[place] || kings.is_some() => {}
                        Predecessors::Lanes(_) => {
                            moves.rows.add_images(&mut worker.walker, number, found);
                        }
                        Predecessors::Stars => worker.won_by_stars(number, won, found),
                        _ => worker.winning_moves(winner, number, targets, won, found),
                    }
                    for event in wins.here(first, block_rows) {
                        found[event.row.index() - first] |= event.lanes;
                    }
                    for (found, won) in found.iter_mut().zip(won) {
                        *found = found.without(*won);
                        *won |= *found;
                    }
                    findings.note(place, found);
                }
                (ply.done)(blocks.len() * block_rows);
                findings.keep(given, ply, chunk)
            },
        );
        Ok(Frontier::joined(&changed.collect::<Result<Vec<_>, _>>()?))
    }

    fn losing_ply(
        &mut self,
        given: &Given<N>,
        ply: &Ply,
        won: &Frontier,
        lost: &Frontier,
    ) -> Result<Frontier, ScratchError> {
        let &Given { moves, winner, chunks, .. } = given;
        let loser = winner.other();
        clear(chunks, &mut self.lost, &lost.blocks);
        // Nothing can be lost that has no new win within reach.
        let star_rows = StarRows::BACK_AND_ON;
        let (new, into) = (&self.newly_won, &mut self.lost);
        let predecessors = Predecessors::find(moves, chunks, loser, new, won, star_rows, into);
        let candidates = self.candidates(given, ply.number, &predecessors)?;
        let InMemory { won: known, open: all_open, lost: may_be_lost, newly_won } = self;
        let by_stars = moves.stars.as_ref().filter(|_| {
            let (rows, all) = (candidates.rows, chunks.rows());
            loser == Side::Attackers && !StarRows::ON.are_more_work(rows, all)
        });
        if let Some(stars) = by_stars {
            stars.without_moves(known, true, may_be_lost);
        }
        let kings = moves.kings.as_ref().filter(|_| loser == Side::Defenders);
        let tables = all_open.par_chunks_mut(chunks.chunk_rows());
        let tables = tables.zip(may_be_lost.par_chunks_mut(chunks.chunk_rows()));
        let changed = tables.enumerate().map_init(
            || Worker::new(moves),
            |worker, (chunk, (chunk_open, chunk_may_be_lost))| {
                let chunk = ChunkNumber::new(chunk);
                let (blocks, block_rows) = (chunks.blocks_of(chunk), chunks.block_rows);
                let candidates = &candidates.blocks[blocks.clone()];
                let mut findings = Findings::new(blocks.len());
                if let Some(kings) = kings {
                    worker.kings_escape(kings, blocks.start, candidates, known, chunk_may_be_lost);
                }
                for place in ones(candidates) {
                    let number = BlockNumber::new(blocks.start + place);
                    let first = place * block_rows;
                    let found = &mut chunk_may_be_lost[first..][..block_rows];
                    let open = &mut chunk_open[first..][..block_rows];
                    if by_stars.is_some() {
                        moves.rows.keep_images(&mut worker.walker, number, found);
                    } else if kings.is_none() {
                        worker.without_escape(loser, number, known, found);
                    }
                    for (open, found) in open.iter_mut().zip(&*found) {
                        *open = open.without(*found);
                    }
                    findings.note(place, found);
                }
                (ply.done)(blocks.len() * block_rows);
                findings.keep(given, ply, chunk)
            },
        );
        let changed = Frontier::joined(&changed.collect::<Result<Vec<_>, _>>()?);
        clear(chunks, newly_won, &won.blocks);
        Ok(changed)
    }
}

impl<const N: usize> InMemory<N> {
    /// Puts into `lost` where the loser may be lost: open positions with a new
    /// win within reach, and those that become open. Returns where that is.
    fn candidates(
        &mut self,
        given: &Given<N>,
        ply: Plies,
        predecessors: &Predecessors,
    ) -> Result<Frontier, ScratchError> {
        let &Given { moves, winner, chunks, .. } = given;
        let InMemory { open: all_open, lost: may_be_lost, newly_won, .. } = self;
        let kings = moves.kings.as_ref().filter(|_| winner == Side::Attackers);
        let tables = all_open.par_chunks_mut(chunks.chunk_rows());
        let tables = tables.zip(may_be_lost.par_chunks_mut(chunks.chunk_rows()));
        let candidates = tables.enumerate().map_init(
            || Worker::new(moves),
            |worker, (chunk, (chunk_open, chunk_may_be_lost))| {
                let chunk = ChunkNumber::new(chunk);
                let (blocks, block_rows) = (chunks.blocks_of(chunk), chunks.block_rows);
                let among = predecessors.among(blocks.clone());
                let captures = given.events(Content::Releases, ply - 1, chunk)?;
                let mut releases = Cursor(&captures);
                let visited = releases.blocks(&among, block_rows);
                let mut candidates = BitVec::repeat(false, blocks.len());
                let mut rows = 0;
                if let Some(kings) = kings {
                    worker.kings_back(kings, blocks.start, &among, newly_won, chunk_may_be_lost);
                }
                for place in ones(&visited) {
                    let number = BlockNumber::new(blocks.start + place);
                    let first = place * block_rows;
                    let found = &mut chunk_may_be_lost[first..][..block_rows];
                    let open = &mut chunk_open[first..][..block_rows];
                    if among[place] {
                        if let Predecessors::Lanes(_) = predecessors {
                            moves.rows.add_images(&mut worker.walker, number, found);
                        } else if kings.is_none() {
                            let new = &newly_won[moves.frame.first_row(number)..][..block_rows];
                            let exact = winner == Side::Attackers
                                && worker.defenders_back(number, new, found);
                            if !exact {
                                found.fill(!Row::EMPTY);
                            }
                        }
                        for (found, &open) in found.iter_mut().zip(&*open) {
                            *found &= open;
                        }
                    }
                    for event in releases.here(first, block_rows) {
                        open[event.row.index() - first] |= event.lanes;
                        found[event.row.index() - first] |= event.lanes;
                    }
                    let count = found.iter().filter(|lanes| !lanes.is_empty()).count();
                    candidates.set(place, count > 0);
                    rows += count;
                }
                Ok(Frontier { blocks: candidates, rows })
            },
        );
        Ok(Frontier::joined(&candidates.collect::<Result<Vec<_>, ScratchError>>()?))
    }
}

/// Empties the rows of these blocks.
fn clear<const N: usize>(chunks: Chunks, rows: &mut [Row<N>], blocks: &BitSlice) {
    let tables = rows.par_chunks_mut(chunks.chunk_rows()).enumerate();
    tables.for_each(|(chunk, rows)| {
        for place in ones(&blocks[chunks.blocks_of(ChunkNumber::new(chunk))]) {
            rows[place * chunks.block_rows..][..chunks.block_rows].fill(Row::EMPTY);
        }
    });
}

/// Goes through a chunk's events of one ply, block by block.
struct Cursor<'e, const N: usize>(&'e [Event<N>]);

impl<'e, const N: usize> Cursor<'e, N> {
    /// These blocks of the chunk, and those that have events.
    fn blocks(&self, blocks: &BitVec, block_rows: usize) -> BitVec {
        let mut all = blocks.clone();
        self.0.iter().for_each(|event| all.set(event.row.index() / block_rows, true));
        all
    }

    /// Takes the next events, those of the block whose first row in the chunk is
    /// `first`.
    fn here(&mut self, first: usize, block_rows: usize) -> &'e [Event<N>] {
        let end = self.0.iter().position(|event| event.row.index() >= first + block_rows);
        let (now, later) = self.0.split_at(end.unwrap_or(self.0.len()));
        self.0 = later;
        now
    }
}
