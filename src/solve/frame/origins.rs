//! Groups of squares whose pieces slide by the same rules.

use crate::game::board::SquareSet;
use crate::game::rules::{Kind, Ruleset};

/// Origins that share their path rules: either one gate, or all squares outside gates. A gate of
/// one square counts as outside, since no square lies on a path within it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OriginGroup {
    /// The squares where such a piece may stand.
    pub squares: SquareSet,
    /// The squares where its moves may stop.
    pub stop: SquareSet,
    /// The squares that its moves may pass.
    pub cross: SquareSet,
    /// All squares but those of other gates.
    pub open: SquareSet,
}

/// Returns all groups of a kind of piece.
pub(crate) fn origins(rules: &Ruleset, kind: Kind) -> impl Iterator<Item = OriginGroup> {
    let movement = &rules.movement[kind];
    let larger = movement.gates.iter().filter(|gate| gate.len() > 1);
    let outside = !union(larger.clone());
    let open = !union(movement.gates.iter());
    let groups = std::iter::once((outside, open));
    groups.chain(larger.map(move |&gate| (gate, open | gate))).map(move |(squares, open)| {
        OriginGroup {
            squares: squares & rules.places(kind),
            stop: movement.stop & open,
            cross: movement.cross & open,
            open,
        }
    })
}

fn union<'a>(sets: impl Iterator<Item = &'a SquareSet>) -> SquareSet {
    sets.fold(SquareSet::EMPTY, |all, &set| all | set)
}
