//! Which slices have tables, for searches that ask at every node.

use crate::game::slice::Slice;
use crate::table::Metric;
use crate::tablebase::Tablebase;

/// The slices with tables.
pub(crate) struct Coverage {
    /// By defenders and attackers.
    slices: Vec<Available>,
    /// The length of a row of `slices`: the maximum number of attackers plus 1.
    width: usize,
    max_men: usize,
}

/// The tables of a slice.
#[derive(Clone, Copy, Default)]
pub(crate) struct Available {
    pub(crate) any: bool,
    pub(crate) distances: bool,
}

impl Coverage {
    /// Lists the slices with at most `max_men` men that have a table. A table that cannot be opened is
    /// left out, so that no node tries it again.
    pub(crate) fn new(tables: Option<&Tablebase>, max_men: usize) -> Coverage {
        let [wdl, dtw] = [Metric::Wdl, Metric::Dtw].map(|metric| {
            let slices = tables.map_or_else(Vec::new, |tables| tables.usable_slices(metric));
            slices.into_iter().filter(|slice| slice.men() <= max_men).collect::<Vec<Slice>>()
        });
        let all = || wdl.iter().chain(&dtw);
        let width = all().map(|slice| slice.attackers + 1).max().unwrap_or(0);
        let height = all().map(|slice| slice.defenders + 1).max().unwrap_or(0);
        let mut slices = vec![Available::default(); width * height];
        for slice in all() {
            slices[slice.defenders * width + slice.attackers].any = true;
        }
        for slice in &dtw {
            slices[slice.defenders * width + slice.attackers].distances = true;
        }
        let max_men = all().map(|slice| slice.men()).max().unwrap_or(0);
        Coverage { slices, width, max_men }
    }

    /// Returns the tables of a slice.
    #[inline]
    pub(crate) fn of(&self, slice: Slice) -> Available {
        let Slice { defenders, attackers } = slice;
        let in_width = attackers < self.width;
        let found = self.slices.get(defenders * self.width + attackers).filter(|_| in_width);
        found.copied().unwrap_or_default()
    }

    /// Returns the most men of a slice with a table.
    pub(crate) fn max_men(&self) -> usize {
        self.max_men
    }
}
