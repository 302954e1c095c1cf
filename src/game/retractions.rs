//! Retractions: moves of any kind taken back, giving all predecessors of a position.

use crate::game::board::{Direction, Square, SquareSet};
use crate::game::capture::Captures;
use crate::game::enclosure::enclosure_ending;
use crate::game::position::Position;
use crate::game::rules::{Ruleset, Side};
use crate::game::shieldwall::edge_directions;
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
/// With shieldwalls, whole rows along the edge may have been captured.
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
        for squares in possible_captures(rules, position, places, to) {
            if squares.len() > missing {
                continue;
            }
            let board = position.with_captured(squares);
            let captures = Captures::by_arrival(rules, &board, mover, to);
            if captures.soldiers == squares && !captures.king {
                let unmoves = origins(rules, &board, to);
                let retractions = unmoves.map(|unmove| Retraction { unmove, captured: squares });
                found.extend(retractions.filter(|retraction| {
                    enclosure_ending(rules, &position.before_all(retraction)).is_none()
                }));
            }
        }
    }
    found
}

/// Returns the sets of soldiers on `places` that an arrival on `to` may have captured: in each
/// direction none, the nearest square or, along the edge, a row with or without men in it that no
/// shieldwall captures.
fn possible_captures(
    rules: &Ruleset,
    position: &Position,
    places: SquareSet,
    to: Square,
) -> Vec<SquareSet> {
    let rows: Vec<Direction> = match rules.shieldwall {
        true => edge_directions(rules, to).map(|[along, _]| along).collect(),
        false => Vec::new(),
    };
    let victims = position.to_move;
    let spared = (rules.protected[victims] | rules.unaided[victims]).with(position.king);
    let spared = spared & position.pieces(victims);
    let mut found = vec![SquareSet::EMPTY];
    for direction in Direction::ALL {
        let mut choices = Vec::new();
        let mut row = SquareSet::EMPTY;
        let mut next = rules.slides().next(to, direction);
        while let Some(square) = next {
            if places.contains(square) {
                row.insert(square);
                choices.push(row);
            } else if !spared.contains(square) {
                break;
            }
            next = rules.slides().next(square, direction).filter(|_| rows.contains(&direction));
        }
        let with_choices =
            found.iter().flat_map(|&set| choices.iter().map(move |&choice| set | choice));
        let more: Vec<SquareSet> = with_choices.collect();
        found.extend(more);
    }
    found
}
