//! The squares on which defenders capture soldiers, for all rows of a block at once.

use crate::game::board::{Direction, Square, SquareSet};
use crate::game::rules::Side;

use crate::solve::captures::soldiers::Soldiers;
use crate::solve::frame::Frame;
use crate::solve::frame::shieldwalls::WallThreat;
use crate::solve::rows::row::Row;

/// The lanes on which arriving defenders capture nothing, for one attacker set.
#[derive(Clone, Debug)]
pub(crate) struct QuietArrivals<const N: usize> {
    /// By square of the board: the lanes on which a defending soldier that arrives there captures
    /// nothing, other defenders ignored.
    pub soldiers: Vec<Row<N>>,
    /// The lanes on which the king, arriving there, captures nothing, defenders ignored.
    pub king: Row<N>,
    /// Anvils on which a defender completes a capture, each with the square of arrival.
    pub anvils: Vec<(Square, Square)>,
    /// The shieldwalls that a defender may close, each with the square of arrival.
    walls: Vec<(Square, WallThreat)>,
}

impl<const N: usize> QuietArrivals<N> {
    /// Finds the quiet arrivals next to these attackers.
    pub(crate) fn new(frame: &Frame<N>, attackers: SquareSet) -> QuietArrivals<N> {
        let soldiers = Soldiers { attackers, defenders: SquareSet::EMPTY };
        // Without defending soldiers the list is never read.
        let squares = if frame.slice.defenders > 0 { frame.rules.board.area() } else { 0 };
        let mut arrivals = QuietArrivals {
            soldiers: vec![!Row::EMPTY; squares],
            king: !Row::EMPTY,
            anvils: Vec::new(),
            walls: frame.walls.threats_around(attackers).collect(),
        };
        let slides = frame.rules.slides();
        let protected = frame.rules.protected[Side::Attackers];
        for square in attackers {
            for direction in Direction::ALL {
                let arrival =
                    slides.next(square, direction.opposite()).zip(slides.next(square, direction));
                let Some((to, anvil)) = arrival else { continue };
                if attackers.contains(to) || protected.contains(square) {
                    continue;
                }
                // A defender on the anvil completes the capture, and so does a king who is armed.
                if !attackers.contains(anvil) {
                    arrivals.anvils.push((anvil, to));
                }
                let victim = soldiers.victim(frame.rules, Side::Attackers, square, anvil);
                let Some(victim) = victim else { continue };
                if victim.without_king && frame.rules.king_armed {
                    arrivals.king = arrivals.king.without(frame.region.bit(to));
                }
                if let Some(quiet) = arrivals.soldiers.get_mut(to.index()) {
                    *quiet &= victim.quiet(&frame.region);
                }
            }
        }
        arrivals
    }

    /// Computes, by square of the board, the lanes on which a soldier that arrives there captures
    /// nothing, given the other defenders.
    pub(crate) fn beside_defenders(
        &self,
        frame: &Frame<N>,
        others: &[usize],
        quiet: &mut Vec<Row<N>>,
    ) {
        quiet.clone_from(&self.soldiers);
        for &(anvil, to) in &self.anvils {
            if others.iter().any(|&place| frame.defenders.squares[place] == anvil) {
                quiet[to.index()] = Row::EMPTY;
            }
        }
        if !self.walls.is_empty() {
            let others = others.iter().map(|&place| frame.defenders.squares[place]).collect();
            for (to, threat) in &self.walls {
                if let Some(wall) = threat.wall(others) {
                    quiet[to.index()] &= wall.quiet(&frame.region);
                }
            }
        }
    }

    /// Removes from `lanes`, by defender rank, those on which the arriving king captures with the
    /// help of a defender.
    pub(crate) fn remove_assisted(&self, frame: &Frame<N>, lanes: &mut [Row<N>]) {
        if !frame.rules.king_armed {
            return;
        }
        for (to, threat) in &self.walls {
            for rank in threat.ranks(&frame.defenders) {
                if !threat.victims_of_king(frame.defenders.set(rank)).is_empty() {
                    lanes[rank.index()] = lanes[rank.index()].without(frame.region.bit(*to));
                }
            }
        }
        for &(anvil, to) in &self.anvils {
            let helped = frame.region.bit(to) & self.king;
            if !helped.is_empty() {
                for &rank in frame.defenders.ranks_holding(anvil) {
                    lanes[rank.index()] = lanes[rank.index()].without(helped);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::sample::Index;

    use super::*;
    use crate::game::capture::Captures;
    use crate::game::position::Position;
    use crate::game::rules::Ruleset;
    use crate::game::slice::Slice;
    use crate::solve::rows::numbers::{BlockNumber, Rank};
    use crate::solve::test_support::{lanes_with, load, with_words};

    fn check<const N: usize>(rules: &Ruleset, slice: Slice) {
        let frame: Frame<N> = Frame::new(rules, slice).unwrap();
        let sets = &frame.defenders;
        proptest!(ProptestConfig::with_cases(100), |(number: Index, row: Index)| {
            let block = frame.block(BlockNumber::new(number.index(frame.blocks())));
            let rank = Rank::new(row.index(frame.block_rows()));
            let valid = block.valid[rank.index()];
            let arrivals = QuietArrivals::new(&frame, block.attackers);
            let mut beside = Vec::new();
            let quiet = |position: &Position, to: Square| {
                Captures::by_arrival(rules, position, Side::Defenders, to).is_empty()
            };
            for &arrived in sets.men(rank) {
                let to = sets.squares[usize::from(arrived)];
                let others = sets.men(rank).iter().filter(|&&place| place != arrived);
                let others: Vec<usize> = others.map(|&place| usize::from(place)).collect();
                arrivals.beside_defenders(&frame, &others, &mut beside);
                let expected =
                    lanes_with(&frame, &block, rank, Side::Defenders, |p| quiet(p, to));
                assert_eq!(beside[to.index()] & valid, expected, "{slice}, to {to:?}");
            }
            let mut lanes = block.valid.clone();
            arrivals.remove_assisted(&frame, &mut lanes);
            let expected = lanes_with(&frame, &block, rank, Side::Defenders, |p| quiet(p, p.king));
            assert_eq!(lanes[rank.index()] & arrivals.king, expected, "{slice}, the king");
        });
    }

    #[test]
    fn quiet_arrivals_agree_with_the_game() {
        for (rules, slices) in [
            ("brandubh", "K0v4 K2v4 K3v3"),
            ("strange", "K0v4 K2v4 K3v3"),
            ("lopsided", "K2v3"),
            ("sieges", "K2v3 K3v4"),
            ("mini-camps", "K2v3"),
            ("berkeley", "K2v3"),
            ("ashton", "K2v3"),
            ("tablut", "K2v3"),
            ("large-hnefatafl", "K1v3"),
            ("huge-edge", "K1v2"),
            ("alea-evangelii", "K1v2"),
            ("walls", "K2v2 K2v3 K3v3"),
            ("plain-walls", "K3v3"),
            ("unarmed", "K2v3"),
            ("unarmed-walls", "K3v3"),
        ] {
            let rules = &load(rules);
            for slice in slices.split(' ') {
                with_words!(check, rules, slice.parse().unwrap());
            }
        }
    }
}
