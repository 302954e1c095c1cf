//! The automaton that scans sets of attackers, orbit by orbit: see
//! [`AttackerSets`](super::AttackerSets).

use std::collections::HashMap;

use crate::game::board::SymmetryGroup;

use super::orbits::Orbit;

/// The absence of a state: a pattern that cannot occur, or the end of the scan.
pub(super) const NO_STATE: u32 = u32::MAX;

/// The states of the automaton in flat arrays. A state's number is the index of its first entry. It
/// has an entry for each pattern of its orbit, and one more. The number of men still to come is
/// implied.
#[derive(Clone, Debug, Default)]
pub(super) struct States {
    /// The initial state.
    pub start: u32,
    /// The rows of all sets.
    pub rows: u64,
    /// For every pattern, the rows of all completions with a lesser one. The last entry holds the
    /// rows of all.
    pub before: Vec<u64>,
    /// For every pattern, the next state; `NO_STATE` if the pattern is not canonical.
    pub next: Vec<u32>,
    /// For every pattern, the next one that has rows, or else 0. The last entry holds the first
    /// one.
    next_nonempty: Vec<u8>,
}

impl States {
    /// Builds the automaton of the sets of `count` men on these orbits. A set with `h` men on heavy
    /// squares has `rows(h)` rows; `None` on overflow.
    pub(super) fn new(
        orbits: &[Orbit],
        group: SymmetryGroup,
        count: usize,
        rows: &dyn Fn(usize) -> Option<u64>,
    ) -> Option<States> {
        let states = States::default();
        let mut builder = Builder { orbits, rows, memo: HashMap::new(), states };
        let (start, rows) = builder.state(StateKey { orbit: 0, group, left: count, heavy: 0 })?;
        Some(States { start, rows, ..builder.states })
    }

    /// Returns the pattern that contains the row, which is counted from the first row of the state.
    /// The pattern always has rows.
    pub(super) fn pattern(&self, state: u32, orbit: &Orbit, row: u64) -> usize {
        let before = &self.before[state as usize..][..=orbit.patterns()];
        before.partition_point(|&rows| rows <= row) - 1
    }

    /// As [`pattern`](States::pattern), optimized for a row soon after that of the pattern `last`,
    /// or near the start of the state if `last` is the number of patterns.
    #[inline]
    pub(super) fn pattern_after(&self, state: u32, orbit: &Orbit, last: usize, row: u64) -> usize {
        /// The number of patterns to try before a binary search.
        const NEAR: usize = 4;
        let mut pattern = last;
        for _ in 0..NEAR {
            pattern = usize::from(self.next_nonempty[state as usize + pattern]);
            let before = &self.before[state as usize + pattern..];
            if (before[0]..before[1]).contains(&row) {
                return pattern;
            }
        }
        self.pattern(state, orbit, row)
    }
}

/// The identity of a state: the relevant properties of the prefix read.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct StateKey {
    orbit: usize,
    group: SymmetryGroup,
    left: usize,
    heavy: usize,
}

/// Builds the automaton, with a memo of the states made so far.
struct Builder<'a> {
    orbits: &'a [Orbit],
    rows: &'a dyn Fn(usize) -> Option<u64>,
    memo: HashMap<StateKey, (u32, u64)>,
    states: States,
}

impl Builder<'_> {
    /// Returns the state's number and rows, after building it if it is new.
    fn state(&mut self, key: StateKey) -> Option<(u32, u64)> {
        // The scan ends after the last man; only the initial state exists without men.
        let continues = key.left > 0 || key.orbit == 0;
        let Some(orbit) = self.orbits.get(key.orbit).filter(|_| continues) else {
            return Some((NO_STATE, if key.left == 0 { (self.rows)(key.heavy)? } else { 0 }));
        };
        if let Some(&built) = self.memo.get(&key) {
            return Some(built);
        }
        let patterns = orbit.patterns();
        let mut before = Vec::with_capacity(patterns + 1);
        let mut next = vec![NO_STATE; patterns];
        let mut total = 0_u64;
        for (pattern, next) in next.iter_mut().enumerate() {
            before.push(total);
            let men = pattern.count_ones() as usize;
            if men > key.left || !orbit.is_least(pattern as u8, key.group) {
                continue;
            }
            let (number, rows) = self.state(StateKey {
                orbit: key.orbit + 1,
                group: orbit.stabilizer(pattern as u8, key.group),
                left: key.left - men,
                heavy: key.heavy + if orbit.heavy { men } else { 0 },
            })?;
            *next = number;
            total = total.checked_add(rows)?;
        }
        before.push(total);
        next.push(NO_STATE);
        // Link the patterns that have rows, from the last one back.
        let mut next_nonempty = vec![0; patterns + 1];
        let mut later = 0;
        for pattern in (0..patterns).rev() {
            next_nonempty[pattern] = later;
            if before[pattern] < before[pattern + 1] {
                later = pattern as u8;
            }
        }
        next_nonempty[patterns] = later;
        let number = u32::try_from(self.states.before.len()).ok()?;
        self.states.before.append(&mut before);
        self.states.next.append(&mut next);
        self.states.next_nonempty.append(&mut next_nonempty);
        self.memo.insert(key, (number, total));
        Some((number, total))
    }
}
