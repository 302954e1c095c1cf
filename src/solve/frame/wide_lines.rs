//! Slides along whole lines of eight boards at once.

use std::collections::VecDeque;

use crate::game::board::{Square, SquareSet, array_of};
use crate::game::rules::{Kind, Ruleset};

use crate::solve::frame::origins::origins;
use crate::solve::frame::region::Region;
use crate::solve::rows::row::{Lanes, Row, WIDE_ROWS, Wide};

/// The slides of [`SlideLines`](super::lines::SlideLines) on eight boards at once, each board being
/// a row of a [`Wide`].
#[derive(Clone, Debug)]
pub(crate) struct WideLines<const N: usize> {
    side: usize,
    /// The most squares that a man moves at once, if they are limited.
    reach: Option<usize>,
    /// By class of origins, then by square.
    classes: Vec<Vec<Passage<N>>>,
}

/// The rules of a square for the moves of a class of origins: all lanes for yes, none for no.
#[derive(Clone, Copy, Debug)]
struct Passage<const N: usize> {
    /// Whether the square is one of the origins.
    origin: Row<N>,
    /// Whether moves may stop there.
    stop: Row<N>,
    /// Whether moves may pass; if so, all lanes but the king's own.
    cross: Row<N>,
}

/// A square of eight boards, each with one man missing. The alignment gives each field cache lines
/// of its own.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(crate) struct WideSquare<const N: usize> {
    /// All bits set on the boards where the square is occupied, none on the others.
    pub men: Wide<1>,
    /// The lanes on which a move may end here. The square must be free, of the king as well.
    pub targets: Wide<N>,
    /// The lanes of all targets that the missing man reaches from here.
    pub reached: Wide<N>,
}

impl<const N: usize> WideSquare<N> {
    /// A square without men.
    pub(crate) const EMPTY: WideSquare<N> =
        WideSquare { men: Wide::EMPTY, targets: Wide::EMPTY, reached: Wide::EMPTY };
}

/// Marks the squares that are occupied on each of eight boards.
#[inline(always)]
pub(crate) fn set_men<const N: usize>(
    squares: &mut [WideSquare<N>],
    boards: &[SquareSet; WIDE_ROWS],
) {
    let words = boards.map(|board| board.words());
    for (word, squares) in squares.chunks_mut(64).enumerate() {
        let mut bits: [u64; WIDE_ROWS] = array_of(|i| words[i][word]);
        for square in squares {
            for (men, word) in square.men.0[0].iter_mut().zip(&mut bits) {
                *men = (*word & 1).wrapping_neg();
                *word >>= 1;
            }
        }
    }
}

impl<const N: usize> WideLines<N> {
    /// Builds the lines of a ruleset's board, for soldiers of a kind.
    pub(crate) fn new(rules: &Ruleset, region: &Region<N>, kind: Kind) -> WideLines<N> {
        let mut classes = Vec::new();
        for group in origins(rules, kind) {
            let passages = rules.board.squares().map(|square| Passage {
                origin: lanes(group.squares, square),
                stop: lanes(group.stop, square),
                cross: lanes::<N>(group.cross, square).without(region.bit(square)),
            });
            classes.push(passages.collect());
        }
        let reach = rules.movement[kind].reach.map(|reach| reach.get().into());
        WideLines { side: rules.board.size(), reach, classes }
    }

    /// Finds, by square of the board, the lanes of targets that are reached. Lanes on which the
    /// king is in the way are left out.
    #[inline(always)]
    pub(crate) fn reach(&self, squares: &mut [WideSquare<N>]) {
        squares.iter_mut().for_each(|square| square.reached = Wide::EMPTY);
        for class in &self.classes {
            for line in 0..self.side {
                for (first, by) in [(line, self.side), (line * self.side, 1)] {
                    let line = (0..self.side).map(|step| first + step * by);
                    if let Some(reach) = self.reach {
                        run_shortly(class, squares, line.clone(), reach);
                        run_shortly(class, squares, line.rev(), reach);
                        continue;
                    }
                    run(class, squares, line.clone());
                    run(class, squares, line.rev());
                }
            }
        }
    }
}

/// Returns all lanes if the square is in the set, otherwise none.
fn lanes<const N: usize>(set: SquareSet, square: Square) -> Row<N> {
    if set.contains(square) { !Row::EMPTY } else { Row::EMPTY }
}

/// Runs along a line: the targets carried so far are reached from each square.
#[inline(always)]
fn run<const N: usize>(
    class: &[Passage<N>],
    squares: &mut [WideSquare<N>],
    line: impl Iterator<Item = usize>,
) {
    let mut carry = Wide::EMPTY;
    for square in line {
        let (passage, square) = (&class[square], &mut squares[square]);
        square.reached = square.reached | carry & Wide::splat(passage.origin);
        let cross = Wide::splat(passage.cross).without(square.men.spread());
        carry = carry & cross | square.targets & Wide::splat(passage.stop);
    }
}

/// Does the same if no man moves more than `reach` squares: targets at every distance are carried
/// apart.
fn run_shortly<const N: usize>(
    class: &[Passage<N>],
    squares: &mut [WideSquare<N>],
    line: impl Iterator<Item = usize>,
    reach: usize,
) {
    // By distance from the next square, the nearest last.
    let mut carries = VecDeque::from(vec![Wide::EMPTY; reach]);
    for square in line {
        let (passage, square) = (&class[square], &mut squares[square]);
        let all = carries.iter().fold(Wide::EMPTY, |all, &carry| all | carry);
        square.reached = square.reached | all & Wide::splat(passage.origin);
        let cross = Wide::splat(passage.cross).without(square.men.spread());
        carries.pop_front();
        carries.iter_mut().for_each(|carry| *carry = *carry & cross);
        carries.push_back(square.targets & Wide::splat(passage.stop));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::solve::frame::lines::SlideLines;
    use crate::solve::test_support::{RULESETS, soldiers, with_words};

    fn check<const N: usize>(rules: &'static Ruleset, kind: Kind) {
        let region = Region::<N>::new(rules);
        let (lines, wide) =
            (SlideLines::new(rules, &region, kind), WideLines::new(rules, &region, kind));
        let targets = prop::collection::vec(any::<[u64; N]>(), rules.board.area());
        proptest!(ProptestConfig::with_cases(30), |(soldiers in soldiers(rules), targets in targets)| {
            let men: Vec<_> = (soldiers.attackers | soldiers.defenders).iter().collect();
            let boards: [SquareSet; 8] =
                std::array::from_fn(|i| men.iter().copied().skip(i).collect());
            let target = |i: usize, square: Square| {
                Row(targets[square.index()].map(|word| word.rotate_left(i as u32)))
                    .without(region.bit(square))
            };
            let mut squares = vec![WideSquare::EMPTY; rules.board.area()];
            set_men(&mut squares, &boards);
            for (square, here) in rules.board.squares().zip(&mut squares) {
                let rows = std::array::from_fn(|i| match boards[i].contains(square) {
                    true => Row::EMPTY,
                    false => target(i, square),
                });
                here.targets = Wide::of(&rows);
            }
            wide.reach(&mut squares);
            let mut buffers = lines.buffers();
            for (i, &board) in boards.iter().enumerate() {
                buffers.clear();
                for square in rules.board.squares().filter(|&square| !board.contains(square)) {
                    lines.put_target(&mut buffers, square, target(i, square));
                }
                lines.reach(board, &mut buffers);
                for (square, here) in rules.board.squares().zip(&squares) {
                    assert_eq!(here.men.row(i), lanes(board, square));
                    if rules.places(kind).contains(square) {
                        assert_eq!(here.reached.row(i), lines.reached(&buffers, square));
                    }
                }
            }
        });
    }

    #[test]
    fn eight_boards_agree_with_one() {
        for rules in &*RULESETS {
            for kind in [Kind::Attacker, Kind::Defender] {
                with_words!(check, rules, kind);
            }
        }
    }
}
