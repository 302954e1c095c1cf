//! Rules that the solver does not know yet, and where they matter.

use crate::game::slice::Slice;

use super::{Endless, Kind, Ruleset};

impl Ruleset {
    /// Returns the field of a rule that the solver does not know and that can matter in positions
    /// of this slice; `None` if the slice can be solved.
    pub fn unsolved_rule(&self, slice: Slice) -> Option<&'static str> {
        let Slice { defenders, attackers } = slice;
        // A row of two needs two pieces in front of it and the one that arrives, by a corner. The
        // king counts in a row, and takes part in one.
        let has_walls = defenders >= 1 && attackers >= 3 || defenders >= 2 && attackers >= 2;
        self.short_movement().or_else(|| {
            first_field(&[
                ("capture.king-armed", !self.king_armed),
                ("capture.king-edge-hostile", self.king_edge_hostile),
                ("end.endless", self.endless == Endless::Attackers),
                ("capture.shieldwall", self.shieldwall && has_walls),
                // The smallest fort has four walls, beside the king and in front of two squares.
                ("end.exit-fort", self.exit_fort && defenders >= 4),
                // The smallest ring with room for a move has six squares.
                ("end.encirclement", self.encirclement && attackers >= 6),
            ])
        })
    }

    /// Returns the field of a kind of piece that cannot move any distance.
    fn short_movement(&self) -> Option<&'static str> {
        let fields =
            ["movement.attackers.reach", "movement.defenders.reach", "movement.king.reach"];
        let kinds = Kind::ALL.into_iter().zip(fields);
        kinds
            .filter(|&(kind, _)| self.movement[kind].reach.is_some())
            .map(|(_, field)| field)
            .next()
    }
}

fn first_field(fields: &[(&'static str, bool)]) -> Option<&'static str> {
    fields.iter().find(|(_, holds)| *holds).map(|&(field, _)| field)
}
