//! Moves of any kind taken back: all positions that come right before a position.

use crate::game::board::{Direction, SquareSet};
use crate::game::capture::Captures;
use crate::game::position::Position;
use crate::game::rules::{Ruleset, Side};
use crate::game::slice::Slice;
use crate::game::unmoves::{UnMove, origins};

/// A legal move taken back, after which the game went on: an un-move, and what comes back
/// to the board with it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Retraction {
    /// The piece that moved, and from where to where.
    pub unmove: UnMove,
    /// The soldiers that the move captured.
    pub captured: SquareSet,
}

impl Position {
    /// The position before the move that is taken back.
    #[must_use]
    pub fn before_all(&self, retraction: &Retraction) -> Position {
        self.with_captured(retraction.captured).before(&retraction.unmove)
    }

    /// The board on which soldiers of the side to move are not yet removed.
    fn with_captured(&self, captured: SquareSet) -> Position {
        let mut board = *self;
        match self.to_move {
            Side::Attackers => board.attackers |= captured,
            Side::Defenders => board.defenders |= captured,
        }
        board
    }
}

/// All retractions: one for every position with at most these men from which a legal move
/// leads exactly here without ending the game.
///
/// A piece that has arrived has captured all that it encloses, and nothing else. So what
/// comes back to the board beside it is enclosed by it, and whatever is beside it already
/// is not; the path of its move was free of both.
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
        let beside = Direction::ALL.map(|d| rules.slides().next(to, d));
        let beside = beside.map(|square| square.filter(|&square| places.contains(square)));
        for chosen in 0..16_u32 {
            let is_chosen = |i: &usize| chosen >> i & 1 == 1;
            let squares: SquareSet = (0..4).filter(is_chosen).filter_map(|i| beside[i]).collect();
            // Not where a square is missing, and no more than there were.
            if squares.len() != chosen.count_ones() as usize || squares.len() > missing {
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
