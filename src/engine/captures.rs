//! Captures: by an arrival on a square, and the squares where an arrival would capture.

use crate::game::board::Direction;
use crate::game::rules::{Kind, Side};

use super::bits::Bits;
use super::board_tables::{BoardTables, NOWHERE};
use super::state::State;

impl<const W: usize> State<W> {
    /// Returns the soldiers that `side` captures with the man that has just arrived on `to`.
    #[inline]
    pub(crate) fn captured(&self, board: &BoardTables<W>, side: Side, to: usize) -> Bits<W> {
        let mut captured = Bits::EMPTY;
        let enemies = self.soldiers[side.other()];
        if !board.adjacent[to].meets(&enemies) {
            return captured;
        }
        for (direction, victim) in board.neighbours(to).into_iter().enumerate() {
            if victim != NOWHERE && enemies.contains(victim) {
                let beyond = board.neighbours(victim)[direction];
                if beyond != NOWHERE && self.is_captured(board, side, victim, beyond) {
                    captured.insert(victim);
                }
            }
        }
        captured
    }

    /// Returns whether `side` captures a soldier on `victim` by arriving opposite `beyond`.
    fn is_captured(
        &self,
        board: &BoardTables<W>,
        side: Side,
        victim: usize,
        beyond: usize,
    ) -> bool {
        let other = side.other();
        if self.men(side).contains(beyond) {
            return !board.protected[other].contains(victim);
        }
        if (board.protected[other] | board.unaided[other]).contains(victim) {
            return false;
        }
        let hostile = &board.hostile[other.soldier()];
        if !self.men(other).contains(beyond) {
            return hostile.empty.contains(beyond);
        }
        hostile.occupied.contains(beyond)
            || hostile.besieged.contains(beyond) && self.is_besieged(board, side, beyond, victim)
    }

    /// Returns whether men of `side` occupy all neighbours of the square except `victim`.
    fn is_besieged(
        &self,
        board: &BoardTables<W>,
        side: Side,
        square: usize,
        victim: usize,
    ) -> bool {
        let captors = self.men(side);
        board
            .neighbours(square)
            .into_iter()
            .all(|s| s == NOWHERE || s == victim || captors.contains(s))
    }

    /// Returns the empty squares on which an arriving man of `side` would capture a soldier.
    pub(crate) fn capture_squares(&self, board: &BoardTables<W>, side: Side) -> Bits<W> {
        let other = side.other();
        let (captors, others) = (self.men(side), self.men(other));
        let free = !(captors | others);
        let hostile = &board.hostile[other.soldier()];
        let victims = self.soldiers[other].without(board.protected[other]);
        let aided = victims.without(board.unaided[other]);
        let unaided = victims & board.unaided[other];
        let anvils = captors | hostile.empty & free | hostile.occupied & others;
        let mut squares = Bits::EMPTY;
        for direction in Direction::ALL {
            let back = direction.opposite();
            let enclosed =
                aided & board.shifted(anvils, back) | unaided & board.shifted(captors, back);
            squares = squares | board.shifted(enclosed, back);
        }
        let besieged = hostile.besieged & others;
        if !besieged.is_empty() {
            squares = squares | self.siege_squares(board, side, besieged, aided);
        }
        squares & free
    }

    /// Returns the capture squares for victims next to a besieged square.
    #[cold]
    fn siege_squares(
        &self,
        board: &BoardTables<W>,
        side: Side,
        besieged: Bits<W>,
        victims: Bits<W>,
    ) -> Bits<W> {
        let mut squares = Bits::EMPTY;
        for square in besieged.iter() {
            for (direction, victim) in board.neighbours(square).into_iter().enumerate() {
                let is_victim = victim != NOWHERE && victims.contains(victim);
                if is_victim && self.is_besieged(board, side, square, victim) {
                    let arrival = board.neighbours(victim)[direction];
                    if arrival != NOWHERE {
                        squares.insert(arrival);
                    }
                }
            }
        }
        squares
    }

    /// Returns the empty squares on which an arriving attacker would capture the king.
    pub(crate) fn king_capture_squares(&self, board: &BoardTables<W>) -> Bits<W> {
        let adjacent = board.adjacent[self.king];
        let hostile = self.hostile_to_king(board) & adjacent;
        let mut squares = Bits::EMPTY;
        if hostile.is_empty() {
            return squares;
        }
        let free = adjacent.without(self.occupied());
        if board.surrounded.contains(self.king) {
            for square in free.iter() {
                // A neighbour beyond the edge is never hostile.
                if hostile.without(Bits::one(square)).len() == 3 {
                    squares.insert(square);
                }
            }
        } else {
            for square in hostile.iter() {
                // The square opposite, if it is on the board.
                let opposite = (2 * self.king).wrapping_sub(square);
                if opposite < board.area() && free.contains(opposite) {
                    squares.insert(opposite);
                }
            }
        }
        squares
    }

    /// Returns the squares that are hostile to the king.
    #[inline]
    pub(crate) fn hostile_to_king(&self, board: &BoardTables<W>) -> Bits<W> {
        let hostile = &board.hostile[Kind::King];
        let defenders = self.soldiers[Side::Defenders];
        let attackers = self.soldiers[Side::Attackers];
        attackers | defenders & hostile.occupied | hostile.empty.without(attackers | defenders)
    }
}
