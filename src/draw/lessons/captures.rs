use crate::game::board::{Direction, Square, SquareSet};
use crate::game::moves::Move;
use crate::game::rules::{Kind, Layout, Ruleset, Side, plural};
use crate::game::shieldwall::edge_directions;

use super::scenes::Example;
use super::{Lesson, sentence};
use crate::draw::describe::SHIELDWALL;

/// What is beyond the captured soldier.
#[derive(Clone, Copy)]
enum Beyond {
    /// A piece of the side that captures.
    Enemy,
    /// One of these squares, empty.
    Empty(SquareSet),
    /// One of these squares, with a piece of the victim's own side on it.
    Occupied(SquareSet),
}

impl Ruleset {
    pub(super) fn capture_lessons(&self) -> Vec<Lesson> {
        let mut lessons = Vec::new();
        for victim in [Side::Defenders, Side::Attackers] {
            let (name, mover) = (plural(victim.soldier()), victim.other().name());
            let text = format!(
                "The {mover} capture a soldier of the {name} by moving next to it, when their own \
                 piece is on the opposite side. The captured piece is removed."
            );
            let lesson = self.lesson("captures", format!("Capturing {name}"), text);
            lessons.push(self.shown(lesson, self.capture(victim, Beyond::Enemy)));
        }
        for victim in [Side::Defenders, Side::Attackers] {
            lessons.extend(self.hostile_lessons(victim));
        }
        let text = "A piece may move in between two enemies. Only the side that moves captures."
            .to_owned();
        let lesson = self.lesson("captures", "Moving in between is safe", text);
        lessons.push(self.shown(lesson, self.safe_move()));
        if self.shieldwall {
            let text = sentence(&format!("a shieldwall: {SHIELDWALL}"));
            let lesson = self.lesson("captures", "Capturing a row at the edge", text);
            lessons.push(self.shown(lesson, self.shieldwall_example()));
        }
        if !self.king_armed {
            let text = "The king takes no part in captures: an attacker between him and a defender \
                        stays.";
            let lesson = self.lesson("captures", "The king is unarmed", text.to_owned());
            lessons.push(self.shown(lesson, self.unarmed_king()));
        }
        lessons
    }

    /// Shows the squares that help to capture a side's soldiers.
    fn hostile_lessons(&self, victim: Side) -> Vec<Lesson> {
        let (name, hostile) = (plural(victim.soldier()), self.hostile[victim.soldier()]);
        let mut lessons = Vec::new();
        // Each named set has a picture of its own.
        for set in self.parts(hostile.empty) {
            let text = format!(
                "While they are empty, these squares count as enemies of the {name}: {}.",
                self.phrase(set)
            );
            let example = self.capture(victim, Beyond::Empty(set));
            let title = format!("Empty squares against {name}");
            lessons.push(self.shown(self.lesson("captures", title, text), example));
        }
        if !hostile.occupied.is_empty() {
            let text = format!(
                "These squares count as enemies of the {name} even with a piece of their own side \
                 on them: {}.",
                self.phrase(hostile.occupied)
            );
            let example = self.capture(victim, Beyond::Occupied(hostile.occupied));
            let title = format!("Occupied squares against {name}");
            lessons.push(self.shown(self.lesson("captures", title, text), example));
        }
        if !hostile.besieged.is_empty() {
            let text = format!(
                "These squares count as enemies of the {name} with a piece of their own side on \
                 them, if enemies stand on all its other sides: {}.",
                self.phrase(hostile.besieged)
            );
            lessons.push(self.lesson(
                "captures",
                format!("Surrounded squares against {name}"),
                text,
            ));
        }
        let (protected, unaided) = (self.protected[victim], self.unaided[victim]);
        if !protected.is_empty() {
            let text =
                format!("On these squares they are never captured: {}.", self.phrase(protected));
            lessons.push(self.lesson("captures", format!("Where {name} are safe"), text));
        }
        if !unaided.is_empty() {
            let text = format!(
                "On these squares only two enemies capture them, and no square helps: {}.",
                self.phrase(unaided)
            );
            lessons.push(self.lesson(
                "captures",
                format!("Where squares do not help against {name}"),
                text,
            ));
        }
        lessons
    }

    /// Splits a set into the named sets that it contains, and the rest.
    fn parts(&self, set: SquareSet) -> Vec<SquareSet> {
        let (mut rest, mut parts) = (set, Vec::new());
        while let Some((_, squares)) = self.largest_within(rest) {
            rest -= squares;
            parts.push(squares);
        }
        if !rest.is_empty() {
            parts.push(rest);
        }
        parts
    }

    /// Finds a move that captures one soldier of this side.
    fn capture(&self, victim: Side, beyond: Beyond) -> Option<Example> {
        let (board, mover) = (self.board, victim.other());
        let hostile = self.hostile[victim.soldier()];
        for target in self.ordered(self.places(victim.soldier())) {
            for direction in Direction::ALL {
                let near = board.step(target, direction.opposite());
                let (Some(near), Some(far)) = (near, board.step(target, direction)) else {
                    continue;
                };
                let mut men = Layout::default();
                men.put(victim.soldier(), target);
                match beyond {
                    Beyond::Enemy if !(hostile.empty | hostile.occupied).contains(far) => {
                        men.put(mover.soldier(), far);
                    }
                    Beyond::Empty(set) if set.contains(far) => {}
                    Beyond::Occupied(set) if set.contains(far) => {
                        let may_be_king = victim == Side::Defenders;
                        let is_kings = may_be_king && self.places(Kind::King).contains(far);
                        men.put(if is_kings { Kind::King } else { victim.soldier() }, far);
                    }
                    _ => continue,
                }
                let wanted = |played: &Move| {
                    played.captured == SquareSet::of(target) && played.ending.is_none()
                };
                let away = SquareSet::of(target).with(near).with(far);
                if let Some(example) = self.arrival(mover, &men, near, direction, away, wanted) {
                    return Some(example);
                }
            }
        }
        None
    }

    /// Finds a move in between two enemies.
    fn safe_move(&self) -> Option<Example> {
        let board = self.board;
        for target in self.ordered(self.places(Kind::Defender)) {
            let sides = [Direction::East, Direction::West].map(|side| board.step(target, side));
            let [Some(east), Some(west)] = sides else { continue };
            let mut men = Layout::default();
            men.put(Kind::Attacker, east);
            men.put(Kind::Attacker, west);
            let away = SquareSet::of(target).with(east).with(west);
            let (mover, direction) = (Side::Defenders, Direction::East);
            let found = self.arrival(mover, &men, target, direction, away, Move::is_quiet);
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// Finds a move to the edge that captures a row of two defenders.
    fn shieldwall_example(&self) -> Option<Example> {
        let board = self.board;
        let corners: Vec<Square> = board.corners().iter().collect();
        // First where the pieces around the row have room.
        let mut near = self.ordered(board.edge() - board.corners());
        near.sort_by_key(|&at| {
            let nearest = corners.iter().map(|&corner| board.distance(at, corner)).min();
            std::cmp::Reverse(nearest)
        });
        near.into_iter().find_map(|near| {
            edge_directions(self, near).find_map(|[along, inwards]| {
                let mut men = Layout::default();
                let row: Vec<Square> = board.ray(near, along).take(3).collect();
                let &[first, second, end] = row.as_slice() else { return None };
                for victim in [first, second] {
                    men.put(Kind::Defender, victim);
                    men.put(Kind::Attacker, board.step(victim, inwards)?);
                }
                men.put(Kind::Attacker, end);
                let captured = SquareSet::of(first).with(second);
                let wanted = |played: &Move| played.captured == captured && played.ending.is_none();
                self.arrival(Side::Attackers, &men, near, along, captured, wanted)
            })
        })
    }

    /// Finds a move of a defender that would capture an attacker if the king beyond it were armed.
    fn unarmed_king(&self) -> Option<Example> {
        self.ordered(self.places(Kind::Attacker)).into_iter().find_map(|target| {
            Direction::ALL.into_iter().find_map(|direction| {
                let near = self.board.step(target, direction.opposite())?;
                let mut men = Layout::default();
                men.put(Kind::King, self.board.step(target, direction)?);
                men.put(Kind::Attacker, target);
                let (mover, away) = (Side::Defenders, SquareSet::EMPTY);
                self.arrival(mover, &men, near, direction, away, Move::is_quiet)
            })
        })
    }
}
