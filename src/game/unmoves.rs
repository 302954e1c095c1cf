//! Un-moves: quiet moves taken back.

use crate::game::board::Square;
use crate::game::capture::Captures;
use crate::game::enclosure::enclosure_ending;
use crate::game::position::Position;
use crate::game::rules::{Kind, Ruleset};

/// A move taken back that neither captured nor ended the game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct UnMove {
    /// The piece that moved.
    pub piece: Kind,
    /// The square it came from.
    pub from: Square,
    /// The square it stands on.
    pub to: Square,
}

impl Position {
    /// Returns the position before the move.
    #[must_use]
    pub fn before(&self, unmove: &UnMove) -> Position {
        Position {
            to_move: self.to_move.other(),
            ..self.moved(unmove.piece, unmove.to, unmove.from)
        }
    }
}

/// Returns all un-moves: one for every position from which a legal quiet move leads exactly here,
/// by the piece's square and then by direction and distance.
///
/// A piece whose arrival would have captured something cannot have arrived quietly, wherever it
/// came from. The movement rules of the origin apply: in `ashton` an attacker outside a camp may
/// come from one, though no forward move leads back in. No move begins in a position that a fort or
/// an encirclement has ended.
pub fn unmoves(rules: &Ruleset, position: &Position) -> Vec<UnMove> {
    if position.is_finished(rules) {
        return Vec::new();
    }
    let mover = position.to_move.other();
    position
        .pieces(mover)
        .iter()
        .filter(|&to| Captures::by_arrival(rules, position, mover, to).is_empty())
        .flat_map(|to| origins(rules, position, to))
        .filter(|unmove| enclosure_ending(rules, &position.before(unmove)).is_none())
        .collect()
}

/// Iterates over the un-moves of the piece on `to`, without checking captures.
pub(super) fn origins(
    rules: &Ruleset,
    position: &Position,
    to: Square,
) -> impl Iterator<Item = UnMove> {
    let occupied = position.occupied();
    position.piece(to).into_iter().flat_map(move |piece| {
        rules.slides().to(piece, to).iter().flat_map(move |ray| {
            ray.iter()
                .take_while(move |step| !occupied.contains(step.square))
                .filter(|step| step.ends)
                .map(move |step| UnMove { piece, from: step.square, to })
        })
    })
}
