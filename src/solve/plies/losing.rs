//! Plies that find losses, in the loser's tables.

use bitvec::vec::BitVec;

use crate::game::rules::Side;
use crate::solve::advance::advance;
use crate::solve::moves::by_block::TargetSet;
use crate::solve::moves::cost::StarCost;
use crate::solve::plies::cursor::Cursor;
use crate::solve::plies::frontier::{Frontier, Predecessors, ones};
use crate::solve::plies::ply::{Domain, Findings, Ply};
use crate::solve::plies::stored_table::{ChunkedTable, StoredChunk};
use crate::solve::plies::worker::Worker;
use crate::solve::rows::row::Row;
use crate::solve::store::{Content, ScratchError};
use crate::system::parallel;

/// The loser's tables, by row.
pub(crate) struct LossTables<'t, const N: usize> {
    /// The loser to move, not known to lose, and without a saving capture: lost as soon as all
    /// moves without captures lose.
    pub open: ChunkedTable<'t, N>,
    /// The winner to move and known to win. Lanes without a position are set, too.
    pub won: WonTable<'t, N>,
    /// The winner to move; found at the ply before.
    pub newly_won: &'t [Row<N>],
    /// Empty rows that receive the findings.
    pub lost: &'t mut [Row<N>],
}

/// The wins that the loser's moves are checked against.
pub(crate) enum WonTable<'t, const N: usize> {
    /// All of them: attackers' moves lead to other blocks.
    Whole(&'t [Row<N>]),
    /// A chunk at a time: defenders' moves stay in the block.
    ByChunk(ChunkedTable<'t, N>),
}

/// Finds the loser's positions that are lost at this ply: every move leads to a known win. `won`
/// has the changes of the ply before; returns those of this ply.
///
/// # Errors
/// If seeds cannot be read, or the disk fails or is full.
pub(crate) fn losing_ply<const N: usize>(
    domain: &Domain<N>,
    ply: &Ply<N>,
    mut tables: LossTables<N>,
    won: &Frontier,
) -> Result<Frontier, ScratchError> {
    let &Domain { moves, winner, chunks } = domain;
    let loser = winner.other();
    // A new loss has a move to a new win.
    let star_cost = StarCost::UNMOVES_AND_MOVES;
    let (new, into) = (tables.newly_won, &mut *tables.lost);
    let predecessors = Predecessors::find(moves, chunks, loser, new, won, star_cost, into);
    let candidates = find_candidates(domain, ply, &mut tables, &predecessors)?;
    let LossTables { open: mut all_open, won: mut known_wins, lost: may_be_lost, .. } = tables;
    // The candidates are in place, so the cost of both methods is known: one search of the whole
    // table by stars, or one search for each candidate row.
    let by_stars = moves.stars.as_ref().filter(|_| {
        let (rows, all) = (candidates.rows, chunks.rows());
        loser == Side::Attackers && !StarCost::MOVES.exceeds_row_cost(rows, all)
    });
    let (whole, by_chunk): (&[Row<N>], Vec<Option<StoredChunk<N>>>) = match &mut known_wins {
        WonTable::Whole(rows) => (rows, (0..chunks.count()).map(|_| None).collect()),
        WonTable::ByChunk(table) => (&[], table.chunks(chunks).into_iter().map(Some).collect()),
    };
    if let Some(stars) = by_stars {
        stars.without_moves(whole, true, may_be_lost);
    }
    let kings = moves.kings.as_ref().filter(|_| loser == Side::Defenders);
    let tables = all_open.chunks(chunks).into_iter().zip(by_chunk);
    let changed = parallel::try_map_init(
        tables.zip(may_be_lost.chunks_mut(chunks.chunk_rows())),
        || Worker::new(moves),
        |worker, at, ((mut chunk_open, mut chunk_won), chunk_may_be_lost)| {
            let chunk = chunks.number(at);
            let (places, block_rows) = (chunks.places_of(chunk), chunks.block_rows);
            let may = &candidates.blocks[places.clone()];
            // Chunks without candidates are not read: the wins may be packed on disk.
            let (rows, first) = match &mut chunk_won {
                Some(won) if may.any() => (won.rows()?, places.start),
                _ => (whole, 0),
            };
            let first_block = chunks.block(first);
            let safe = TargetSet { rows, first_block, complement: true, blocks: None };
            if let Some(kings) = kings.filter(|_| may.any()) {
                let (own, first) = (&rows[places.start - first..], chunks.block(places.start));
                worker.kings_escape(kings, first, may, own, chunk_may_be_lost);
            }
            let mut findings = Findings::new(places.len());
            for place in ones(may) {
                let number = chunks.block(places.start + place);
                let found = &mut chunk_may_be_lost[place * block_rows..][..block_rows];
                if by_stars.is_some() {
                    worker.keep_images(number, found);
                } else if kings.is_none() {
                    worker.without_escape(loser, number, safe, found);
                }
                findings.add_block(place, found);
            }
            chunk_open.flip(findings.events())?;
            advance(ply.progress, (places.len() * block_rows) as u64)?;
            findings.save(ply, chunk)
        },
    )?;
    Ok(Frontier::joined(&changed))
}

/// Puts candidates into `lost`: open positions with a move to a new win, and those that become
/// open. Returns where they are.
fn find_candidates<const N: usize>(
    domain: &Domain<N>,
    ply: &Ply<N>,
    tables: &mut LossTables<N>,
    predecessors: &Predecessors,
) -> Result<Frontier, ScratchError> {
    let &Domain { moves, winner, chunks } = domain;
    let LossTables { open: all_open, newly_won, lost: may_be_lost, .. } = tables;
    let kings = moves.kings.as_ref().filter(|_| winner == Side::Attackers);
    let tables = all_open.chunks(chunks).into_iter();
    let candidates = parallel::try_map_init(
        tables.zip(may_be_lost.chunks_mut(chunks.chunk_rows())),
        || Worker::new(moves),
        |worker, at, (mut chunk_open, chunk_may_be_lost)| {
            let chunk = chunks.number(at);
            let (places, block_rows) = (chunks.places_of(chunk), chunks.block_rows);
            let among = predecessors.among(places.clone());
            let captures = ply.io.seeds(Content::Releases, ply.number - 1, chunk)?;
            let mut releases = Cursor(&captures);
            // Blocks with releases have candidates even if no move leads to a new win.
            let visited = releases.blocks(&among, block_rows);
            let mut candidates = BitVec::repeat(false, places.len());
            let mut rows = 0;
            if visited.not_any() {
                return Ok(Frontier { blocks: candidates, rows });
            }
            chunk_open.flip(&captures)?;
            let open = chunk_open.rows()?;
            // Blocks without defenders have one row, and are searched in one pass over the chunk.
            if let Some(kings) = kings {
                let (new, first) = (&newly_won[places.clone()], chunks.block(places.start));
                worker.kings_back(kings, first, &among, new, chunk_may_be_lost);
            }
            for place in ones(&visited) {
                let number = chunks.block(places.start + place);
                let first = place * block_rows;
                let found = &mut chunk_may_be_lost[first..][..block_rows];
                let block_open = &open[first..][..block_rows];
                if among[place] {
                    if let Predecessors::Lanes(_) = predecessors {
                        worker.add_images(number, found);
                    } else if kings.is_none() {
                        let new = &newly_won[(places.start + place) * block_rows..][..block_rows];
                        let exact =
                            winner == Side::Attackers && worker.defenders_back(number, new, found);
                        // Otherwise, all open positions of the block are candidates.
                        if !exact {
                            found.fill(!Row::EMPTY);
                        }
                    }
                    for (found, &open) in found.iter_mut().zip(block_open) {
                        *found &= open;
                    }
                }
                for event in releases.take_block(first, block_rows) {
                    found[event.row.index() - first] |= event.lanes;
                }
                let count = found.iter().filter(|lanes| !lanes.is_empty()).count();
                candidates.set(place, count > 0);
                rows += count;
            }
            Ok::<_, ScratchError>(Frontier { blocks: candidates, rows })
        },
    )?;
    Ok(Frontier::joined(&candidates))
}
