//! Moves that capture nothing, for whole blocks at once.

use crate::game::board::{SquareSet, Symmetry};
use crate::game::rules::Side;
use crate::index::colex_next;

use crate::solve::captures::by_attackers::attacker_moves;
use crate::solve::captures::by_defenders::Arrivals;
use crate::solve::frame::block_lookup::Target;
use crate::solve::frame::lines::LineBuffers;
use crate::solve::frame::region::Region;
use crate::solve::frame::{Block, Frame};
use crate::solve::rows::numbers::{BlockNumber, Rank};
use crate::solve::rows::row::{Lanes, Row, Wide};
use crate::solve::rows::simd::{self, Kernel, Processor};
use crate::solve::rows::transform::Transform;
use crate::system::prefetch::prefetch_all;

/// The moves of whole blocks; room to work in is kept from block to block.
pub(crate) struct BlockMoves<'f, const N: usize> {
    frame: &'f Frame<'f, N>,
    lanes: Vec<Row<N>>,
    /// Rows of `lanes` before an attacker's captures were taken out.
    before: Vec<(Rank, Row<N>)>,
    /// By defender rank: where the king may arrive.
    ends: Vec<Row<N>>,
    ranks: Vec<Rank>,
    quiet: Vec<Row<N>>,
    lines: LineBuffers<N>,
}

/// A set of positions of the slice: for every row the lanes in it, or those not
/// in it. Only what a move can arrive at is ever looked at, so that lanes
/// without positions do not matter.
#[derive(Clone, Copy)]
pub(crate) struct Targets<'a, const N: usize> {
    /// The rows of some consecutive blocks: no move leads elsewhere.
    pub rows: &'a [Row<N>],
    /// The first of those blocks.
    pub first_block: BlockNumber,
    pub complement: bool,
    /// By place among those blocks: whether there is anything; `None`: all may have.
    pub blocks: Option<&'a bitvec::slice::BitSlice>,
}

impl<'a, const N: usize> Targets<'a, N> {
    /// The rows of a block that is among them.
    pub(crate) fn rows_of(&self, block: BlockNumber, block_rows: usize) -> &'a [Row<N>] {
        &self.rows[(block.index() - self.first_block.index()) * block_rows..][..block_rows]
    }

    /// What is in a row of the only block.
    #[inline(always)]
    fn get(&self, rank: Rank) -> Row<N> {
        let lanes = self.rows[rank.index()];
        if self.complement { !lanes } else { lanes }
    }

    /// What is in a block, `None` if nothing is.
    #[inline]
    fn of_block(&self, block: BlockNumber, block_rows: usize) -> Option<Self> {
        let place = block.index() - self.first_block.index();
        if self.blocks.is_some_and(|blocks| !blocks[place]) {
            return None;
        }
        let rows = self.rows_of(block, block_rows);
        Some(Targets { rows, first_block: block, blocks: None, ..*self })
    }
}

impl<'f, const N: usize> BlockMoves<'f, N> {
    /// How many rows it has for each row of a block, about: `lanes`, `ends` and `before`,
    /// which has ranks, too.
    pub(crate) const BLOCK_ROWS: usize = 4;

    /// For a slice.
    pub(crate) fn new(frame: &'f Frame<'f, N>) -> BlockMoves<'f, N> {
        BlockMoves {
            frame,
            lanes: Vec::new(),
            before: Vec::new(),
            ends: Vec::new(),
            ranks: Vec::new(),
            quiet: Vec::new(),
            lines: frame.defender_lines.buffers(),
        }
    }

    /// Takes out of `sought`, by defender rank, the lanes of the block from which
    /// `side` has a move that captures nothing and leads to a target. Lanes that
    /// are not sought cost little.
    pub(crate) fn quiet_moves(
        &mut self,
        side: Side,
        block: &Block<N>,
        targets: Targets<N>,
        sought: &mut [Row<N>],
    ) {
        match side {
            Side::Attackers => self.quiet_attackers(block, targets, sought),
            Side::Defenders => {
                let Some(own) = targets.of_block(block.number, self.frame.block_rows()) else {
                    return;
                };
                let arrivals = Arrivals::new(self.frame, block.attackers);
                self.quiet_king(block, own, &arrivals, sought);
                self.defender_moves(block, own, Some(&arrivals), sought);
            }
        }
    }

    fn quiet_attackers(&mut self, block: &Block<N>, targets: Targets<N>, sought: &mut [Row<N>]) {
        let BlockMoves { frame, lanes, before, .. } = self;
        let frame = *frame;
        let wanted = |_, after| {
            let target = frame.attackers.target(after);
            Some((target, targets.of_block(target.block, frame.block_rows())?))
        };
        attacker_moves(frame, block, lanes, wanted, |(target, theirs), mv, lanes| {
            before.clear();
            mv.take_captures(frame, lanes, before);
            let captures = before.len();
            for rank in mv.shielded_ranks(frame) {
                let lanes = &mut lanes[rank.index()];
                if !lanes.is_empty() {
                    before.push((rank, std::mem::replace(lanes, Row::EMPTY)));
                }
            }
            pull(frame, theirs, target, lanes, mv.king_passed | mv.king_captured, sought);
            for &(rank, lanes) in &before[captures..] {
                let sought = &mut sought[rank.index()];
                let asked = (*sought & lanes).without(mv.king_passed);
                if !asked.is_empty() {
                    let asked = asked.without(mv.captures_of_king(frame, rank));
                    *sought = sought.without(reached(frame, theirs, target, rank, asked));
                }
            }
            for &(rank, was) in before.iter().rev() {
                lanes[rank.index()] = was;
            }
        });
    }

    /// Takes out of `sought`, by rank, the lanes from which a defending soldier
    /// has a move to one of the block's targets: one that captures nothing if
    /// the `arrivals` are given, otherwise any.
    pub(crate) fn defender_moves(
        &mut self,
        block: &Block<N>,
        targets: Targets<N>,
        arrivals: Option<&Arrivals<N>>,
        sought: &mut [Row<N>],
    ) {
        let BlockMoves { frame, ranks, quiet, lines: buffers, .. } = self;
        let (lines, places) = (&frame.defender_lines, &frame.defenders.squares);
        for_missing_defender(frame, block, ranks, |others, occupied, ranks| {
            let rows = || places.iter().zip(ranks).filter(|&(&s, _)| !occupied.contains(s));
            if rows().all(|(_, &rank)| sought[rank.index()].is_empty()) {
                return;
            }
            if let Some(arrivals) = arrivals {
                arrivals.beside(frame, others, quiet);
            }
            buffers.clear();
            let mut any = false;
            for (&square, &rank) in rows() {
                let lanes = targets.get(rank) & block.valid[rank.index()];
                if lanes.is_empty() {
                    continue;
                }
                any = true;
                let quiet = arrivals.map_or(!Row::EMPTY, |_| quiet[square.index()]);
                lines.put_target(buffers, square, lanes & quiet);
            }
            if !any {
                return;
            }
            lines.reach(occupied, buffers);
            for (&square, &rank) in rows() {
                let sought = &mut sought[rank.index()];
                *sought = sought.without(lines.reached(buffers, square));
            }
        });
    }

    fn quiet_king(
        &mut self,
        block: &Block<N>,
        targets: Targets<N>,
        arrivals: &Arrivals<N>,
        sought: &mut [Row<N>],
    ) {
        let BlockMoves { frame, ends, .. } = self;
        ends.clear();
        let valid = frame.defenders.ranks().zip(&block.valid);
        ends.extend(valid.map(|(rank, &valid)| targets.get(rank) & valid & arrivals.king));
        arrivals.take_helped(frame, ends);
        let (region, men) = (&frame.region, &frame.defenders.lanes);
        simd::run(KingMoves { region, ends, free: block.free, men, sought });
    }
}

/// One attacker move for all sets of defenders, to the targets' block.
fn pull<const N: usize>(
    frame: &Frame<N>,
    theirs: Targets<N>,
    target: Target,
    legal: &[Row<N>],
    except: Row<N>,
    sought: &mut [Row<N>],
) {
    simd::run(Pull {
        theirs: theirs.rows,
        complement: if theirs.complement { !Row::EMPTY } else { Row::EMPTY },
        images: frame.defenders.images(target.symmetry),
        transform: (target.back != Symmetry::IDENTITY)
            .then(|| frame.region.transforms.of(target.back)),
        legal,
        except,
        sought,
    });
    for row in legal.len() / Wide::<N>::ROWS * Wide::<N>::ROWS..legal.len() {
        let asked = (sought[row] & legal[row]).without(except);
        if !asked.is_empty() {
            let reached = reached(frame, theirs, target, Rank::new(row), asked);
            sought[row] = sought[row].without(reached);
        }
    }
}

/// The lanes of one row that one attacker move brings to a target.
fn reached<const N: usize>(
    frame: &Frame<N>,
    theirs: Targets<N>,
    target: Target,
    rank: Rank,
    asked: Row<N>,
) -> Row<N> {
    let there = theirs.get(frame.defenders.images(target.symmetry)[rank.index()]);
    frame.region.transform(target.back, there) & asked
}

/// Calls `visit` for every set of one defender fewer that leaves the
/// attackers alone: its places, the occupied squares, and the ranks of the sets
/// with one more man, by his place. `ranks` is room for these.
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

/// The innermost loop: takes out of `sought` what one attacker move brings to a
/// target, for all sets of defenders but those behind the last eight.
struct Pull<'a, const N: usize> {
    /// The rows of the block that the move leads to, each to be xored with
    /// `complement`.
    theirs: &'a [Row<N>],
    complement: Row<N>,
    /// For every row, which of them it is.
    images: &'a [Rank],
    /// What brings their lanes back; `None`: both are as they are.
    transform: Option<&'a Transform<N>>,
    /// On these lanes, but on the exceptions, the move is one.
    legal: &'a [Row<N>],
    except: Row<N>,
    sought: &'a mut [Row<N>],
}

impl<const N: usize> Kernel for Pull<'_, N> {
    #[inline(always)]
    fn run(self, processor: impl Processor) {
        const ROWS: usize = Wide::<1>::ROWS;
        prefetch_all(self.theirs);
        let except = Wide::all(self.except);
        let complement = Wide::all(self.complement);
        let eights = self.legal.as_chunks::<ROWS>().0.iter().enumerate();
        for ((i, legal), sought) in eights.zip(self.sought.as_chunks_mut::<ROWS>().0) {
            let seeking = Wide::of(sought);
            let asked = (seeking & Wide::of(legal)).without(except);
            if asked.is_empty() {
                continue;
            }
            let there = match self.transform {
                None => Wide::of(&self.theirs.as_chunks::<ROWS>().0[i]),
                Some(transform) => {
                    let ranks = &self.images.as_chunks::<ROWS>().0[i];
                    processor.transform_all(transform, Wide::gather(self.theirs, ranks))
                }
            };
            *sought = seeking.without((there ^ complement) & asked).rows();
        }
    }
}

/// Takes out of `sought` the lanes from which the king goes to one of the
/// `ends`, row by row.
struct KingMoves<'a, const N: usize> {
    region: &'a Region<N>,
    ends: &'a [Row<N>],
    /// What the attackers leave free.
    free: Row<N>,
    /// What the defenders take.
    men: &'a [Row<N>],
    sought: &'a mut [Row<N>],
}

impl<const N: usize> Kernel for KingMoves<'_, N> {
    #[inline(always)]
    fn run(self, _: impl Processor) {
        let free = Wide::all(self.free);
        let rows = self.sought.chunks_mut(Wide::<N>::ROWS).zip(self.ends.chunks(Wide::<N>::ROWS));
        for ((sought, ends), men) in rows.zip(self.men.chunks(Wide::<N>::ROWS)) {
            let (seeking, ends) = (Wide::load(sought), Wide::load(ends));
            if seeking.is_empty() || ends.is_empty() {
                continue;
            }
            let origins = self.region.king_origins(ends, free.without(Wide::load(men)));
            seeking.without(origins).store(sought);
        }
    }
}
