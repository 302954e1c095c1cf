use crate::game::board::{Direction, Square, SquareSet};
use crate::game::moves::{Ending, Move, legal_moves};
use crate::game::position::Position;
use crate::game::rules::{Endless, Kind, Layout, Ruleset, Side};
use crate::game::shieldwall::edge_directions;

use super::scenes::{Example, TRIES};
use super::{Lesson, sentence};
use crate::draw::describe::{ENCIRCLEMENT, EXIT_FORT};

impl Ruleset {
    pub(super) fn end_lessons(&self) -> Vec<Lesson> {
        let text = format!(
            "The defenders win as soon as the king reaches one of these squares: {}.",
            self.phrase(self.goals)
        );
        let lesson = self.lesson("end", "The king escapes", text);
        let mut lessons = vec![self.shown(lesson, self.escape())];
        let text = "A side that has to move and cannot has lost. So has a side without pieces.";
        lessons.push(self.lesson("end", "No move left", text.to_owned()));
        if self.exit_fort {
            let lesson = self.lesson("end", "A fort at the edge", sentence(EXIT_FORT));
            lessons.push(self.shown(lesson, self.fort_example()));
        }
        if self.encirclement {
            let lesson = self.lesson("end", "All defenders encircled", sentence(ENCIRCLEMENT));
            lessons.push(self.shown(lesson, self.ring_example()));
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

    /// Finds a move that completes a fort of four defenders, around the king and an empty square
    /// beside him at the edge.
    fn fort_example(&self) -> Option<Example> {
        let board = self.board;
        let edge = self.places(Kind::King) & board.edge();
        self.ordered(edge).into_iter().find_map(|king| {
            let far = self.places(Kind::Attacker).iter();
            let attacker = far.max_by_key(|&square| board.distance(square, king))?;
            edge_directions(self, king).find_map(|[along, inwards]| {
                let (mover, away) = (Side::Defenders, SquareSet::EMPTY);
                let room = board.step(king, along)?;
                let mut men = Layout::default();
                men.put(Kind::King, king);
                men.put(Kind::Attacker, attacker);
                men.put(Kind::Defender, board.step(king, along.opposite())?);
                men.put(Kind::Defender, board.step(king, inwards)?);
                men.put(Kind::Defender, board.step(room, inwards)?);
                let wanted = |played: &Move| played.ending == Some(Ending::ExitFort);
                self.arrival(mover, &men, board.step(room, along)?, along, away, wanted)
            })
        })
    }

    /// Finds a move that completes a ring of eight attackers around the king and a defender.
    fn ring_example(&self) -> Option<Example> {
        let board = self.board;
        // In the middle there is room around the ring.
        let mut kings: Vec<Square> = self.places(Kind::King).iter().collect();
        kings.sort_by_key(|&king| board.distance(king, board.centre()));
        kings.into_iter().find_map(|king| {
            let inside =
                board.neighbours(king).find(|&at| self.places(Kind::Defender).contains(at))?;
            let ring: SquareSet =
                board.squares().filter(|&square| board.distance(square, king) == 2).collect();
            let is_whole = ring.len() == 8 && ring.is_subset(self.places(Kind::Attacker));
            Direction::ALL.into_iter().filter(|_| is_whole).find_map(|outwards| {
                let near = board.ray(king, outwards).nth(1)?;
                let mut men = Layout::default();
                men.put(Kind::King, king);
                men.put(Kind::Defender, inside);
                for attacker in ring.without(near) {
                    men.put(Kind::Attacker, attacker);
                }
                let wanted = |played: &Move| played.ending == Some(Ending::Encirclement);
                self.arrival(Side::Attackers, &men, near, outwards, SquareSet::EMPTY, wanted)
            })
        })
    }
}
