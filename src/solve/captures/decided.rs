//! Positions that the side to move decides at once, for all rows of a block:
//! [`dont_care::decided`](crate::dont_care::decided) by rows.

use crate::game::board::SquareSet;
use crate::game::rules::{Kind, Side};
use crate::index::Walker;
use crate::table::dont_care::KingThreats;

use crate::solve::captures::by_attackers::attacker_moves;
use crate::solve::frame::wide_lines::{WideSquare, set_men};
use crate::solve::frame::{Block, Frame};
use crate::solve::rows::numbers::{BlockNumber, Rank};
use crate::solve::rows::row::{Lanes, Row, WIDE_ROWS, Wide};
use crate::solve::rows::simd::{self, Kernel, Processor};

/// Finds the decided positions; keeps its buffers from block to block.
#[derive(Clone, Debug, Default)]
pub(crate) struct Decider<const N: usize> {
    lanes: Vec<Row<N>>,
    saved: Vec<(Rank, Row<N>)>,
    /// The captures of the bare king in eight consecutive blocks, with the number of the first one.
    bare_kings: Option<(usize, Wide<N>)>,
    squares: Vec<WideSquare<N>>,
}

impl<const N: usize> Decider<N> {
    /// Computes, by defender rank, the lanes on which the side to move captures the king or escapes
    /// with it. `walker` goes through the frame's blocks.
    pub(crate) fn find(
        &mut self,
        frame: &Frame<N>,
        walker: &mut Walker,
        block: &Block<N>,
        to_move: Side,
        decided: &mut Vec<Row<N>>,
    ) {
        decided.clear();
        decided.resize(frame.block_rows(), Row::EMPTY);
        match to_move {
            Side::Attackers if frame.slice.defenders == 0 => {
                decided[0] = self.bare_king_captures_cached(frame, walker, block.number);
            }
            Side::Attackers => self.king_captures(frame, block, decided),
            Side::Defenders => {
                // Most rulesets close goals to defenders, and then one set serves all rows.
                let by_attackers = frame.region.before_goals(block.attackers);
                let open_to_men = frame.rules.goals.meets(frame.rules.places(Kind::Defender));
                for (rank, decided) in frame.defenders.ranks().zip(decided) {
                    if !block.valid[rank.index()].is_empty() {
                        let blocked = if open_to_men {
                            let soldiers = block.attackers | frame.defenders.set(rank);
                            frame.region.before_goals(soldiers)
                        } else {
                            by_attackers
                        };
                        *decided = frame.region.escapes(blocked, frame.free(block, rank));
                    }
                }
            }
        }
    }

    /// Computes eight blocks at a time, since the next ones are needed soon.
    fn bare_king_captures_cached(
        &mut self,
        frame: &Frame<N>,
        walker: &mut Walker,
        number: BlockNumber,
    ) -> Row<N> {
        let (first, i) = (number.index() & !7, number.index() & 7);
        let found = match self.bare_kings {
            Some((known, found)) if known == first => found,
            _ => {
                let last = frame.blocks() - 1;
                let attackers = std::array::from_fn(|i| walker.set((first + i).min(last) as u64).0);
                bare_king_captures(frame, &attackers, &mut self.squares)
            }
        };
        self.bare_kings = Some((first, found));
        found.row(i)
    }

    fn king_captures(&mut self, frame: &Frame<N>, block: &Block<N>, decided: &mut [Row<N>]) {
        let threats = KingThreats::new(frame.rules, block.attackers);
        attacker_moves(
            frame,
            block,
            &mut self.lanes,
            |to, _| threats.any(to).then_some(()),
            |(), mv, lanes| mv.add_king_captures(frame, lanes, decided, &mut self.saved),
        );
    }
}

/// Returns the lanes on which an attacker captures a bare king, for eight sets of attackers: the
/// result of [`Decider::king_captures`] without defenders. `squares` is a buffer.
pub(crate) fn bare_king_captures<const N: usize>(
    frame: &Frame<N>,
    attackers: &[SquareSet; WIDE_ROWS],
    squares: &mut Vec<WideSquare<N>>,
) -> Wide<N> {
    squares.resize(frame.rules.board.area(), WideSquare::EMPTY);
    let mut decided = Wide::EMPTY;
    simd::run(BareKingKernel { frame, attackers, squares, decided: &mut decided });
    decided
}

struct BareKingKernel<'a, 'f, const N: usize> {
    frame: &'a Frame<'f, N>,
    attackers: &'a [SquareSet; WIDE_ROWS],
    /// By square of the board.
    squares: &'a mut [WideSquare<N>],
    decided: &'a mut Wide<N>,
}

impl<const N: usize> Kernel for BareKingKernel<'_, '_, N> {
    #[inline(always)]
    fn run(self, _: impl Processor) {
        let BareKingKernel { frame, attackers, squares, decided } = self;
        let places = frame.attackers.squares();
        set_men(squares, attackers);
        for &to in places {
            // The mover itself may count as one of the helpers: to come from another side of the
            // king it would have to pass the king.
            let captured = frame.king_captures.by_arrival_wide(squares, to);
            let square = &mut squares[to.index()];
            square.targets = captured.without(square.men.spread());
        }
        frame.attacker_lines.reach(squares);
        for from in places {
            let WideSquare { men, reached, .. } = squares[from.index()];
            *decided = *decided | reached & men.spread();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::rules::Ruleset;
    use crate::table::dont_care;

    fn check<const N: usize>(rules: &Ruleset, slice: &str) {
        let frame: Frame<N> = Frame::new(rules, slice.parse().unwrap()).unwrap();
        let (mut decider, mut decided) = (Decider::default(), Vec::new());
        for number in frame.block_numbers().step_by(1 + frame.blocks() / 100) {
            let block = frame.block(number);
            for side in Side::ALL {
                decider.find(&frame, &mut frame.walker(), &block, side, &mut decided);
                for (rank, &decided) in frame.defenders.ranks().zip(&decided) {
                    let valid = block.valid[rank.index()];
                    if valid.is_empty() {
                        continue;
                    }
                    let set = frame.defenders.set(rank);
                    let kings = dont_care::decided(rules, block.attackers, set, side);
                    assert_eq!(
                        decided & valid,
                        frame.region.row(kings) & valid,
                        "{slice} {side:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn rows_agree_with_single_placements() {
        for slice in ["K0v1", "K0v4", "K1v3", "K2v2"] {
            check::<1>(&Ruleset::builtin("brandubh").unwrap(), slice);
            check::<1>(&Ruleset::builtin("berkeley").unwrap(), slice);
            check::<2>(&Ruleset::builtin("tablut").unwrap(), slice);
        }
        for (name, slice) in [
            ("mini-edge", "K2v3"),
            ("mini-corner", "K1v4"),
            ("strange", "K2v3"),
            ("steps", "K2v3"),
            ("unarmed", "K0v4"),
            ("forts", "K4v1"),
            ("rings", "K1v6"),
        ] {
            let path = format!("{}/tests/rulesets/{name}.toml", env!("CARGO_MANIFEST_DIR"));
            check::<1>(&Ruleset::load(&path).unwrap(), slice);
        }
    }
}
