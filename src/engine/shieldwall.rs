//! Shieldwall captures: rows of two men or more along an edge, each with an enemy in front of it,
//! between the arriving man and another enemy or a corner.

use crate::game::board::Direction;
use crate::game::rules::Side;

use super::bits::Bits;
use super::board_tables::{BoardTables, NOWHERE};
use super::state::State;

const HORIZONTAL: [Direction; 2] = [Direction::East, Direction::West];
const VERTICAL: [Direction; 2] = [Direction::North, Direction::South];

impl<const W: usize> State<W> {
    /// Returns the soldiers in the rows that `side` captures with the man that has just arrived on
    /// `to`, a square of [`wall_squares`]. The king may stand in a row, but is not captured.
    ///
    /// [`wall_squares`]: super::edge::EdgeTables::wall_squares
    #[inline(never)]
    pub(super) fn walled(&self, board: &BoardTables<W>, side: Side, to: usize) -> Bits<W> {
        let victims = side.other();
        let (captors, enemies) = (self.captors(board, side), self.men(victims));
        let ends = captors | board.edge.corners.without(self.occupied());
        let beside = board.neighbours(to);
        let is_horizontal = HORIZONTAL.iter().all(|&d| beside[d as usize] != NOWHERE);
        let (along, across) =
            if is_horizontal { (HORIZONTAL, VERTICAL) } else { (VERTICAL, HORIZONTAL) };
        let mut captured = Bits::EMPTY;
        for direction in along {
            let (mut row, mut at) = (Bits::EMPTY, beside[direction as usize]);
            while at != NOWHERE && enemies.contains(at) {
                // One of the two is off the board.
                let in_front = across.map(|d| board.neighbours(at)[d as usize]);
                if !in_front.into_iter().any(|front| front != NOWHERE && captors.contains(front)) {
                    break;
                }
                row.insert(at);
                at = board.neighbours(at)[direction as usize];
            }
            if at != NOWHERE && ends.contains(at) && row.len() >= 2 {
                captured = captured | row;
            }
        }
        captured & self.soldiers[victims].without(board.protected[victims] | board.unaided[victims])
    }

    /// Returns the squares from which an arriving man of `side` would capture a row.
    #[inline(never)]
    pub(super) fn wall_capture_squares(&self, board: &BoardTables<W>, side: Side) -> Bits<W> {
        let victims = side.other();
        let enemies = self.men(victims) & board.edge.wall_squares;
        let mut squares = Bits::EMPTY;
        if enemies.is_empty() {
            return squares;
        }
        let captors = self.captors(board, side);
        let ends = captors | board.edge.corners.without(self.occupied());
        for (along, across) in [(HORIZONTAL, VERTICAL), (VERTICAL, HORIZONTAL)] {
            let walled = across.into_iter().fold(Bits::EMPTY, |walled, outward| {
                walled | board.edge.walls[outward as usize] & board.shifted(captors, outward)
            }) & enemies;
            if walled.is_empty() {
                continue;
            }
            for direction in along {
                // The men next to a closed end; after each step, those one square further on in
                // the same row.
                let mut row = walled & board.shifted(ends, direction);
                while !row.is_empty() {
                    row = walled & board.shifted(row, direction);
                    squares = squares | board.shifted(row, direction);
                }
            }
        }
        squares = squares & board.edge.wall_squares.without(self.occupied());
        if enemies.meets(&(board.protected[victims] | board.unaided[victims])) {
            // A row may consist of men that cannot be captured.
            let captures = |to: &usize| !self.walled(board, side, *to).is_empty();
            return squares
                .iter()
                .filter(captures)
                .fold(Bits::EMPTY, |all, to| all | Bits::one(to));
        }
        squares
    }
}
