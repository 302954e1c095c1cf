//! A ply that finds losses: in the loser's tables, among which his moves lead.

use bitvec::vec::BitVec;
use rayon::prelude::*;

use crate::rules::Side;
use crate::solve::moves::by_block::Targets;
use crate::solve::moves::cost::StarRows;
use crate::solve::plies::cursor::Cursor;
use crate::solve::plies::frontier::{Frontier, Predecessors};
use crate::solve::plies::ply::{Findings, Given, Ply};
use crate::solve::plies::tables::TableChunk;
use crate::solve::plies::worker::Worker;
use crate::solve::rows::row::Row;
use crate::solve::store::{Content, ScratchError};

/// The loser's tables, by row.
pub(crate) struct Losing<'t, const N: usize, C> {
    /// By chunk: the loser to move and not yet known to lose; only captures that are
    /// known to lose, and moves that capture nothing, are left to him.
    pub open: Vec<C>,
    /// The winner to move and known to win, or no position.
    pub won: &'t [Row<N>],
    /// The winner to move and found to win at the ply before.
    pub newly_won: &'t [Row<N>],
    /// Empty rows; what is found is in there in the end.
    pub lost: &'t mut [Row<N>],
}

/// The loser's positions that are lost at this ply: every move leads to a win
/// found so far. `won` is what changed at the ply before; returns what changes now.
///
/// # Errors
/// If what captures do cannot be read, or the disk fails or is full.
pub(crate) fn losing_ply<const N: usize, C: TableChunk<N>>(
    given: &Given<N>,
    ply: &Ply<N>,
    mut tables: Losing<N, C>,
    won: &Frontier,
) -> Result<Frontier, ScratchError> {
    let &Given { moves, winner, chunks } = given;
    let loser = winner.other();
    // Nothing can be lost that has no new win within reach.
    let star_rows = StarRows::BACK_AND_ON;
    let (new, into) = (tables.newly_won, &mut *tables.lost);
    let predecessors = Predecessors::find(moves, chunks, loser, new, won, star_rows, into);
    let candidates = candidates(given, ply, &mut tables, &predecessors)?;
    let Losing { open: all_open, won: known, lost: may_be_lost, .. } = tables;
    let by_stars = moves.stars.as_ref().filter(|_| {
        let (rows, all) = (candidates.rows, chunks.rows());
        loser == Side::Attackers && !StarRows::ON.are_more_work(rows, all)
    });
    if let Some(stars) = by_stars {
        stars.without_moves(known, true, may_be_lost);
    }
    let first_block = chunks.block(0);
    let safe = Targets { rows: known, first_block, complement: true, blocks: None };
    let tables = all_open.into_par_iter();
    let tables = tables.zip(may_be_lost.par_chunks_mut(chunks.chunk_rows()));
    let changed = tables.enumerate().map_init(
        || Worker::new(moves),
        |worker, (chunk, (mut chunk_open, chunk_may_be_lost))| {
            let chunk = chunks.number(chunk);
            let (places, block_rows) = (chunks.places_of(chunk), chunks.block_rows);
            let mut findings = Findings::new(places.len());
            for place in candidates.blocks[places.clone()].iter_ones() {
                let number = chunks.block(places.start + place);
                let first = place * block_rows;
                let found = &mut chunk_may_be_lost[first..][..block_rows];
                if by_stars.is_some() {
                    worker.keep_images(number, found);
                } else {
                    worker.without_escape(loser, number, safe, found);
                }
                findings.note(place, found);
            }
            if !findings.is_empty() {
                for (open, found) in chunk_open.rows()?.iter_mut().zip(&*chunk_may_be_lost) {
                    *open = open.without(*found);
                }
                chunk_open.put_back(true)?;
            }
            (ply.done)(places.len() * block_rows);
            findings.keep(ply, chunk)
        },
    );
    Ok(Frontier::joined(&changed.collect::<Result<Vec<_>, _>>()?))
}

/// Puts into `lost` where the loser may be lost: open positions with a new
/// win within reach, and those that become open. Returns where that is.
fn candidates<const N: usize, C: TableChunk<N>>(
    given: &Given<N>,
    ply: &Ply<N>,
    tables: &mut Losing<N, C>,
    predecessors: &Predecessors,
) -> Result<Frontier, ScratchError> {
    let &Given { moves, winner, chunks } = given;
    let Losing { open: all_open, newly_won, lost: may_be_lost, .. } = tables;
    let tables = all_open.par_iter_mut();
    let tables = tables.zip(may_be_lost.par_chunks_mut(chunks.chunk_rows()));
    let candidates = tables.enumerate().map_init(
        || Worker::new(moves),
        |worker, (chunk, (chunk_open, chunk_may_be_lost))| {
            let chunk = chunks.number(chunk);
            let (places, block_rows) = (chunks.places_of(chunk), chunks.block_rows);
            let among = predecessors.among(places.clone());
            let captures = ply.records.said(Content::Releases, ply.number - 1, chunk)?;
            let mut releases = Cursor(&captures);
            let visited = releases.blocks(&among, block_rows);
            let mut candidates = BitVec::repeat(false, places.len());
            let mut rows = 0;
            if visited.not_any() {
                return Ok(Frontier { blocks: candidates, rows });
            }
            let all_open = chunk_open.rows()?;
            for place in visited.iter_ones() {
                let number = chunks.block(places.start + place);
                let first = place * block_rows;
                let found = &mut chunk_may_be_lost[first..][..block_rows];
                let open = &mut all_open[first..][..block_rows];
                if among[place] {
                    if let Predecessors::Lanes(_) = predecessors {
                        worker.add_images(number, found);
                    } else {
                        let new = &newly_won[(places.start + place) * block_rows..][..block_rows];
                        let exact =
                            winner == Side::Attackers && worker.defenders_back(number, new, found);
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
            chunk_open.put_back(!captures.is_empty())?;
            Ok(Frontier { blocks: candidates, rows })
        },
    );
    Ok(Frontier::joined(&candidates.collect::<Result<Vec<_>, ScratchError>>()?))
}
