//! Endings by the connections on the board: exit forts and encirclements.
//!
//! A move that makes one is decisive, like an escape; a position in which the opponent has made one
//! is lost at once, like one without a move. Both are seeded here. The plies never search such a
//! lane: whoever has lost there does not find a win, and whoever can move there has won already.

use crate::game::rules::{BySide, Side};

use crate::solve::captures::by_attackers::{attacker_moves, quiet_arrival};
use crate::solve::frame::enclosures::Rings;
use crate::solve::frame::{Block, Frame};
use crate::solve::initial::pass::Buffers;
use crate::solve::moves::by_block::TargetSet;
use crate::solve::rows::row::Row;

/// Adds the moves that end the game by an exit fort or an encirclement, and the positions in which
/// it has been ended so.
pub(super) fn add_enclosures<const N: usize>(
    frame: &Frame<N>,
    block: &Block<N>,
    buffers: &mut Buffers<N>,
) {
    if frame.forts.is_empty() && frame.rings.is_none() {
        return;
    }
    if let Some(rings) = &frame.rings {
        let Buffers { lanes, immediate: [attackers, _], .. } = buffers;
        add_encirclements(frame, rings, block, lanes, &mut attackers.decisive);
    }
    let finished = BySide::from_fn(|side| {
        let mut lanes = vec![Row::EMPTY; frame.block_rows()];
        frame.add_finished(block, side, &mut lanes);
        lanes
    });
    let Buffers { block_moves, immediate: [attackers, defenders], .. } = buffers;
    let forts = &finished[Side::Attackers];
    if forts.iter().any(|lanes| !lanes.is_empty()) {
        // Quiet moves of the defenders stay in the block; captures find forts in sub-slices.
        let (rows, first_block) = (&forts[..], block.number);
        let targets = TargetSet { rows, first_block, complement: false, blocks: None };
        let mut others = block.valid.clone();
        block_moves.quiet_moves(Side::Defenders, block, targets, &mut others);
        let rows = defenders.decisive.iter_mut().zip(&block.valid).zip(&others);
        rows.for_each(|((decisive, &valid), &others)| *decisive |= valid.without(others));
    }
    attackers.finish(forts);
    defenders.finish(&finished[Side::Defenders]);
}

/// Adds the lanes of a block on which an attacker has a quiet move that encircles the defenders.
/// `lanes` is a buffer.
fn add_encirclements<const N: usize>(
    frame: &Frame<N>,
    rings: &Rings,
    block: &Block<N>,
    lanes: &mut Vec<Row<N>>,
    decisive: &mut [Row<N>],
) {
    let areas = |_, after| Some(rings.areas(after)).filter(|areas| !areas.is_empty());
    attacker_moves(frame, block, lanes, areas, |areas, mv, lanes| {
        for area in areas {
            let kings = frame.region.row(area).without(mv.king_in_way);
            for (rank, lanes) in frame.defenders.ranks().zip(&*lanes) {
                let legal = *lanes & kings;
                if !legal.is_empty() && frame.defenders.set(rank).is_subset(area) {
                    let quiet = quiet_arrival(frame, mv.after, mv.to, rank);
                    decisive[rank.index()] |= legal & quiet;
                }
            }
        }
    });
}
