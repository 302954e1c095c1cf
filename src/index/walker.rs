use std::ops::Range;

use crate::game::board::{SquareSet, SymmetryGroup};

use super::AttackerSets;
use super::orbits::Orbit;
use super::states::NO_STATE;

/// Unranks rows incrementally: it keeps the prefix that a set shares with the previous one, so that
/// it is fast in ascending order.
#[derive(Clone, Debug)]
pub(crate) struct Walker<'a> {
    sets: &'a AttackerSets,
    /// The prefixes of the previous set, from the empty one on.
    prefixes: Vec<Prefix>,
}

/// A prefix of a set: its patterns before some orbit.
#[derive(Clone, Debug)]
struct Prefix {
    /// The rows of all sets with this prefix.
    rows: Range<u64>,
    /// The state after the prefix.
    state: u32,
    /// The next orbit's pattern in the previous set, or the number of patterns if there is none.
    pattern: usize,
    set: SquareSet,
    /// The symmetries that leave the prefix unchanged.
    stabilizer: SymmetryGroup,
}

impl<'a> Walker<'a> {
    /// Creates a walker of these sets.
    pub(crate) fn new(sets: &'a AttackerSets) -> Walker<'a> {
        let mut prefixes = Vec::with_capacity(sets.orbits.len() + 1);
        prefixes.push(Prefix {
            rows: 0..sets.rows(),
            state: sets.states.start,
            pattern: sets.orbits.first().map_or(0, Orbit::patterns),
            set: SquareSet::EMPTY,
            stabilizer: sets.group,
        });
        Walker { sets, prefixes }
    }

    /// Returns the canonical set that contains this row, and the symmetries that leave it
    /// unchanged.
    ///
    /// # Panics
    /// If there is no such row.
    pub(crate) fn set(&mut self, row: u64) -> (SquareSet, SymmetryGroup) {
        let sets = self.sets;
        assert!(row < sets.rows(), "row {row} of {}", sets.rows());
        while self.prefixes.last().is_some_and(|prefix| !prefix.rows.contains(&row)) {
            self.prefixes.pop();
        }
        let depth = self.prefixes.len() - 1;
        for (i, orbit) in sets.orbits.iter().enumerate().skip(depth) {
            let Some(prefix) = self.prefixes.last_mut().filter(|prefix| prefix.state != NO_STATE)
            else {
                break;
            };
            let start = prefix.rows.start;
            let state = prefix.state;
            prefix.pattern = sets.states.pattern_after(state, orbit, prefix.pattern, row - start);
            let entry = state as usize + prefix.pattern;
            let before = &sets.states.before[entry..];
            let mut longer = Prefix {
                rows: start + before[0]..start + before[1],
                state: sets.states.next[entry],
                pattern: sets.orbits.get(i + 1).map_or(0, Orbit::patterns),
                set: prefix.set | orbit.sets[prefix.pattern],
                stabilizer: prefix.stabilizer,
            };
            if longer.stabilizer != SymmetryGroup::TRIVIAL {
                longer.stabilizer = orbit.stabilizer(prefix.pattern as u8, longer.stabilizer);
            }
            self.prefixes.push(longer);
        }
        match self.prefixes.last() {
            Some(prefix) => (prefix.set, prefix.stabilizer),
            None => unreachable!("the empty prefix has all rows"),
        }
    }
}
