//! Captures of the king that attackers alone decide.

use crate::game::board::{Direction, Square, SquareSet};
use crate::game::rules::{Kind, Ruleset};

use crate::solve::frame::region::Region;
use crate::solve::frame::wide_lines::WideSquare;
use crate::solve::rows::row::{Lanes, Row, Wide};

/// The conditions for capturing the king by an arrival on each square, while no defender is near.
pub(crate) struct KingCaptures<const N: usize> {
    /// By square of arrival: the lanes on which the arriving attacker suffices.
    unaided: Vec<Row<N>>,
    /// By square of arrival: the square of a second attacker that is needed, and those lanes.
    with_one: Vec<Vec<(Square, Row<N>)>>,
    /// By square of arrival: the squares of several attackers that are needed, and those lanes.
    with_several: Vec<Vec<(SquareSet, Row<N>)>>,
}

impl<const N: usize> KingCaptures<N> {
    /// Computes the conditions under these rules.
    pub(crate) fn new(rules: &Ruleset, region: &Region<N>) -> KingCaptures<N> {
        let area = rules.board.area();
        let mut captures = KingCaptures {
            unaided: vec![Row::EMPTY; area],
            with_one: vec![Vec::new(); area],
            with_several: vec![Vec::new(); area],
        };
        for to in rules.board.squares() {
            for (king, needed) in king_captures_by_arrival(rules, region, to) {
                match needed[..] {
                    [] => captures.unaided[to.index()] |= king,
                    [other] => captures.with_one[to.index()].push((other, king)),
                    [_, ..] => {
                        captures.with_several[to.index()]
                            .push((needed.into_iter().collect(), king));
                    }
                }
            }
        }
        captures
    }

    /// Returns the lanes on which an attacker that has arrived on `to` captures the king.
    #[inline]
    pub(crate) fn by_arrival(&self, after: SquareSet, to: Square) -> Row<N> {
        let mut captured = self.unaided[to.index()];
        for &(other, king) in &self.with_one[to.index()] {
            if after.contains(other) {
                captured |= king;
            }
        }
        for &(needed, king) in &self.with_several[to.index()] {
            if needed.is_subset(after) {
                captured |= king;
            }
        }
        captured
    }

    /// Does the same for eight boards, whose attackers are the men on the squares.
    #[inline(always)]
    pub(crate) fn by_arrival_wide(&self, squares: &[WideSquare<N>], to: Square) -> Wide<N> {
        let mut captured = Wide::splat(self.unaided[to.index()]);
        for &(other, king) in &self.with_one[to.index()] {
            captured = captured | squares[other.index()].men.spread() & Wide::splat(king);
        }
        for &(needed, king) in &self.with_several[to.index()] {
            let mut all = Wide::splat(king);
            for other in needed {
                all = all & squares[other.index()].men.spread();
            }
            captured = captured | all;
        }
        captured
    }
}

/// Returns the lanes on which an attacker arriving on `to` may capture the king, each with the
/// squares that other attackers must occupy for it.
fn king_captures_by_arrival<const N: usize>(
    rules: &Ruleset,
    region: &Region<N>,
    to: Square,
) -> Vec<(Row<N>, Vec<Square>)> {
    let slides = rules.slides();
    let against = &rules.hostile[Kind::King];
    let kings = Direction::ALL.into_iter().filter_map(|direction| {
        let king = slides.next(to, direction)?;
        let sides: &[Direction] = if rules.surrounded.contains(king) {
            &Direction::ALL
        } else {
            std::slice::from_ref(&direction)
        };
        let mut needed = Vec::new();
        for &side in sides {
            match slides.next(king, side) {
                Some(square) if square == to || against.empty.contains(square) => {}
                Some(square) => needed.push(square),
                None if rules.king_edge_hostile => {}
                None => return None,
            }
        }
        Some((region.bit(king), needed))
    });
    kings.filter(|(king, _)| !king.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::game::capture::Captures;
    use crate::game::position::Position;
    use crate::game::rules::Side;
    use crate::solve::captures::soldiers::Soldiers;
    use crate::solve::frame::wide_lines::set_men;
    use crate::solve::rows::row::WIDE_ROWS;
    use crate::solve::test_support::{RULESETS, kings, soldiers, with_words};

    fn check<const N: usize>(rules: &'static Ruleset) {
        let region = Region::<N>::new(rules);
        let king_captures = KingCaptures::new(rules, &region);
        proptest!(ProptestConfig::with_cases(300), |(soldiers in soldiers(rules))| {
            let Soldiers { attackers, .. } = soldiers;
            let mut squares = vec![WideSquare::EMPTY; rules.board.area()];
            let defenders = SquareSet::EMPTY;
            for to in attackers {
                let at_once = king_captures.by_arrival(attackers, to);
                // Boards without the mover, and one without any attacker.
                let mut boards = [attackers.without(to); WIDE_ROWS];
                boards[7] = SquareSet::EMPTY;
                set_men(&mut squares, &boards);
                let on_eight = king_captures.by_arrival_wide(&squares, to);
                assert_eq!(on_eight.row(7), king_captures.by_arrival(SquareSet::EMPTY, to));
                for king in kings(rules, Soldiers { attackers, defenders }) {
                    let board = Position { attackers, defenders, king, to_move: Side::Attackers, rules: rules.id() };
                    let expected = Captures::by_arrival(rules, &board, Side::Attackers, to).king;
                    let lane = region.bit(king);
                    assert_eq!(!(at_once & lane).is_empty(), expected, "{attackers:?} to {to:?}");
                    let among = on_eight.row(3) & lane;
                    assert_eq!(!among.is_empty(), expected, "{attackers:?} to {to:?}");
                }
            }
        });
    }

    #[test]
    fn king_captures_agree_with_the_game() {
        for rules in &*RULESETS {
            with_words!(check, rules);
        }
    }
}
