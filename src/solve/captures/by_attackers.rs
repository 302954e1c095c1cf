//! The moves of attackers and their captures, for all rows of a block at once.

use crate::game::board::{Square, SquareSet};
use crate::game::rules::{Kind, Side};

use crate::solve::captures::soldiers::{Soldiers, Threat};
use crate::solve::frame::shieldwalls::WallThreat;
use crate::solve::frame::{Block, Frame};
use crate::solve::rows::numbers::Rank;
use crate::solve::rows::row::Row;

/// A move of an attacker, for all rows of a block at once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AttackerMove<const N: usize> {
    /// The destination.
    pub to: Square,
    /// The attackers after the move.
    pub after: SquareSet,
    /// The lanes on which the king stands on the path or on the destination.
    pub king_in_way: Row<N>,
    /// The lanes on which the move captures the king, defenders ignored.
    pub king_captured: Row<N>,
}

/// Visits every slide of an attacker that some row of the block allows and for which `wanted`,
/// given the destination and the attackers after the move, returns a value. `lanes` then holds, by
/// defender rank, the lanes of rows whose defenders leave the path free; the lanes on which the
/// king blocks it are in the move. A visit must leave `lanes` unchanged.
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
            // The squares of the ray before this one have their rows cleared in `lanes`. Clearing
            // as the slide goes on, and restoring once after it, touches each row twice per ray,
            // however many squares are wanted.
            let mut closed = 0;
            let mut king_in_way = Row::EMPTY;
            for (i, step) in ray.iter().enumerate() {
                let to = step.square;
                if others.contains(to) {
                    break;
                }
                king_in_way |= frame.region.bit(to);
                let after = others.with(to);
                let Some(wanted) = step.ends.then(|| wanted(to, after)).flatten() else {
                    continue;
                };
                for &rank in
                    ray[closed..=i].iter().flat_map(|s| frame.defenders.ranks_holding(s.square))
                {
                    lanes[rank.index()] = Row::EMPTY;
                }
                closed = i + 1;
                let king_captured = frame.king_captures.by_arrival(after, to);
                visit(wanted, AttackerMove { to, after, king_in_way, king_captured }, lanes);
            }
            for &rank in ray[..closed].iter().flat_map(|s| frame.defenders.ranks_holding(s.square))
            {
                lanes[rank.index()] = block.valid[rank.index()];
            }
        }
    }
}

impl<const N: usize> AttackerMove<N> {
    /// Returns the squares on which the move may capture a defender.
    pub(crate) fn threats<'f>(&self, frame: &'f Frame<N>) -> impl Iterator<Item = Threat> + 'f {
        Threat::by_arrival(frame.rules, Side::Attackers, self.after, self.to)
    }

    /// Removes from `lanes`, by defender rank, those on which the move captures a defender; saves
    /// their old values in `saved`.
    pub(crate) fn remove_captures(
        &self,
        frame: &Frame<N>,
        lanes: &mut [Row<N>],
        saved: &mut Vec<(Rank, Row<N>)>,
    ) {
        for threat in self.threats(frame) {
            let quiet = [false, true].map(|backed| {
                threat.victim(backed).map_or(!Row::EMPTY, |victim| victim.quiet(&frame.region))
            });
            for &rank in frame.defenders.ranks_holding(threat.square) {
                let row = &mut lanes[rank.index()];
                if row.is_empty() {
                    continue;
                }
                saved.push((rank, *row));
                *row &= quiet[usize::from(threat.is_backed(&frame.defenders, rank))];
            }
        }
        for threat in self.walls(frame) {
            for rank in threat.ranks(&frame.defenders) {
                let row = &mut lanes[rank.index()];
                let wall = threat.wall(frame.defenders.set(rank)).filter(|_| !row.is_empty());
                if let Some(wall) = wall {
                    saved.push((rank, *row));
                    *row &= wall.quiet(&frame.region);
                }
            }
        }
    }

    /// Returns the shieldwalls that the move may close.
    pub(crate) fn walls<'f>(&self, frame: &'f Frame<N>) -> impl Iterator<Item = WallThreat> + 'f {
        frame.walls.threats(Side::Attackers, self.after, self.to)
    }

    /// Returns the ranks of rows whose defenders may decide whether the move captures the king; a
    /// rank may occur twice.
    pub(crate) fn shielded_ranks<'f>(
        &self,
        frame: &'f Frame<N>,
    ) -> impl Iterator<Item = Rank> + 'f {
        let shields = shields_around(frame, self.to).iter();
        shields.flat_map(|square| frame.defenders.ranks_holding(square).iter().copied())
    }

    /// Returns the lanes of a row on which the move captures the king.
    pub(crate) fn king_captures(&self, frame: &Frame<N>, rank: Rank) -> Row<N> {
        let soldiers = Soldiers { attackers: self.after, defenders: frame.defenders.set(rank) };
        soldiers.king_captures(frame.rules, &frame.region, self.to)
    }

    /// Adds to `found`, by defender rank, the `lanes` with a free path on which the move captures
    /// the king. `saved` is a buffer.
    pub(crate) fn add_king_captures(
        &self,
        frame: &Frame<N>,
        lanes: &[Row<N>],
        found: &mut [Row<N>],
        saved: &mut Vec<(Rank, Row<N>)>,
    ) {
        saved.clear();
        saved.extend(self.shielded_ranks(frame).map(|rank| (rank, found[rank.index()])));
        let captured = self.king_captured.without(self.king_in_way);
        if !captured.is_empty() {
            for (found, &lanes) in found.iter_mut().zip(lanes) {
                *found |= lanes & captured;
            }
        }
        // In these rows a defender may stand on a square that is hostile only while empty.
        for &(rank, saved) in &*saved {
            found[rank.index()] = saved;
        }
        for &(rank, _) in &*saved {
            let legal = lanes[rank.index()].without(self.king_in_way);
            found[rank.index()] |= legal & self.king_captures(frame, rank);
        }
    }
}

/// Returns the squares on which a defender may decide whether an attacker that arrives on `to`
/// captures the king.
pub(crate) fn shields_around<const N: usize>(frame: &Frame<N>, to: Square) -> SquareSet {
    let board = frame.rules.board;
    // The king is beside `to`, and its other neighbours are at most two steps from there.
    frame.shields.iter().filter(|&square| board.distance(square, to) <= 2).collect()
}

/// Returns the lanes of a row on which an attacker that has arrived on `to` captures nothing.
pub(crate) fn quiet_arrival<const N: usize>(
    frame: &Frame<N>,
    after: SquareSet,
    to: Square,
    rank: Rank,
) -> Row<N> {
    let soldiers = Soldiers { attackers: after, defenders: frame.defenders.set(rank) };
    let quiet = soldiers.quiet(frame, Side::Attackers, to);
    quiet.without(soldiers.king_captures(frame.rules, &frame.region, to))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;
    use proptest::sample::Index;

    use super::*;
    use crate::game::moves::{Ending, legal_moves};
    use crate::game::rules::Ruleset;
    use crate::game::slice::Slice;
    use crate::solve::rows::numbers::BlockNumber;
    use crate::solve::test_support::{load, positions, with_words};

    /// By origin and destination: the lanes on which the move is legal, is quiet, and captures the
    /// king.
    type Moves<const N: usize> = BTreeMap<(Square, Square), [Row<N>; 3]>;

    fn expected<const N: usize>(frame: &Frame<N>, block: &Block<N>, rank: Rank) -> Moves<N> {
        let mut moves = Moves::new();
        for (lane, position) in positions(frame, block, rank, Side::Attackers) {
            for played in legal_moves(frame.rules, &position) {
                let lanes = moves.entry((played.from, played.to)).or_insert([Row::EMPTY; 3]);
                lanes[0] |= lane;
                if played.is_quiet() {
                    lanes[1] |= lane;
                }
                if played.ending == Some(Ending::KingCaptured) {
                    lanes[2] |= lane;
                }
            }
        }
        moves
    }

    fn found<const N: usize>(frame: &Frame<N>, block: &Block<N>, rank: Rank) -> Moves<N> {
        let (mut moves, mut saved) = (Moves::new(), Vec::new());
        let row = rank.index();
        attacker_moves(
            frame,
            block,
            &mut Vec::new(),
            |_, _| Some(()),
            |(), mv, lanes| {
                let legal = lanes[row].without(mv.king_in_way);
                if legal.is_empty() {
                    return;
                }
                let mut captured = vec![Row::EMPTY; lanes.len()];
                mv.add_king_captures(frame, lanes, &mut captured, &mut saved);
                assert_eq!(legal & mv.king_captures(frame, rank), captured[row]);
                let mut rows = lanes.to_vec();
                saved.clear();
                mv.remove_captures(frame, &mut rows, &mut saved);
                let quiet = (rows[row] & legal).without(captured[row]);
                assert_eq!(legal & quiet_arrival(frame, mv.after, mv.to, rank), quiet);
                saved.iter().rev().for_each(|&(rank, was)| rows[rank.index()] = was);
                assert_eq!(rows, lanes);
                let from = (block.attackers - mv.after).first().unwrap();
                moves.insert((from, mv.to), [legal, quiet, captured[row]]);
            },
        );
        moves
    }

    fn check<const N: usize>(rules: &Ruleset, slice: Slice) {
        let frame: Frame<N> = Frame::new(rules, slice).unwrap();
        proptest!(ProptestConfig::with_cases(40), |(number: Index, row: Index)| {
            let block = frame.block(BlockNumber::new(number.index(frame.blocks())));
            let rank = Rank::new(row.index(frame.block_rows()));
            assert_eq!(found(&frame, &block, rank), expected(&frame, &block, rank), "{slice}");
        });
    }

    #[test]
    fn attacker_moves_agree_with_the_game() {
        for (rules, slices) in [
            ("brandubh", "K0v3 K2v3 K3v2"),
            ("strange", "K0v3 K2v3 K3v2"),
            ("lopsided", "K2v2"),
            ("sieges", "K2v3 K3v4"),
            ("mini-camps", "K2v2"),
            ("berkeley", "K2v3"),
            ("ashton", "K2v3"),
            ("tablut", "K2v3"),
            ("large-hnefatafl", "K1v3"),
            ("huge-edge", "K1v2"),
            ("alea-evangelii", "K1v2"),
            ("walls", "K1v3 K2v4 K3v3"),
            ("plain-walls", "K1v4 K3v3"),
            ("unarmed", "K2v3"),
            ("steps", "K2v3"),
        ] {
            let rules = &load(rules);
            for slice in slices.split(' ') {
                with_words!(check, rules, slice.parse().unwrap());
            }
        }
    }
}
