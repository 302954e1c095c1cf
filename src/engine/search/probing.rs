//! Probes of the endgame tables at the nodes of the search.

use super::score::Points;
use super::worker::Worker;

impl<const W: usize> Worker<'_, W> {
    /// Returns the score of the position by the endgame tables. No side wins at once in it.
    #[inline]
    pub(super) fn probe_oracle(&mut self, ply: usize) -> Option<Points> {
        let slice = self.state.slice();
        let oracle = &self.shared.oracle;
        if !oracle.includes(slice) {
            return None;
        }
        let position = self.state.position(self.shared.board.rules);
        let draw = self.shared.draw(ply);
        let (score, too_late) =
            oracle.probe(&position, slice, ply, self.shared.validity.last_ply, draw)?;
        if too_late {
            // The ply limit counts from the start of the game.
            self.depends_on = 0;
        }
        self.table_hits += 1;
        self.unreported_table_hits += 1;
        Some(score)
    }
}
