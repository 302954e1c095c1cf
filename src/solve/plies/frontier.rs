//! The changes of a ply and their predecessors, where the next ply has to search.

use std::iter;
use std::ops::Range;
use std::sync::atomic::AtomicUsize;

use bitvec::field::BitField;
use bitvec::order::Lsb0;
use bitvec::slice::BitSlice;
use bitvec::vec::BitVec;

use crate::game::rules::{Kind, Ruleset, Side};
use crate::index::Walker;
use crate::solve::frame::block_lookup::BlockLookup;
use crate::solve::moves::Moves;
use crate::solve::moves::by_row::{RankLanes, RowBuffers, Unmove};
use crate::solve::moves::cost::{StarCost, row_by_row_is_cheaper};
use crate::solve::plies::chunks::Chunks;
use crate::solve::rows::atomics::AtomicRows;
use crate::solve::rows::numbers::{BlockNumber, Rank};
use crate::solve::rows::row::{Event, Row};
use crate::system::parallel;

/// Un-moves are applied to the table in groups of at least this size.
const MIN_UNMOVES: usize = 1 << 10;

/// If more than one in this number of blocks has changed, nearly all blocks have a move to a
/// changed one.
const MIN_BLOCKS_PER_CHANGED: usize = 8;

/// The number of changed blocks whose predecessors are found in one task.
const BLOCKS_PER_TASK: usize = 1 << 6;

/// The changes of a ply.
#[derive(Clone, Debug, Default)]
pub(crate) struct Frontier {
    /// The blocks with changed rows.
    pub blocks: BitVec,
    /// The number of changed rows.
    pub rows: usize,
}

impl Frontier {
    /// Applies the events of the chunk at index `at` to its empty rows; returns the changes.
    pub(crate) fn of<const N: usize>(
        events: &[Event<N>],
        chunks: Chunks,
        at: usize,
        rows: &mut [Row<N>],
    ) -> Frontier {
        let blocks = chunks.places_of(chunks.number(at)).len();
        let mut changed = Frontier { blocks: BitVec::repeat(false, blocks), rows: events.len() };
        for event in events {
            rows[event.row.index()] = event.lanes;
            changed.blocks.set(event.row.index() / chunks.block_rows, true);
        }
        changed
    }

    /// Concatenates the changes of all chunks.
    pub(crate) fn joined(chunks: &[Frontier]) -> Frontier {
        let mut all = Frontier::default();
        for chunk in chunks {
            all.blocks.extend_from_bitslice(&chunk.blocks);
            all.rows += chunk.rows;
        }
        all
    }
}

/// Clears the rows of these blocks.
pub(crate) fn clear<const N: usize>(chunks: Chunks, rows: &mut [Row<N>], blocks: &BitSlice) {
    parallel::for_each(rows.chunks_mut(chunks.chunk_rows()), |chunk, rows| {
        for place in ones(&blocks[chunks.places_of(chunks.number(chunk))]) {
            rows[place * chunks.block_rows..][..chunks.block_rows].fill(Row::EMPTY);
        }
    });
}

/// Clears all rows.
pub(crate) fn clear_all<const N: usize>(rows: &mut [Row<N>]) {
    const TASK: usize = 1 << 14;
    parallel::for_each(rows.chunks_mut(TASK), |_, rows| rows.fill(Row::EMPTY));
}

/// Where a ply has to search.
pub(crate) enum Predecessors {
    /// In these blocks, in all lanes.
    Blocks(BitVec),
    /// In these blocks, in the lanes of a separate table.
    Lanes(BitVec),
    /// Everywhere, by stars, which is faster than finding where to search.
    Stars,
    /// Everywhere.
    All,
}

impl Predecessors {
    /// Returns where `side`, to move, has to search after `rows` changed in the blocks of
    /// `frontier`. If few rows changed, un-moves their attackers and puts the resulting lanes into
    /// `into`, which must be empty.
    pub(crate) fn find<const N: usize>(
        moves: &Moves<N>,
        chunks: Chunks,
        side: Side,
        rows: &[Row<N>],
        frontier: &Frontier,
        star_cost: StarCost,
        into: &mut [Row<N>],
    ) -> Predecessors {
        if side == Side::Defenders {
            // Defenders' moves stay in the block.
            Predecessors::Blocks(frontier.blocks.clone())
        } else if moves.stars.is_some() && !star_cost.exceeds_row_cost(frontier.rows, chunks.rows())
        {
            Predecessors::Stars
        } else if row_by_row_is_cheaper(frontier.rows, chunks.blocks, chunks.block_rows) {
            Predecessors::Lanes(attackers_back(moves, chunks, rows, &frontier.blocks, into))
        } else {
            predecessors(moves.frame.rules, &moves.frame.attackers, &frontier.blocks)
                .map_or(Predecessors::All, Predecessors::Blocks)
        }
    }

    /// Returns which of the blocks at these places have to be searched.
    pub(crate) fn among(&self, places: Range<usize>) -> BitVec {
        match self {
            Predecessors::Blocks(all) | Predecessors::Lanes(all) => all[places].to_bitvec(),
            Predecessors::Stars | Predecessors::All => BitVec::repeat(true, places.len()),
        }
    }
}

/// Returns the blocks from which the attackers have a move without capture to one of these, or
/// `None` if that may be nearly every block.
fn predecessors(rules: &Ruleset, lookup: &BlockLookup, blocks: &BitVec) -> Option<BitVec> {
    if blocks.count_ones() * MIN_BLOCKS_PER_CHANGED > blocks.len() {
        return None;
    }
    let found = BitVec::<AtomicUsize>::repeat(false, blocks.len());
    let changed: Vec<BlockNumber> = ones(blocks).map(BlockNumber::new).collect();
    parallel::for_each(changed.chunks(BLOCKS_PER_TASK), |_, changed| {
        for &block in changed {
            let (attackers, _) = lookup.sets().unrank(block.into());
            for to in attackers {
                let others = attackers.without(to);
                for ray in rules.slides().to(Kind::Attacker, to) {
                    for step in ray.iter().take_while(|step| !others.contains(step.square)) {
                        if step.ends {
                            let origin = lookup.locate(others.with(step.square)).block;
                            found.set_aliased(origin.index(), true);
                        }
                    }
                }
            }
        }
    });
    Some(found.into_iter().collect())
}

/// The buffers of a worker that un-moves attackers.
struct UnmoveWorker<'f, const N: usize> {
    walker: Walker<'f>,
    buffers: RowBuffers<N>,
    changed: Vec<RankLanes<N>>,
    unmoves: Vec<Unmove<N>>,
    /// The blocks, rows and lanes of the origins.
    reached: Vec<(BlockNumber, usize, Row<N>)>,
}

impl<'f, const N: usize> UnmoveWorker<'f, N> {
    fn new(walker: Walker<'f>) -> UnmoveWorker<'f, N> {
        let (changed, unmoves, reached) = (Vec::new(), Vec::new(), Vec::new());
        UnmoveWorker { walker, buffers: RowBuffers::default(), changed, unmoves, reached }
    }

    /// Adds the origins of the collected un-moves to a table; marks their blocks as touched.
    #[inline]
    fn apply_unmoves(
        &mut self,
        moves: &Moves<N>,
        table: AtomicRows<N>,
        touched: &BitSlice<AtomicUsize>,
    ) {
        let UnmoveWorker { unmoves, reached, .. } = self;
        // Prefetched reads of distant rows overlap; atomic writes do not.
        moves.rows.resolve_unmoves(unmoves, |origin, rank, lanes| {
            let row = moves.frame.first_row(origin) + rank.index();
            table.prefetch(row);
            reached.push((origin, row, lanes));
        });
        unmoves.clear();
        for (origin, row, lanes) in reached.drain(..) {
            if !table.has(row, lanes) {
                table.add(row, lanes);
                touched.set_aliased(origin.index(), true);
            }
        }
    }
}

/// Un-moves the attackers of these rows; returns the blocks of the origins.
fn attackers_back<const N: usize>(
    moves: &Moves<N>,
    chunks: Chunks,
    rows: &[Row<N>],
    changed: &BitSlice,
    into: &mut [Row<N>],
) -> BitVec {
    let (frame, table) = (moves.frame, AtomicRows::new(into));
    let touched = BitVec::<AtomicUsize>::repeat(false, chunks.blocks);
    parallel::for_each_index_init(
        chunks.count(),
        || UnmoveWorker::new(frame.walker()),
        |worker, chunk| {
            let places = chunks.places_of(chunks.number(chunk));
            for place in ones(&changed[places.clone()]) {
                let block = chunks.block(places.start + place);
                let block_rows = &rows[frame.first_row(block)..][..chunks.block_rows];
                lanes_of(block_rows, &mut worker.changed);
                let (attackers, _) = worker.walker.set(block.into());
                moves.rows.attacker_unmoves(
                    attackers,
                    &worker.changed,
                    &mut worker.buffers,
                    &mut worker.unmoves,
                );
                if worker.unmoves.len() >= MIN_UNMOVES {
                    worker.apply_unmoves(moves, table, &touched);
                }
            }
            worker.apply_unmoves(moves, table, &touched);
        },
    );
    let words = touched.into_vec().into_iter().map(AtomicUsize::into_inner).collect();
    let mut blocks = BitVec::<usize, Lsb0>::from_vec(words);
    blocks.truncate(chunks.blocks);
    blocks
}

/// Returns the indices of the set bits, word by word.
pub(crate) fn ones(bits: &BitSlice) -> impl Iterator<Item = usize> + '_ {
    const WORD: usize = u64::BITS as usize;
    let mut words = bits.chunks(WORD).map(|word| word.load_le::<u64>()).enumerate();
    let (mut first, mut left) = (0, 0);
    iter::from_fn(move || {
        while left == 0 {
            let (i, word) = words.next()?;
            (first, left) = (i * WORD, word);
        }
        let place = first + left.trailing_zeros() as usize;
        left &= left - 1;
        Some(place)
    })
}

/// Collects the rows of a block that have lanes.
pub(crate) fn lanes_of<const N: usize>(rows: &[Row<N>], into: &mut Vec<RankLanes<N>>) {
    into.clear();
    let some = rows.iter().enumerate().filter(|(_, lanes)| !lanes.is_empty());
    into.extend(some.map(|(rank, &lanes)| (Rank::new(rank), lanes)));
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn ones_are_the_places_of_set_bits(
            bits in prop::collection::vec(any::<bool>(), 0..400),
            first in 0..100_usize,
        ) {
            let bits: BitVec = bits.into_iter().collect();
            let some = &bits[first.min(bits.len())..];
            prop_assert!(ones(some).eq(some.iter_ones()));
        }
    }
}
