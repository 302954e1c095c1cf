//! Captures: by an arrival on a square, and the squares where an arrival would capture.
//! `shieldwall` adds those of rows along an edge.

use crate::game::board::Direction;
use crate::game::rules::{Kind, Side};

use super::bits::Bits;
use super::board_tables::{BoardTables, NOWHERE};
use super::state::{State, Step};

impl<const W: usize> State<W> {
    /// Returns the soldiers that `side` captures with the man that has just arrived on `to`.
    #[inline]
    pub(crate) fn captured(&self, board: &BoardTables<W>, side: Side, to: usize) -> Bits<W> {
        let mut captured = Bits::EMPTY;
        if !board.king_armed && to == self.king {
            return captured;
        }
        if board.edge.has_walls && board.edge.wall_squares.contains(to) {
            captured = self.walled(board, side, to);
        }
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

    /// Returns the men of a side that help to capture: all but an unarmed king.
    #[inline]
    pub(super) fn captors(&self, board: &BoardTables<W>, side: Side) -> Bits<W> {
        if board.king_armed { self.men(side) } else { self.soldiers[side] }
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
        if self.captors(board, side).contains(beyond) {
            return !board.protected[other].contains(victim);
        }
        if (board.protected[other] | board.unaided[other]).contains(victim) {
            return false;
        }
        let hostile = &board.hostile[other.soldier()];
        if !self.men(other).contains(beyond) {
            // An unarmed king leaves no square empty.
            return hostile.empty.contains(beyond) && beyond != self.king;
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
        let captors = self.captors(board, side);
        board
            .neighbours(square)
            .into_iter()
            .all(|s| s == NOWHERE || s == victim || captors.contains(s))
    }

    /// Returns the empty squares on which an arriving man of `side` would capture a soldier.
    pub(crate) fn capture_squares(&self, board: &BoardTables<W>, side: Side) -> Bits<W> {
        let other = side.other();
        let (men, others) = (self.men(side), self.men(other));
        let free = !(men | others);
        let captors = self.captors(board, side);
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
        squares = squares & free;
        if !board.edge.has_walls {
            return squares;
        }
        squares | self.wall_capture_squares(board, side)
    }

    /// Returns whether a move of the side to move captures a soldier, given its
    /// [`capture_squares`](State::capture_squares).
    #[inline]
    pub(crate) fn is_capture(&self, board: &BoardTables<W>, squares: &Bits<W>, step: Step) -> bool {
        squares.contains(step.to()) && (board.king_armed || step.from() != self.king)
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
        let sides = board.edge.hostile_sides(self.king);
        let mut squares = Bits::EMPTY;
        if hostile.is_empty() && sides == 0 {
            return squares;
        }
        let free = adjacent.without(self.occupied());
        if board.surrounded.contains(self.king) {
            for square in free.iter() {
                if hostile.without(Bits::one(square)).len() + sides == 3 {
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
            if sides > 0 {
                squares = squares | self.squares_against_edge(board) & free;
            }
        }
        squares
    }

    /// Returns the king's neighbours opposite an edge.
    #[cold]
    fn squares_against_edge(&self, board: &BoardTables<W>) -> Bits<W> {
        let beside = board.neighbours(self.king);
        let opposite = Direction::ALL.into_iter().filter_map(|direction| {
            let inner = beside[direction.opposite() as usize];
            (beside[direction as usize] == NOWHERE && inner != NOWHERE).then_some(inner)
        });
        opposite.fold(Bits::EMPTY, |squares, square| squares | Bits::one(square))
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
