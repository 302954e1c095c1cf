use std::collections::VecDeque;

use crate::game::board::{Board, Square, SquareSet};
use crate::game::rules::{Kind, Ruleset};

use crate::solve::frame::origins::{OriginGroup, origins};
use crate::solve::frame::region::Region;
use crate::solve::rows::row::Row;
use crate::solve::rows::simd::{self, Kernel, Processor};

/// The number of lines processed together, so that the compiler vectorizes the loop.
const WIDTH: usize = 8;

/// Soldiers' slides along whole lines of the board, for all origins at once.
///
/// With all men but one in place, `reach` runs along every line in both directions and carries the
/// lanes of the targets that it has passed. The carry on a square is what the missing man reaches
/// from there.
#[derive(Clone, Debug)]
pub(crate) struct SlideLines<const N: usize> {
    side: usize,
    /// The most squares that a man moves at once, if they are limited.
    reach: Option<usize>,
    classes: Vec<OriginClass<N>>,
    /// By square: its number in the files, and in the ranks.
    slots: Vec<[usize; 2]>,
}

/// A row for every square, stored twice: along the files and along the ranks. Neighbours on a line
/// are [`WIDTH`] apart; neighbouring lines lie side by side.
#[derive(Clone, Debug)]
struct Lines<const N: usize>([Vec<[Row<N>; WIDTH]>; 2]);

/// Origins that share their path rules, on lines: see [`OriginGroup`].
#[derive(Clone, Debug)]
struct OriginClass<const N: usize> {
    /// All lanes on the origins, none elsewhere.
    origins: Lines<N>,
    /// All lanes where moves of these origins may stop.
    stop: Lines<N>,
    /// All lanes but the king's own where they may pass.
    cross: Lines<N>,
}

/// Buffers for a run along the lines.
#[derive(Clone, Debug)]
pub(crate) struct LineBuffers<const N: usize> {
    targets: Lines<N>,
    /// By class of origins: where they may pass; without soldiers between two runs.
    cross: Vec<Lines<N>>,
    reach: Lines<N>,
}

impl<const N: usize> Lines<N> {
    fn new(slots: usize) -> Lines<N> {
        let empty = vec![[Row::EMPTY; WIDTH]; slots / WIDTH];
        Lines([empty.clone(), empty])
    }

    #[inline(always)]
    fn put(&mut self, slots: [usize; 2], row: Row<N>) {
        for (lines, slot) in self.0.iter_mut().zip(slots) {
            lines[slot / WIDTH][slot % WIDTH] = row;
        }
    }

    /// Returns the row of the square with this number in the files.
    #[inline(always)]
    fn get(&self, slot: usize) -> Row<N> {
        self.0[0][slot / WIDTH][slot % WIDTH]
    }
}

impl<const N: usize> LineBuffers<N> {
    /// Removes all targets.
    #[inline]
    pub(crate) fn clear(&mut self) {
        self.targets.0.iter_mut().for_each(|lines| lines.fill([Row::EMPTY; WIDTH]));
    }
}

impl<const N: usize> SlideLines<N> {
    /// Builds the lines of a ruleset's board, for soldiers of a kind.
    pub(crate) fn new(rules: &Ruleset, region: &Region<N>, kind: Kind) -> SlideLines<N> {
        let board = rules.board;
        let mut lines = SlideLines {
            side: board.size(),
            reach: rules.movement[kind].reach.map(|reach| reach.get().into()),
            classes: Vec::new(),
            slots: board.squares().map(|square| slots(board, square)).collect(),
        };
        lines.classes =
            origins(rules, kind).map(|group| lines.origin_class(region, group)).collect();
        lines
    }

    fn origin_class(&self, region: &Region<N>, group: OriginGroup) -> OriginClass<N> {
        OriginClass {
            origins: self.table(group.squares, |_| !Row::EMPTY),
            stop: self.table(group.stop, |_| !Row::EMPTY),
            cross: self.table(group.cross, |square| !region.bit(square)),
        }
    }

    fn empty(&self) -> Lines<N> {
        Lines::new(self.side.next_multiple_of(WIDTH) * self.side)
    }

    /// Builds a table with a row for each of the squares.
    fn table(&self, squares: SquareSet, row: impl Fn(Square) -> Row<N>) -> Lines<N> {
        let mut lines = self.empty();
        for (index, &slots) in self.slots.iter().enumerate() {
            let square = Square::new(index);
            if squares.contains(square) {
                lines.put(slots, row(square));
            }
        }
        lines
    }

    /// Creates buffers.
    pub(crate) fn buffers(&self) -> LineBuffers<N> {
        let cross = self.classes.iter().map(|class| class.cross.clone()).collect();
        LineBuffers { targets: self.empty(), cross, reach: self.empty() }
    }

    /// Sets the lanes on which a move may end on a square. It must be free there, of the king as
    /// well.
    #[inline(always)]
    pub(crate) fn put_target(&self, buffers: &mut LineBuffers<N>, square: Square, lanes: Row<N>) {
        buffers.targets.put(self.slots[square.index()], lanes);
    }

    /// Returns the lanes of all targets that a man on the square reaches, as found by `reach`.
    #[inline(always)]
    pub(crate) fn reached(&self, buffers: &LineBuffers<N>, square: Square) -> Row<N> {
        let [by_file, by_rank] = self.slots[square.index()];
        let [files, ranks] = &buffers.reach.0;
        files[by_file / WIDTH][by_file % WIDTH] | ranks[by_rank / WIDTH][by_rank % WIDTH]
    }

    /// Finds, for every square, the lanes of all targets that a man there reaches while the
    /// `occupied` squares are taken. Lanes on which the king is in the way are left out.
    pub(crate) fn reach(&self, occupied: SquareSet, buffers: &mut LineBuffers<N>) {
        buffers.reach.0.iter_mut().for_each(|lines| lines.fill([Row::EMPTY; WIDTH]));
        for (class, cross) in self.classes.iter().zip(&mut buffers.cross) {
            for square in occupied {
                cross.put(self.slots[square.index()], Row::EMPTY);
            }
            for along in 0..2 {
                simd::run(LineKernel {
                    side: self.side,
                    limit: self.reach,
                    origins: &class.origins.0[along],
                    stop: &class.stop.0[along],
                    cross: &cross.0[along],
                    targets: &buffers.targets.0[along],
                    reach: &mut buffers.reach.0[along],
                });
            }
            for square in occupied {
                let slots = self.slots[square.index()];
                cross.put(slots, class.cross.get(slots[0]));
            }
        }
    }
}

/// Returns the numbers of a square in the files and in the ranks.
fn slots(board: Board, square: Square) -> [usize; 2] {
    let (file, rank) = (board.file(square), board.rank(square));
    [(file, rank), (rank, file)]
        .map(|(line, step)| (line / WIDTH * board.size() + step) * WIDTH + line % WIDTH)
}

/// Runs along all files, or all ranks, in both directions.
struct LineKernel<'a, const N: usize> {
    side: usize,
    limit: Option<usize>,
    origins: &'a [[Row<N>; WIDTH]],
    stop: &'a [[Row<N>; WIDTH]],
    cross: &'a [[Row<N>; WIDTH]],
    targets: &'a [[Row<N>; WIDTH]],
    reach: &'a mut [[Row<N>; WIDTH]],
}

impl<const N: usize> LineKernel<'_, N> {
    /// Takes one step: the targets carried so far are reached from here.
    #[inline(always)]
    fn step(&mut self, at: usize, carry: &mut [Row<N>; WIDTH]) {
        let (reach, origins) = (&mut self.reach[at], &self.origins[at]);
        let (cross, stop, targets) = (&self.cross[at], &self.stop[at], &self.targets[at]);
        for i in 0..WIDTH {
            reach[i] |= carry[i] & origins[i];
            carry[i] = carry[i] & cross[i] | targets[i] & stop[i];
        }
    }

    /// Runs along these squares of some lines, which are in order. Targets at every distance up to
    /// `reach` are carried apart.
    fn run_shortly(&mut self, line: impl Iterator<Item = usize>, reach: usize) {
        // By distance from the next square, the nearest last.
        let mut carries = VecDeque::from(vec![[Row::EMPTY; WIDTH]; reach]);
        for at in line {
            for i in 0..WIDTH {
                let all = carries.iter().fold(Row::EMPTY, |all, carry| all | carry[i]);
                self.reach[at][i] |= all & self.origins[at][i];
            }
            carries.pop_front();
            for carry in &mut carries {
                carry.iter_mut().zip(&self.cross[at]).for_each(|(carry, &cross)| *carry &= cross);
            }
            let ends = self.targets[at].iter().zip(&self.stop[at]);
            let mut nearest = [Row::EMPTY; WIDTH];
            nearest.iter_mut().zip(ends).for_each(|(row, (&target, &stop))| *row = target & stop);
            carries.push_back(nearest);
        }
    }
}

impl<const N: usize> Kernel for LineKernel<'_, N> {
    #[inline(always)]
    fn run(mut self, _: impl Processor) {
        for first in (0..self.reach.len()).step_by(self.side) {
            if let Some(reach) = self.limit {
                self.run_shortly(first..first + self.side, reach);
                self.run_shortly((first..first + self.side).rev(), reach);
                continue;
            }
            let mut carry = [Row::EMPTY; WIDTH];
            (first..first + self.side).for_each(|at| self.step(at, &mut carry));
            carry = [Row::EMPTY; WIDTH];
            (first..first + self.side).rev().for_each(|at| self.step(at, &mut carry));
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::game::moves::targets;
    use crate::game::position::Position;
    use crate::game::rules::Side;
    use crate::solve::captures::soldiers::Soldiers;
    use crate::solve::test_support::{RULESETS, kings, soldiers, with_words};

    /// Returns the destinations of a man of that kind on the square, on the board of all the
    /// others; `None` where a fort or an encirclement has ended the game.
    fn reached(
        rules: &Ruleset,
        others: Soldiers,
        king: Square,
        kind: Kind,
        from: Square,
    ) -> Option<SquareSet> {
        let mut soldiers = others;
        let to_move = match kind {
            Kind::Attacker => Side::Attackers,
            _ => Side::Defenders,
        };
        match to_move {
            Side::Attackers => soldiers.attackers.insert(from),
            Side::Defenders => soldiers.defenders.insert(from),
        }
        let Soldiers { attackers, defenders } = soldiers;
        let position = Position { attackers, defenders, king, to_move, rules: rules.id() };
        (!position.is_finished(rules)).then(|| targets(rules, &position, kind, from))
    }

    fn check<const N: usize>(rules: &'static Ruleset, kind: Kind) {
        let region = Region::<N>::new(rules);
        let lines = SlideLines::new(rules, &region, kind);
        let squares = proptest::sample::subsequence(rules.board.squares().collect::<Vec<_>>(), 6);
        let targets = prop::collection::vec(any::<[u64; N]>(), rules.board.area());
        let all = (soldiers(rules), targets, squares);
        proptest!(ProptestConfig::with_cases(30), |((others, targets, from) in all)| {
            // Without attackers the game would be over.
            prop_assume!(!others.attackers.is_empty());
            let occupied = others.attackers | others.defenders;
            let target =
                |square: Square| Row(targets[square.index()]).without(region.bit(square));
            let mut buffers = lines.buffers();
            // The second run checks that buffers can be reused.
            for _ in 0..2 {
                buffers.clear();
                for square in rules.board.squares().filter(|&square| !occupied.contains(square)) {
                    lines.put_target(&mut buffers, square, target(square));
                }
                lines.reach(occupied, &mut buffers);
            }
            for &from in from.iter().filter(|&&square| (rules.places(kind) - occupied).contains(square)) {
                let found = lines.reached(&buffers, from);
                for king in kings(rules, others).without(from) {
                    let lane = region.bit(king);
                    let Some(ends) = reached(rules, others, king, kind, from) else { continue };
                    let expected = ends.iter().fold(Row::EMPTY, |all, to| all | target(to) & lane);
                    assert_eq!(found & lane, expected, "from {from:?}, king {king:?}, {others:?}");
                }
            }
        });
    }

    #[test]
    fn slides_along_lines_are_those_of_the_game() {
        for rules in &*RULESETS {
            for kind in [Kind::Attacker, Kind::Defender] {
                with_words!(check, rules, kind);
            }
        }
    }
}
