use crate::game::board::{Board, Direction, Square, SquareSet};

use super::ruleset::places;
use super::{ByKind, Kind, Movement};

/// One square of a slide over the otherwise empty board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    /// The square.
    pub square: Square,
    /// Forward: the piece may stop here. Backward: a move that ends where the un-move starts may
    /// have begun here.
    pub ends: bool,
}

/// The squares of a slide in each [`Direction`], nearest first.
pub type Rays = [Vec<Step>; 4];

/// The slides from squares off the board.
static NO_RAYS: Rays = [const { Vec::new() }; 4];

/// Move tables: for every kind of piece and every square, the slides that begin there and, for
/// un-moves, those that end there, on the empty board. On a real board a ray ends at the
/// first piece.
#[derive(Clone, Debug)]
pub struct Slides {
    next: Vec<[Option<Square>; 4]>,
    forward: ByKind<Vec<Rays>>,
    backward: ByKind<Vec<Rays>>,
}

impl Slides {
    pub(super) fn new(board: Board, movement: &ByKind<Movement>, goals: SquareSet) -> Slides {
        let forward: ByKind<Vec<Rays>> = ByKind::from_fn(|kind| {
            let places = places(&movement[kind], kind, goals);
            let squares = board.squares();
            squares.map(|from| forward_rays(board, &movement[kind], places, from)).collect()
        });
        let backward = ByKind::from_fn(|kind| {
            board.squares().map(|to| backward_rays(board, &forward[kind], to)).collect()
        });
        let next = board.squares().map(|s| Direction::ALL.map(|d| board.step(s, d))).collect();
        Slides { next, forward, backward }
    }

    /// Returns the next square in this direction; `None` at the edge. A table lookup of
    /// [`Board::step`].
    #[inline]
    pub fn next(&self, from: Square, direction: Direction) -> Option<Square> {
        self.next.get(from.index())?[direction as usize]
    }

    /// Returns the slides of a piece on this square; none if it cannot stand there or the square is
    /// off the board.
    #[inline]
    pub fn from(&self, kind: Kind, from: Square) -> &Rays {
        self.forward[kind].get(from.index()).unwrap_or(&NO_RAYS)
    }

    /// Returns the squares that a piece on this square can reach on the empty board.
    pub fn reach(&self, kind: Kind, from: Square) -> SquareSet {
        let steps = self.from(kind, from).iter().flatten();
        steps.filter(|s| s.ends).map(|s| s.square).collect()
    }

    /// Returns the slides that end on this square, seen from their end. The ray in a direction
    /// holds the squares that lie there, so the piece moved in the opposite direction.
    #[inline]
    pub fn to(&self, kind: Kind, to: Square) -> &Rays {
        self.backward[kind].get(to.index()).unwrap_or(&NO_RAYS)
    }
}

fn forward_rays(board: Board, movement: &Movement, places: SquareSet, from: Square) -> Rays {
    if places.contains(from) {
        Direction::ALL.map(|direction| ray(board, movement, from, direction))
    } else {
        Rays::default()
    }
}

fn backward_rays(board: Board, forward: &[Rays], to: Square) -> Rays {
    Direction::ALL.map(|back| {
        let steps = board.ray(to, back).map(|square| {
            let slide = &forward[square.index()][back.opposite() as usize];
            Step { square, ends: slide.iter().any(|step| step.ends && step.square == to) }
        });
        trimmed(steps.collect())
    })
}

fn ray(board: Board, movement: &Movement, from: Square, direction: Direction) -> Vec<Step> {
    let home = movement.gate(from);
    let reach = movement.reach.map_or(usize::MAX, |reach| usize::from(reach.get()));
    let mut steps = Vec::new();
    for square in board.ray(from, direction).take(reach) {
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

/// Drops the steps after the last one on which a move can end.
fn trimmed(mut steps: Vec<Step>) -> Vec<Step> {
    let length = steps.iter().rposition(|step| step.ends).map_or(0, |last| last + 1);
    steps.truncate(length);
    steps
}
