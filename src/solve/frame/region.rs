use crate::game::board::{Board, Direction, Square, SquareSet, Symmetry};
use crate::game::rules::{Kind, Ruleset};

use crate::solve::frame::origins::{OriginGroup, origins};
use crate::solve::rows::row::{Lanes, Row};
use crate::solve::rows::transform::{Transform, Transforms};

/// The squares that lanes stand for: the smallest square region around the centre that holds every
/// square where the king may stand or which it may pass, with a lane for each square, rank by rank.
///
/// Constant strides turn the king's slides into shifts. A rank takes at least a byte, so that a
/// symmetry of a small region is a permutation of a word's bytes and bits. Lanes on which the king
/// cannot stand are never set.
#[derive(Clone, Debug)]
pub(crate) struct Region<const N: usize> {
    side: usize,
    /// The most squares that the king moves at once, if they are limited.
    reach: Option<usize>,
    /// The number of lanes from one rank to the next.
    stride: usize,
    margin: usize,
    board: Board,
    /// The lanes on which the king may stand.
    pub places: Row<N>,
    /// By square of the board: its lane's bit; empty beyond the region.
    bits: Vec<Row<N>>,
    /// The permutation of the lanes by each symmetry.
    pub transforms: Transforms<N>,
    /// The groups of origins with path rules of their own.
    classes: Vec<OriginClass<N>>,
    /// The lanes that no slide to the east (west) enters: the first (last) file.
    first_file: Row<N>,
    last_file: Row<N>,
}

/// King's origins that share their path rules, by lanes: see [`OriginGroup`].
#[derive(Clone, Debug)]
struct OriginClass<const N: usize> {
    /// The origins.
    origins: Row<N>,
    /// The lanes where moves of these origins may stop.
    stop: Row<N>,
    /// The lanes that they may pass.
    cross: Row<N>,
    /// By [`Direction`]: the lanes one step before a goal, each with the goal.
    approaches: [Vec<(Row<N>, Square)>; 4],
    /// The union of these lanes.
    before_goals: [Row<N>; 4],
}

/// Returns the number of words in a row of the ruleset: 1 for the king's region of 7x7, 2 up to
/// 11x11, 3 for 13x13, 6 for larger ones.
///
/// The solver is compiled for each of them. No built-in game needs four or five words, which would
/// take half as much compile time again, so 15x15 and 17x17 leave words unused.
pub(crate) fn row_words(rules: &Ruleset) -> usize {
    let side = region_side(rules);
    match (side * rank_stride(side)).div_ceil(64) {
        needed @ ..=3 => needed,
        _ => SquareSet::WORDS,
    }
}

/// Calls a function or method that is generic in the number of words, with that of a ruleset.
macro_rules! with_row_words {
    ($rules:expr, $($called:ident).+($($argument:expr),*)) => {
        match $crate::solve::frame::region::row_words($rules) {
            1 => $($called).+::<1>($($argument),*),
            2 => $($called).+::<2>($($argument),*),
            3 => $($called).+::<3>($($argument),*),
            _ => $($called).+::<6>($($argument),*),
        }
    };
}
pub(crate) use with_row_words;

/// Returns the number of lanes from one rank to the next: at least a byte.
fn rank_stride(side: usize) -> usize {
    side.max(8)
}

/// Returns the side of the region, in squares.
fn region_side(rules: &Ruleset) -> usize {
    let board = rules.board;
    let centre = board.size() / 2;
    let distances = king_squares(rules)
        .iter()
        .map(|square| board.file(square).abs_diff(centre).max(board.rank(square).abs_diff(centre)));
    2 * distances.max().unwrap_or(0) + 1
}

/// Returns the squares where the king stands or which it passes. It passes a goal only on the way
/// to a square where it may stand; otherwise it would have stopped there.
fn king_squares(rules: &Ruleset) -> SquareSet {
    let places = rules.places(Kind::King);
    let mut squares = places;
    for ray in places.iter().flat_map(|from| rules.slides().from(Kind::King, from)) {
        let goal = ray.iter().position(|s| s.ends && rules.goals.contains(s.square));
        let place = ray.iter().rposition(|s| s.ends && places.contains(s.square));
        let passed = goal.max(place).unwrap_or(0);
        squares.extend(ray[..passed].iter().map(|step| step.square));
    }
    squares
}

/// Returns the permutation of the lanes of a region with this side, `margin` squares from the
/// board's edges.
fn lane_images<const N: usize>(
    board: Board,
    margin: usize,
    side: usize,
    symmetry: Symmetry,
) -> Transform<N> {
    let stride = rank_stride(side);
    Transform::new(|lane| {
        let (file, rank) = (lane % stride, lane / stride);
        if file.max(rank) >= side {
            return None;
        }
        let image = symmetry.apply(board, board.at(file + margin, rank + margin));
        let (file, rank) = (board.file(image) - margin, board.rank(image) - margin);
        debug_assert!(file.max(rank) < side, "the region is symmetric");
        Some(rank * stride + file)
    })
}

impl<const N: usize> Region<N> {
    /// Computes the region of a ruleset; `N` must be its [`row_words`].
    pub(crate) fn new(rules: &Ruleset) -> Region<N> {
        let side = region_side(rules);
        let stride = rank_stride(side);
        let board = rules.board;
        assert_eq!(N, row_words(rules), "a row has the words of its ruleset");
        let margin = (board.size() - side) / 2;
        let mut bits = vec![Row::EMPTY; board.area()];
        for (rank, file) in (0..side).flat_map(|rank| (0..side).map(move |file| (rank, file))) {
            let square = board.at(file + margin, rank + margin);
            bits[square.index()] = Row::bit(rank * stride + file);
        }
        let mut region = Region {
            side,
            reach: rules.movement[Kind::King].reach.map(|reach| reach.get().into()),
            stride,
            margin,
            board,
            places: Row::EMPTY,
            bits,
            transforms: Transforms::new(|g| lane_images(board, margin, side, g)),
            classes: Vec::new(),
            first_file: Row::EMPTY,
            last_file: Row::EMPTY,
        };
        region.places = region.row(rules.places(Kind::King));
        for rank in 0..side {
            region.first_file |= Row::bit(rank * stride);
            region.last_file |= Row::bit(rank * stride + side - 1);
        }
        region.classes =
            origins(rules, Kind::King).map(|group| region.origin_class(rules, group)).collect();
        region
    }

    /// Returns the square of a lane.
    pub(crate) fn square(&self, lane: usize) -> Square {
        self.board.at(lane % self.stride + self.margin, lane / self.stride + self.margin)
    }

    /// Returns the lane's bit of a square; empty beyond the region.
    #[inline(always)]
    pub(crate) fn bit(&self, square: Square) -> Row<N> {
        self.bits[square.index()]
    }

    /// Returns the lanes of a set of squares; those beyond the region are left out.
    pub(crate) fn row(&self, squares: SquareSet) -> Row<N> {
        squares.iter().fold(Row::EMPTY, |row, square| row | self.bit(square))
    }

    /// Returns the image of a row under a symmetry: lane `x` becomes lane `symmetry(x)`.
    #[inline(always)]
    pub(crate) fn transform(&self, symmetry: Symmetry, row: Row<N>) -> Row<N> {
        if symmetry == Symmetry::IDENTITY {
            row
        } else {
            self.transforms.of(symmetry).apply_bytewise(row)
        }
    }

    fn origin_class(&self, rules: &Ruleset, origins: OriginGroup) -> OriginClass<N> {
        let approaches = Direction::ALL.map(|direction| {
            rules
                .board
                .squares()
                .filter_map(|b| rules.board.step(b, direction).map(|goal| (b, goal)))
                .filter(|&(_, goal)| rules.goals.contains(goal) && origins.open.contains(goal))
                .map(|(b, goal)| (self.bit(b), goal))
                .filter(|(bit, _)| !bit.is_empty())
                .collect::<Vec<_>>()
        });
        let before_goals = approaches
            .each_ref()
            .map(|steps| steps.iter().fold(Row::EMPTY, |lanes, (lane, _)| lanes | *lane));
        OriginClass {
            origins: self.row(origins.squares),
            stop: self.row(origins.stop) & self.places,
            cross: self.row(origins.cross),
            before_goals,
            approaches,
        }
    }

    /// Moves every lane `by` squares in the direction.
    #[inline(always)]
    fn step<L: Lanes<N>>(&self, row: L, direction: Direction, by: usize) -> L {
        match direction {
            Direction::East => row.up(by),
            Direction::North => row.up(by * self.stride),
            Direction::West => row.down(by),
            Direction::South => row.down(by * self.stride),
        }
    }

    /// Returns every lane that a slide in `direction` from `from` over `cross` reaches, including
    /// `from` but not the square beyond `cross`. Of a limited reach, the caller takes `taken` squares
    /// itself.
    #[inline(always)]
    fn fill<L: Lanes<N>>(&self, from: L, cross: L, direction: Direction, taken: usize) -> L {
        if let Some(reach) = self.reach {
            return self.short_fill(from, cross, direction, reach.saturating_sub(taken));
        }
        // Kogge-Stone fill: paths of 1, 2, 4, … squares at a time. A slide must not wrap around the
        // region's edge into the next rank.
        let wall = match direction {
            Direction::East => self.first_file,
            Direction::West => self.last_file,
            Direction::North | Direction::South => Row::EMPTY,
        };
        let (mut reached, mut paths) = (from, cross.without(L::splat(wall)));
        let mut by = 1;
        while by < self.side {
            reached = reached | paths & self.step(reached, direction, by);
            paths = paths & self.step(paths, direction, by);
            by *= 2;
        }
        reached
    }

    /// Does the same over `most` squares at most.
    #[inline(never)]
    fn short_fill<L: Lanes<N>>(&self, from: L, cross: L, direction: Direction, most: usize) -> L {
        let (mut reached, mut last) = (from, from);
        for _ in 0..most {
            last = self.shift(last, direction) & cross;
            reached = reached | last;
        }
        reached
    }

    /// Moves every lane one square without wrapping around the region's edge.
    #[inline(always)]
    fn shift<L: Lanes<N>>(&self, row: L, direction: Direction) -> L {
        match direction {
            Direction::East => row.up(1).without(L::splat(self.first_file)),
            Direction::West => row.down(1).without(L::splat(self.last_file)),
            Direction::North | Direction::South => self.step(row, direction, 1),
        }
    }

    /// Returns the lanes from which the king has a slide that ends in `targets`, if soldiers leave
    /// the lanes `free`. Captures are not considered; the caller removes targets as it needs.
    #[inline(always)]
    pub(crate) fn king_origins<L: Lanes<N>>(&self, targets: L, free: L) -> L {
        let free_targets = targets & free;
        let mut origins = L::splat(Row::EMPTY);
        for class in &self.classes {
            let ends = free_targets & L::splat(class.stop);
            if ends.is_empty() {
                continue;
            }
            let cross = L::splat(class.cross) & free;
            let mut reached = L::splat(Row::EMPTY);
            for direction in Direction::ALL {
                reached = reached | self.shift(self.fill(ends, cross, direction, 1), direction);
            }
            origins = origins | reached & L::splat(class.origins);
        }
        origins & free
    }

    /// Returns the lanes from which one step in the direction leads to one of these squares, if it
    /// is a goal.
    pub(crate) fn before_goals_in(&self, direction: Direction, squares: SquareSet) -> Row<N> {
        let steps = self.classes.iter().flat_map(|class| &class.approaches[direction as usize]);
        steps
            .filter(|(_, goal)| squares.contains(*goal))
            .fold(Row::EMPTY, |lanes, (lane, _)| lanes | *lane)
    }

    /// Returns, by [`Direction`], the lanes from which one step leads to one of these squares,
    /// if it is a goal.
    #[inline]
    pub(crate) fn before_goals(&self, squares: SquareSet) -> [Row<N>; 4] {
        Direction::ALL.map(|direction| self.before_goals_in(direction, squares))
    }

    /// Returns the lanes from which the king reaches a goal in one slide, if soldiers leave the
    /// lanes `free` and stand on the goals one step, by [`Direction`], from the lanes `blocked`.
    #[inline(always)]
    pub(crate) fn escapes<L: Lanes<N>>(&self, blocked: [L; 4], free: L) -> L {
        let mut origins = L::splat(Row::EMPTY);
        for class in &self.classes {
            let cross = L::splat(class.cross) & free;
            let mut reached = L::splat(Row::EMPTY);
            for direction in Direction::ALL {
                let approaches = L::splat(class.before_goals[direction as usize]);
                let open = approaches.without(blocked[direction as usize]);
                let back = direction.opposite();
                // The square next to the goal is either the origin or passed.
                reached = reached | open;
                if self.reach != Some(1) {
                    let passed = self.fill(open & cross, cross, back, 2);
                    reached = reached | self.shift(passed, back);
                }
            }
            origins = origins | reached & L::splat(class.origins);
        }
        origins & free & L::splat(self.places)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::game::moves;
    use crate::game::position::Position;
    use crate::game::rules::Side;
    use crate::solve::captures::soldiers::Soldiers;
    use crate::solve::rows::row::WIDE_ROWS;
    use crate::solve::rows::row::Wide;
    use crate::solve::test_support::{RULESETS, kings, soldiers, with_words};

    /// Returns the positions with these soldiers and the defenders to move in which no encirclement
    /// has ended the game.
    fn running(rules: &Ruleset, soldiers: Soldiers) -> Vec<Position> {
        let Soldiers { attackers, defenders } = soldiers;
        let to_move = Side::Defenders;
        let position = |king| Position { attackers, defenders, king, to_move, rules: rules.id() };
        let all = kings(rules, soldiers).iter().map(position);
        all.filter(|position| !position.is_finished(rules)).collect()
    }

    /// Checks the result for eight rows against the result for one, and returns it.
    fn both<const N: usize>(row: Row<N>, rows: Wide<N>) -> Row<N> {
        let mut stored = [Row::EMPTY; WIDE_ROWS];
        rows.store(&mut stored);
        assert_eq!(stored, [row; WIDE_ROWS]);
        row
    }

    fn check_slides<const N: usize>(rules: &'static Ruleset) {
        let region = Region::<N>::new(rules);
        let boards = (soldiers(rules), any::<[u64; N]>());
        proptest!(ProptestConfig::with_cases(100), |((soldiers, targets) in boards)| {
            // Without attackers the game would be over.
            prop_assume!(!soldiers.attackers.is_empty());
            let occupied = soldiers.attackers | soldiers.defenders;
            let free = !region.row(occupied);
            let targets = Row(targets) & region.places;
            let wide = region.king_origins(Wide::splat(targets), Wide::splat(free));
            let origins = both(region.king_origins(targets, free), wide);
            let blocked = region.before_goals(occupied);
            let wide = region.escapes(blocked.map(Wide::splat), Wide::splat(free));
            let escapes = both(region.escapes(blocked, free), wide);

            let places = region.row(kings(rules, soldiers));
            assert_eq!((origins.without(places), escapes.without(places)), (Row::EMPTY, Row::EMPTY));
            for position in running(rules, soldiers) {
                let lane = region.bit(position.king);
                let reached = moves::targets(rules, &position, Kind::King, position.king);
                let has_target = !(region.row(reached) & targets).is_empty();
                assert_eq!(!(origins & lane).is_empty(), has_target, "{position:?}");
                let has_goal = !(reached & rules.goals).is_empty();
                assert_eq!(!(escapes & lane).is_empty(), has_goal, "{position:?}");
            }
        });
    }

    #[test]
    fn king_slides_agree_with_the_game() {
        for rules in &*RULESETS {
            with_words!(check_slides, rules);
        }
    }

    fn check_images<const N: usize>(rules: &'static Ruleset) {
        let region = Region::<N>::new(rules);
        let inside: SquareSet =
            rules.board.squares().filter(|&square| !region.bit(square).is_empty()).collect();
        for square in inside {
            let lanes: Vec<usize> = region.bit(square).lanes().collect();
            assert!(matches!(lanes[..], [lane] if region.square(lane) == square));
        }
        proptest!(ProptestConfig::with_cases(30), |(words: [u64; SquareSet::WORDS])| {
            let set = SquareSet::from_words(words) & inside;
            for g in Symmetry::ALL {
                let image = region.row(g.apply_set(rules.board, set));
                assert_eq!(region.transform(g, region.row(set)), image, "{g:?}");
                assert_eq!(region.transforms.of(g).apply_bytewise(region.row(set)), image, "{g:?}");
            }
        });
    }

    #[test]
    fn images_of_rows_are_rows_of_images() {
        for rules in &*RULESETS {
            with_words!(check_images, rules);
        }
    }
}
