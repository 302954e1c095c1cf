//! Small positions in which a move has some consequence.

use crate::game::board::{Direction, Square, SquareSet};
use crate::game::moves::{Move, find_move};
use crate::game::position::Position;
use crate::game::rules::{Kind, Layout, Ruleset, Side};

/// Squares that are tried for the piece that moves, and for the king where he only looks on.
pub(super) const TRIES: usize = 8;

/// A position and a move in it.
pub(super) type Example = (Position, Move);

impl Ruleset {
    /// Finds a move of a soldier to `near`, among these men, with the wanted consequences. The
    /// soldier comes from the side, if it can, and the king, unless he is on the board, looks on
    /// from a square that touches none of `away`.
    pub(super) fn arrival(
        &self,
        mover: Side,
        men: &Layout,
        near: Square,
        direction: Direction,
        away: SquareSet,
        wanted: impl Fn(&Move) -> bool,
    ) -> Option<Example> {
        let board = self.board;
        let kind = mover.soldier();
        let is_aside = |from: Square| {
            let line = [direction, direction.opposite()];
            line.into_iter().all(|one| board.ray(near, one).all(|square| square != from))
        };
        let rays = self.slides().to(kind, near).iter().flatten();
        let mut origins: Vec<Square> =
            rays.filter(|step| step.ends).map(|step| step.square).collect();
        origins.sort_by_key(|&from| (!is_aside(from), board.distance(from, near).abs_diff(2)));
        let touches = |square: Square| {
            away.contains(square) || board.neighbours(square).any(|next| away.contains(next))
        };
        let kings: Vec<Square> = match men.king {
            Some(king) => vec![king],
            None => {
                let places = self.ordered(self.places(Kind::King)).into_iter();
                places.filter(|&square| !touches(square)).take(TRIES).collect()
            }
        };
        origins.into_iter().take(TRIES).find_map(|from| {
            kings.iter().find_map(|&king| {
                let mut placed = Layout { king: Some(king), ..*men };
                placed.put(kind, from);
                let position = Position::from_layout(&placed, mover, self).ok()?;
                let played = find_move(self, &position, from, near)?;
                wanted(&played).then_some((position, played))
            })
        })
    }

    /// Orders squares for pictures: first those halfway between the middle and the edge, where the
    /// pieces around them have room.
    pub(super) fn ordered(&self, set: SquareSet) -> Vec<Square> {
        let (centre, halfway) = (self.board.centre(), self.board.size() / 4 + 1);
        let mut squares: Vec<Square> = set.iter().collect();
        squares.sort_by_key(|&square| self.board.distance(square, centre).abs_diff(halfway));
        squares
    }
}
