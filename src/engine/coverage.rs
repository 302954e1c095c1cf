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
    /// Whether outcomes can be probed.
    pub(crate) any: bool,
    pub(crate) distances: bool,
}

impl Coverage {
    /// Lists the slices that have a table. If the one that probes of outcomes prefer cannot be opened,
    /// the slice is left out, so that no node tries it again.
    pub(crate) fn new(tables: Option<&Tablebase>) -> Coverage {
        let [wdl, dtw] = [Metric::Wdl, Metric::Dtw]
            .map(|metric| tables.map_or_else(Vec::new, |tables| tables.usable_slices(metric)));
        let all = || wdl.iter().chain(&dtw);
        let width = all().map(|slice| slice.attackers + 1).max().unwrap_or(0);
        let height = all().map(|slice| slice.defenders + 1).max().unwrap_or(0);
        let mut slices = vec![Available::default(); width * height];
        let wdl_files = tables.map_or_else(Vec::new, |tables| tables.slices(Metric::Wdl));
        for slice in &dtw {
            let any = wdl_files.binary_search(slice).is_err();
            slices[slice.defenders * width + slice.attackers] = Available { any, distances: true };
        }
        for slice in &wdl {
            slices[slice.defenders * width + slice.attackers].any = true;
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

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::game::rules::Ruleset;

    #[test]
    fn a_file_that_cannot_be_opened_is_not_probed() {
        let folder = tempfile::tempdir().unwrap();
        let own = folder.path().join("brandubh");
        fs::create_dir(&own).unwrap();
        let rules = Ruleset::builtin("brandubh").unwrap();
        let [sound, broken] = ["K0v2", "K1v2"].map(|name| name.parse::<Slice>().unwrap());
        for slice in [sound, broken] {
            let name = Metric::Dtw.file_name(slice);
            fs::copy(format!("tables/brandubh/{name}"), own.join(name)).unwrap();
        }
        fs::write(own.join(Metric::Wdl.file_name(broken)), "no table").unwrap();
        let tables = Tablebase::open_files(rules, folder.path()).unwrap();
        let coverage = Coverage::new(Some(&tables));
        assert!(coverage.of(sound).any && coverage.of(sound).distances);
        assert!(!coverage.of(broken).any);
    }
}
