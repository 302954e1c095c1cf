//! Lessons: a ruleset explained by small positions and moves, which are found by its own rules.

mod captures;
mod end;
mod king;
mod movement;
mod scenes;
#[cfg(test)]
mod tests;

use serde::Serialize;

use crate::game::formations::FormationText;
use crate::game::position::Position;
use crate::game::rules::{Kind, Ruleset};

use scenes::Example;

/// A picture and what it shows.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct Lesson {
    /// `aim`, `moves`, `captures`, `king` or `end`.
    pub part: &'static str,
    /// The rule in a few words.
    pub title: String,
    /// The rule in sentences.
    pub text: String,
    /// The position of the picture, before the move.
    pub position: Option<String>,
    /// The move that the picture shows.
    #[serde(rename = "move")]
    pub played: Option<String>,
    /// The squares that the piece of the picture can go to.
    pub targets: Vec<String>,
    /// The shieldwall, fort or ring that the move completes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub formations: Vec<FormationText>,
}

impl Ruleset {
    /// Explains the rules by examples. A rule that no position of a few pieces shows has no
    /// picture.
    pub fn lessons(&self) -> Vec<Lesson> {
        let mut lessons = vec![self.aim()];
        lessons.extend(Kind::ALL.map(|kind| self.movement_lesson(kind)));
        lessons.extend(self.capture_lessons());
        lessons.extend(self.king_lessons());
        lessons.extend(self.end_lessons());
        lessons
    }

    fn lesson(&self, part: &'static str, title: impl Into<String>, text: String) -> Lesson {
        let (title, position, played) = (title.into(), None, None);
        let (targets, formations) = (Vec::new(), Vec::new());
        Lesson { part, title, text, position, played, targets, formations }
    }

    fn shown(&self, lesson: Lesson, example: Option<Example>) -> Lesson {
        let Some((position, played)) = example else { return lesson };
        Lesson {
            position: Some(position.to_text(self)),
            played: Some(played.display(self.board).to_string()),
            formations: played.formation_texts(self, &position),
            ..lesson
        }
    }

    fn aim(&self) -> Lesson {
        let text = format!(
            "The defenders bring their king to one of the marked squares ({}). The attackers \
             capture him. The {} move first, then the sides take turns.",
            self.phrase(self.goals),
            self.first.name(),
        );
        let start = Position::start(self).ok();
        let position = start.map(|start| start.to_text(self));
        Lesson { position, ..self.lesson("aim", "What each side wants", text) }
    }
}

/// Begins a rule with a capital letter and ends it with a full stop.
fn sentence(rule: &str) -> String {
    let mut text = format!("{rule}.");
    if let Some(first) = text.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    text
}
