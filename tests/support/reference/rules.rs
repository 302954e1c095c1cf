//! The rules of the games, implemented from their texts.

use super::game::{Game, Successor};
use super::position::{ATTACKER, DEFENDER, EMPTY, KING, Position, Side, read_board};

/// The rule text that a game follows; its board is separate.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Family {
    /// Galassi after Ashton: camps, the king wins on the edge.
    Ashton,
    /// The same as implemented by the Bologna server.
    AshtonServer,
    /// Winther's four games and McGill's: the king wins in a corner.
    Winther,
    /// Brandubh as played online.
    Online,
    /// CS61B: the king wins on the edge, no camps.
    Berkeley,
}

/// A game: a rule text and a board.
pub(crate) struct Rules {
    family: Family,
    size: usize,
    /// For each square the number of its camp, if it is in one.
    camp: Vec<Option<usize>>,
    /// For each square the next one to the east, north, west and south.
    next: Vec<[Option<usize>; 4]>,
    start: Position,
}

impl Game for Rules {
    fn size(&self) -> usize {
        self.size
    }

    fn may_stand(&self, piece: u8, square: usize) -> bool {
        let throne = self.is_throne(square);
        let camp = self.camp[square].is_some();
        let corner = self.is_corner(square);
        match piece {
            KING => !(self.is_goal(square) || camp || corner && self.has_camps()),
            DEFENDER => !(throne || camp || corner && self.has_goal_corners()),
            _ => !(throne || corner && self.has_goal_corners()),
        }
    }

    fn successors(&self, position: &Position) -> Vec<Successor> {
        let mut successors = Vec::new();
        for from in 0..self.squares() {
            let piece = position.cells[from];
            if !position.to_move.owns(piece) {
                continue;
            }
            for direction in 0..4 {
                let mut at = from;
                while let Some(to) = self.next[at][direction] {
                    if position.cells[to] != EMPTY || !self.may_enter(from, to) {
                        break;
                    }
                    if self.may_stop(piece, to) {
                        successors.push(self.play(position, from, to));
                    }
                    if !self.may_cross(to) {
                        break;
                    }
                    at = to;
                }
            }
        }
        successors
    }
}

impl Rules {
    pub(super) fn new(
        family: Family,
        size: usize,
        camps: &[Vec<&str>],
        start: &str,
        first: Side,
    ) -> Rules {
        let next = |square: usize| {
            let (file, rank) = (square % size, square / size);
            [
                (file + 1 < size).then(|| square + 1),
                (rank + 1 < size).then(|| square + size),
                (file > 0).then(|| square - 1),
                (rank > 0).then(|| square - size),
            ]
        };
        let name = |square: usize| {
            let file = char::from(b'a' + (square % size) as u8);
            format!("{file}{}", square / size + 1)
        };
        let camp = |square| camps.iter().position(|c| c.contains(&name(square).as_str()));
        Rules {
            family,
            size,
            camp: (0..size * size).map(camp).collect(),
            next: (0..size * size).map(next).collect(),
            start: Position { cells: read_board(start, size), to_move: first },
        }
    }

    /// Returns the start position.
    pub(crate) fn start(&self) -> &Position {
        &self.start
    }

    fn is_throne(&self, square: usize) -> bool {
        square == self.squares() / 2
    }

    fn is_edge(&self, square: usize) -> bool {
        self.next[square].contains(&None)
    }

    fn is_corner(&self, square: usize) -> bool {
        self.next[square].iter().flatten().count() == 2
    }

    fn has_camps(&self) -> bool {
        matches!(self.family, Family::Ashton | Family::AshtonServer)
    }

    /// Returns whether the corners are goals of the king.
    fn has_goal_corners(&self) -> bool {
        matches!(self.family, Family::Winther | Family::Online)
    }

    /// Returns whether the king wins when he arrives there.
    fn is_goal(&self, square: usize) -> bool {
        match self.family {
            Family::Ashton | Family::AshtonServer => {
                self.is_edge(square) && !self.is_corner(square) && self.camp[square].is_none()
            }
            Family::Winther | Family::Online => self.is_corner(square),
            Family::Berkeley => self.is_edge(square),
        }
    }

    /// Returns whether a move of the piece may end there, camps aside.
    fn may_stop(&self, piece: u8, square: usize) -> bool {
        if self.is_throne(square) {
            piece == KING && !self.has_camps()
        } else if self.is_corner(square) && self.has_goal_corners() {
            piece == KING
        } else {
            true
        }
    }

    /// Returns whether a move that starts on `from` may enter or cross `square`. Camps are
    /// closed to pieces from outside.
    fn may_enter(&self, from: usize, square: usize) -> bool {
        match self.camp[square] {
            None => true,
            camp => self.camp[from] == camp,
        }
    }

    fn may_cross(&self, square: usize) -> bool {
        !(self.is_throne(square) && self.has_camps())
    }

    fn play(&self, position: &Position, from: usize, to: usize) -> Successor {
        let mover = position.to_move;
        let mut cells = position.cells.clone();
        cells[to] = cells[from];
        cells[from] = EMPTY;

        // Captures are judged before any piece is removed.
        let mut captured = Vec::new();
        let mut won = cells[to] == KING && self.is_goal(to);
        for direction in 0..4 {
            let Some(victim) = self.next[to][direction] else {
                continue;
            };
            if !mover.other().owns(cells[victim]) {
                continue;
            }
            if cells[victim] == KING {
                won |= self.king_is_captured(&cells, victim, direction);
            } else if self.soldier_is_captured(&cells, victim, direction, mover) {
                captured.push(victim);
            }
        }
        for &square in &captured {
            cells[square] = EMPTY;
        }
        Successor {
            position: Position { cells, to_move: mover.other() },
            captures: captured.len(),
            won,
        }
    }

    /// Returns whether the soldier on `victim` is captured by a piece that has arrived beside
    /// it; `direction` leads from that piece to the victim.
    fn soldier_is_captured(
        &self,
        cells: &[u8],
        victim: usize,
        direction: usize,
        mover: Side,
    ) -> bool {
        let Some(beyond) = self.next[victim][direction] else {
            return false;
        };
        let between_enemies = mover.owns(cells[beyond]);
        if cells[victim] == ATTACKER && self.camp[victim].is_some() {
            // The inner square of a camp is the one that is not on the edge.
            let inner = !self.is_edge(victim);
            return self.family == Family::AshtonServer && inner && between_enemies;
        }
        between_enemies
            || self.camp[beyond].is_some()
            || (self.is_corner(beyond) && self.has_goal_corners())
            || (self.is_throne(beyond) && self.throne_is_hostile(cells, victim, beyond))
    }

    /// Returns whether the throne, empty or with the victim's king on it, helps to capture the
    /// soldier beside it.
    fn throne_is_hostile(&self, cells: &[u8], victim: usize, throne: usize) -> bool {
        if cells[throne] == EMPTY {
            return true;
        }
        match self.family {
            Family::Ashton | Family::AshtonServer | Family::Winther => true,
            Family::Online => false,
            Family::Berkeley => {
                let mut others = self.next[throne].iter().flatten().filter(|&&s| s != victim);
                others.all(|&s| cells[s] == ATTACKER)
            }
        }
    }

    /// Returns whether the king is captured by an attacker that has arrived beside him;
    /// `direction` leads from that piece to the king.
    fn king_is_captured(&self, cells: &[u8], king: usize, direction: usize) -> bool {
        let attacker_on = |square: Option<usize>| square.is_some_and(|s| cells[s] == ATTACKER);
        let on_throne = |square: Option<usize>| square.is_some_and(|s| self.is_throne(s));
        let in_camp = |square: Option<usize>| square.is_some_and(|s| self.camp[s].is_some());
        let sides = self.next[king];
        if self.is_throne(king) {
            return sides.into_iter().all(attacker_on);
        }
        let beside_throne = sides.into_iter().any(on_throne);
        if beside_throne && self.family != Family::Online {
            // Only on the small test board is a camp this close: there it replaces an attacker,
            // as it does elsewhere.
            let closed = |s| attacker_on(s) || on_throne(s) || in_camp(s);
            return sides.into_iter().all(closed);
        }
        let opposite = sides[direction];
        let in_corner = opposite.is_some_and(|s| self.is_corner(s) && self.has_goal_corners());
        attacker_on(opposite) || in_camp(opposite) || in_corner
    }
}
