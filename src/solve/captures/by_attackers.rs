//! The moves of attackers, for all rows of a block at once, and what they capture.

use crate::board::{Square, SquareSet};
use crate::rules::{Kind, Side};

use crate::solve::captures::soldiers::{Soldiers, Threat};
use crate::solve::frame::{Block, Frame};
use crate::solve::rows::row::Row;

/// One way to move an attacker, for all rows of a block at once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AttackerMove<const N: usize> {
    /// The square of arrival.
    pub to: Square,
    /// The attackers after the move.
    pub after: SquareSet,
    /// The lanes on which the king is in the way.
    pub king_passed: Row<N>,
    /// The lanes on which the move captures the king, if no defender matters.
    pub king_captured: Row<N>,
}

/// Visits every slide of an attacker that some row of the block allows and
/// that is `wanted`, by its end and the attackers after it. By defender rank, `lanes`
/// are then those on which the way is free of defenders; those on which the
/// king is in the way are the move's. A visit must leave `lanes` as it was.
pub(crate) fn attacker_moves<const N: usize, T>(
    frame: &Frame<N>,
    block: &Block<N>,
    lanes: &mut Vec<Row<N>>,
    mut wanted: impl FnMut(Square, SquareSet) -> Option<T>,
    mut visit: impl FnMut(T, AttackerMove<N>, &mut [Row<N>]),
) {
    lanes.clone_from(&block.valid);
    for from in block.attackers {
        let others = block.attackers.without(from);
        for ray in frame.rules.slides().from(Kind::Attacker, from) {
            // So much of the ray is closed to defenders in `lanes`.
            let mut closed = 0;
            let mut king_passed = Row::EMPTY;
            for (i, step) in ray.iter().enumerate() {
                let to = step.square;
                if others.contains(to) {
                    break;
                }
                king_passed |= frame.region.bit(to);
                let after = others.with(to);
                let Some(wanted) = step.ends.then(|| wanted(to, after)).flatten() else {
                    continue;
                };
                for &rank in ray[closed..=i].iter().flat_map(|s| frame.defenders.holding(s.square))
                {
                    lanes[rank as usize] = Row::EMPTY;
                }
                closed = i + 1;
                let soldiers = Soldiers { attackers: after, defenders: SquareSet::EMPTY };
                let king_captured = soldiers.captures_of_king(frame.rules, &frame.region, to);
                visit(wanted, AttackerMove { to, after, king_passed, king_captured }, lanes);
            }
            for &rank in ray[..closed].iter().flat_map(|s| frame.defenders.holding(s.square)) {
                lanes[rank as usize] = block.valid[rank as usize];
            }
        }
    }
}

impl<const N: usize> AttackerMove<N> {
    /// What the move threatens.
    pub(crate) fn threats<'f>(&self, frame: &'f Frame<N>) -> impl Iterator<Item = Threat> + 'f {
        Threat::by_arrival(frame.rules, Side::Attackers, self.after, self.to)
    }

    /// Takes out of `lanes`, by defender rank, those on which the move captures
    /// a defender; notes in `before` what they were.
    pub(crate) fn take_captures(
        &self,
        frame: &Frame<N>,
        lanes: &mut [Row<N>],
        before: &mut Vec<(u32, Row<N>)>,
    ) {
        for threat in self.threats(frame) {
            let quiet = [false, true].map(|backed| {
                threat.victim(backed).map_or(!Row::EMPTY, |victim| victim.quiet(&frame.region))
            });
            for &rank in frame.defenders.holding(threat.square) {
                let lanes = &mut lanes[rank as usize];
                if lanes.is_empty() {
                    continue;
                }
                before.push((rank, *lanes));
                *lanes &= quiet[usize::from(threat.is_backed(&frame.defenders, rank))];
            }
        }
    }

    /// The ranks of the rows on which defenders may change whether the move captures
    /// the king; a rank can come twice.
    pub(crate) fn shielded_ranks<'f>(&self, frame: &'f Frame<N>) -> impl Iterator<Item = u32> + 'f {
        let shields = shields_near(frame, self.to).iter();
        shields.flat_map(|square| frame.defenders.holding(square).iter().copied())
    }

    /// The lanes of a row on which the move captures the king.
    pub(crate) fn captures_of_king(&self, frame: &Frame<N>, rank: u32) -> Row<N> {
        let soldiers = Soldiers { attackers: self.after, defenders: frame.defenders.set(rank) };
        soldiers.captures_of_king(frame.rules, &frame.region, self.to)
    }

    /// Adds to `found`, by defender rank, those of the `lanes` with a free way on
    /// which the move captures the king. `before` is room to work in.
    pub(crate) fn add_captures_of_king(
        &self,
        frame: &Frame<N>,
        lanes: &[Row<N>],
        found: &mut [Row<N>],
        before: &mut Vec<(u32, Row<N>)>,
    ) {
        before.clear();
        before.extend(self.shielded_ranks(frame).map(|rank| (rank, found[rank as usize])));
        let captured = self.king_captured.without(self.king_passed);
        if !captured.is_empty() {
            for (found, &lanes) in found.iter_mut().zip(lanes) {
                *found |= lanes & captured;
            }
        }
        // There a defender may be in the place of a hostile empty square.
        for &(rank, before) in &*before {
            found[rank as usize] = before;
        }
        for &(rank, _) in &*before {
            let legal = lanes[rank as usize].without(self.king_passed);
            found[rank as usize] |= legal & self.captures_of_king(frame, rank);
        }
    }
}

/// The squares from which a defender may change whether an attacker arriving
/// on `to` captures the king.
pub(crate) fn shields_near<const N: usize>(frame: &Frame<N>, to: Square) -> SquareSet {
    let board = frame.rules.board;
    let near = |&s: &Square| {
        board.file(s).abs_diff(board.file(to)) + board.rank(s).abs_diff(board.rank(to)) <= 2
    };
    frame.shields.iter().filter(near).collect()
}

/// The lanes of a row on which an attacker who has arrived on `to` captures
/// nothing.
pub(crate) fn quiet_arrival<const N: usize>(
    frame: &Frame<N>,
    after: SquareSet,
    to: Square,
    rank: u32,
) -> Row<N> {
    let soldiers = Soldiers { attackers: after, defenders: frame.defenders.set(rank) };
    let victims = soldiers.victims(frame.rules, Side::Attackers, to);
    let quiet = victims.fold(!Row::EMPTY, |all, victim| all & victim.quiet(&frame.region));
    quiet.without(soldiers.captures_of_king(frame.rules, &frame.region, to))
}
