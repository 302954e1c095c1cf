//! The tables, as the proof search probes them.

use crate::game::position::Position;
use crate::game::slice::Slice;
use crate::game::value::Wdl;
use crate::table::Metric;
use crate::tablebase::Tablebase;

/// Tables with a directory of their slices.
pub(super) struct Oracle<'a> {
    tables: Option<&'a Tablebase>,
    /// By defenders and attackers, whether there is a table.
    has_table: Vec<Vec<bool>>,
}

impl<'a> Oracle<'a> {
    /// An oracle for the tables of slices with at most that many men.
    pub(super) fn new(tables: Option<&'a Tablebase>, max_men: usize) -> Oracle<'a> {
        let mut has_table: Vec<Vec<bool>> = Vec::new();
        for slice in tables
            .iter()
            .flat_map(|tables| Metric::ALL.into_iter().flat_map(|metric| tables.slices(metric)))
        {
            if slice.men() > max_men {
                continue;
            }
            if has_table.len() <= slice.defenders {
                has_table.resize(slice.defenders + 1, Vec::new());
            }
            let row = &mut has_table[slice.defenders];
            if row.len() <= slice.attackers {
                row.resize(slice.attackers + 1, false);
            }
            row[slice.attackers] = true;
        }
        Oracle { tables, has_table }
    }

    /// Returns whether positions of the slice have a table.
    #[inline]
    pub(super) fn includes(&self, slice: Slice) -> bool {
        let row = self.has_table.get(slice.defenders);
        row.is_some_and(|row| row.get(slice.attackers) == Some(&true))
    }

    /// Probes a position that no side wins at once. A table that cannot be read decides nothing.
    #[inline]
    pub(super) fn probe(&self, position: &Position, slice: Slice) -> Option<Wdl> {
        self.tables?.probe_undecided(position, slice).ok()
    }
}
