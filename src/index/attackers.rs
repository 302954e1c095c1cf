use std::collections::HashMap;
use std::ops::Range;

use crate::board::{Board, SquareSet, Symmetry, SymmetryGroup};

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
#[derive(Clone, Debug)]
pub struct AttackerSets {
    board: Board,
    count: usize,
    group: SymmetryGroup,
    orbits: Vec<Orbit>,
    /// For every square: its orbit and its bit in the orbit's patterns.
    places: Vec<Option<(u16, u8)>>,
    states: Vec<State>,
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

/// A state of the automaton; which men are still to come is implied.
#[derive(Clone, Debug)]
struct State {
    /// For every pattern of the state's orbit: the rows of all ways to go on
    /// with a lesser one. One more entry holds those of all.
    before: Vec<u64>,
    /// For every pattern: the next state; `NONE` where it is not canonical.
    next: Vec<u32>,
    /// The patterns with rows of their own.
    ways: Vec<u8>,
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
        let mut squares = vec![None; board.area()];
        for (number, orbit) in orbits.iter().enumerate() {
            for (bit, square) in orbit.squares.iter().enumerate() {
                squares[square.index()] = Some((number as u16, bit as u8));
            }
        }
        let mut automaton =
            Automaton { orbits: &orbits, rows: &rows, known: HashMap::new(), states: Vec::new() };
        let (start, total_rows) =
            automaton.state(Key { orbit: 0, group, left: count, heavy: 0 })?;
        debug_assert!(start == NONE || start as usize == automaton.states.len() - 1);
        let states = automaton.states;
        Some(AttackerSets { board, count, group, orbits, places: squares, states, total_rows })
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
        let mut patterns = [0_u8; SquareSet::CAPACITY];
        for square in set {
            if let Some((orbit, bit)) = self.places[square.index()] {
                patterns[usize::from(orbit)] |= 1 << bit;
            }
        }
        let mut symmetries = self.group.bits();
        let mut state = self.states.len() - 1;
        let mut offset = 0;
        let mut image = SquareSet::EMPTY;
        for (orbit, &pattern) in self.orbits.iter().zip(&patterns) {
            let least = orbit.least(pattern, &mut symmetries);
            offset += self.states[state].before[usize::from(least)];
            state = self.states[state].next[usize::from(least)] as usize;
            orbit.put(least, &mut image);
            if state == NONE as usize {
                break;
            }
        }
        let symmetry = Symmetry::ALL[symmetries.trailing_zeros() as usize];
        Canonical { set: image, offset, symmetry, symmetries }
    }

    /// The canonical set that holds this row, and its offset.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn unrank(&self, row: u64) -> (SquareSet, u64) {
        assert!(row < self.total_rows, "row {row} of {}", self.total_rows);
        let mut set = SquareSet::EMPTY;
        let mut state = self.states.len() - 1;
        let mut offset = 0;
        for orbit in &self.orbits {
            let State { before, next, .. } = &self.states[state];
            // The last pattern with rows of its own that begins here or before.
            let pattern = before.partition_point(|&rows| offset + rows <= row) - 1;
            offset += before[pattern];
            orbit.put(pattern as u8, &mut set);
            if next[pattern] == NONE {
                break;
            }
            state = next[pattern] as usize;
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
    /// How this orbit went on last: the number of the way.
    way: usize,
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
            state: sets.states.len() as u32 - 1,
            way: 0,
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
        for orbit in &sets.orbits[self.levels.len() - 1..] {
            let Some(level) = self.levels.last_mut().filter(|level| level.state != NONE) else {
                break;
            };
            let State { before, next, ways } = &sets.states[level.state as usize];
            let in_state = row - level.rows.start;
            // Mostly the next way, or else the last one that begins here or before.
            let begins = |&pattern: &u8| before[usize::from(pattern)] <= in_state;
            let later = level.way + 1;
            let is_next = ways.get(later).is_some_and(begins)
                && ways.get(later + 1).is_none_or(|pattern| !begins(pattern));
            level.way = if is_next { later } else { ways.partition_point(begins) - 1 };
            let pattern = ways[level.way];
            let at = usize::from(pattern);
            let start = level.rows.start;
            let mut below = Level {
                rows: start + before[at]..start + before[at + 1],
                state: next[at],
                way: 0,
                set: level.set,
                symmetries: level.symmetries,
            };
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
    states: Vec<State>,
}

impl Automaton<'_> {
    /// The state's number and rows; the last state made is the start.
    fn state(&mut self, key: Key) -> Option<(u32, u64)> {
        // Nothing is left to be read when all men have been; the start reads always.
        let to_read = key.left > 0 || key.orbit == 0;
        let Some(orbit) = self.orbits.get(key.orbit).filter(|_| to_read) else {
            return Some((NONE, if key.left == 0 { (self.rows)(key.heavy)? } else { 0 }));
        };
        if let Some(&known) = self.known.get(&key) {
            return Some(known);
        }
        let patterns = 1_usize << orbit.squares.len();
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
        let number = self.states.len() as u32;
        let ways = (0..patterns).filter(|&p| before[p] < before[p + 1]).map(|p| p as u8).collect();
        self.states.push(State { before, next, ways });
        self.known.insert(key, (number, total));
        Some((number, total))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::board::Square;

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
