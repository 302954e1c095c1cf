//! Squares whose pieces slide by the same rules.

use crate::game::board::SquareSet;
use crate::game::rules::{Kind, Ruleset};

/// Origins that share their path rules: all squares outside gates (and gates of
/// one square, on whose way nothing is), or one gate's.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OriginGroup {
    /// Where such a piece may stand.
    pub squares: SquareSet,
    /// Where its moves may stop.
    pub stop: SquareSet,
    /// What they may pass.
    pub cross: SquareSet,
    /// All squares but those of other gates.
    pub open: SquareSet,
}

/// All origins of a kind of piece.
pub(crate) fn origins(rules: &Ruleset, kind: Kind) -> impl Iterator<Item = OriginGroup> {
    let movement = &rules.movement[kind];
    let union = |all: SquareSet, &gate: &SquareSet| all | gate;
    let larger = movement.gates.iter().filter(|gate| gate.len() > 1);
    let outside = !larger.clone().fold(SquareSet::EMPTY, union);
    let open = !movement.gates.iter().fold(SquareSet::EMPTY, union);
    let group = move |squares: SquareSet, open: SquareSet| OriginGroup {
        squares: squares & rules.places(kind),
        stop: movement.stop & open,
        cross: movement.cross & open,
        open,
    };
    std::iter::once(group(outside, open)).chain(larger.map(move |&gate| group(gate, open | gate)))
}
