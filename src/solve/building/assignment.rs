//! Assigns the slices of a build to ranks.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::game::slice::Slice;

/// A slice is built by one rank if it is smaller than a rank's fair part of the work divided by
/// this: small enough to balance the load.
const SMALL_DIVISOR: u128 = 4;

/// The minimum number of defender sets per rank for which building a slice together pays: every
/// rank repeats the lookups of each block. With 22 sets each, two ranks take 1.5 times the core
/// time of one and three quarters of its wall time (brandubh's K1v5).
const MIN_SETS_PER_RANK: u64 = 20;

/// The ranks that build a slice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Assignment {
    /// One rank alone.
    OneRank(usize),
    /// All ranks together.
    AllRanks,
}

/// A slice to build.
#[derive(Clone, Copy, Debug)]
pub(super) struct Load {
    /// The slice.
    pub slice: Slice,
    /// Rows of its tables, as a measure of the work.
    pub rows: u64,
    /// Its defender sets.
    pub sets: u64,
    /// `true` if one rank has enough memory for it.
    pub fits_one_rank: bool,
    /// `true` if all ranks together have enough memory for it.
    pub fits_all_ranks: bool,
}

/// Assigns slices that can be built side by side.
pub(super) fn assign(mut loads: Vec<Load>, ranks: usize) -> BTreeMap<Slice, Assignment> {
    if ranks == 1 {
        return loads.iter().map(|load| (load.slice, Assignment::OneRank(0))).collect();
    }
    // The rows of slices that can be planned but not built may add up to more than 2^64.
    let all: u128 = loads.iter().map(|load| u128::from(load.rows)).sum();
    let small = all / ranks as u128 / SMALL_DIVISOR;
    loads.sort_by_key(|load| Reverse(load.rows));
    let mut assigned_rows = vec![0_u128; ranks];
    let mut assignments = BTreeMap::new();
    for Load { slice, rows, sets, fits_one_rank, fits_all_ranks } in loads {
        let is_small = u128::from(rows) <= small || sets < MIN_SETS_PER_RANK * ranks as u64;
        let least_loaded = (0..ranks).min_by_key(|&rank| assigned_rows[rank]);
        let assignment =
            match least_loaded.filter(|_| fits_one_rank && (is_small || !fits_all_ranks)) {
                Some(rank) => {
                    assigned_rows[rank] += u128::from(rows);
                    Assignment::OneRank(rank)
                }
                None => Assignment::AllRanks,
            };
        assignments.insert(slice, assignment);
    }
    assignments
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(slice: &str, rows: u64, sets: u64, fits_one_rank: bool) -> Load {
        Load { slice: slice.parse().unwrap(), rows, sets, fits_one_rank, fits_all_ranks: true }
    }

    #[test]
    fn large_slices_are_built_by_all_ranks_and_small_ones_by_one() {
        let loads = vec![
            load("K0v7", 90, 1, true),
            load("K1v6", 150, 49, true),
            load("K2v5", 900, 1176, true),
            load("K3v4", 2000, 18424, false),
            load("K4v3", 100, 200_000, true),
        ];
        let assignments = assign(loads, 2);
        let assigned = |slice: &str| assignments[&slice.parse().unwrap()];
        assert_eq!(assigned("K3v4"), Assignment::AllRanks);
        assert_eq!(assigned("K2v5"), Assignment::AllRanks);
        // In descending size, each to the rank with fewer rows.
        assert_eq!(
            (assigned("K1v6"), assigned("K4v3"), assigned("K0v7")),
            (Assignment::OneRank(0), Assignment::OneRank(1), Assignment::OneRank(1))
        );
        // A slice that does not fit one rank is built by all, however small.
        let alone = assign(vec![load("K0v9", 10, 1, false)], 3);
        assert_eq!(alone.into_values().collect::<Vec<_>>(), [Assignment::AllRanks]);
        let large = Load { fits_all_ranks: false, ..load("K3v4", 2000, 18424, true) };
        assert_eq!(
            assign(vec![large], 2).into_values().collect::<Vec<_>>(),
            [Assignment::OneRank(0)]
        );
    }
}
