//! What the construction of a strategy needs of its caller.

use super::search::Worker;

/// Limits, progress and searches for the construction of a strategy.
pub(super) trait Helper<const W: usize> {
    /// Counts a position of the strategy. Returns whether to go on.
    fn count(&mut self) -> bool;

    /// Searches the worker's state, whose result is not in the table. Within limits: the table may
    /// lack it afterwards, too.
    fn search(&mut self, worker: &Worker<'_, '_, W>);
}
