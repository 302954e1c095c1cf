use num_bigint::BigUint;

use crate::game::rules::Ruleset;
use crate::game::slice::Slice;

use super::count::{BigBinomials, Field};
use super::number::count;

/// Returns the number of placements of the men of every slice of the game, from one attacker to
/// the men of the start position, smallest first. Mirror images are counted separately, as in
/// [`stats`](crate::stats) for one side to move.
pub fn slice_placements(rules: &Ruleset) -> Vec<(Slice, BigUint)> {
    let (attackers, defenders) = (rules.start.attackers.len(), rules.start.defenders.len());
    let binomials = BigBinomials::new(rules.board.area(), attackers.max(defenders));
    let counts = Field::legal(rules).all().counts(Slice { defenders, attackers }, &binomials);
    let mut slices: Vec<(Slice, BigUint)> =
        counts.slices().map(|(slice, placements)| (slice, count(placements))).collect();
    slices.sort_by_key(|&(slice, _)| slice);
    slices
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::rules::Side;
    use crate::tablebase::Tablebase;

    #[test]
    fn tables_have_as_many_placements() {
        for name in Ruleset::builtin_names() {
            let base = Tablebase::new(Ruleset::builtin(name).unwrap());
            let mut compared = 0;
            for (slice, placements) in slice_placements(base.rules()) {
                if let Ok(table) = base.best_table(slice) {
                    let counted = table.summary(Side::Attackers).positions;
                    assert_eq!(BigUint::from(counted), placements, "{name} {slice}");
                    compared += 1;
                }
            }
            assert!(compared >= 3 || base.max_men() == 0, "{name}");
        }
    }
}
