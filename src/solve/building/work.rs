//! Which ranks of a build do which slices.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::game::slice::Slice;

/// A slice is for one rank if it is less than so many parts of a rank's fair share of the
/// work: then all have about as much to do.
const PARTS_OF_SHARE: u128 = 4;

/// The sets of defenders that each rank should have, at least: what is looked up for a
/// block is looked up by every rank. With 22 each, two ranks take 1.5 times the core time of
/// one, and three quarters of its time (brandubh's K1v5).
const SETS_PER_RANK: u64 = 20;

/// Who builds a slice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Work {
    /// One rank, by itself.
    Of(usize),
    /// All ranks together.
    OfAll,
}

/// A slice to be built.
#[derive(Clone, Copy, Debug)]
pub(super) struct Load {
    /// The slice.
    pub slice: Slice,
    /// How much work it is.
    pub rows: u64,
    /// Its sets of defenders.
    pub sets: u64,
    /// Whether one rank has the memory for it, and all ranks together have.
    pub may_be_alone: bool,
    pub may_be_shared: bool,
}

/// Deals out slices that can be built side by side.
pub(super) fn deal(mut loads: Vec<Load>, ranks: usize) -> BTreeMap<Slice, Work> {
    if ranks == 1 {
        return loads.iter().map(|load| (load.slice, Work::Of(0))).collect();
    }
    // Of slices that can only be planned, all rows together may be more than 2^64.
    let all: u128 = loads.iter().map(|load| u128::from(load.rows)).sum();
    let small = all / ranks as u128 / PARTS_OF_SHARE;
    loads.sort_by_key(|load| Reverse(load.rows));
    let mut given = vec![0_u128; ranks];
    let mut work = BTreeMap::new();
    for Load { slice, rows, sets, may_be_alone, may_be_shared } in loads {
        let rows = u128::from(rows);
        let is_small = rows <= small || sets < SETS_PER_RANK * ranks as u64;
        let least = (0..ranks).min_by_key(|&rank| given[rank]);
        let of = match least.filter(|_| may_be_alone && (is_small || !may_be_shared)) {
            Some(rank) => {
                given[rank] += rows;
                Work::Of(rank)
            }
            None => Work::OfAll,
        };
        work.insert(slice, of);
    }
    work
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(slice: &str, rows: u64, sets: u64, may_be_alone: bool) -> Load {
        Load { slice: slice.parse().unwrap(), rows, sets, may_be_alone, may_be_shared: true }
    }

    #[test]
    fn large_slices_are_for_all_and_small_ones_side_by_side() {
        let loads = vec![
            load("K0v7", 90, 1, true),
            load("K1v6", 150, 49, true),
            load("K2v5", 900, 1176, true),
            load("K3v4", 2000, 18424, false),
            load("K4v3", 100, 200_000, true),
        ];
        let work = deal(loads, 2);
        let of = |slice: &str| work[&slice.parse().unwrap()];
        assert_eq!(of("K3v4"), Work::OfAll);
        assert_eq!(of("K2v5"), Work::OfAll);
        // The largest first, then to the one that has less.
        assert_eq!((of("K1v6"), of("K4v3"), of("K0v7")), (Work::Of(0), Work::Of(1), Work::Of(1)));
        // What does not fit is for all, whatever else is to be said.
        let alone = deal(vec![load("K0v9", 10, 1, false)], 3);
        assert_eq!(alone.into_values().collect::<Vec<_>>(), [Work::OfAll]);
        let large = Load { may_be_shared: false, ..load("K3v4", 2000, 18424, true) };
        assert_eq!(deal(vec![large], 2).into_values().collect::<Vec<_>>(), [Work::Of(0)]);
    }
}
