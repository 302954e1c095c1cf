//! The rules as stated, position by position: steps in directions, and recursion.

use std::collections::{BTreeSet, HashMap, HashSet};

use taflbase::random::SeededRng;
use taflbase::short::blocking::Blocked;
use taflbase::short::{Cell, Game, Soldier, outcomes};

use super::{board, solved, valued};

/// A row and a column.
type Place = (i64, i64);

const DIRECTIONS: [Place; 4] = [(-1, 0), (0, -1), (1, 0), (0, 1)];

/// The game on one board.
struct Rules {
    rows: i64,
    columns: i64,
    rule: Soldier,
    known: HashMap<(Place, Option<Place>), u16>,
}

impl Rules {
    /// Returns the squares to which a piece slides in a direction; the other piece blocks it.
    fn slide(&self, from: Place, direction: Place, other: Option<Place>) -> Vec<Place> {
        let mut squares = Vec::new();
        let mut next = (from.0 + direction.0, from.1 + direction.1);
        while (0..self.rows).contains(&next.0)
            && (0..self.columns).contains(&next.1)
            && Some(next) != other
        {
            squares.push(next);
            next = (next.0 + direction.0, next.1 + direction.1);
        }
        squares
    }

    /// Returns the soldier if it is in play after the king's move.
    fn in_play(&self, king: Place, soldier: Option<Place>) -> Option<Place> {
        let is_passed = |soldier: &Place| soldier.0 > king.0 || soldier.1 > king.1;
        let leaves = matches!(self.rule, Soldier::SouthEast | Soldier::Stationary);
        soldier.filter(|soldier| !leaves || !is_passed(soldier))
    }

    fn soldier_moves(&self, king: Place, soldier: Place) -> Vec<Place> {
        let distance = |(row, column): Place| {
            let (rows, columns) = ((row - king.0) as f64, (column - king.1) as f64);
            rows.hypot(columns)
        };
        let directions = match self.rule {
            Soldier::Stationary => &[],
            Soldier::NorthWest => &DIRECTIONS[..2],
            Soldier::SouthEast => &DIRECTIONS[2..],
            Soldier::Closer => &DIRECTIONS,
        };
        let slides = directions.iter().flat_map(|&d| self.slide(soldier, d, Some(king)));
        let is_allowed = |to: &Place| match self.rule {
            Soldier::SouthEast => to.0 <= king.0 && to.1 <= king.1,
            Soldier::Closer => distance(*to) < distance(soldier),
            Soldier::NorthWest | Soldier::Stationary => true,
        };
        slides.filter(is_allowed).collect()
    }

    fn value(&mut self, king: Place, soldier: Option<Place>) -> u16 {
        if let Some(&value) = self.known.get(&(king, soldier)) {
            return value;
        }
        let king_moves: Vec<Place> =
            DIRECTIONS[..2].iter().flat_map(|&d| self.slide(king, d, soldier)).collect();
        let mut seen = HashSet::new();
        for &to in &king_moves {
            let soldier = self.in_play(to, soldier);
            seen.insert(self.value(to, soldier));
        }
        if let (false, Some(from)) = (king_moves.is_empty(), soldier) {
            for to in self.soldier_moves(king, from) {
                seen.insert(self.value(king, Some(to)));
            }
        }
        let value = (0..).find(|value| !seen.contains(value)).unwrap();
        self.known.insert((king, soldier), value);
        value
    }
}

fn place(cell: Cell) -> Place {
    (cell.row as i64, cell.column as i64)
}

#[test]
fn outcomes_and_values_agree_with_the_rules() {
    for size in ["1x1", "1x2", "2x1", "1x9", "3x3", "4x7", "7x4", "9x2", "7x7"] {
        for rule in Soldier::ALL {
            let (rows, columns) = (board(size).rows() as i64, board(size).columns() as i64);
            let mut rules = Rules { rows, columns, rule, known: HashMap::new() };
            let (outcomes, values) = (solved(size, rule), valued(size, rule));
            let mut positions = 0;
            for king in board(size).cells() {
                for soldier in board(size).cells().filter(|&soldier| soldier != king) {
                    let in_play = rules.in_play(place(king), Some(place(soldier)));
                    let value = rules.value(place(king), in_play);
                    positions += u64::from(in_play.is_some());
                    let context = format!("{size} {rule} {king} {soldier}");
                    assert_eq!(values.value(king, soldier), value, "{context}");
                    if in_play.is_some() {
                        assert_eq!(outcomes.is_p(king, soldier), value == 0, "{context}");
                    }
                }
            }
            assert_eq!((outcomes.positions(), values.positions()), (positions, positions));
            assert_eq!(values.all().count() as u64, positions);
            assert!(values.all().is_sorted(), "{size} {rule}");
        }
    }
}

#[test]
fn part_of_the_kings_squares_has_the_same_values() {
    for rule in Soldier::ALL {
        let whole = solved("9x11", rule);
        let game = Game::new(board("9x11"), rule).reached_from(Cell::new(5, 7)).unwrap();
        let part = outcomes(game, &|_, _| true).unwrap();
        assert_eq!(part.game().kings(), board("6x8"));
        for (king, soldier) in part.all() {
            assert_eq!(part.is_p(king, soldier), whole.is_p(king, soldier), "{king} {soldier}");
        }
    }
}

#[test]
fn one_stationary_soldier_is_blocking_nim() {
    let solved = valued("9x8", Soldier::Stationary);
    for soldier in board("9x8").cells() {
        let blocked = Blocked::new(board("9x8"), &BTreeSet::from([soldier]), &|_, _| true).unwrap();
        assert_eq!(blocked.value(soldier), None);
        for king in board("9x8").cells().filter(|&king| king != soldier) {
            let value = solved.value(king, soldier);
            assert_eq!(blocked.value(king), Some(value), "{king} {soldier}");
        }
    }
}

#[test]
fn beyond_stationary_soldiers_one_diagonal_is_lost() {
    let mut random = SeededRng::new(4);
    for _ in 0..200 {
        let mut place = || Cell::new(random.below(10), random.below(10));
        let soldiers: BTreeSet<Cell> = (0..6).map(|_| place()).collect();
        let blocked = Blocked::new(board("50x50"), &soldiers, &|_, _| true).unwrap();
        let far = blocked.p_squares().filter(|king| king.row >= 30 && king.column >= 30);
        let diagonals: BTreeSet<i64> =
            far.map(|king| king.column as i64 - king.row as i64).collect();
        assert_eq!(diagonals.len(), 1, "{soldiers:?}");
    }
}
