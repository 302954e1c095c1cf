//! What the king can do at once, whatever he captures: escape, or nothing at all.

use crate::game::board::{Direction, Square, SquareSet};
use crate::game::rules::Kind;

use crate::solve::frame::defender_sets::DefenderSets;
use crate::solve::frame::region::Region;
use crate::solve::frame::{Block, Frame};
use crate::solve::initial::seeds::ImmediateMoves;
use crate::solve::rows::numbers::Rank;
use crate::solve::rows::row::{Lanes, Row, Wide};
use crate::solve::rows::simd::{self, Kernel, Processor};

/// The king's immediate, with the goals that each defender shuts by standing there.
pub(super) struct KingOptions<'a, const N: usize> {
    frame: &'a Frame<'a, N>,
    /// By square and direction: lanes from which one step leads to the square, if it is a
    /// goal; `None` if goals are closed to defenders.
    blocked_by: Option<Vec<[Row<N>; 4]>>,
}

impl<'a, const N: usize> KingOptions<'a, N> {
    /// For the frame's slice.
    pub(super) fn new(frame: &'a Frame<'a, N>) -> KingOptions<'a, N> {
        let rules = frame.rules;
        let blocked_by = rules.goals.meets(rules.places(Kind::Defender)).then(|| {
            let blocked = |square: Square| before_goals(&frame.region, SquareSet::of(square));
            rules.board.squares().map(blocked).collect()
        });
        KingOptions { frame, blocked_by }
    }

    /// Adds where he escapes to what is decisive, and keeps of the stalemates those where
    /// he has no move.
    pub(super) fn add(&self, block: &Block<N>, immediate: &mut ImmediateMoves<N>) {
        simd::run(KingOptionsKernel {
            region: &self.frame.region,
            defenders: &self.frame.defenders,
            blocked: before_goals(&self.frame.region, block.attackers),
            blocked_by: self.blocked_by.as_deref(),
            free: block.free,
            valid: &block.valid,
            immediate,
        });
    }
}

/// By direction: lanes from which one step leads to one of these squares, if it is a goal.
fn before_goals<const N: usize>(region: &Region<N>, squares: SquareSet) -> [Row<N>; 4] {
    Direction::ALL.map(|direction| region.before_goals(direction, squares))
}

/// The lanes of positions on which the king escapes, and those on which he has no move;
/// `blocked` as in [`Region::escapes`].
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

/// All rows of a block.
struct KingOptionsKernel<'a, const N: usize> {
    region: &'a Region<N>,
    defenders: &'a DefenderSets<N>,
    /// What the attackers blocked.
    blocked: [Row<N>; 4],
    /// By square: what a defender shuts there.
    blocked_by: Option<&'a [[Row<N>; 4]]>,
    /// What the attackers leave free.
    free: Row<N>,
    valid: &'a [Row<N>],
    immediate: &'a mut ImmediateMoves<N>,
}

impl<const N: usize> KingOptionsKernel<'_, N> {
    /// What defenders of eight rows from `first` on blocked.
    #[inline(always)]
    fn blocked(&self, blocked_by: &[[Row<N>; 4]], first: usize) -> [Wide<N>; 4] {
        let mut rows = [[Row::EMPTY; Wide::<1>::ROWS]; 4];
        let last = self.valid.len().min(first + Wide::<1>::ROWS);
        for rank in first..last {
            for &place in self.defenders.men(Rank::new(rank)) {
                let square = self.defenders.squares[usize::from(place)];
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
        let by_attackers = self.blocked.map(Wide::all);
        let step = Wide::<1>::ROWS;
        for first in (0..self.valid.len()).step_by(step) {
            let rows = first..self.valid.len().min(first + step);
            let valid = Wide::load(&self.valid[rows.clone()]);
            if valid.is_empty() {
                continue;
            }
            let mut blocked = by_attackers;
            if let Some(blocked_by) = self.blocked_by {
                let by_men = self.blocked(blocked_by, first);
                blocked = std::array::from_fn(|direction| blocked[direction] | by_men[direction]);
            }
            let men = Wide::load(&self.defenders.lanes[rows.clone()]);
            let free = Wide::all(self.free).without(men);
            let (escaped, stalemates) = escapes_and_stalemates(self.region, blocked, free, valid);
            let decisive = &mut self.immediate.decisive[rows.clone()];
            (Wide::load(decisive) | escaped).store(decisive);
            let left = &mut self.immediate.stalemates[rows];
            (Wide::load(left) & stalemates).store(left);
        }
    }
}
