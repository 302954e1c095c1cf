//! The tables, as the proof search probes them.

use crate::engine::coverage::Coverage;
use crate::game::position::Position;
use crate::game::slice::Slice;
use crate::game::value::Wdl;
use crate::tablebase::Tablebase;

/// The tables with the slices that they cover.
pub(super) struct Oracle<'a> {
    tables: Option<&'a Tablebase>,
    coverage: Coverage,
}

impl<'a> Oracle<'a> {
    pub(super) fn new(tables: Option<&'a Tablebase>) -> Oracle<'a> {
        Oracle { tables, coverage: Coverage::new(tables) }
    }

    /// Returns whether positions of the slice are to be probed.
    #[inline]
    pub(super) fn includes(&self, slice: Slice) -> bool {
        self.coverage.of(slice).any
    }

    /// Probes a position in which no side wins at once. A table that cannot be read decides
    /// nothing.
    #[inline]
    pub(super) fn probe(&self, position: &Position, slice: Slice) -> Option<Wdl> {
        self.tables?.probe_undecided(position, slice)
    }
}
