//! Retractions: moves of any kind taken back, giving all predecessors of a position.

use crate::game::board::{Direction, SquareSet};
use crate::game::capture::Captures;
use crate::game::position::Position;
use crate::game::rules::{Ruleset, Side};
use crate::game::slice::Slice;
use crate::game::unmoves::{UnMove, origins};

/// A legal move taken back that did not end the game: an un-move, and the soldiers that it
/// restores to the board.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Retraction {
    /// The piece that moved, with its origin and target.
    pub unmove: UnMove,
    /// The soldiers that the move captured.
    pub captured: SquareSet,
}

impl Position {
    /// Returns the position before the move.
    #[must_use]
    pub fn before_all(&self, retraction: &Retraction) -> Position {
        self.with_captured(retraction.captured).before(&retraction.unmove)
    }

    /// Returns the board before the captured soldiers of the side to move were removed.
    fn with_captured(&self, captured: SquareSet) -> Position {
        let mut board = *self;
        match self.to_move {
            Side::Attackers => board.attackers |= captured,
            Side::Defenders => board.defenders |= captured,
        }
        board
    }
}

/// Returns all retractions to positions with at most the men of `most`: one for every position from
/// which a legal move leads exactly here without ending the game.
///
/// An arriving piece captures everything that it encloses and nothing else. So the restored
/// soldiers beside it must be enclosed, any others beside it must not be, and its path avoids both.
pub fn retractions(rules: &Ruleset, position: &Position, most: Slice) -> Vec<Retraction> {
    let mut found = Vec::new();
    if position.is_finished(rules) {
        return found;
    }
    let mover = position.to_move.other();
    let missing = match position.to_move {
        Side::Attackers => most.attackers.saturating_sub(position.attackers.len()),
        Side::Defenders => most.defenders.saturating_sub(position.defenders.len()),
    };
    let places = rules.places(position.to_move.soldier()) - position.occupied();
    for to in position.pieces(mover) {
        let beside = Direction::ALL
            .map(|d| rules.slides().next(to, d).filter(|&square| places.contains(square)));
        for mask in 0..16_u32 {
            let chosen = (0..4).filter(|&direction| mask >> direction & 1 == 1);
            let squares: SquareSet = chosen.filter_map(|direction| beside[direction]).collect();
            // Skip masks that choose a closed square or more soldiers than `most` allows.
            if squares.len() != mask.count_ones() as usize || squares.len() > missing {
                continue;
            }
            let board = position.with_captured(squares);
            let captures = Captures::by_arrival(rules, &board, mover, to);
            if captures.soldiers == squares && !captures.king {
                let unmoves = origins(rules, &board, to);
                found.extend(unmoves.map(|unmove| Retraction { unmove, captured: squares }));
            }
        }
    }
    found
}
