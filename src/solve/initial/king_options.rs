//! The king's immediate results whatever it captures: an escape, or no move at all.

use crate::game::board::{SquareSet, array_of};
use crate::game::rules::Kind;

use crate::solve::frame::region::Region;
use crate::solve::frame::{Block, Frame};
use crate::solve::initial::seeds::ImmediateMoves;
use crate::solve::rows::numbers::Rank;
use crate::solve::rows::row::{Lanes, Row, WIDE_ROWS, Wide};
use crate::solve::rows::simd::{self, Kernel, Processor};

/// Finds the king's escapes and stalemates; knows the goals that each defender blocks by standing
/// there.
pub(super) struct KingOptions<'a, const N: usize> {
    frame: &'a Frame<'a, N>,
    /// By square and direction: the lanes one step before the square, if it is a goal; `None` if
    /// goals are closed to defenders.
    blocked_by: Option<Vec<[Row<N>; 4]>>,
}

impl<'a, const N: usize> KingOptions<'a, N> {
    /// Prepares the frame's slice.
    pub(super) fn new(frame: &'a Frame<'a, N>) -> KingOptions<'a, N> {
        let rules = frame.rules;
        let blocked_by = rules.goals.meets(rules.places(Kind::Defender)).then(|| {
            rules
                .board
                .squares()
                .map(|square| frame.region.before_goals(SquareSet::of(square)))
                .collect()
        });
        KingOptions { frame, blocked_by }
    }

    /// Adds the escapes to the decisive lanes, and keeps of the stalemates those on which the king
    /// has no move.
    pub(super) fn add(&self, block: &Block<N>, immediate: &mut ImmediateMoves<N>) {
        simd::run(KingOptionsKernel {
            frame: self.frame,
            blocked: self.frame.region.before_goals(block.attackers),
            blocked_by: self.blocked_by.as_deref(),
            free: block.free,
            valid: &block.valid,
            immediate,
        });
    }
}

/// Returns the lanes on which the king escapes, and those on which it has no move; `blocked` as in
/// [`Region::escapes`].
#[inline(always)]
pub(super) fn escapes_and_stalemates<const N: usize>(
    region: &Region<N>,
    blocked: [Wide<N>; 4],
    free: Wide<N>,
    valid: Wide<N>,
) -> (Wide<N>, Wide<N>) {
    let escaped = region.escapes(blocked, free) & valid;
    (escaped, valid.without(escaped | region.king_origins(valid, free)))
}

/// Finds the results in all rows of a block.
struct KingOptionsKernel<'a, const N: usize> {
    frame: &'a Frame<'a, N>,
    /// The lanes before goals that the attackers block.
    blocked: [Row<N>; 4],
    /// By square: the lanes before goals that a defender there blocks.
    blocked_by: Option<&'a [[Row<N>; 4]]>,
    /// The lanes that the attackers leave free.
    free: Row<N>,
    valid: &'a [Row<N>],
    immediate: &'a mut ImmediateMoves<N>,
}

impl<const N: usize> KingOptionsKernel<'_, N> {
    /// Returns the lanes before goals that the defenders of eight rows, from `first` on, block.
    #[inline(always)]
    fn blocked(&self, blocked_by: &[[Row<N>; 4]], first: usize) -> [Wide<N>; 4] {
        let mut rows = [[Row::EMPTY; WIDE_ROWS]; 4];
        let last = self.valid.len().min(first + WIDE_ROWS);
        for rank in first..last {
            for &place in self.frame.defenders.men(Rank::new(rank)) {
                let square = self.frame.defenders.squares[usize::from(place)];
                for (rows, blocked) in rows.iter_mut().zip(blocked_by[square.index()]) {
                    rows[rank - first] |= blocked;
                }
            }
        }
        rows.map(|rows| Wide::load(&rows))
    }
}

impl<const N: usize> Kernel for KingOptionsKernel<'_, N> {
    #[inline(always)]
    fn run(self, _: impl Processor) {
        let by_attackers = self.blocked.map(Wide::splat);
        let step = WIDE_ROWS;
        for first in (0..self.valid.len()).step_by(step) {
            let rows = first..self.valid.len().min(first + step);
            let valid = Wide::load(&self.valid[rows.clone()]);
            if valid.is_empty() {
                continue;
            }
            let mut blocked = by_attackers;
            if let Some(blocked_by) = self.blocked_by {
                let by_men = self.blocked(blocked_by, first);
                blocked = array_of(|direction| blocked[direction] | by_men[direction]);
            }
            let men = Wide::load(&self.frame.defender_lanes[rows.clone()]);
            let free = Wide::splat(self.free).without(men);
            let (escaped, stalemates) =
                escapes_and_stalemates(&self.frame.region, blocked, free, valid);
            let decisive = &mut self.immediate.decisive[rows.clone()];
            (Wide::load(decisive) | escaped).store(decisive);
            let left = &mut self.immediate.stalemates[rows];
            (Wide::load(left) & stalemates).store(left);
        }
    }
}
