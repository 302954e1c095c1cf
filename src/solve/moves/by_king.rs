//! The moves of a bare king. Blocks have one row then, and eight of them are processed at once.

use crate::game::board::{Square, SquareSet};
use crate::game::rules::{Ruleset, Side};
use crate::index::Walker;

use crate::solve::captures::soldiers::{Exposed, Soldiers, exposed};
use crate::solve::frame::Frame;
use crate::solve::rows::numbers::BlockNumber;
use crate::solve::rows::row::{Row, WIDE_ROWS, Wide};
use crate::solve::rows::simd::{self, Kernel, Processor};

/// The moves of a bare king.
pub(crate) struct KingRows<'f, const N: usize> {
    frame: &'f Frame<'f, N>,
    captures: Vec<Capture<N>>,
}

/// An attacker that the king can capture.
struct Capture<const N: usize> {
    attacker: Square,
    anvil: Square,
    /// Whether it is captured while the anvil is empty, and while another attacker is on it.
    captured: [bool; 2],
    /// The lane of the king's arrival.
    to: Row<N>,
}

impl<'f, const N: usize> KingRows<'f, N> {
    /// Collects the moves of a slice without defending soldiers.
    pub(crate) fn new(frame: &'f Frame<'f, N>) -> Option<KingRows<'f, N>> {
        let all = exposed(frame.rules).map(|exposed| Capture {
            attacker: exposed.attacker,
            anvil: exposed.anvil,
            captured: [false, true].map(|occupied| is_captured(frame.rules, exposed, occupied)),
            to: frame.region.bit(exposed.to),
        });
        let captures = all.filter(|capture| capture.captured != [false; 2]).collect();
        (frame.slice.defenders == 0).then_some(KingRows { frame, captures })
    }

    /// Returns the lanes on which the king, arriving there, captures none of these attackers.
    #[inline]
    pub(crate) fn quiet(&self, attackers: SquareSet) -> Row<N> {
        let mut quiet = !Row::EMPTY;
        for &Capture { attacker, anvil, captured, to } in &self.captures {
            if attackers.contains(attacker) && captured[usize::from(attackers.contains(anvil))] {
                quiet = quiet.without(to);
            }
        }
        quiet
    }

    /// Calls `visit` for each of these blocks, with the lanes from which the king has a quiet move
    /// to one of the given lanes.
    pub(crate) fn origins(
        &self,
        walker: &mut Walker,
        blocks: &[(BlockNumber, Row<N>)],
        visit: impl FnMut(BlockNumber, Row<N>),
    ) {
        simd::run(KingRowsKernel { of: self, walker, blocks, visit });
    }
}

/// Returns whether the king captures an exposed attacker, given whether another attacker is on the
/// anvil.
fn is_captured(rules: &Ruleset, exposed: Exposed, occupied: bool) -> bool {
    let Exposed { attacker, anvil, .. } = exposed;
    let mut soldiers = Soldiers { attackers: SquareSet::of(attacker), defenders: SquareSet::EMPTY };
    if occupied {
        soldiers.attackers.insert(anvil);
    }
    let victim = soldiers.victim(rules, Side::Attackers, attacker, anvil);
    victim.is_some_and(|victim| victim.without_king)
}

/// The loop of [`KingRows::origins`].
struct KingRowsKernel<'a, 'w, const N: usize, V> {
    of: &'a KingRows<'a, N>,
    walker: &'a mut Walker<'w>,
    blocks: &'a [(BlockNumber, Row<N>)],
    visit: V,
}

impl<const N: usize, V: FnMut(BlockNumber, Row<N>)> Kernel for KingRowsKernel<'_, '_, N, V> {
    #[inline(always)]
    fn run(mut self, _: impl Processor) {
        let region = &self.of.frame.region;
        for blocks in self.blocks.chunks(WIDE_ROWS) {
            let mut ends = [Row::EMPTY; WIDE_ROWS];
            let mut free = ends;
            for (i, &(number, lanes)) in blocks.iter().enumerate() {
                let (attackers, _) = self.walker.set(number.into());
                ends[i] = lanes & self.of.quiet(attackers);
                free[i] = !region.row(attackers);
            }
            let origins = region.king_origins(Wide::of(&ends), Wide::of(&free));
            for (i, &(number, _)) in blocks.iter().enumerate() {
                (self.visit)(number, origins.row(i));
            }
        }
    }
}
