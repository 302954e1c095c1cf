//! The rules of Copenhagen as their specification puts them, square by square on an array of
//! letters. It shares no code with the library, and is for boards with corner goals.

use std::fmt::Display;

use taflbase::moves::Ending;
use taflbase::position::Position;
use taflbase::rules::{Ruleset, Side};

type Place = (i32, i32);

const STEPS: [Place; 4] = [(1, 0), (-1, 0), (0, 1), (0, -1)];

/// A board: `t`, `T`, `K` or `.` on each file and rank.
#[derive(Clone)]
pub(crate) struct NaiveBoard {
    cells: Vec<Vec<char>>,
    mover: Side,
}

impl NaiveBoard {
    /// Reads the canonical text of a position.
    pub(crate) fn new(rules: &Ruleset, position: &Position) -> NaiveBoard {
        let text = position.to_text(rules);
        let ranks = text.split(' ').next().unwrap().trim_matches('/').split('/');
        let mut cells = vec![Vec::new(); rules.board.size()];
        for rank in ranks {
            let mut file = 0;
            let mut rest = rank;
            while let Some(first) = rest.chars().next() {
                let digits =
                    rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
                let (count, letter) = match digits {
                    0 => (1, first),
                    _ => (rest[..digits].parse().unwrap(), '.'),
                };
                rest = &rest[digits.max(1)..];
                for _ in 0..count {
                    cells[file].push(letter);
                    file += 1;
                }
            }
        }
        NaiveBoard { cells, mover: position.to_move }
    }

    fn last(&self) -> i32 {
        self.cells.len() as i32 - 1
    }

    /// Returns the letter on a place; a blank beyond the board.
    fn at(&self, (file, rank): Place) -> char {
        let inside = (0..=self.last()).contains(&file) && (0..=self.last()).contains(&rank);
        if inside { self.cells[file as usize][rank as usize] } else { ' ' }
    }

    fn put(&mut self, (file, rank): Place, letter: char) {
        self.cells[file as usize][rank as usize] = letter;
    }

    fn is_corner(&self, (file, rank): Place) -> bool {
        [0, self.last()].contains(&file) && [0, self.last()].contains(&rank)
    }

    fn is_edge(&self, (file, rank): Place) -> bool {
        [0, self.last()].contains(&file) || [0, self.last()].contains(&rank)
    }

    fn is_throne(&self, place: Place) -> bool {
        place == (self.last() / 2, self.last() / 2)
    }

    fn all(&self) -> impl Iterator<Item = Place> + use<> {
        let size = self.last() + 1;
        (0..size).flat_map(move |rank| (0..size).map(move |file| (file, rank)))
    }

    fn king(&self) -> Place {
        self.all().find(|&place| self.at(place) == 'K').unwrap()
    }

    fn is_of(&self, place: Place, side: Side) -> bool {
        match side {
            Side::Attackers => self.at(place) == 't',
            Side::Defenders => "TK".contains(self.at(place)),
        }
    }

    /// Returns whether the side that has just moved had won by a fort or a ring, or nobody is left.
    pub(crate) fn is_over(&self) -> bool {
        let attackers = self.all().filter(|&place| self.at(place) == 't').count();
        attackers == 0 || self.ending_after(self.mover.other()).is_some()
    }

    /// Returns the captured soldiers and the ending of a legal move.
    pub(crate) fn after(
        &self,
        from: impl Display,
        to: impl Display,
    ) -> (Vec<String>, Option<Ending>) {
        let place = |name: String| {
            let file = i32::from(name.as_bytes()[0] - b'a');
            (file, name[1..].parse::<i32>().unwrap() - 1)
        };
        let (from, to) = (place(from.to_string()), place(to.to_string()));
        let mut board = self.clone();
        let letter = board.at(from);
        board.put(from, '.');
        board.put(to, letter);
        let taken = board.taken(to);
        let king_taken = self.mover == Side::Attackers && board.takes_king(to);
        let escaped = board.is_corner(board.king());
        for &place in &taken {
            board.put(place, '.');
        }
        let ending = if king_taken {
            Some(Ending::KingCaptured)
        } else if escaped {
            Some(Ending::KingEscaped)
        } else {
            board.ending_after(self.mover)
        };
        let name = |(file, rank): &Place| format!("{}{}", (b'a' + *file as u8) as char, rank + 1);
        (taken.iter().map(name).collect(), ending)
    }

    /// Returns the soldiers taken by the piece that has arrived, in square order.
    fn taken(&self, at: Place) -> Vec<Place> {
        let enemy = self.mover.other();
        let mut taken = Vec::new();
        for step in STEPS {
            let (victim, beyond) = (add(at, step, 1), add(at, step, 2));
            let helps = self.is_of(beyond, self.mover)
                || self.at(beyond) == '.' && (self.is_corner(beyond) || self.is_throne(beyond));
            if self.is_of(victim, enemy) && self.at(victim) != 'K' && helps {
                taken.push(victim);
            }
        }
        if self.is_edge(at) && !self.is_corner(at) {
            for (along, inwards) in self.edge_lines(at) {
                let mut row = Vec::new();
                while self.is_of(add(at, along, row.len() as i32 + 1), enemy) {
                    row.push(add(at, along, row.len() as i32 + 1));
                }
                let end = add(at, along, row.len() as i32 + 1);
                let is_closed =
                    self.is_of(end, self.mover) || self.is_corner(end) && self.at(end) == '.';
                let fronts = row.iter().all(|&man| self.is_of(add(man, inwards, 1), self.mover));
                if row.len() >= 2 && is_closed && fronts {
                    taken.extend(row.iter().filter(|&&man| self.at(man) != 'K'));
                }
            }
        }
        taken.sort_by_key(|&(file, rank)| (rank, file));
        taken.dedup();
        taken
    }

    /// Returns the steps along the edge, each with the step inwards.
    fn edge_lines(&self, (file, rank): Place) -> Vec<(Place, Place)> {
        let middle = self.last() / 2;
        if rank == 0 || rank == self.last() {
            let inwards = (0, (middle - rank).signum());
            vec![((1, 0), inwards), ((-1, 0), inwards)]
        } else {
            let inwards = ((middle - file).signum(), 0);
            vec![((0, 1), inwards), ((0, -1), inwards)]
        }
    }

    /// Returns whether the piece that has arrived beside the king completes his capture.
    fn takes_king(&self, at: Place) -> bool {
        let king = self.king();
        let is_beside = STEPS.iter().any(|&step| add(at, step, 1) == king);
        is_beside
            && STEPS.iter().all(|&step| {
                let beside = add(king, step, 1);
                self.at(beside) == 't'
                    || self.at(beside) == '.' && (self.is_corner(beside) || self.is_throne(beside))
            })
    }

    /// Returns the ending by connections now that this side has moved.
    fn ending_after(&self, mover: Side) -> Option<Ending> {
        match mover {
            Side::Defenders => self.is_fort().then_some(Ending::ExitFort),
            Side::Attackers => self.is_ring().then_some(Ending::Encirclement),
        }
    }

    fn is_fort(&self) -> bool {
        let king = self.king();
        let has_room = STEPS.iter().any(|&step| self.at(add(king, step, 1)) == '.');
        if !self.is_edge(king) || self.is_corner(king) || !has_room {
            return false;
        }
        let room = self.flood(king, |letter| letter == '.');
        let is_safe = |place: Place| {
            room.contains(&place) || self.at(place) == ' ' || "TK".contains(self.at(place))
        };
        room.iter().all(|&place| {
            !self.is_corner(place)
                && STEPS.iter().all(|&step| {
                    let wall = add(place, step, 1);
                    let shut =
                        |a: Place, b: Place| is_safe(add(wall, a, 1)) || is_safe(add(wall, b, 1));
                    self.at(wall) != 't'
                        && (self.at(wall) != 'T'
                            || shut(STEPS[0], STEPS[1]) && shut(STEPS[2], STEPS[3]))
                })
        })
    }

    fn is_ring(&self) -> bool {
        let inside = self.flood(self.king(), |letter| letter != 't' && letter != ' ');
        let has_all = self.all().all(|place| self.at(place) != 'T' || inside.contains(&place));
        has_all && !inside.iter().any(|&place| self.is_edge(place))
    }

    fn flood(&self, from: Place, goes_on: impl Fn(char) -> bool) -> Vec<Place> {
        let mut reached = vec![from];
        let mut next = 0;
        while next < reached.len() {
            for step in STEPS {
                let place = add(reached[next], step, 1);
                if goes_on(self.at(place)) && !reached.contains(&place) {
                    reached.push(place);
                }
            }
            next += 1;
        }
        reached
    }
}

fn add((file, rank): Place, (right, up): Place, times: i32) -> Place {
    (file + times * right, rank + times * up)
}
