//! Positions: where the pieces stand and who is to move.

use crate::board::{Square, SquareSet, Symmetry};
use crate::rules::{Kind, Layout, Ruleset, Side};
use crate::slice::Slice;

/// A position of a running game: a king, any number of soldiers, a side to
/// move. Whether the pieces may stand where they are is a matter of the
/// ruleset: see [`Position::check`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Position {
    /// The attackers.
    pub attackers: SquareSet,
    /// The defending soldiers, without the king.
    pub defenders: SquareSet,
    /// The king.
    pub king: Square,
    /// The side to move.
    pub to_move: Side,
}

impl Position {
    /// All occupied squares.
    #[inline]
    pub fn occupied(&self) -> SquareSet {
        (self.attackers | self.defenders).with(self.king)
    }

    /// The position's material.
    pub fn slice(&self) -> Slice {
        Slice {
            defenders: self.defenders.len(),
            attackers: self.attackers.len(),
        }
    }

    /// What stands on the square.
    pub fn piece(&self, square: Square) -> Option<Kind> {
        if square == self.king {
            Some(Kind::King)
        } else if self.attackers.contains(square) {
            Some(Kind::Attacker)
        } else if self.defenders.contains(square) {
            Some(Kind::Defender)
        } else {
            None
        }
    }

    /// The squares of the side's pieces, the king included.
    pub fn pieces(&self, side: Side) -> SquareSet {
        match side {
            Side::Attackers => self.attackers,
            Side::Defenders => self.defenders.with(self.king),
        }
    }

    /// The position seen under a symmetry of the board.
    pub fn image(&self, rules: &Ruleset, symmetry: Symmetry) -> Position {
        let board = rules.board;
        Position {
            attackers: symmetry.apply_set(board, self.attackers),
            defenders: symmetry.apply_set(board, self.defenders),
            king: symmetry.apply(board, self.king),
            to_move: self.to_move,
        }
    }

    /// The pieces without the side to move.
    pub fn layout(&self) -> Layout {
        Layout {
            attackers: self.attackers,
            defenders: self.defenders,
            king: Some(self.king),
        }
    }
}
