//! The rows of a table in order, with what each of their slots stands for.

use std::ops::Range;

use crate::game::board::{Square, SquareSet};
use crate::game::rules::{BySide, Kind, Ruleset, Side};
use crate::index::{SliceIndex, colex_next};
use crate::table::dont_care::{LeastImages, decided};

/// By lane and row: how many placements a slot stands for, 0 for those that
/// nobody asks for; and what the side to move decides by rule.
pub(super) struct Weights {
    height: usize,
    weights: Vec<u8>,
    decided: BySide<Vec<bool>>,
}

impl Weights {
    /// The weights of these rows, which must exist; of each only those with the king
    /// where `asked` has him for its attackers and defenders. What is decided is told of
    /// these sides.
    pub(super) fn new(
        rules: &Ruleset,
        index: &SliceIndex,
        rows: Range<u64>,
        sides: &[Side],
        asked: impl Fn(SquareSet, SquareSet) -> SquareSet,
    ) -> Weights {
        let (lanes, height) = (index.lanes(), (rows.end - rows.start) as usize);
        let slots = lanes.count() * height;
        let mut weights = Weights {
            height,
            weights: vec![0; slots],
            decided: BySide::from_fn(|_| vec![false; slots]),
        };
        let mut cursor = RowCursor::new(rules, index, rows.start);
        for (at, row) in rows.enumerate() {
            cursor.go_to(row);
            let (attackers, defenders) = (cursor.attackers, cursor.defenders());
            let kings = asked(attackers, defenders);
            if kings.is_empty() {
                continue;
            }
            let slot = |king| lanes.lane(king).map(|lane| usize::from(lane) * height + at);
            let least = cursor.least.kings(defenders, kings) - attackers - defenders;
            for king in least {
                if let Some(slot) = slot(king) {
                    weights.weights[slot] = cursor.least.multiplicity(defenders, king) as u8;
                }
            }
            for &side in sides {
                for king in decided(rules, attackers, defenders, side) {
                    if let Some(slot) = slot(king) {
                        weights.decided[side][slot] = true;
                    }
                }
            }
        }
        weights
    }

    /// How many rows there are.
    pub(super) fn height(&self) -> usize {
        self.height
    }

    /// The weights, lane by lane.
    pub(super) fn weights(&self) -> &[u8] {
        &self.weights
    }

    /// The weights alone.
    pub(super) fn into_weights(self) -> Vec<u8> {
        self.weights
    }

    /// Which slots the side to move decides, lane by lane.
    pub(super) fn decided(&self, side: Side) -> &[bool] {
        &self.decided[side]
    }
}

/// Steps from row to row, which is faster than to unrank each.
struct RowCursor<'a> {
    rules: &'a Ruleset,
    index: &'a SliceIndex,
    row: u64,
    attackers: SquareSet,
    least: LeastImages,
    /// Squares left to the defenders.
    free: Vec<Square>,
    /// Which of them the defenders take, ascending.
    taken: Vec<usize>,
}

impl<'a> RowCursor<'a> {
    fn new(rules: &'a Ruleset, index: &'a SliceIndex, row: u64) -> RowCursor<'a> {
        let (attackers, defenders) = index.unrank_row(row);
        let (free, taken) = (Vec::new(), Vec::new());
        let least = least_images(rules, index, attackers);
        let mut cursor = RowCursor { rules, index, row, attackers, least, free, taken };
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
        self.least = least_images(self.rules, self.index, attackers);
        self.attackers = attackers;
        self.free = (self.rules.places(Kind::Defender) - attackers).iter().collect();
    }

    fn defenders(&self) -> SquareSet {
        self.taken.iter().map(|&place| self.free[place]).collect()
    }
}

fn least_images(rules: &Ruleset, index: &SliceIndex, attackers: SquareSet) -> LeastImages {
    LeastImages::new(rules, index.stabilizer(attackers))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::moves::legal_moves;
    use crate::game::slice::Slice;
    use crate::index::Slot;

    /// Holes and weights of all slots, one by one; some rows are cut off at
    /// either end.
    fn check(rules: &str, slice: &str, skip: u64) {
        let rules = Ruleset::builtin(rules).unwrap();
        let index = SliceIndex::new(&rules, slice.parse::<Slice>().unwrap()).unwrap();
        let rows = skip..index.rows() - skip;
        let anywhere = |_, _| rules.places(Kind::King);
        let weights = Weights::new(&rules, &index, rows.clone(), &Side::ALL, anywhere);
        assert_eq!(weights.height() as u64, rows.end - rows.start);
        for (at, row) in rows.enumerate() {
            for (lane, &king) in index.lanes().squares().iter().enumerate() {
                for side in Side::ALL {
                    let slot = Slot { lane: lane as u16, row };
                    let position = index.unrank(slot, side);
                    let asked = position.filter(|position| index.rank(position) == Some(slot));
                    let place = lane * weights.height() + at;
                    let (weight, decided) =
                        (weights.weights()[place], weights.decided(side)[place]);
                    assert_eq!(weight > 0, asked.is_some(), "{slice} {row} {king:?}");
                    if let Some(position) = asked {
                        let moves = legal_moves(&rules, &position);
                        assert_eq!(decided, moves.iter().any(|played| played.ending.is_some()));
                    }
                }
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
