//! The immediate results of both sides while the king is bare, for eight blocks of one row.

use crate::game::board::{Direction, SquareSet};
use crate::game::rules::Kind;

use crate::solve::captures::decided::bare_king_captures;
use crate::solve::frame::wide_lines::WideSquare;
use crate::solve::frame::{Block, Frame};
use crate::solve::initial::king_options::escapes_and_stalemates;
use crate::solve::rows::row::{WIDE_ROWS, Wide, map_eight};
use crate::solve::rows::simd::{self, Kernel, Processor};

/// The immediate results, block by block.
#[derive(Clone, Copy, Debug)]
pub(super) struct BareKings<const N: usize> {
    /// The lanes on which the attackers, to move, capture the king.
    pub captured: Wide<N>,
    /// The lanes on which the king, to move, escapes.
    pub escaped: Wide<N>,
    /// The lanes on which the king has no move.
    pub stalemates: Wide<N>,
}

impl<const N: usize> BareKings<N> {
    /// Finds the results in up to eight blocks; `squares` is a buffer.
    pub(super) fn find(
        frame: &Frame<N>,
        blocks: &[Block<N>],
        squares: &mut Vec<WideSquare<N>>,
    ) -> BareKings<N> {
        let attackers = map_eight(blocks, |block| block.attackers);
        let captured = bare_king_captures(frame, &attackers, squares);
        let mut found = BareKings { captured, escaped: Wide::EMPTY, stalemates: Wide::EMPTY };
        simd::run(BareKingsKernel { frame, blocks, attackers: &attackers, found: &mut found });
        found
    }
}

struct BareKingsKernel<'a, 'f, const N: usize> {
    frame: &'a Frame<'f, N>,
    blocks: &'a [Block<N>],
    attackers: &'a [SquareSet; WIDE_ROWS],
    found: &'a mut BareKings<N>,
}

impl<const N: usize> Kernel for BareKingsKernel<'_, '_, N> {
    #[inline(always)]
    fn run(self, _: impl Processor) {
        let BareKingsKernel { frame, blocks, attackers, found } = self;
        let mut blocked = [Wide::EMPTY; 4];
        if frame.rules.goals.meets(frame.rules.places(Kind::Attacker)) {
            blocked = Direction::ALL.map(|direction| {
                Wide::of(&attackers.map(|men| frame.region.before_goals_in(direction, men)))
            });
        }
        let free = Wide::of(&map_eight(blocks, |block| block.free));
        let valid = Wide::of(&map_eight(blocks, |block| block.valid[0]));
        found.captured = found.captured & valid;
        (found.escaped, found.stalemates) =
            escapes_and_stalemates(&frame.region, blocked, free, valid);
    }
}
