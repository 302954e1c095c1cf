use crate::game::board::{
    Board, Square, SquareSet, Symmetry, SymmetryGroup, SymmetrySet, array_of,
};

use super::orbits::{Orbit, orbits};
use super::states::{NO_STATE, States};

/// A perfect index of sets of attackers, with one range of numbers for each class of mirror images.
/// It needs no table proportional to the number of sets.
///
/// # The formula
///
/// The symmetries permute the squares within their *orbits* (of at most eight squares each). So a
/// set is a sequence of patterns, one for each orbit, and a symmetry acts on each pattern
/// separately. The canonical image of a set is the one whose sequence is lexicographically least. A
/// scan from left to right decides whether a sequence is least: the first pattern must be least
/// under all symmetries, the second under those that leave the first unchanged, and so on. The scan
/// needs to remember only three small things: the symmetries `H` that leave the prefix unchanged,
/// the number of men still to come, and the number `h` of men so far on *heavy* squares, which
/// decides how many rows the set has. These are the states of an automaton, and the number of rows
/// of all completions of a state,
///
/// ```text
/// rows(end)                = rows of a set with h heavy men
/// rows(state at orbit j)   = sum over patterns p least under H of rows(state after p)
/// offset(p1, p2, …)        = sum over orbits j of
///                            sum over patterns p < pj, least under Hj, of rows(state j after p)
/// ```
///
/// is small enough to store: ranking a set takes one lookup per orbit. The order is that of the
/// sequences, the index is exact, and its tables take kilobytes where a table of all sets would
/// take gigabytes.
///
/// To find the least image, the patterns of eight orbits are packed into the bytes of a word, the
/// first one highest: the least word is the least sequence. Each square has its bit in the word of
/// each symmetry, so that all images of a set are computed at once.
#[derive(Clone, Debug)]
pub(crate) struct AttackerSets {
    /// The board of the squares.
    pub(crate) board: Board,
    /// The number of attackers in a set.
    pub(crate) count: usize,
    /// The symmetries under which sets are equivalent.
    pub(crate) group: SymmetryGroup,
    pub(super) orbits: Vec<Orbit>,
    /// The squares of each group of eight orbits.
    groups: Vec<SquareSet>,
    /// For every square, its image under each symmetry, as a bit of its group's word.
    bits: Vec<[u64; 8]>,
    /// For every square, its image under each symmetry.
    images: Vec<[Square; 8]>,
    pub(super) states: States,
}

/// The images of a set under each symmetry, as one word for each group of orbits.
#[derive(Clone, Debug)]
pub(crate) struct Images(Vec<[u64; 8]>);

impl AttackerSets {
    /// Builds the index of the sets of `count` attackers on the squares `places`, which must be
    /// closed under `group`. A set with `h` men on `heavy` squares has `rows(h)` rows; `None` is an
    /// overflow.
    ///
    /// Returns `None` if the total number of rows overflows.
    pub(crate) fn new(
        board: Board,
        group: SymmetryGroup,
        places: SquareSet,
        heavy: SquareSet,
        count: usize,
        rows: &dyn Fn(usize) -> Option<u64>,
    ) -> Option<AttackerSets> {
        let orbits = orbits(board, group, places, heavy);
        let images: Vec<[Square; 8]> =
            board.squares().map(|s| Symmetry::ALL.map(|g| g.apply(board, s))).collect();
        let mut own_bits = vec![0; board.area()];
        for (number, orbit) in orbits.iter().enumerate() {
            for (bit, square) in orbit.squares.iter().enumerate() {
                own_bits[square.index()] = 1 << (8 * (7 - number % 8) + bit);
            }
        }
        let bits = images.iter().map(|images| images.map(|image| own_bits[image.index()]));
        let groups = orbits
            .chunks(8)
            .map(|orbits| orbits.iter().flat_map(|orbit| orbit.squares.iter().copied()).collect());
        let states = States::new(&orbits, group, count, rows)?;
        Some(AttackerSets {
            board,
            count,
            group,
            groups: groups.collect(),
            bits: bits.collect(),
            images,
            orbits,
            states,
        })
    }

    /// Returns the number of rows of all canonical sets.
    pub(crate) fn rows(&self) -> u64 {
        self.states.rows
    }

    /// Iterates over the squares in the order in which sets are compared.
    pub(crate) fn squares(&self) -> impl Iterator<Item = Square> + '_ {
        self.orbits.iter().flat_map(|orbit| orbit.squares.iter().copied())
    }

    /// Returns the offset of a set's canonical image, and a symmetry that maps the set there. The
    /// set must have the right number of men, on squares open to attackers.
    pub(crate) fn canonicalize(&self, set: SquareSet) -> (u64, Symmetry) {
        let (offset, symmetries) = match self.board.area() {
            ..=64 => self.locate::<1>(set),
            _ => self.locate::<{ SquareSet::WORDS }>(set),
        };
        (offset, symmetries.iter().next().unwrap_or(Symmetry::IDENTITY))
    }

    /// Returns the images of a set of men, for
    /// [`canonicalize_with`](AttackerSets::canonicalize_with).
    pub(crate) fn images_of(&self, set: SquareSet) -> Images {
        let groups = self.groups.iter();
        Images(groups.map(|&group| self.images_in::<{ SquareSet::WORDS }>(set & group)).collect())
    }

    /// As [`canonicalize`](AttackerSets::canonicalize), for the men with these images and one more.
    pub(crate) fn canonicalize_with(&self, others: &Images, square: Square) -> (u64, Symmetry) {
        let (offset, symmetries) = self.scan(|i| {
            let one = if self.groups[i].contains(square) { !0 } else { 0 };
            let (others, bits) = (&others.0[i], &self.bits[square.index()]);
            array_of(|g| others[g] | bits[g] & one)
        });
        (offset, symmetries.iter().next().unwrap_or(Symmetry::IDENTITY))
    }

    /// Returns the offset of a set's canonical image, and all symmetries that map the set there.
    /// The board's squares must fit into `W` words.
    #[inline]
    pub(super) fn locate<const W: usize>(&self, set: SquareSet) -> (u64, SymmetrySet) {
        self.scan(|i| self.images_in::<W>(set & self.groups[i]))
    }

    /// Returns the images, by symmetry, of men on squares of one group.
    #[inline]
    fn images_in<const W: usize>(&self, set: SquareSet) -> [u64; 8] {
        set.iter_words::<W>().fold([0; 8], |images, square| {
            let bits = self.bits[square.index()];
            array_of(|g| images[g] | bits[g])
        })
    }

    /// Finds the least image and runs the automaton on it, group by group.
    #[inline]
    fn scan(&self, images_in: impl Fn(usize) -> [u64; 8]) -> (u64, SymmetrySet) {
        let mut symmetries = self.group.set();
        let mut state = self.states.start;
        let mut offset = 0;
        let mut left = self.count as u32;
        for (i, orbits) in self.orbits.chunks(8).enumerate() {
            let least;
            (least, symmetries) = least_of(images_in(i), symmetries);
            for (pattern, _) in least.to_be_bytes().into_iter().zip(orbits) {
                if state == NO_STATE {
                    break;
                }
                let entry = state as usize + usize::from(pattern);
                offset += self.states.before[entry];
                state = self.states.next[entry];
            }
            // The patterns after the last man are empty and add nothing.
            left = left.saturating_sub(least.count_ones());
            if left == 0 {
                break;
            }
        }
        (offset, symmetries)
    }

    /// Returns the image of a square of the board.
    #[inline]
    pub(super) fn image(&self, square: Square, symmetry: Symmetry) -> Square {
        self.images[square.index()][symmetry.index() % 8]
    }

    /// Returns the canonical set that contains this row, and its offset.
    ///
    /// # Panics
    /// If there is no such row.
    pub(crate) fn unrank(&self, row: u64) -> (SquareSet, u64) {
        assert!(row < self.rows(), "row {row} of {}", self.rows());
        let mut set = SquareSet::EMPTY;
        let mut state = self.states.start;
        let mut offset = 0;
        for orbit in &self.orbits {
            let pattern = self.states.pattern(state, orbit, row - offset);
            let entry = state as usize + pattern;
            offset += self.states.before[entry];
            set |= orbit.sets[pattern];
            state = self.states.next[entry];
            if state == NO_STATE {
                break;
            }
        }
        debug_assert_eq!(set.len(), self.count);
        (set, offset)
    }

    /// Returns the symmetries that leave the set unchanged.
    pub(crate) fn stabilizer(&self, set: SquareSet) -> SymmetryGroup {
        SymmetryGroup::stabilizing(|g| {
            self.group.contains(g) && g.apply_set(self.board, set) == set
        })
    }
}

/// Returns the least image under these symmetries, and the symmetries that produce it. It is free
/// of branches, as they would be unpredictable.
#[inline]
fn least_of(images: [u64; 8], symmetries: SymmetrySet) -> (u64, SymmetrySet) {
    let included = Symmetry::ALL.map(|g| u64::from(symmetries.contains(g)));
    // The images under other symmetries become all ones.
    let masked: [u64; 8] = array_of(|g| images[g] | included[g].wrapping_sub(1));
    let least = masked.into_iter().fold(u64::MAX, u64::min);
    (least, symmetries & SymmetrySet::of(|g| masked[g.index()] == least))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::super::Walker;
    use super::*;

    fn sets_of(squares: &[Square], count: usize) -> Vec<SquareSet> {
        if count == 0 {
            return vec![SquareSet::EMPTY];
        }
        let mut sets = Vec::new();
        for (i, &square) in squares.iter().enumerate() {
            sets.extend(sets_of(&squares[..i], count - 1).into_iter().map(|s| s.with(square)));
        }
        sets
    }

    fn check(size: u8, group: SymmetryGroup, count: usize) {
        let board = Board::new(size).unwrap();
        let all: SquareSet = board.squares().collect();
        let places = all.without(board.centre()) - board.corners();
        let weight = |heavy: usize| 1 + heavy as u64;
        let rows = |heavy| Some(weight(heavy));
        let index = AttackerSets::new(board, group, places, board.edge(), count, &rows).unwrap();
        let squares: Vec<Square> = places.iter().collect();
        let mut walker = Walker::new(&index);
        let mut classes = HashSet::new();
        for set in sets_of(&squares, count) {
            let (offset, symmetry) = index.canonicalize(set);
            let (_, symmetries) = index.locate::<1>(set);
            let canonical = symmetry.apply_set(board, set);
            for square in set {
                let others = index.images_of(set.without(square));
                assert_eq!(index.canonicalize_with(&others, square), (offset, symmetry));
            }
            for g in group.iter() {
                let image = g.apply_set(board, set);
                assert_eq!(index.canonicalize(image).0, offset);
                assert_eq!(symmetries.contains(g), image == canonical);
            }
            for row in 0..weight((set & board.edge()).len()) {
                let unranked = index.unrank(offset + row);
                assert_eq!(unranked, (canonical, offset));
                let walked = walker.set(offset + row);
                assert_eq!(walked, (canonical, index.stabilizer(canonical)));
            }
            classes.insert(canonical);
        }
        let total: u64 = classes.iter().map(|set| weight((*set & board.edge()).len())).sum();
        assert_eq!(index.rows(), total);
    }

    #[test]
    fn every_class_has_its_own_rows() {
        let all = SymmetryGroup::stabilizing(|_| true);
        let mirror = SymmetryGroup::stabilizing(|g| g.index() < 2);
        let turns = SymmetryGroup::stabilizing(|g| [0, 3, 5, 6].contains(&g.index()));
        let none = SymmetryGroup::stabilizing(|g| g.index() == 0);
        for count in 0..=4 {
            for group in [all, mirror, turns, none] {
                check(5, group, count);
            }
        }
        check(7, all, 3);
    }

    #[test]
    fn too_many_rows_are_refused() {
        let board = Board::new(19).unwrap();
        let all = SymmetryGroup::stabilizing(|_| true);
        let places: SquareSet = board.squares().collect();
        let index = AttackerSets::new(board, all, places, SquareSet::EMPTY, 24, &|_| Some(1));
        assert!(index.is_none());
    }
}
