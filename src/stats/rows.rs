//! The rows of a table in order, with what each of their slots stands for.

use std::ops::Range;

use crate::board::{Square, SquareSet};
use crate::index::{SliceIndex, colex_next};
use crate::rules::{Kind, Ruleset};

/// By lane and row: how many placements a slot stands for, 0 for a hole.
pub struct Weights {
    rows: Range<u64>,
    weights: Vec<u8>,
}

impl Weights {
    /// The weights of these rows, which must exist.
    pub fn new(rules: &Ruleset, index: &SliceIndex, rows: Range<u64>) -> Weights {
        let mut weights = Vec::new();
        let mut holes = Vec::new();
        let lanes = index.lanes();
        let mut cursor = Cursor::new(rules, index, rows.start);
        for row in rows.clone() {
            cursor.go_to(row);
            let occupied = cursor.soldiers();
            let taken = occupied.iter().filter_map(|square| lanes.lane(square));
            holes.extend(taken.map(|lane| (usize::from(lane), weights.len())));
            weights.push(cursor.weight);
        }
        let height = weights.len();
        let mut weights = weights.repeat(lanes.count());
        for (lane, row) in holes {
            weights[lane * height + row] = 0;
        }
        Weights { rows, weights }
    }

    /// The rows.
    pub fn rows(&self) -> Range<u64> {
        self.rows.clone()
    }

    /// How many rows there are.
    pub fn height(&self) -> usize {
        (self.rows.end - self.rows.start) as usize
    }

    /// The rows' weights with the king on that lane.
    pub fn of_lane(&self, lane: usize) -> &[u8] {
        &self.weights[lane * self.height()..][..self.height()]
    }
}

/// Steps from row to row, which is faster than to unrank each.
struct Cursor<'a> {
    rules: &'a Ruleset,
    index: &'a SliceIndex,
    row: u64,
    attackers: SquareSet,
    /// How many images the attackers have.
    weight: u8,
    /// Squares left to the defenders.
    free: Vec<Square>,
    /// Which of them the defenders take, ascending.
    taken: Vec<usize>,
}

impl<'a> Cursor<'a> {
    fn new(rules: &'a Ruleset, index: &'a SliceIndex, row: u64) -> Cursor<'a> {
        let (attackers, defenders) = index.unrank_row(row);
        let (free, taken) = (Vec::new(), Vec::new());
        let mut cursor = Cursor { rules, index, row, attackers, weight: 0, free, taken };
        cursor.place(attackers);
        let places = 0..cursor.free.len();
        cursor.taken = places.filter(|&place| defenders.contains(cursor.free[place])).collect();
        cursor
    }

    /// Goes to the row itself or the next one.
    fn go_to(&mut self, row: u64) {
        if row != self.row && !colex_next(&mut self.taken, self.free.len()) {
            self.place(self.index.attackers().unrank(row).0);
            self.taken = (0..self.taken.len()).collect();
        }
        self.row = row;
    }

    fn place(&mut self, attackers: SquareSet) {
        // As many symmetries lead to the canonical image as leave it unchanged.
        let unchanged = self.index.attackers().canonical(attackers).symmetries.count_ones();
        self.weight = (self.rules.symmetries().order() as u32 / unchanged) as u8;
        self.attackers = attackers;
        self.free = (self.rules.places(Kind::Defender) - attackers).iter().collect();
    }

    fn soldiers(&self) -> SquareSet {
        let defenders = self.taken.iter().map(|&place| self.free[place]);
        defenders.fold(self.attackers, SquareSet::with)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::slice::Slice;

    /// Holes and weights of all slots, one by one; some rows are cut off at
    /// either end.
    fn check(rules: &str, slice: &str, skip: u64) {
        let rules = Ruleset::builtin(rules).unwrap();
        let index = SliceIndex::new(&rules, slice.parse::<Slice>().unwrap()).unwrap();
        let rows = skip..index.rows() - skip;
        let weights = Weights::new(&rules, &index, rows.clone());
        assert_eq!(weights.height() as u64, rows.end - rows.start);
        for (at, row) in rows.enumerate() {
            let (attackers, defenders) = index.unrank_row(row);
            let images =
                rules.symmetries().order() / index.attackers().stabilizer(attackers).order();
            for (lane, &king) in index.lanes().squares().iter().enumerate() {
                let hole = (attackers | defenders).contains(king);
                let expected = if hole { 0 } else { images };
                assert_eq!(usize::from(weights.of_lane(lane)[at]), expected, "{slice} {row}");
            }
        }
    }

    #[test]
    fn slots_weigh_what_they_stand_for() {
        check("brandubh", "K0v1", 0);
        check("brandubh", "K0v3", 5);
        check("brandubh", "K3v1", 1000);
        check("brandubh", "K1v2", 77);
        check("ashton", "K1v2", 1234);
    }
}
