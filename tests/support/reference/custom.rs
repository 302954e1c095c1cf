//! The rules that a ruleset file states, by the definitions in `docs/rulesets.md`.

use std::cell::Cell;

use super::enclosures;
use super::event::Event;
use super::file::{File, Set};
use super::game::{Game, Successor};
use super::position::{ATTACKER, DEFENDER, EMPTY, KING, Position, Side, read_board};

/// The rules of one kind of piece.
struct Kind {
    no_stop: Set,
    no_cross: Set,
    no_entry: Vec<Vec<usize>>,
    /// The most squares that it moves at once.
    reach: usize,
    /// Squares hostile to it: while empty, with a piece of its own side on them, and with one
    /// that is besieged there.
    empty: Set,
    occupied: Set,
    besieged: Set,
    protected: Set,
    unaided: Set,
}

/// The game of a ruleset file.
pub(crate) struct Custom {
    size: usize,
    /// Attackers, defenders, the king.
    kinds: [Kind; 3],
    surrounded: Set,
    pub(super) goals: Set,
    shieldwall: bool,
    king_armed: bool,
    king_edge_hostile: bool,
    pub(super) exit_fort: bool,
    pub(super) encirclement: bool,
    start: Position,
    seen: [Cell<u64>; Event::COUNT],
}

impl Custom {
    /// Parses a ruleset file.
    pub(crate) fn parse(text: &str) -> Custom {
        let file = File::parse(text);
        let first = match file.text("first-mover") {
            "attackers" => Side::Attackers,
            _ => Side::Defenders,
        };
        Custom {
            size: file.size,
            kinds: ["attackers", "defenders", "king"].map(|name| Kind {
                no_stop: file.set(&["movement", name, "no-stop"]),
                no_cross: file.set(&["movement", name, "no-cross"]),
                no_entry: file.groups(&["movement", name, "no-entry"]),
                reach: file.number(&["movement", name, "reach"]).unwrap_or(file.size),
                empty: file.set(&["hostile", name, "empty"]),
                occupied: file.set(&["hostile", name, "occupied"]),
                besieged: file.set(&["hostile", name, "besieged"]),
                protected: file.set(&["capture", &format!("protected-{name}")]),
                unaided: file.set(&["capture", &format!("unaided-{name}")]),
            }),
            surrounded: file.set(&["capture", "king-surrounded"]),
            goals: file.set(&["end", "goals"]),
            shieldwall: file.flag(&["capture", "shieldwall"], false),
            king_armed: file.flag(&["capture", "king-armed"], true),
            king_edge_hostile: file.flag(&["capture", "king-edge-hostile"], false),
            exit_fort: file.flag(&["end", "exit-fort"], false),
            encirclement: file.flag(&["end", "encirclement"], false),
            start: Position { cells: read_board(file.text("start"), file.size), to_move: first },
            seen: std::array::from_fn(|_| Cell::new(0)),
        }
    }

    /// Returns the start position.
    pub(crate) fn start(&self) -> &Position {
        &self.start
    }

    /// Returns how many times this event has occurred.
    pub(crate) fn seen(&self, event: Event) -> u64 {
        self.seen[event as usize].get()
    }

    pub(super) fn note(&self, event: Event) {
        let seen = &self.seen[event as usize];
        seen.set(seen.get() + 1);
    }

    fn kind(&self, piece: u8) -> &Kind {
        match piece {
            ATTACKER => &self.kinds[0],
            DEFENDER => &self.kinds[1],
            _ => &self.kinds[2],
        }
    }

    /// Returns the next square to the east, north, west or south.
    pub(super) fn step(&self, square: usize, direction: usize) -> Option<usize> {
        let (file, rank) = (square % self.size, square / self.size);
        match direction {
            0 => (file < self.size - 1).then(|| square + 1),
            1 => (rank < self.size - 1).then(|| square + self.size),
            2 => (file > 0).then(|| square - 1),
            _ => (rank > 0).then(|| square - self.size),
        }
    }

    /// Returns whether a piece whose move starts on `from` may enter `square`.
    fn may_enter(&self, piece: u8, from: usize, square: usize) -> bool {
        let groups = &self.kind(piece).no_entry;
        let Some(group) = groups.iter().find(|group| group.contains(&square)) else {
            return true;
        };
        let may = group.contains(&from);
        self.note(if may { Event::GateOpen } else { Event::GateClosed });
        may
    }

    /// Returns the squares where a slide may end.
    fn ends(&self, cells: &[u8], from: usize, direction: usize) -> Vec<usize> {
        let piece = cells[from];
        let &Kind { ref no_stop, ref no_cross, reach, .. } = self.kind(piece);
        let (mut ends, mut steps) = (Vec::new(), 0);
        let mut at = from;
        while let Some(to) = self.step(at, direction) {
            if cells[to] != EMPTY || !self.may_enter(piece, from, to) {
                break;
            }
            steps += 1;
            if steps > reach {
                self.note(Event::TooFar);
                break;
            }
            if no_stop[at] && at != from {
                self.note(Event::Passed);
            }
            if !no_stop[to] {
                ends.push(to);
            }
            if no_cross[to] {
                self.note(Event::Blocked);
                break;
            }
            at = to;
        }
        ends
    }

    fn play(&self, position: &Position, from: usize, to: usize) -> Successor {
        let mover = position.to_move;
        let mut cells = position.cells.clone();
        cells.swap(from, to);
        let mut won = cells[to] == KING && self.goals[to];
        if won {
            self.note(Event::Goal);
        }
        let mut captured = Vec::new();
        for direction in 0..4 {
            let Some(victim) = self.step(to, direction) else { continue };
            let beyond = self.step(victim, direction);
            if !mover.other().owns(cells[victim]) {
                continue;
            }
            if cells[victim] == KING {
                won |= self.takes_king(&cells, victim, beyond);
            } else if cells[to] == KING && !self.king_armed {
                self.note(Event::Unarmed);
            } else if self.takes_soldier(&cells, victim, beyond) {
                captured.push(victim);
            }
        }
        if self.shieldwall && self.is_captor(cells[to]) {
            for square in self.walled_in(&cells, to) {
                if !captured.contains(&square) {
                    captured.push(square);
                }
            }
        }
        for &square in &captured {
            cells[square] = EMPTY;
        }
        let position = Position { cells, to_move: mover.other() };
        won |= enclosures::is_over(self, &position);
        Successor { position, captures: captured.len(), won }
    }

    fn is_captor(&self, piece: u8) -> bool {
        self.king_armed || piece != KING
    }

    /// Returns the soldiers that shieldwalls capture when a piece has arrived on `to`.
    ///
    /// Along the edge, from the piece on, there are two or more enemies without a gap, each with a
    /// captor directly in front; then comes a captor or a corner that nobody stands on.
    fn walled_in(&self, cells: &[u8], to: usize) -> Vec<usize> {
        let mover = if cells[to] == ATTACKER { Side::Attackers } else { Side::Defenders };
        let captor = |square: usize| mover.owns(cells[square]) && self.is_captor(cells[square]);
        let mut captured = Vec::new();
        if self.is_corner(to) {
            return captured;
        }
        for inwards in 0..4 {
            // On the edge there is no square behind.
            if self.step(to, (inwards + 2) % 4).is_some() {
                continue;
            }
            for along in [(inwards + 1) % 4, (inwards + 3) % 4] {
                let mut row = Vec::new();
                let mut end = self.step(to, along);
                while let Some(square) = end
                    && mover.other().owns(cells[square])
                    && self.step(square, inwards).is_some_and(captor)
                {
                    row.push(square);
                    end = self.step(square, along);
                }
                let at_corner = end.is_some_and(|s| self.is_corner(s) && cells[s] == EMPTY);
                if row.len() < 2 || !(at_corner || end.is_some_and(captor)) {
                    continue;
                }
                let before = captured.len();
                captured.extend(row.iter().copied().filter(|&square| {
                    let kind = self.kind(cells[square]);
                    cells[square] != KING && !kind.protected[square] && !kind.unaided[square]
                }));
                let fronts = row.iter().filter_map(|&square| self.step(square, inwards));
                let is_king = |square: usize| cells[square] == KING;
                let by_king =
                    fronts.chain(end).chain([to]).any(is_king) && mover == Side::Defenders;
                if captured.len() > before {
                    self.note(if at_corner { Event::WallAtCorner } else { Event::Wall });
                    if row.iter().copied().any(is_king) {
                        self.note(Event::WallAroundKing);
                    }
                    if by_king {
                        self.note(Event::WallOfKing);
                    }
                }
            }
        }
        captured
    }

    pub(super) fn is_corner(&self, square: usize) -> bool {
        (0..4).filter(|&direction| self.step(square, direction).is_some()).count() == 2
    }

    /// Returns whether a soldier is captured by a piece that has arrived beside it, opposite
    /// `beyond`.
    fn takes_soldier(&self, cells: &[u8], victim: usize, beyond: Option<usize>) -> bool {
        let kind = self.kind(cells[victim]);
        let Some(help) = beyond.and_then(|beyond| self.help(cells, victim, beyond)) else {
            return false;
        };
        if kind.protected[victim] {
            self.note(Event::Protected);
            return false;
        }
        if let Help::Square(event) = help {
            self.note(if kind.unaided[victim] { Event::Unaided } else { event });
            return !kind.unaided[victim];
        }
        true
    }

    /// The same for the king.
    fn takes_king(&self, cells: &[u8], king: usize, beyond: Option<usize>) -> bool {
        let helps = |square: Option<usize>| match square {
            Some(square) => self.help(cells, king, square),
            None => self.king_edge_hostile.then_some(Help::Square(Event::EdgeHeld)),
        };
        let opposite = helps(beyond);
        if self.surrounded[king] {
            let around = [0, 1, 2, 3].map(|direction| helps(self.step(king, direction)));
            let taken = around.iter().all(Option::is_some);
            self.note(match (taken, opposite) {
                (true, _) => Event::KingSurrounded,
                (false, Some(_)) => Event::KingHeld,
                (false, None) => return false,
            });
            return taken;
        }
        if let Some(Help::Square(event)) = opposite {
            self.note(event);
        }
        if opposite.is_some() {
            self.note(Event::KingBetweenTwo);
        }
        opposite.is_some()
    }

    /// Returns what helps on a square to capture the piece beside it.
    fn help(&self, cells: &[u8], victim: usize, square: usize) -> Option<Help> {
        let kind = self.kind(cells[victim]);
        let side = if cells[victim] == ATTACKER { Side::Attackers } else { Side::Defenders };
        if cells[square] == EMPTY {
            kind.empty[square].then_some(Help::Square(Event::ByEmpty))
        } else if side.other().owns(cells[square]) {
            if !self.is_captor(cells[square]) {
                self.note(Event::Unarmed);
                return None;
            }
            Some(Help::Enemy)
        } else if kind.occupied[square] {
            Some(Help::Square(Event::ByOccupied))
        } else {
            let enemy = |s: usize| side.other().owns(cells[s]);
            let mut others = (0..4).filter_map(|d| self.step(square, d)).filter(|&s| s != victim);
            let besieged = kind.besieged[square] && others.all(enemy);
            besieged.then_some(Help::Square(Event::ByBesieged))
        }
    }
}

/// What makes the square beyond a victim hostile to it.
enum Help {
    /// An enemy stands there.
    Enemy,
    /// The square itself is hostile.
    Square(Event),
}

impl Game for Custom {
    fn size(&self) -> usize {
        self.size
    }

    fn may_stand(&self, piece: u8, square: usize) -> bool {
        !(self.kind(piece).no_stop[square] || piece == KING && self.goals[square])
    }

    fn successors(&self, position: &Position) -> Vec<Successor> {
        let mut successors = Vec::new();
        if enclosures::is_over(self, position) {
            return successors;
        }
        for from in 0..self.squares() {
            if !position.to_move.owns(position.cells[from]) {
                continue;
            }
            for direction in 0..4 {
                for to in self.ends(&position.cells, from, direction) {
                    successors.push(self.play(position, from, to));
                }
            }
        }
        successors
    }
}
