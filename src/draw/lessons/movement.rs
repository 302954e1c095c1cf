use crate::game::board::{Direction, Square, SquareSet};
use crate::game::moves::legal_moves;
use crate::game::position::Position;
use crate::game::rules::{Kind, Ruleset};

use super::Lesson;

impl Ruleset {
    /// Shows where a piece of this kind can go.
    pub(super) fn movement_lesson(&self, kind: Kind) -> Lesson {
        let movement = &self.movement[kind];
        let all: SquareSet = self.board.squares().collect();
        let mut text = "Moves like a rook in chess: along a file or a rank, as far as the squares \
                        are empty."
            .to_owned();
        let (closed, shut) = (all - movement.stop, all - movement.cross);
        if let Some(reach) = movement.reach {
            let squares = if reach.get() == 1 { "square" } else { "squares" };
            text += &format!(" It moves {reach} {squares} at most.");
        }
        if !closed.is_empty() {
            text += &format!(" It never stops on: {}.", self.phrase(closed));
        }
        if !shut.is_empty() {
            text += &format!(" It never passes over: {}.", self.phrase(shut));
        }
        let gates: SquareSet = movement.gates.iter().copied().flatten().collect();
        if !gates.is_empty() {
            text += &format!(
                " It can leave these squares, but not come back from outside: {}.",
                self.phrase(gates)
            );
        }
        let title = match kind {
            Kind::Attacker => "How an attacker moves",
            Kind::Defender => "How a defender moves",
            Kind::King => "How the king moves",
        };
        let mut lesson = self.lesson("moves", title, text);
        if let Some((position, targets)) = self.widest(kind) {
            lesson.position = Some(position.to_text(self));
            lesson.targets = self.board.names(targets);
        }
        lesson
    }

    /// Finds the square from which a piece sees the most squares that are closed to it, with the
    /// squares that it can go to.
    fn widest(&self, kind: Kind) -> Option<(Position, SquareSet)> {
        let board = self.board;
        let places = self.ordered(self.places(kind)).into_iter();
        let shown = places.filter_map(|from| {
            let view: SquareSet = Direction::ALL
                .into_iter()
                .flat_map(|direction| board.ray(from, direction))
                .collect();
            let aside = |square: &Square| *square != from && !view.contains(*square);
            let other = if kind == Kind::King { Kind::Attacker } else { Kind::King };
            let companion = self.ordered(self.places(other)).into_iter().rev().find(aside)?;
            let (king, attackers, defenders) = match kind {
                Kind::King => (from, SquareSet::of(companion), SquareSet::EMPTY),
                Kind::Attacker => (companion, SquareSet::of(from), SquareSet::EMPTY),
                // The attackers need a piece, or the game is over.
                Kind::Defender => {
                    let attacker = self.ordered(self.places(Kind::Attacker)).into_iter().rev();
                    let attacker = attacker.filter(aside).find(|square| *square != companion)?;
                    (companion, SquareSet::of(attacker), SquareSet::of(from))
                }
            };
            let position = Position::new(self, king, defenders, attackers, kind.side()).ok()?;
            let moves = legal_moves(self, &position).into_iter();
            let targets: SquareSet =
                moves.filter(|played| played.from == from).map(|played| played.to).collect();
            Some((position, targets, (view - targets).len()))
        });
        // `max_by_key` takes the last of equals, so that the first of the order comes last.
        let all: Vec<_> = shown.collect();
        let best = all.into_iter().rev().max_by_key(|&(_, _, closed)| closed)?;
        Some((best.0, best.1))
    }
}
