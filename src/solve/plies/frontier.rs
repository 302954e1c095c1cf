//! Which rows a ply has to look at: those that have a move to a row that
//! changed at the ply before.

use std::ops::Range;
use std::sync::atomic::AtomicUsize;

use bitvec::order::Lsb0;
use bitvec::slice::BitSlice;
use bitvec::vec::BitVec;
use rayon::prelude::*;

use crate::index::Walker;
use crate::rules::Side;

use crate::solve::moves::by_row::{RankLanes, RowMoves, RowScratch};
use crate::solve::plies::chunks::Chunks;
use crate::solve::rows::atomics::SharedRows;
use crate::solve::rows::row::Row;

/// Rows of which stars visit as many as single visits do one, in the same time:
/// measured for moves back, for these and all moves of the rows that they lead
/// to, and for moves on.
const STAR_ROWS_BACK: usize = 10;
const STAR_ROWS_BOTH: usize = 150;
pub(crate) const STAR_ROWS_ON: usize = 3;

/// What it takes to visit one row's moves, all moves of a block, and in these
/// one row: measured, in nanoseconds for a move.
const SINGLE_ROW: usize = 10;
const BLOCK: usize = 40;
const BLOCK_ROW: usize = 2;

/// Rows that are added to at once.
const AT_ONCE: usize = 1 << 10;

/// What changed at a ply.
#[derive(Clone, Debug, Default)]
pub(crate) struct Changed {
    /// The blocks with changed rows.
    pub blocks: BitVec,
    /// How many rows changed.
    pub rows: usize,
}

impl Changed {
    /// Adds what changed in the blocks that come next.
    pub(crate) fn extend(&mut self, next: &Changed) {
        self.blocks.extend_from_bitslice(&next.blocks);
        self.rows += next.rows;
    }
}

/// Where a ply has to look.
pub(crate) enum Reach {
    /// In these blocks; nothing more is known.
    Blocks(BitVec),
    /// In these blocks, at the lanes that were put into the table.
    Lanes(BitVec),
    /// Everywhere, by stars.
    Stars,
    /// Everywhere.
    All,
}

impl Reach {
    /// The blocks of a chunk that have to be looked at.
    pub(crate) fn blocks(&self, range: Range<usize>) -> BitVec {
        match self {
            Reach::Blocks(blocks) | Reach::Lanes(blocks) => blocks[range].to_bitvec(),
            Reach::Stars | Reach::All => BitVec::repeat(true, range.len()),
        }
    }
}

/// Whether visiting `rows` one by one takes less time than visiting whole
/// blocks.
pub(crate) fn few(rows: usize, blocks: usize, block_rows: usize) -> bool {
    rows * SINGLE_ROW < blocks * (BLOCK + block_rows * BLOCK_ROW)
}

/// Whether visiting some of `all` rows one by one takes less time than visiting
/// all of them by stars, so many of which take the time of one.
pub(crate) fn fewer_than_stars(rows: usize, all: usize, star_rows: usize) -> bool {
    rows * star_rows < all
}

/// Finds what `side`, to move, has to look at when these rows changed. If they
/// are few, their attackers are moved back, and the lanes that this leads to
/// are added to `into`, which must be empty.
pub(crate) fn reach<const N: usize>(
    moves: &RowMoves<N>,
    chunks: Chunks,
    side: Side,
    rows: &[Row<N>],
    changed: &Changed,
    losing: bool,
    into: &mut [Row<N>],
) -> Reach {
    if side == Side::Defenders {
        return Reach::Blocks(changed.blocks.clone());
    }
    let star_rows = if losing { STAR_ROWS_BOTH } else { STAR_ROWS_BACK };
    if moves.stars.is_some() && !fewer_than_stars(changed.rows, rows.len(), star_rows) {
        return Reach::Stars;
    }
    if few(changed.rows, chunks.blocks, chunks.block_rows) {
        return Reach::Lanes(attackers_back(moves, chunks, rows, &changed.blocks, into));
    }
    moves.frame.reaching(side, &changed.blocks).map_or(Reach::All, Reach::Blocks)
}

fn attackers_back<const N: usize>(
    moves: &RowMoves<N>,
    chunks: Chunks,
    rows: &[Row<N>],
    changed: &BitSlice,
    into: &mut [Row<N>],
) -> BitVec {
    let into = SharedRows::new(into);
    let touched = BitVec::<AtomicUsize>::repeat(false, chunks.blocks);
    let worker = || (moves.walker(), RowScratch::default(), Vec::new(), Vec::new());
    (0..chunks.count()).into_par_iter().for_each_init(worker, |worker, chunk| {
        let (walker, scratch, origins, reached) = worker;
        let blocks = chunks.blocks_of(chunk);
        for i in changed[blocks.clone()].iter_ones() {
            let block = blocks.start + i;
            lanes_of(&rows[block * chunks.block_rows..][..chunks.block_rows], origins);
            let (attackers, _) = walker.set(block as u64);
            let add = |reached: &mut Vec<(usize, usize, Row<N>)>| {
                // Reads of rows far apart overlap, which atomic writes do not.
                reached.retain(|&(_, row, lanes)| !into.has(row, lanes));
                for (block, row, lanes) in reached.drain(..) {
                    into.add(row, lanes);
                    touched.set_aliased(block, true);
                }
            };
            moves.attacker_unmoves(attackers, origins, scratch, |block, rank, lanes| {
                reached.push((block, block * chunks.block_rows + rank, lanes));
                if reached.len() == AT_ONCE {
                    add(reached);
                }
            });
            add(reached);
        }
    });
    let words = touched.into_vec().into_iter().map(AtomicUsize::into_inner).collect();
    let mut touched = BitVec::<usize, Lsb0>::from_vec(words);
    touched.truncate(chunks.blocks);
    touched
}

/// The rows of a block that have lanes.
pub(crate) fn lanes_of<const N: usize>(rows: &[Row<N>], into: &mut Vec<RankLanes<N>>) {
    into.clear();
    let some = rows.iter().enumerate().filter(|(_, lanes)| !lanes.is_empty());
    into.extend(some.map(|(rank, &lanes)| (rank as u32, lanes)));
}

/// Empties the rows of these blocks.
pub(crate) fn clear<const N: usize>(chunks: Chunks, rows: &mut [Row<N>], blocks: &BitSlice) {
    let tables = rows.par_chunks_mut(chunks.chunk_rows()).enumerate();
    tables.for_each(|(chunk, rows)| {
        for i in blocks[chunks.blocks_of(chunk)].iter_ones() {
            rows[i * chunks.block_rows..][..chunks.block_rows].fill(Row::EMPTY);
        }
    });
}

impl<'f, const N: usize> RowMoves<'f, N> {
    /// Goes through the blocks' sets of attackers.
    pub(crate) fn walker(&self) -> Walker<'f> {
        Walker::new(self.frame.attackers.sets())
    }
}
