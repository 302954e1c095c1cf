//! Quiet moves, for whole blocks at once.

use crate::game::board::{SquareSet, Symmetry};
use crate::game::rules::Side;
use crate::index::colex_next;

use crate::solve::captures::by_attackers::attacker_moves;
use crate::solve::captures::by_defenders::QuietArrivals;
use crate::solve::frame::block_lookup::BlockLocation;
use crate::solve::frame::lines::LineBuffers;
use crate::solve::frame::region::Region;
use crate::solve::frame::{Block, Frame};
use crate::solve::rows::numbers::{BlockNumber, Rank};
use crate::solve::rows::row::{Lanes, Row, WIDE_ROWS, Wide};
use crate::solve::rows::simd::{self, Kernel, Processor};
use crate::solve::rows::transform::Transform;
use crate::system::prefetch::prefetch_all;

/// The moves of whole blocks; buffers are kept from block to block.
pub(crate) struct BlockMoves<'f, const N: usize> {
    frame: &'f Frame<'f, N>,
    lanes: Vec<Row<N>>,
    /// Old values of rows of `lanes`, to be restored after an attacker move.
    saved: Vec<(Rank, Row<N>)>,
    /// By defender rank: the lanes where the king may arrive.
    ends: Vec<Row<N>>,
    ranks: Vec<Rank>,
    quiet: Vec<Row<N>>,
    lines: LineBuffers<N>,
}

/// A set of positions of the slice, given for every row by the lanes in it or, with `complement`,
/// by the lanes not in it. Only destinations of moves are looked up, so lanes without positions do
/// not matter.
#[derive(Clone, Copy)]
pub(crate) struct TargetSet<'a, const N: usize> {
    /// The rows of some consecutive blocks; moves stay within these.
    pub rows: &'a [Row<N>],
    /// The first of those blocks.
    pub first_block: BlockNumber,
    /// Whether `rows` has the lanes that are not in the set.
    pub complement: bool,
    /// By offset among those blocks: whether the block has any position of the set; `None` if
    /// unknown.
    pub blocks: Option<&'a bitvec::slice::BitSlice>,
}

impl<'a, const N: usize> TargetSet<'a, N> {
    /// Returns the rows of one of the blocks.
    pub(crate) fn rows_of(&self, block: BlockNumber, block_rows: usize) -> &'a [Row<N>] {
        &self.rows[(block.index() - self.first_block.index()) * block_rows..][..block_rows]
    }

    /// Returns the lanes of a row, if there is only one block.
    #[inline(always)]
    fn get(&self, rank: Rank) -> Row<N> {
        let lanes = self.rows[rank.index()];
        if self.complement { !lanes } else { lanes }
    }

    /// Returns the set restricted to a block; `None` if it is empty.
    #[inline]
    fn of_block(&self, block: BlockNumber, block_rows: usize) -> Option<Self> {
        let place = block.index() - self.first_block.index();
        if self.blocks.is_some_and(|blocks| !blocks[place]) {
            return None;
        }
        let rows = self.rows_of(block, block_rows);
        Some(TargetSet { rows, first_block: block, blocks: None, ..*self })
    }
}

/// The approximate number of rows in [`BlockMoves`] for each row of a block: `lanes`, `ends` and
/// `saved`, which also has ranks.
pub(crate) const BLOCK_ROWS: usize = 4;

impl<'f, const N: usize> BlockMoves<'f, N> {
    /// Creates the buffers for a slice.
    pub(crate) fn new(frame: &'f Frame<'f, N>) -> BlockMoves<'f, N> {
        BlockMoves {
            frame,
            lanes: Vec::new(),
            saved: Vec::new(),
            ends: Vec::new(),
            ranks: Vec::new(),
            quiet: Vec::new(),
            lines: frame.defender_lines.buffers(),
        }
    }

    /// Removes from `remaining`, by defender rank, the lanes of the block on which `side` has a
    /// quiet move to a target. Lanes that are not in `remaining` cost little.
    pub(crate) fn quiet_moves(
        &mut self,
        side: Side,
        block: &Block<N>,
        targets: TargetSet<N>,
        remaining: &mut [Row<N>],
    ) {
        match side {
            Side::Attackers => self.quiet_attackers(block, targets, remaining),
            Side::Defenders => {
                let Some(own) = targets.of_block(block.number, self.frame.block_rows()) else {
                    return;
                };
                let arrivals = QuietArrivals::new(self.frame, block.attackers);
                self.quiet_king(block, own, &arrivals, remaining);
                self.defender_moves(block, own, Some(&arrivals), remaining);
            }
        }
    }

    fn quiet_attackers(
        &mut self,
        block: &Block<N>,
        targets: TargetSet<N>,
        remaining: &mut [Row<N>],
    ) {
        let frame = self.frame;
        let BlockMoves { lanes, saved, .. } = self;
        attacker_moves(
            frame,
            block,
            lanes,
            |_, after| {
                let target = frame.attackers.locate(after);
                Some((target, targets.of_block(target.block, frame.block_rows())?))
            },
            |(target, target_rows), mv, lanes| {
                saved.clear();
                mv.remove_captures(frame, lanes, saved);
                // The kernel applies one mask to all rows, so rows in which defenders may decide
                // whether the king is captured are taken out and handled one by one.
                let captures = saved.len();
                for rank in mv.shielded_ranks(frame) {
                    let row = &mut lanes[rank.index()];
                    if !row.is_empty() {
                        saved.push((rank, std::mem::replace(row, Row::EMPTY)));
                    }
                }
                let except = mv.king_in_way | mv.king_captured;
                pull(frame, target_rows, target, lanes, except, remaining);
                for &(rank, lanes) in &saved[captures..] {
                    let left = &mut remaining[rank.index()];
                    let movable = (*left & lanes).without(mv.king_in_way);
                    if !movable.is_empty() {
                        let quiet = movable.without(mv.king_captures(frame, rank));
                        *left = left.without(reached(frame, target_rows, target, rank, quiet));
                    }
                }
                // In reverse, since a row may have been saved twice.
                for &(rank, was) in saved.iter().rev() {
                    lanes[rank.index()] = was;
                }
            },
        );
    }

    /// Removes from `remaining`, by rank, the lanes on which a defending soldier has a move to one
    /// of the block's targets: a quiet move if `arrivals` are given, otherwise any.
    pub(crate) fn defender_moves(
        &mut self,
        block: &Block<N>,
        targets: TargetSet<N>,
        arrivals: Option<&QuietArrivals<N>>,
        remaining: &mut [Row<N>],
    ) {
        let BlockMoves { frame, ranks, quiet, lines: buffers, .. } = self;
        let (lines, places) = (&frame.defender_lines, &frame.defenders.squares);
        for_missing_defender(frame, block, ranks, |others, occupied, ranks| {
            let rows = places.iter().zip(ranks).filter(|&(&s, _)| !occupied.contains(s));
            if rows.clone().all(|(_, &rank)| remaining[rank.index()].is_empty()) {
                return;
            }
            if let Some(arrivals) = arrivals {
                arrivals.beside_defenders(frame, others, quiet);
            }
            buffers.clear();
            let mut any = false;
            for (&square, &rank) in rows.clone() {
                let lanes = targets.get(rank) & block.valid[rank.index()];
                if lanes.is_empty() {
                    continue;
                }
                any = true;
                let allowed = arrivals.map_or(!Row::EMPTY, |_| quiet[square.index()]);
                lines.put_target(buffers, square, lanes & allowed);
            }
            if !any {
                return;
            }
            lines.reach(occupied, buffers);
            for (&square, &rank) in rows {
                let left = &mut remaining[rank.index()];
                *left = left.without(lines.reached(buffers, square));
            }
        });
    }

    fn quiet_king(
        &mut self,
        block: &Block<N>,
        targets: TargetSet<N>,
        arrivals: &QuietArrivals<N>,
        remaining: &mut [Row<N>],
    ) {
        let BlockMoves { frame, ends, .. } = self;
        ends.clear();
        let valid = frame.defenders.ranks().zip(&block.valid);
        ends.extend(valid.map(|(rank, &valid)| targets.get(rank) & valid & arrivals.king));
        arrivals.remove_assisted(frame, ends);
        let (region, men) = (&frame.region, &frame.defender_lanes);
        simd::run(KingMovesKernel { region, ends, free: block.free, men, remaining });
    }
}

/// Takes one attacker move for all sets of defenders, to the targets' block.
fn pull<const N: usize>(
    frame: &Frame<N>,
    target_rows: TargetSet<N>,
    target: BlockLocation,
    legal: &[Row<N>],
    except: Row<N>,
    remaining: &mut [Row<N>],
) {
    simd::run(PullKernel {
        target_rows: target_rows.rows,
        complement: if target_rows.complement { !Row::EMPTY } else { Row::EMPTY },
        images: frame.defenders.images(target.symmetry),
        transform: (target.inverse != Symmetry::IDENTITY)
            .then(|| frame.region.transforms.of(target.inverse)),
        legal,
        except,
        remaining,
    });
    // The kernel leaves the rows after the last full group of eight.
    for row in legal.len() / WIDE_ROWS * WIDE_ROWS..legal.len() {
        let candidates = (remaining[row] & legal[row]).without(except);
        if !candidates.is_empty() {
            let origins = reached(frame, target_rows, target, Rank::new(row), candidates);
            remaining[row] = remaining[row].without(origins);
        }
    }
}

/// Returns the lanes of one row from which one attacker move reaches a target.
fn reached<const N: usize>(
    frame: &Frame<N>,
    target_rows: TargetSet<N>,
    target: BlockLocation,
    rank: Rank,
    candidates: Row<N>,
) -> Row<N> {
    let targets = target_rows.get(frame.defenders.images(target.symmetry)[rank.index()]);
    frame.region.transform(target.inverse, targets) & candidates
}

/// Calls `visit` for every set of one defender fewer that does not overlap the attackers, with its
/// places, the occupied squares, and the ranks of the sets with one more man, by that man's place.
/// `ranks` is a buffer.
pub(crate) fn for_missing_defender<const N: usize>(
    frame: &Frame<N>,
    block: &Block<N>,
    ranks: &mut Vec<Rank>,
    mut visit: impl FnMut(&[usize], SquareSet, &[Rank]),
) {
    let Some(fewer) = frame.slice.defenders.checked_sub(1) else {
        return;
    };
    let squares = &frame.defenders.squares;
    let mut others: Vec<usize> = (0..fewer).collect();
    loop {
        let mut occupied = block.attackers;
        occupied.extend(others.iter().map(|&place| squares[place]));
        if occupied.len() == block.attackers.len() + fewer {
            frame.defenders.ranks_with(&others, ranks);
            visit(&others, occupied, ranks);
        }
        if !colex_next(&mut others, squares.len()) {
            return;
        }
    }
}

/// The innermost loop: removes from `remaining` the lanes from which one attacker move reaches a
/// target, for all full groups of eight sets of defenders.
struct PullKernel<'a, const N: usize> {
    /// The rows of the block to which the move leads, each to be xored with `complement`.
    target_rows: &'a [Row<N>],
    complement: Row<N>,
    /// For every row, the rank of its image in that block.
    images: &'a [Rank],
    /// The permutation that brings those lanes back; `None` for the identity.
    transform: Option<&'a Transform<N>>,
    /// The lanes on which the move is legal, apart from the exceptions.
    legal: &'a [Row<N>],
    except: Row<N>,
    remaining: &'a mut [Row<N>],
}

impl<const N: usize> Kernel for PullKernel<'_, N> {
    #[inline(always)]
    fn run(self, processor: impl Processor) {
        // Target blocks follow no order that the processor could predict.
        prefetch_all(self.target_rows);
        let except = Wide::splat(self.except);
        let complement = Wide::splat(self.complement);
        let eights = self.legal.as_chunks::<WIDE_ROWS>().0.iter().enumerate();
        for ((i, legal), remaining) in eights.zip(self.remaining.as_chunks_mut::<WIDE_ROWS>().0) {
            let unresolved = Wide::of(remaining);
            let candidates = (unresolved & Wide::of(legal)).without(except);
            if candidates.is_empty() {
                continue;
            }
            let targets = match self.transform {
                None => Wide::of(&self.target_rows.as_chunks::<WIDE_ROWS>().0[i]),
                Some(transform) => {
                    let ranks = &self.images.as_chunks::<WIDE_ROWS>().0[i];
                    processor.transform_wide(transform, Wide::gather(self.target_rows, ranks))
                }
            };
            *remaining = unresolved.without((targets ^ complement) & candidates).rows();
        }
    }
}

/// Removes from `remaining` the lanes from which the king reaches one of the `ends`, row by row.
struct KingMovesKernel<'a, const N: usize> {
    region: &'a Region<N>,
    ends: &'a [Row<N>],
    /// The lanes that the attackers leave free.
    free: Row<N>,
    /// The lanes that the defenders occupy.
    men: &'a [Row<N>],
    remaining: &'a mut [Row<N>],
}

impl<const N: usize> Kernel for KingMovesKernel<'_, N> {
    #[inline(always)]
    fn run(self, _: impl Processor) {
        let free = Wide::splat(self.free);
        let rows = self.remaining.chunks_mut(WIDE_ROWS).zip(self.ends.chunks(WIDE_ROWS));
        for ((remaining, ends), men) in rows.zip(self.men.chunks(WIDE_ROWS)) {
            let (unresolved, ends) = (Wide::load(remaining), Wide::load(ends));
            if unresolved.is_empty() || ends.is_empty() {
                continue;
            }
            let origins = self.region.king_origins(ends, free.without(Wide::load(men)));
            unresolved.without(origins).store(remaining);
        }
    }
}
