//! Positions of slices that are solved, counted from their tables.

use crate::game::slice::Slice;
use crate::game::value::Wdl;
use crate::study::stats::{StatsError, count_values};
use crate::table::Metric;
use crate::tablebase::Tablebase;

/// What tables of distances tell of the positions with few men.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Solved {
    /// The slices that were counted.
    pub slices: Vec<Slice>,
    /// Their positions, either side to move, mirror images counted separately.
    pub positions: u64,
    /// Those that the side to move wins with this move.
    pub decided: u64,
    /// Those in which the side to move has no move.
    pub stuck: u64,
}

/// Counts all slices with a table of distances that have no more men than the start.
///
/// # Errors
/// If a table cannot be read.
pub fn solved(base: &Tablebase, most: Slice) -> Result<Solved, StatsError> {
    let mut solved = Solved::default();
    for slice in base.slices(Metric::Dtw) {
        if slice.attackers > most.attackers || slice.defenders > most.defenders {
            continue;
        }
        // A file of other rules may be beside those of these.
        let Ok(table) = base.table(slice, Metric::Dtw) else {
            continue;
        };
        for side in count_values(base.rules(), table)? {
            solved.positions += side.positions();
            let with = |wdl, plies| {
                let values = side.values.iter();
                let values = values.filter(move |v| v.wdl == wdl && v.plies == Some(plies));
                values.map(|value| value.positions).sum::<u64>()
            };
            solved.decided += with(Wdl::Win, 1);
            solved.stuck += with(Wdl::Loss, 0);
        }
        solved.slices.push(slice);
    }
    Ok(solved)
}
