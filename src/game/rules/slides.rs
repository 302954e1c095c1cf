use crate::game::board::{Board, Direction, Square, SquareSet};

use super::ruleset::places;
use super::{ByKind, Kind, Movement};

/// One square of a slide over the otherwise empty board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    /// The square.
    pub square: Square,
    /// Forward: whether the piece may stop here. Backward: whether a move that
    /// ends where the un-move starts may have begun here.
    pub ends: bool,
}

/// The squares that a slide meets in each [`Direction`], nearest first.
pub type Rays = [Vec<Step>; 4];

/// The slides on squares beyond the board.
static NO_RAYS: Rays = [const { Vec::new() }; 4];

/// For every kind of piece and every square, the slides that begin there and,
/// for un-moves, those that end there, on the empty board. On a real board a
/// ray is cut off at the first piece.
#[derive(Clone, Debug)]
pub struct Slides {
    next: Vec<[Option<Square>; 4]>,
    forward: ByKind<Vec<Rays>>,
    backward: ByKind<Vec<Rays>>,
}

impl Slides {
    pub(super) fn new(board: Board, movement: &ByKind<Movement>, goals: SquareSet) -> Slides {
        let forward: ByKind<Vec<Rays>> = ByKind::from_fn(|kind| {
            let movement = &movement[kind];
            let places = places(movement, kind, goals);
            let rays = |from| {
                let ray = |d| {
                    if places.contains(from) { ray(board, movement, from, d) } else { vec![] }
                };
                Direction::ALL.map(ray)
            };
            board.squares().map(rays).collect()
        });
        let backward = ByKind::from_fn(|kind| {
            let begins = |from: Square, to: Square, direction: Direction| {
                let ray = &forward[kind][from.index()][direction as usize];
                ray.iter().any(|step| step.ends && step.square == to)
            };
            let rays = |to| {
                Direction::ALL.map(|back| {
                    let step = |square| Step { square, ends: begins(square, to, back.opposite()) };
                    trimmed(board.ray(to, back).map(step).collect())
                })
            };
            board.squares().map(rays).collect()
        });
        let next = board.squares().map(|s| Direction::ALL.map(|d| board.step(s, d))).collect();
        Slides { next, forward, backward }
    }

    /// The next square in that direction, if the board goes on: as
    /// [`Board::step`], looked up.
    #[inline]
    pub fn next(&self, from: Square, direction: Direction) -> Option<Square> {
        self.next.get(from.index())?[direction as usize]
    }

    /// The slides of a piece that stands on that square: none where it cannot
    /// stand, and none beyond the board.
    #[inline]
    pub fn from(&self, kind: Kind, from: Square) -> &Rays {
        self.forward[kind].get(from.index()).unwrap_or(&NO_RAYS)
    }

    /// Where a piece on that square can go on the empty board.
    pub fn reach(&self, kind: Kind, from: Square) -> SquareSet {
        let steps = self.from(kind, from).iter().flatten();
        steps.filter(|s| s.ends).map(|s| s.square).collect()
    }

    /// The slides, seen from their end, that bring a piece to that square. The
    /// ray in a direction holds the squares that lie there, so the piece came
    /// moving the opposite way.
    #[inline]
    pub fn to(&self, kind: Kind, to: Square) -> &Rays {
        self.backward[kind].get(to.index()).unwrap_or(&NO_RAYS)
    }
}

fn ray(board: Board, movement: &Movement, from: Square, direction: Direction) -> Vec<Step> {
    let home = movement.gate(from);
    let mut steps = Vec::new();
    for square in board.ray(from, direction) {
        let gate = movement.gate(square);
        if gate.is_some() && gate != home {
            break;
        }
        steps.push(Step { square, ends: movement.stop.contains(square) });
        if !movement.cross.contains(square) {
            break;
        }
    }
    trimmed(steps)
}

/// Without what lies behind the last square that counts.
fn trimmed(mut steps: Vec<Step>) -> Vec<Step> {
    let length = steps.iter().rposition(|step| step.ends).map_or(0, |last| last + 1);
    steps.truncate(length);
    steps
}
