use std::ops::Range;

use crate::game::board::{SquareSet, SymmetryGroup};

use super::AttackerSets;
use super::orbits::Orbit;
use super::states::NONE;

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
    stabilizer: SymmetryGroup,
}

impl<'a> Walker<'a> {
    /// For these sets.
    pub(crate) fn new(sets: &'a AttackerSets) -> Walker<'a> {
        let mut levels = Vec::with_capacity(sets.orbits.len() + 1);
        levels.push(Level {
            rows: 0..sets.rows(),
            state: sets.states.start,
            pattern: sets.orbits.first().map_or(0, Orbit::patterns),
            set: SquareSet::EMPTY,
            stabilizer: sets.group,
        });
        Walker { sets, levels }
    }

    /// The canonical set that holds this row, and the symmetries that leave it
    /// unchanged.
    ///
    /// # Panics
    /// If there is no such row.
    pub(crate) fn set(&mut self, row: u64) -> (SquareSet, SymmetryGroup) {
        let sets = self.sets;
        assert!(row < sets.rows(), "row {row} of {}", sets.rows());
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
                set: level.set | orbit.sets[level.pattern],
                stabilizer: level.stabilizer,
            };
            if below.stabilizer != SymmetryGroup::TRIVIAL {
                below.stabilizer = orbit.stabilizer(level.pattern as u8, below.stabilizer);
            }
            self.levels.push(below);
        }
        match self.levels.last() {
            Some(level) => (level.set, level.stabilizer),
            None => unreachable!("the first level has all rows"),
        }
    }
}
