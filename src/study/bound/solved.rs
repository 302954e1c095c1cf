//! Counts of positions in solved slices.

use crate::game::slice::Slice;
use crate::game::value::{Plies, Wdl};
use crate::study::stats::{SideStats, StatsError, count_values};
use crate::table::Metric;
use crate::tablebase::Tablebase;

/// Counts over all slices with a DTW table.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SolvedCounts {
    /// The slices.
    pub slices: Vec<Slice>,
    /// Their positions, with either side to move, mirror images counted separately.
    pub positions: u64,
    /// Positions that the side to move wins with its next move.
    pub decided: u64,
    /// Positions in which the side to move has no move.
    pub stuck: u64,
}

/// Counts the positions of all slices up to `max_material` that have a DTW table.
///
/// # Errors
/// If a table cannot be read.
pub fn solved(base: &Tablebase, max_material: Slice) -> Result<SolvedCounts, StatsError> {
    let mut solved = SolvedCounts::default();
    for slice in base.slices(Metric::Dtw) {
        if slice.attackers > max_material.attackers || slice.defenders > max_material.defenders {
            continue;
        }
        let table = base.table(slice, Metric::Dtw)?;
        for side in count_values(base.rules(), table)? {
            solved.positions += side.positions();
            solved.decided += positions_with(&side, Wdl::Win, 1);
            solved.stuck += positions_with(&side, Wdl::Loss, 0);
        }
        solved.slices.push(slice);
    }
    Ok(solved)
}

fn positions_with(stats: &SideStats, wdl: Wdl, plies: Plies) -> u64 {
    let values = stats.values.iter().filter(|v| v.wdl == wdl && v.plies == Some(plies));
    values.map(|value| value.positions).sum()
}
