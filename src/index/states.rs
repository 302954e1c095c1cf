//! The automaton that reads sets of attackers, orbit by orbit: see
//! [`AttackerSets`](super::AttackerSets).

use std::collections::HashMap;

use crate::game::board::SymmetryGroup;

use super::orbits::Orbit;

/// The number of no state: what cannot come, or the end.
pub(super) const NONE: u32 = u32::MAX;

/// The states of the automaton, one after another. A state's number is where its
/// entries begin: one for each pattern of its orbit, and one more. Which men are
/// still to come is implied.
#[derive(Clone, Debug, Default)]
pub(super) struct States {
    /// The state in which nothing has been read.
    pub start: u32,
    /// The rows of all ways to go on from there.
    pub rows: u64,
    /// For every pattern: the rows of all ways to go on with a lesser one. The
    /// last entry holds those of all.
    pub before: Vec<u64>,
    /// For every pattern: the next state; `NONE` where it is not canonical.
    pub next: Vec<u32>,
    /// For every pattern: the next one with rows of its own, if there is one; in
    /// the last entry the first one.
    following: Vec<u8>,
}

impl States {
    /// The automaton of the sets of so many men on these orbits, where a set with `h`
    /// men on heavy ones has `rows(h)` rows; `None` if their numbers do not fit.
    pub(super) fn new(
        orbits: &[Orbit],
        group: SymmetryGroup,
        count: usize,
        rows: &dyn Fn(usize) -> Option<u64>,
    ) -> Option<States> {
        let states = States::default();
        let mut automaton = Automaton { orbits, rows, known: HashMap::new(), states };
        let (start, rows) = automaton.state(Key { orbit: 0, group, left: count, heavy: 0 })?;
        Some(States { start, rows, ..automaton.states })
    }

    /// The pattern in a state of that orbit that holds the row, counted from the
    /// first of the state's rows; it has rows of its own.
    pub(super) fn pattern(&self, state: u32, orbit: &Orbit, row: u64) -> usize {
        let before = &self.before[state as usize..][..=orbit.patterns()];
        before.partition_point(|&rows| rows <= row) - 1
    }

    /// The same, when it is likely to come soon after this pattern, or soon if this is the
    /// number of all patterns.
    #[inline]
    pub(super) fn pattern_after(&self, state: u32, orbit: &Orbit, last: usize, row: u64) -> usize {
        /// So many are looked at one by one.
        const NEAR: usize = 4;
        let mut pattern = last;
        for _ in 0..NEAR {
            pattern = usize::from(self.following[state as usize + pattern]);
            let before = &self.before[state as usize + pattern..];
            if (before[0]..before[1]).contains(&row) {
                return pattern;
            }
        }
        self.pattern(state, orbit, row)
    }
}

/// What matters of what has been read.
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
            if men > key.left || !orbit.is_least(pattern as u8, key.group) {
                continue;
            }
            let (number, rows) = self.state(Key {
                orbit: key.orbit + 1,
                group: orbit.stabilizer(pattern as u8, key.group),
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
