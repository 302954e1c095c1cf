//! What a move has completed on the board: the wall of a shieldwall, an exit fort, or a ring around
//! all defenders.

use serde::Serialize;

use crate::game::board::SquareSet;
use crate::game::enclosure::{encircled, exit_fort, neighbours};
use crate::game::moves::{Ending, Move};
use crate::game::position::Position;
use crate::game::rules::Ruleset;
use crate::game::shieldwall::shieldwalls;

/// The kind of a formation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FormationKind {
    /// A wall that captures a row at the edge.
    Shieldwall,
    /// A fort around the king at the edge.
    ExitFort,
    /// A ring around all defenders.
    Encirclement,
}

/// Pieces by which a move captures a row or wins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Formation {
    /// What it is.
    pub kind: FormationKind,
    /// The captured row, the king's room, or all that is inside the ring.
    pub inside: SquareSet,
    /// The squares of the pieces around it; one end of a shieldwall may be an empty corner.
    pub wall: SquareSet,
}

/// A formation as serializable text.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct FormationText {
    /// `shieldwall`, `exit-fort` or `encirclement`.
    pub kind: FormationKind,
    /// The squares inside, in square order.
    pub inside: Vec<String>,
    /// The squares of the wall.
    pub wall: Vec<String>,
}

impl Move {
    /// Returns the formations that this legal move of the position completes. A move that captures
    /// the king completes none.
    pub fn formations(&self, rules: &Ruleset, position: &Position) -> Vec<Formation> {
        if self.ending == Some(Ending::KingCaptured) {
            return Vec::new();
        }
        let mut formations = Vec::new();
        if rules.shieldwall {
            let board = position.moved(self.piece, self.from, self.to);
            let walls = shieldwalls(rules, &board, self.piece.side(), self.to);
            let kind = FormationKind::Shieldwall;
            formations.extend(walls.map(|[inside, wall]| Formation { kind, inside, wall }));
            // The wall of soldiers that are never captured does nothing.
            formations.retain(|formation| formation.inside.meets(self.captured));
        }
        let after = || position.after(self);
        formations.extend(match self.ending {
            Some(Ending::ExitFort) => exit_fort(rules, &after()).map(|[inside, wall]| Formation {
                kind: FormationKind::ExitFort,
                inside,
                wall,
            }),
            Some(Ending::Encirclement) => encircled(rules, &after()).map(|inside| Formation {
                kind: FormationKind::Encirclement,
                inside,
                wall: neighbours(rules, inside),
            }),
            _ => None,
        });
        formations
    }

    /// Returns the move's [`formations`](Move::formations) as text.
    pub fn formation_texts(&self, rules: &Ruleset, position: &Position) -> Vec<FormationText> {
        let text = |formation: Formation| {
            let Formation { kind, inside, wall } = formation;
            FormationText { kind, inside: rules.board.names(inside), wall: rules.board.names(wall) }
        };
        self.formations(rules, position).into_iter().map(text).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::notation::parse_move;

    /// Returns the formations of a move in copenhagen, each with its squares joined by spaces.
    fn found(position: &str, played: &str) -> Vec<(FormationKind, String, String)> {
        let rules = Ruleset::builtin("copenhagen").unwrap();
        let position = Position::parse(position, &rules).unwrap();
        let played = parse_move(&rules, &position, played).unwrap();
        let texts = played.formation_texts(&rules, &position).into_iter();
        texts.map(|text| (text.kind, text.inside.join(" "), text.wall.join(" "))).collect()
    }

    /// Returns one formation.
    fn one(kind: FormationKind, inside: &str, wall: &str) -> Vec<(FormationKind, String, String)> {
        vec![(kind, inside.to_owned(), wall.to_owned())]
    }

    #[test]
    fn walls_are_around_the_captured_row() {
        let wall = "/3tTT5/4tt1t3/11/11/11/5K5/11/11/11/11/11/ a";
        let expected = one(FormationKind::Shieldwall, "e1 f1", "d1 g1 e2 f2");
        assert_eq!(found(wall, "h2-g2"), []);
        let closing = "/3tTT5/4tt5/6t4/11/11/5K5/11/11/11/11/11/ a";
        assert_eq!(found(closing, "g3-g1"), expected);
        // A corner closes the row, and the king in it is not captured.
        let corner = "/1KT8/1tt1t6/11/11/11/11/11/11/11/11/11/ a";
        assert_eq!(found(corner, "e2-d2"), []);
        let corner = "/1KT8/1tt8/3t7/11/11/11/11/11/11/11/11/ a";
        let expected = one(FormationKind::Shieldwall, "b1 c1", "a1 d1 b2 c2");
        assert_eq!(found(corner, "d3-d1"), expected);
    }

    #[test]
    fn a_fort_is_the_kings_room_and_its_wall() {
        let fort = "/3TK6/4TT5/6T4/11/11/11/11/8t2/11/11/11/ d";
        let expected = one(FormationKind::ExitFort, "e1 f1", "d1 g1 e2 f2");
        assert_eq!(found(fort, "g3-g1"), expected);
        assert_eq!(found(fort, "g3-h3"), []);
    }

    #[test]
    fn a_ring_is_around_all_defenders() {
        let ring = "/11/11/11/5t5/4t1t4/3t1KTt3/4t1t4/11/5t5/11/11/ a";
        let expected =
            one(FormationKind::Encirclement, "f5 e6 f6 g6 f7", "f4 e5 g5 d6 h6 e7 g7 f8");
        assert_eq!(found(ring, "f9-f8"), expected);
    }
}
