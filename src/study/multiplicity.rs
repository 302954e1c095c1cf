//! The number of placements that each slot of consecutive rows stands for.

use std::ops::Range;

use crate::game::board::{Square, SquareSet};
use crate::game::rules::{BySide, Kind, Ruleset, Side};
use crate::index::{SliceIndex, colex_next};
use crate::table::dont_care::{LeastImages, decided};

/// The number of placements that each slot stands for, lane by lane, and which slots the rules
/// decide for the side to move.
pub(super) struct Multiplicities {
    pub multiplicities: Vec<u8>,
    pub decided: BySide<Vec<bool>>,
}

impl Multiplicities {
    /// Computes the multiplicities of these rows, which must exist. They are 0 for don't-cares,
    /// and for a king that `kings` does not return for the row's attackers and defenders.
    /// Decided slots are found for `sides` only.
    pub(super) fn new(
        rules: &Ruleset,
        index: &SliceIndex,
        rows: Range<u64>,
        sides: &[Side],
        kings: &dyn Fn(SquareSet, SquareSet) -> SquareSet,
    ) -> Multiplicities {
        let (lanes, height) = (index.lanes(), (rows.end - rows.start) as usize);
        let slots = lanes.count() * height;
        let mut found = Multiplicities {
            multiplicities: vec![0; slots],
            decided: BySide::from_fn(|_| vec![false; slots]),
        };
        let mut cursor = RowCursor::new(rules, index, rows.start);
        for (at, row) in rows.enumerate() {
            cursor.go_to(row);
            let (attackers, defenders) = (cursor.attackers, cursor.defenders());
            let wanted = kings(attackers, defenders);
            if wanted.is_empty() {
                continue;
            }
            let least = cursor.least.kings(defenders, wanted) - attackers - defenders;
            for king in least {
                if let Some(lane) = lanes.lane(king) {
                    found.multiplicities[usize::from(lane) * height + at] =
                        cursor.least.multiplicity(defenders, king) as u8;
                }
            }
            for &side in sides {
                for king in decided(rules, attackers, defenders, side) {
                    if let Some(lane) = lanes.lane(king) {
                        found.decided[side][usize::from(lane) * height + at] = true;
                    }
                }
            }
        }
        found
    }
}

/// Steps from row to row, which is faster than unranking each.
struct RowCursor<'a> {
    rules: &'a Ruleset,
    index: &'a SliceIndex,
    row: u64,
    attackers: SquareSet,
    least: LeastImages,
    /// Squares that attackers leave to the defenders.
    free: Vec<Square>,
    /// Indices into `free` of the defenders' squares, ascending.
    taken: Vec<usize>,
}

impl<'a> RowCursor<'a> {
    fn new(rules: &'a Ruleset, index: &'a SliceIndex, row: u64) -> RowCursor<'a> {
        let (attackers, defenders) = index.unrank_row(row);
        let least = LeastImages::new(rules, index.stabilizer(attackers));
        let free = free_squares(rules, attackers);
        let taken = (0..free.len()).filter(|&place| defenders.contains(free[place])).collect();
        RowCursor { rules, index, row, attackers, least, free, taken }
    }

    /// Moves to `row`, which is the current row or the next.
    fn go_to(&mut self, row: u64) {
        if row != self.row && !colex_next(&mut self.taken, self.free.len()) {
            self.attackers = self.index.attackers().unrank(row).0;
            self.least = LeastImages::new(self.rules, self.index.stabilizer(self.attackers));
            self.free = free_squares(self.rules, self.attackers);
            self.taken = (0..self.taken.len()).collect();
        }
        self.row = row;
    }

    fn defenders(&self) -> SquareSet {
        self.taken.iter().map(|&place| self.free[place]).collect()
    }
}

fn free_squares(rules: &Ruleset, attackers: SquareSet) -> Vec<Square> {
    (rules.places(Kind::Defender) - attackers).iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::moves::each_legal_move;
    use crate::game::slice::Slice;
    use crate::index::Slot;

    /// Compares all slots with unranked positions, except for `skip` rows at either end.
    fn check(rules: &str, slice: &str, skip: u64) {
        let rules = Ruleset::builtin(rules).unwrap();
        let index = SliceIndex::new(&rules, slice.parse::<Slice>().unwrap()).unwrap();
        let rows = skip..index.rows() - skip;
        let anywhere = |_, _| rules.places(Kind::King);
        let slots = Multiplicities::new(&rules, &index, rows.clone(), &Side::ALL, &anywhere);
        let height = (rows.end - rows.start) as usize;
        assert_eq!(slots.multiplicities.len(), height * index.lanes().count());
        for (at, row) in rows.enumerate() {
            for (lane, &king) in index.lanes().squares().iter().enumerate() {
                for side in Side::ALL {
                    let slot = Slot { lane: lane as u16, row };
                    let position = index.unrank(slot, side);
                    let canonical = position.filter(|position| index.rank(position) == Some(slot));
                    let place = lane * height + at;
                    let (multiplicity, decided) =
                        (slots.multiplicities[place], slots.decided[side][place]);
                    assert_eq!(multiplicity > 0, canonical.is_some(), "{slice} {row} {king:?}");
                    if let Some(position) = canonical {
                        let mut moves = each_legal_move(&rules, &position);
                        assert_eq!(decided, moves.any(|played| played.ending.is_some()));
                    }
                }
            }
        }
    }

    #[test]
    fn slots_agree_with_positions() {
        check("brandubh", "K0v1", 0);
        check("brandubh", "K0v3", 5);
        check("brandubh", "K3v1", 1000);
        check("brandubh", "K1v2", 77);
        check("ashton", "K1v2", 1234);
    }
}
