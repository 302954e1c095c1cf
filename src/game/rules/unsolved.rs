//! Where the solver refuses a rule.

use crate::game::slice::Slice;

use super::Ruleset;

impl Ruleset {
    /// Returns the field of a rule that the solver does not know and that can matter in positions
    /// of this slice; `None` if the slice can be solved.
    pub fn unsolved_rule(&self, slice: Slice) -> Option<&'static str> {
        // Tables leave out escapes in one move. A king encircled around a goal would have lost before
        // his. The smallest ring with room for a move has six squares.
        let may_ring_goals = !self.goals.is_subset(self.board.edge()) && slice.attackers >= 6;
        (self.encirclement && may_ring_goals).then_some("end.encirclement")
    }
}
