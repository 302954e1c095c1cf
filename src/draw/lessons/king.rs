use crate::game::board::{Direction, Square, SquareSet};
use crate::game::moves::{Ending, Move};
use crate::game::rules::{Kind, Layout, Ruleset, Side};

use super::Lesson;
use super::scenes::Example;

impl Ruleset {
    pub(super) fn king_lessons(&self) -> Vec<Lesson> {
        let mut lessons = Vec::new();
        for (need, [squares, hostile]) in self.surrounding_needs().into_iter().rev() {
            let on = self.short_phrase(squares);
            let text = match need {
                5 => format!(
                    "On these squares the king is never captured, as the edge is no help: {on}."
                ),
                4 => format!(
                    "On these squares the king is captured by attackers on all four sides: {on}."
                ),
                _ if self.king_edge_hostile => format!(
                    "On these squares attackers on {need} sides capture the king, as the edge of \
                     the board and hostile squares count as attackers: {on}."
                ),
                _ => format!(
                    "On these squares attackers on {need} sides capture the king, with a hostile \
                     square on the other: {on}. Hostile: {}.",
                    self.phrase(hostile)
                ),
            };
            let title = match need {
                5 => "Where the king is safe".to_owned(),
                _ => format!("The king between {need} attackers"),
            };
            let example = self.ordered(squares).into_iter().find_map(|king| {
                let sides: SquareSet = self.board.neighbours(king).collect();
                self.king_capture(king, sides - self.hostile[Kind::King].empty)
            });
            let found = example.filter(|_| need < 5);
            lessons.push(self.shown(self.lesson("king", title, text), found));
        }
        let free = self.ordered(self.places(Kind::King) - self.surrounded);
        if free.is_empty() {
            return lessons;
        }
        let begin = if self.surrounded.is_empty() { "Two" } else { "Elsewhere two" };
        let text = format!("{begin} attackers on opposite sides capture the king, like a soldier.");
        let example = free.iter().find_map(|&king| self.king_in_line(king, false));
        lessons.push(self.shown(self.lesson("king", "The king in the open", text), example));
        let hostile = self.hostile[Kind::King].empty;
        if let Some(example) = free.iter().find_map(|&king| self.king_in_line(king, true)) {
            let text = format!(
                "An empty hostile square takes the place of one attacker: {}.",
                self.phrase(hostile)
            );
            let lesson = self.lesson("king", "The king beside a hostile square", text);
            lessons.push(self.shown(lesson, Some(example)));
        }
        lessons
    }

    /// Finds a capture of the king here by attackers on two opposite sides, or by one and a
    /// hostile square.
    fn king_in_line(&self, king: Square, is_aided: bool) -> Option<Example> {
        let (board, hostile) = (self.board, self.hostile[Kind::King].empty);
        Direction::ALL.into_iter().find_map(|direction| {
            let far = board.step(king, direction)?;
            let near = board.step(king, direction.opposite())?;
            let is_fitting = hostile.contains(far) == is_aided && !hostile.contains(near);
            let sides = SquareSet::of(near);
            let sides = if is_aided { sides } else { sides.with(far) };
            is_fitting.then(|| self.king_capture(king, sides)).flatten()
        })
    }

    /// Finds a move that captures the king here when all these squares have attackers.
    fn king_capture(&self, king: Square, sides: SquareSet) -> Option<Example> {
        let wanted = |played: &Move| played.ending == Some(Ending::KingCaptured);
        sides.iter().find_map(|near| {
            let mut men = Layout::default();
            men.put(Kind::King, king);
            for side in sides.without(near).iter() {
                men.put(Kind::Attacker, side);
            }
            let direction = Direction::ALL
                .into_iter()
                .find(|&direction| self.board.step(near, direction) == Some(king))?;
            self.arrival(Side::Attackers, &men, near, direction, SquareSet::EMPTY, wanted)
        })
    }
}
