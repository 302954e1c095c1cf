//! Plies that find wins, in the winner's tables.

use crate::game::rules::Side;
use crate::solve::advance::advance;
use crate::solve::moves::by_block::TargetSet;
use crate::solve::moves::cost::StarCost;
use crate::solve::plies::cursor::Cursor;
use crate::solve::plies::frontier::{Frontier, Predecessors, ones};
use crate::solve::plies::ply::{Domain, Findings, Ply};
use crate::solve::plies::stored_table::ChunkedTable;
use crate::solve::plies::worker::Worker;
use crate::solve::rows::row::Row;
use crate::solve::store::{Content, ScratchError};
use crate::system::parallel;

/// The winner's tables, by row.
pub(crate) struct WinTables<'t, const N: usize> {
    /// The winner to move and known to win. Lanes without a position are set, too, so that nothing
    /// is searched there.
    pub won: ChunkedTable<'t, N>,
    /// The loser to move; found at the ply before.
    pub lost: &'t [Row<N>],
    /// Empty rows that receive the findings.
    pub newly_won: &'t mut [Row<N>],
}

/// Finds the winner's positions that win at this ply: a move leads to a loss of the ply before, or
/// a capture wins. `lost` has the changes of that ply; returns those of this ply.
///
/// # Errors
/// If seeds cannot be read, or the disk fails or is full.
pub(crate) fn winning_ply<const N: usize>(
    domain: &Domain<N>,
    ply: &Ply<N>,
    tables: WinTables<N>,
    lost: &Frontier,
) -> Result<Frontier, ScratchError> {
    let &Domain { moves, winner, chunks } = domain;
    let WinTables { won: mut all_won, lost: known_losses, newly_won } = tables;
    let mut won_chunks = all_won.chunks(chunks);
    let star_cost = StarCost::UNMOVES;
    let predecessors =
        Predecessors::find(moves, chunks, winner, known_losses, lost, star_cost, newly_won);
    if let (Predecessors::Stars, Some(stars)) = (&predecessors, &moves.stars) {
        // The search clears the lanes that have a winning move; known wins need no search.
        let new = newly_won.chunks_mut(chunks.chunk_rows());
        parallel::try_for_each(won_chunks.iter_mut().zip(new), |_, (won, new)| {
            new.iter_mut().zip(won.rows()?).for_each(|(new, &won)| *new = !won);
            Ok::<_, ScratchError>(())
        })?;
        stars.without_moves(known_losses, false, newly_won);
    }
    let kings = moves.kings.as_ref().filter(|_| winner == Side::Defenders);
    let (blocks, first_block) = (Some(&lost.blocks[..]), chunks.block(0));
    let targets = TargetSet { rows: known_losses, first_block, complement: false, blocks };
    let changed = parallel::try_map_init(
        won_chunks.into_iter().zip(newly_won.chunks_mut(chunks.chunk_rows())),
        || Worker::new(moves),
        |worker, at, (mut chunk_won, chunk_new)| {
            let chunk = chunks.number(at);
            let (places, block_rows) = (chunks.places_of(chunk), chunks.block_rows);
            let among = predecessors.among(places.clone());
            let captures = ply.io.seeds(Content::Wins, ply.number, chunk)?;
            let mut wins = Cursor(&captures);
            // Blocks with winning captures are visited even if no move leads to a new loss.
            let visited = wins.blocks(&among, block_rows);
            let mut findings = Findings::new(places.len());
            // Before the rows are read: the table may be packed on disk.
            if visited.not_any() {
                advance(ply.progress, (places.len() * block_rows) as u64)?;
                return findings.save(ply, chunk);
            }
            let won = chunk_won.rows()?;
            // Blocks without defenders have one row, and are searched in one pass over the chunk.
            if let Some(kings) = kings {
                let first = chunks.block(places.start);
                worker.kings_back(kings, first, &among, &known_losses[places.clone()], chunk_new);
            }
            for place in ones(&visited) {
                let number = chunks.block(places.start + place);
                let first = place * block_rows;
                let found = &mut chunk_new[first..][..block_rows];
                let block_won = &won[first..][..block_rows];
                match &predecessors {
                    _ if !among[place] || kings.is_some() => {}
                    Predecessors::Lanes(_) => worker.add_images(number, found),
                    Predecessors::Stars => worker.won_by_stars(number, block_won, found),
                    _ => worker.winning_moves(winner, number, targets, block_won, found),
                }
                for event in wins.take_block(first, block_rows) {
                    found[event.row.index() - first] |= event.lanes;
                }
                for (found, won) in found.iter_mut().zip(block_won) {
                    *found = found.without(*won);
                }
                findings.add_block(place, found);
            }
            chunk_won.flip(findings.events())?;
            advance(ply.progress, (places.len() * block_rows) as u64)?;
            findings.save(ply, chunk)
        },
    )?;
    Ok(Frontier::joined(&changed))
}
