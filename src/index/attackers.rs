use std::collections::HashMap;
use std::ops::Range;

use crate::board::{Board, Square, SquareSet, Symmetry, SymmetryGroup};

use super::orbits::{Orbit, orbits};

/// A perfect numbering of sets of attackers, one number range for each class
/// of mirror images, without any table as large as the number of sets.
///
/// # The formula
///
/// The symmetries permute the squares within their *orbits* (eight squares or
/// fewer each). So a set is a sequence of patterns, one for each orbit, and a
/// symmetry acts on each pattern separately. The canonical image of a set is
/// the one whose sequence is lexicographically least. Whether a sequence is
/// least can be seen from left to right: the first pattern must be least under
/// all symmetries, the second under those that leave the first unchanged, and
/// so on. What has been read matters only through three small things: the
/// symmetries `H` that leave it unchanged, how many men are still to come, and
/// how many rows the men so far cost. These are the states of an automaton,
/// and the number of rows of all ways to go on from a state,
///
/// ```text
/// rows(end, weight)        = weight
/// rows(state at orbit j)   = sum over patterns p least under H of rows(state after p)
/// offset(p1, p2, …)        = sum over orbits j of
///                            sum over patterns p < pj, least under Hj, of rows(state j after p)
/// ```
///
/// is small enough to be stored: a set is ranked by one lookup per orbit. The
/// order is that of the sequences, the index is exact, and its tables take
/// kilobytes where a table of all sets would take gigabytes.
///
/// To find the least image, the patterns of eight orbits are the bytes of a word, the
/// first one highest: then the least word is the least sequence. Each square has its
/// bit in the word for each symmetry, so that all images of a set are made at once.
#[derive(Clone, Debug)]
pub struct AttackerSets {
    board: Board,
    count: usize,
    group: SymmetryGroup,
    orbits: Vec<Orbit>,
    /// For every eight orbits: their squares.
    groups: Vec<SquareSet>,
    /// For every square: where each symmetry takes it, as a bit of its group's word.
    bits: Vec<[u64; 8]>,
    /// For every square: where each symmetry takes it.
    images: Vec<[Square; 8]>,
    states: States,
    start: u32,
    total_rows: u64,
}

/// A set's canonical image.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Canonical {
    /// The image itself.
    pub set: SquareSet,
    /// Rows of all canonical sets before it.
    pub offset: u64,
    /// A symmetry that brings the set to its image.
    pub symmetry: Symmetry,
    /// All symmetries that do, bit `i` for the symmetry numbered `i`.
    pub symmetries: u8,
}

/// The states of the automaton, one after another. A state's number is where its
/// entries begin: one for each pattern of its orbit, and one more. Which men are
/// still to come is implied.
#[derive(Clone, Debug, Default)]
struct States {
    /// For every pattern: the rows of all ways to go on with a lesser one. The
    /// last entry holds those of all.
    before: Vec<u64>,
    /// For every pattern: the next state; `NONE` where it is not canonical.
    next: Vec<u32>,
    /// For every pattern: the next one with rows of its own, if there is one; in
    /// the last entry the first one.
    following: Vec<u8>,
}

impl States {
    /// The pattern in a state of that orbit that holds the row, counted from the
    /// first of the state's rows; it has rows of its own.
    fn pattern(&self, state: u32, orbit: &Orbit, row: u64) -> usize {
        let before = &self.before[state as usize..][..=orbit.patterns()];
        before.partition_point(|&rows| rows <= row) - 1
    }

    /// The same, when it is likely to come after this pattern, or first after the
    /// number of all patterns.
    #[inline]
    fn pattern_after(&self, state: u32, orbit: &Orbit, last: usize, row: u64) -> usize {
        let following = usize::from(self.following[state as usize + last]);
        let before = &self.before[state as usize + following..];
        if (before[0]..before[1]).contains(&row) {
            following
        } else {
            self.pattern(state, orbit, row)
        }
    }
}

const NONE: u32 = u32::MAX;

impl AttackerSets {
    /// The sets of `count` attackers on the squares `places`, which must be
    /// closed under `group`. A set with `h` men on `heavy` squares has
    /// `rows(h)` rows; `None` stands for a number that does not fit.
    ///
    /// Returns `None` if the number of all rows does not fit.
    pub fn new(
        board: Board,
        group: SymmetryGroup,
        places: SquareSet,
        heavy: SquareSet,
        count: usize,
        rows: impl Fn(usize) -> Option<u64>,
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
        let squares = |orbits: &[Orbit]| orbits.iter().flat_map(|o| o.squares.clone()).collect();
        let mut automaton = Automaton {
            orbits: &orbits,
            rows: &rows,
            known: HashMap::new(),
            states: States::default(),
        };
        let (start, total_rows) =
            automaton.state(Key { orbit: 0, group, left: count, heavy: 0 })?;
        let states = automaton.states;
        Some(AttackerSets {
            board,
            count,
            group,
            groups: orbits.chunks(8).map(squares).collect(),
            bits: bits.collect(),
            images,
            orbits,
            states,
            start,
            total_rows,
        })
    }

    /// How many rows all canonical sets have together.
    pub fn rows(&self) -> u64 {
        self.total_rows
    }

    /// The symmetries under which sets are the same.
    pub fn group(&self) -> SymmetryGroup {
        self.group
    }

    /// The canonical image of a set, which must have the right number of men
    /// on squares where attackers may stand.
    pub fn canonical(&self, set: SquareSet) -> Canonical {
        let (offset, symmetries) = self.locate(set);
        let symmetry = Symmetry::ALL[symmetries.trailing_zeros() as usize];
        let set = set.iter().map(|square| self.image(square, symmetry)).collect();
        Canonical { set, offset, symmetry, symmetries }
    }

    /// The rows before a set's canonical image, and the symmetries that bring it
    /// there: what a probe needs of [`canonical`](AttackerSets::canonical).
    pub(super) fn locate(&self, set: SquareSet) -> (u64, u8) {
        let mut symmetries = self.group.bits();
        let mut state = self.start;
        let mut offset = 0;
        let mut left = self.count as u32;
        for (orbits, &group) in self.orbits.chunks(8).zip(&self.groups) {
            let mut images = [0_u64; 8];
            for square in set & group {
                let bits = self.bits[square.index()];
                images = std::array::from_fn(|g| images[g] | bits[g]);
            }
            let least = least_of(images, &mut symmetries);
            for (pattern, _) in least.to_be_bytes().into_iter().zip(orbits) {
                if state == NONE {
                    break;
                }
                let entry = state as usize + usize::from(pattern);
                offset += self.states.before[entry];
                state = self.states.next[entry];
            }
            // What comes after the last man changes nothing.
            left = left.saturating_sub(least.count_ones());
            if left == 0 {
                break;
            }
        }
        (offset, symmetries)
    }

    /// Where the symmetry takes a square of the board.
    #[inline]
    pub(super) fn image(&self, square: Square, symmetry: Symmetry) -> Square {
        self.images[square.index()][symmetry.index() % 8]
    }

    /// The canonical set that holds this row, and its offset.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn unrank(&self, row: u64) -> (SquareSet, u64) {
        assert!(row < self.total_rows, "row {row} of {}", self.total_rows);
        let mut set = SquareSet::EMPTY;
        let mut state = self.start;
        let mut offset = 0;
        for orbit in &self.orbits {
            let pattern = self.states.pattern(state, orbit, row - offset);
            let entry = state as usize + pattern;
            offset += self.states.before[entry];
            orbit.put(pattern as u8, &mut set);
            state = self.states.next[entry];
            if state == NONE {
                break;
            }
        }
        debug_assert_eq!(set.len(), self.count);
        (set, offset)
    }

    /// The symmetries that leave the set unchanged.
    pub fn stabilizer(&self, set: SquareSet) -> SymmetryGroup {
        let group = self.group;
        let fixes = |g: Symmetry| group.contains(g) && g.apply_set(self.board, set) == set;
        SymmetryGroup::stabilizing(fixes)
    }
}

/// The least of the images under these symmetries, which are cut down to those that
/// give it. Without branches, which nobody could foresee.
#[inline]
fn least_of(images: [u64; 8], symmetries: &mut u8) -> u64 {
    let asked = |g: usize| *symmetries >> g & 1;
    let images: [u64; 8] = std::array::from_fn(|g| images[g] | u64::from(asked(g)).wrapping_sub(1));
    let least = images.into_iter().fold(u64::MAX, u64::min);
    let give = (0..8).fold(0, |give, g| give | u8::from(images[g] == least) << g);
    *symmetries &= give;
    least
}

/// Unranks one row after another: what a set shares with the one before it is
/// not worked out again, so that it is fast in ascending order.
#[derive(Clone, Debug)]
pub(crate) struct Walker<'a> {
    sets: &'a AttackerSets,
    /// What has been read before each orbit, as far as the last set went; first
    /// comes nothing.
    levels: Vec<Level>,
}

/// The patterns before some orbit.
#[derive(Clone, Debug)]
struct Level {
    /// The rows of all sets that begin with them.
    rows: Range<u64>,
    /// The state after them.
    state: u32,
    /// This orbit's pattern in the last set, or else how many there are.
    pattern: usize,
    set: SquareSet,
    /// What leaves them unchanged.
    symmetries: u8,
}

impl<'a> Walker<'a> {
    /// For these sets.
    pub fn new(sets: &'a AttackerSets) -> Walker<'a> {
        let mut levels = Vec::with_capacity(sets.orbits.len() + 1);
        levels.push(Level {
            rows: 0..sets.total_rows,
            state: sets.start,
            pattern: sets.orbits.first().map_or(0, Orbit::patterns),
            set: SquareSet::EMPTY,
            symmetries: sets.group.bits(),
        });
        Walker { sets, levels }
    }

    /// The canonical set that holds this row, and the symmetries that leave it
    /// unchanged, bit `i` for the symmetry numbered `i`.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn set(&mut self, row: u64) -> (SquareSet, u8) {
        let sets = self.sets;
        assert!(row < sets.total_rows, "row {row} of {}", sets.total_rows);
        while self.levels.last().is_some_and(|level| !level.rows.contains(&row)) {
            self.levels.pop();
        }
        let depth = self.levels.len() - 1;
        for (i, orbit) in sets.orbits.iter().enumerate().skip(depth) {
            let Some(level) = self.levels.last_mut().filter(|level| level.state != NONE) else {
                break;
            };
            let start = level.rows.start;
            let state = level.state;
            level.pattern = sets.states.pattern_after(state, orbit, level.pattern, row - start);
            let entry = state as usize + level.pattern;
            let before = &sets.states.before[entry..];
            let mut below = Level {
                rows: start + before[0]..start + before[1],
                state: sets.states.next[entry],
                pattern: sets.orbits.get(i + 1).map_or(0, Orbit::patterns),
                set: level.set,
                symmetries: level.symmetries,
            };
            let pattern = level.pattern as u8;
            orbit.put(pattern, &mut below.set);
            if below.symmetries != 1 {
                orbit.least(pattern, &mut below.symmetries);
            }
            self.levels.push(below);
        }
        match self.levels.last() {
            Some(level) => (level.set, level.symmetries),
            None => unreachable!("the first level has all rows"),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    orbit: usize,
    group: SymmetryGroup,
    left: usize,
    heavy: usize,
}

/// The automaton under construction.
struct Automaton<'a> {
    orbits: &'a [Orbit],
    rows: &'a dyn Fn(usize) -> Option<u64>,
    known: HashMap<Key, (u32, u64)>,
    states: States,
}

impl Automaton<'_> {
    /// The state's number and rows.
    fn state(&mut self, key: Key) -> Option<(u32, u64)> {
        // Nothing is left to be read when all men have been; the start reads always.
        let to_read = key.left > 0 || key.orbit == 0;
        let Some(orbit) = self.orbits.get(key.orbit).filter(|_| to_read) else {
            return Some((NONE, if key.left == 0 { (self.rows)(key.heavy)? } else { 0 }));
        };
        if let Some(&known) = self.known.get(&key) {
            return Some(known);
        }
        let patterns = orbit.patterns();
        let mut before = Vec::with_capacity(patterns + 1);
        let mut next = vec![NONE; patterns];
        let mut total = 0_u64;
        for (pattern, next) in next.iter_mut().enumerate() {
            before.push(total);
            let men = pattern.count_ones() as usize;
            let mut stabilizer = key.group.bits();
            if men > key.left || orbit.least(pattern as u8, &mut stabilizer) != pattern as u8 {
                continue;
            }
            let fixed = |g: Symmetry| stabilizer >> g.index() & 1 == 1;
            let (number, rows) = self.state(Key {
                orbit: key.orbit + 1,
                group: SymmetryGroup::stabilizing(fixed),
                left: key.left - men,
                heavy: key.heavy + if orbit.heavy { men } else { 0 },
            })?;
            *next = number;
            total = total.checked_add(rows)?;
        }
        before.push(total);
        next.push(NONE);
        let mut following = vec![0; patterns + 1];
        let mut later = 0;
        for pattern in (0..patterns).rev() {
            following[pattern] = later;
            if before[pattern] < before[pattern + 1] {
                later = pattern as u8;
            }
        }
        following[patterns] = later;
        let number = u32::try_from(self.states.before.len()).ok()?;
        self.states.before.append(&mut before);
        self.states.next.append(&mut next);
        self.states.following.append(&mut following);
        self.known.insert(key, (number, total));
        Some((number, total))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

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
        let rows = |heavy: usize| Some(1 + heavy as u64);
        let index = AttackerSets::new(board, group, places, board.edge(), count, rows).unwrap();
        let squares: Vec<Square> = places.iter().collect();
        let mut walker = Walker::new(&index);
        let mut classes = HashSet::new();
        for set in sets_of(&squares, count) {
            let canonical = index.canonical(set);
            assert_eq!(canonical.symmetry.apply_set(board, set), canonical.set);
            for g in group.iter() {
                let image = g.apply_set(board, set);
                assert_eq!(index.canonical(image).offset, canonical.offset);
                let leads = g.apply_set(board, set) == canonical.set;
                assert_eq!(canonical.symmetries >> g.index() & 1 == 1, leads);
            }
            for row in 0..rows((set & board.edge()).len()).unwrap() {
                let unranked = index.unrank(canonical.offset + row);
                assert_eq!(unranked, (canonical.set, canonical.offset));
                let walked = walker.set(canonical.offset + row);
                assert_eq!(walked, (canonical.set, index.stabilizer(canonical.set).bits()));
            }
            classes.insert(canonical.set);
        }
        let total: u64 = classes.iter().map(|s| rows((*s & board.edge()).len()).unwrap()).sum();
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
        let index = AttackerSets::new(board, all, places, SquareSet::EMPTY, 24, |_| Some(1));
        assert!(index.is_none());
    }
}
