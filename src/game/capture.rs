//! Captures by an arriving piece, for moves and un-moves alike.

use crate::game::board::{Direction, Square, SquareSet};
use crate::game::position::Position;
use crate::game::rules::{Hostility, Kind, Ruleset, Side};
use crate::game::shieldwall::{captors, walled_in};

/// The captures of one move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Captures {
    /// The captured soldiers.
    pub soldiers: SquareSet,
    /// The king is captured, too.
    pub king: bool,
}

impl Captures {
    /// Returns the captures of a piece of `mover` that has just arrived on `at`. On `board` the
    /// piece has already moved and nothing has been removed; the side to move is ignored.
    pub(crate) fn by_arrival(
        rules: &Ruleset,
        board: &Position,
        mover: Side,
        at: Square,
    ) -> Captures {
        let mut captures = Captures::default();
        let captors = captors(rules, board, mover);
        if !captors.contains(at) {
            return captures;
        }
        let enemies = board.pieces(mover.other());
        for direction in Direction::ALL {
            let Some(victim) = rules.slides().next(at, direction) else {
                continue;
            };
            if !enemies.contains(victim) {
                continue;
            }
            let beyond = rules.slides().next(victim, direction);
            let enclosure = Enclosure::new(rules, board, captors, victim);
            if victim != board.king {
                if enclosure.takes_soldier(beyond) {
                    captures.soldiers.insert(victim);
                }
            } else if enclosure.takes_king(beyond) {
                captures.king = true;
            }
        }
        if rules.shieldwall {
            captures.soldiers |= walled_in(rules, board, mover, at);
        }
        captures
    }

    /// Returns whether the move captures nothing.
    pub(crate) fn is_empty(&self) -> bool {
        self.soldiers.is_empty() && !self.king
    }
}

/// A possible victim next to the arriving piece, and its surroundings.
struct Enclosure<'a> {
    rules: &'a Ruleset,
    victim: Square,
    /// The victim's enemies that take part in captures.
    captors: SquareSet,
    occupied: SquareSet,
    /// The pieces of the victim's side.
    friends: SquareSet,
    /// The squares hostile to the victim.
    hostile: &'a Hostility,
    side: Side,
}

impl<'a> Enclosure<'a> {
    fn new(
        rules: &'a Ruleset,
        board: &Position,
        captors: SquareSet,
        victim: Square,
    ) -> Enclosure<'a> {
        let side = if board.attackers.contains(victim) { Side::Attackers } else { Side::Defenders };
        let kind = if victim == board.king { Kind::King } else { side.soldier() };
        Enclosure {
            rules,
            victim,
            captors,
            occupied: board.occupied(),
            friends: board.pieces(side),
            hostile: &rules.hostile[kind],
            side,
        }
    }

    /// Returns whether a soldier is captured, given the square `beyond` it as seen from the
    /// arriving piece. The edge of the board never helps to capture.
    fn takes_soldier(&self, beyond: Option<Square>) -> bool {
        let Some(beyond) = beyond else {
            return false;
        };
        if self.rules.protected[self.side].contains(self.victim) {
            false
        } else if self.rules.unaided[self.side].contains(self.victim) {
            self.captors.contains(beyond)
        } else {
            self.is_hostile(beyond)
        }
    }

    /// Returns whether the king is captured; on some squares he must be enclosed on all sides.
    fn takes_king(&self, beyond: Option<Square>) -> bool {
        let helps = |square: Option<Square>| {
            square.map_or(self.rules.king_edge_hostile, |square| self.is_hostile(square))
        };
        if self.rules.surrounded.contains(self.victim) {
            let slides = self.rules.slides();
            Direction::ALL.into_iter().all(|d| helps(slides.next(self.victim, d)))
        } else {
            helps(beyond)
        }
    }

    /// Returns whether a neighbour of the victim helps to capture it.
    fn is_hostile(&self, square: Square) -> bool {
        self.captors.contains(square)
            || if self.friends.contains(square) {
                self.hostile.occupied.contains(square)
                    || self.hostile.besieged.contains(square) && self.is_besieged(square)
            } else {
                self.hostile.empty.contains(square) && !self.occupied.contains(square)
            }
    }

    /// Returns whether captors occupy all neighbours of the square other than the victim's. At the
    /// edge of the board there are fewer neighbours.
    fn is_besieged(&self, square: Square) -> bool {
        Direction::ALL.into_iter().all(|d| {
            let beside = self.rules.slides().next(square, d);
            beside.is_none_or(|s| s == self.victim || self.captors.contains(s))
        })
    }
}
