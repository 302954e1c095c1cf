//! Lessons: a ruleset explained by small positions and moves, which are found by its own rules.

use serde::Serialize;

use crate::game::board::{Direction, Square, SquareSet};
use crate::game::moves::{Ending, Move, find_move, legal_moves};
use crate::game::position::Position;
use crate::game::rules::{Endless, Kind, Ruleset, Side, plural};

use super::describe::{ENCIRCLEMENT, EXIT_FORT, SHIELDWALL};

/// Squares that are tried for the piece that moves, and for the king where he only looks on.
const TRIES: usize = 8;

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
}

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

/// A position and a move in it.
type Example = (Position, Move);

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
        Lesson { part, title, text, position, played, targets: Vec::new() }
    }

    fn shown(&self, lesson: Lesson, example: Option<Example>) -> Lesson {
        let Some((position, played)) = example else { return lesson };
        Lesson {
            position: Some(position.to_text(self)),
            played: Some(played.display(self.board).to_string()),
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

    /// Shows where a piece of this kind can go.
    fn movement_lesson(&self, kind: Kind) -> Lesson {
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
            lesson.targets = self.list(targets);
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

    fn capture_lessons(&self) -> Vec<Lesson> {
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
            lessons.push(self.lesson("captures", "Capturing a row at the edge", text));
        }
        if !self.king_armed {
            let text = "The king takes no part in captures.".to_owned();
            lessons.push(self.lesson("captures", "The king is unarmed", text));
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
                let mut men = Men { to_move: mover, king: None, sets: [SquareSet::EMPTY; 2] };
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
                if let Some(example) = self.arrival(&men, near, direction, away, wanted) {
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
            let mut men = Men { to_move: Side::Defenders, king: None, sets: [SquareSet::EMPTY; 2] };
            men.put(Kind::Attacker, east);
            men.put(Kind::Attacker, west);
            let away = SquareSet::of(target).with(east).with(west);
            let found = self.arrival(&men, target, Direction::East, away, Move::is_quiet);
            if found.is_some() {
                return found;
            }
        }
        None
    }

    fn king_lessons(&self) -> Vec<Lesson> {
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
            let mut men =
                Men { to_move: Side::Attackers, king: Some(king), sets: [SquareSet::EMPTY; 2] };
            for side in sides.without(near).iter() {
                men.put(Kind::Attacker, side);
            }
            let direction = Direction::ALL
                .into_iter()
                .find(|&direction| self.board.step(near, direction) == Some(king))?;
            self.arrival(&men, near, direction, SquareSet::EMPTY, wanted)
        })
    }

    /// Finds a move to `near` with the wanted consequences. The mover comes from the side, if it
    /// can, and the king, unless he is on the board, looks on from a square that touches none of
    /// `away`.
    fn arrival(
        &self,
        men: &Men,
        near: Square,
        direction: Direction,
        away: SquareSet,
        wanted: impl Fn(&Move) -> bool,
    ) -> Option<Example> {
        let board = self.board;
        let kind = men.to_move.soldier();
        let is_aside = |from: Square| {
            let line = [direction, direction.opposite()];
            line.into_iter().all(|one| board.ray(near, one).all(|square| square != from))
        };
        let rays = self.slides().to(kind, near).iter().flatten();
        let mut origins: Vec<Square> =
            rays.filter(|step| step.ends).map(|step| step.square).collect();
        origins.sort_by_key(|&from| (!is_aside(from), self.distance(from, near).abs_diff(2)));
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
                let mut placed = *men;
                placed.put(kind, from);
                let [attackers, defenders] = placed.sets;
                let position = Position::new(self, king, defenders, attackers, men.to_move).ok()?;
                let played = find_move(self, &position, from, near)?;
                wanted(&played).then_some((position, played))
            })
        })
    }

    fn end_lessons(&self) -> Vec<Lesson> {
        let text = format!(
            "The defenders win as soon as the king reaches one of these squares: {}.",
            self.phrase(self.goals)
        );
        let lesson = self.lesson("end", "The king escapes", text);
        let mut lessons = vec![self.shown(lesson, self.escape())];
        let text = "A side that has to move and cannot has lost. So has a side without pieces.";
        lessons.push(self.lesson("end", "No move left", text.to_owned()));
        for (holds, title, rule) in [
            (self.exit_fort, "A fort at the edge", EXIT_FORT),
            (self.encirclement, "All defenders encircled", ENCIRCLEMENT),
        ] {
            lessons.extend(holds.then(|| self.lesson("end", title, sentence(rule))));
        }
        let mut again = sentence(&self.describe_repetition());
        again += match self.endless {
            Endless::Draw => " A game that neither side can win is a draw.",
            Endless::Undecided => "",
            Endless::Attackers => " So the attackers win a game that would never end.",
        };
        lessons.push(self.lesson("end", "Repeated positions", again));
        if let Some(plies) = self.ply_limit {
            let text = format!("A game is drawn after {plies} moves of the two sides together.");
            lessons.push(self.lesson("end", "Long games", text));
        }
        lessons
    }

    /// Finds a move of the king to a goal, some squares away.
    fn escape(&self) -> Option<Example> {
        let kings = self.ordered(self.places(Kind::King));
        kings.into_iter().find_map(|king| {
            let attacker = self.ordered(self.places(Kind::Attacker)).into_iter().rev();
            attacker.take(TRIES).find_map(|attacker| {
                let attackers = SquareSet::of(attacker);
                let position =
                    Position::new(self, king, SquareSet::EMPTY, attackers, Side::Defenders).ok()?;
                let moves = legal_moves(self, &position);
                let escape = moves.iter().find(|played| played.ending.is_some())?;
                Some((position, *escape))
            })
        })
    }

    /// Orders squares for pictures: first those halfway between the middle and the edge, where the
    /// pieces around them have room.
    fn ordered(&self, set: SquareSet) -> Vec<Square> {
        let (centre, halfway) = (self.board.centre(), self.board.size() / 4 + 1);
        let mut squares: Vec<Square> = set.iter().collect();
        squares.sort_by_key(|&square| self.distance(square, centre).abs_diff(halfway));
        squares
    }

    /// Counts the squares between two, along files and ranks.
    fn distance(&self, one: Square, other: Square) -> usize {
        let board = self.board;
        board.file(one).abs_diff(board.file(other)) + board.rank(one).abs_diff(board.rank(other))
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

/// Pieces for a position; without a king, one is placed later.
#[derive(Clone, Copy)]
struct Men {
    to_move: Side,
    king: Option<Square>,
    /// The soldiers of the attackers and of the defenders.
    sets: [SquareSet; 2],
}

impl Men {
    fn put(&mut self, kind: Kind, square: Square) {
        match kind {
            Kind::Attacker => self.sets[0].insert(square),
            Kind::Defender => self.sets[1].insert(square),
            Kind::King => self.king = Some(square),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::notation::parse_move;

    /// Returns the lessons of a built-in ruleset.
    fn lessons(name: &str) -> (Ruleset, Vec<Lesson>) {
        let rules = Ruleset::builtin(name).unwrap();
        let lessons = rules.lessons();
        (rules, lessons)
    }

    #[test]
    fn every_picture_is_a_position_and_its_move_is_legal() {
        for name in Ruleset::builtin_names() {
            let (rules, lessons) = lessons(name);
            for lesson in &lessons {
                let Some(text) = &lesson.position else { continue };
                let position = Position::parse(text, &rules).unwrap();
                if let Some(played) = &lesson.played {
                    let read = parse_move(&rules, &position, played).unwrap();
                    assert_eq!(read.display(rules.board).to_string(), *played, "{name}");
                }
            }
            let pictured = |part: &str| {
                lessons.iter().filter(|l| l.part == part && l.position.is_some()).count()
            };
            assert_eq!((pictured("aim"), pictured("moves")), (1, 3), "{name}");
            assert!(pictured("captures") >= 3 && pictured("king") >= 1, "{name}: {lessons:#?}");
            assert_eq!(pictured("end"), 1, "{name}");
        }
    }

    #[test]
    fn captures_show_what_their_text_says() {
        let (_, lessons) = lessons("brandubh");
        let of = |title: &str| lessons.iter().filter(|l| l.title == title).collect::<Vec<_>>();
        for title in ["Capturing defenders", "Capturing attackers"] {
            assert!(of(title)[0].played.as_ref().unwrap().contains('x'), "{lessons:#?}");
        }
        // Corners and the empty throne have a picture each.
        assert_eq!(of("Empty squares against defenders").len(), 2);
        assert!(of("Occupied squares against defenders")[0].played.is_some());
        assert!(!of("Moving in between is safe")[0].played.as_ref().unwrap().contains('x'));
        for title in
            ["The king between 4 attackers", "The king between 3 attackers", "The king in the open"]
        {
            assert!(of(title)[0].played.as_ref().unwrap().ends_with("++"), "{title}");
        }
        assert!(of("The king escapes")[0].played.as_ref().unwrap().ends_with("--"));
    }

    #[test]
    fn a_mover_is_shown_beside_squares_that_are_closed_to_it() {
        let (_, lessons) = lessons("brandubh");
        let attacker = lessons.iter().find(|l| l.title == "How an attacker moves").unwrap();
        assert!(!attacker.targets.contains(&"d4".to_owned()), "{attacker:?}");
        assert!(attacker.targets.len() < 12, "{attacker:?}");
    }
}
