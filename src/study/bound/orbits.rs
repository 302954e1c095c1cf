//! Placements counted up to symmetry, by Burnside's lemma: the mean, over the symmetries, of
//! how many placements each leaves as they are.
//!
//! A placement stays as it is if the king's square does, and if all squares of each cycle of
//! the symmetry have the same on them. So a cycle of n squares adds a factor
//! `1 + a^n + d^n` where either side may stand, and camps one for the patterns that come back
//! to themselves on the way round.

use num_bigint::BigUint;

use crate::game::board::{Square, SquareSet, Symmetry, SymmetryGroup};
use crate::game::position::Position;
use crate::game::rules::{Kind, Ruleset};
use crate::game::slice::Slice;

use super::count::{Binomials, Field};
use super::ground::{Camp, Ground};

/// Placements, and classes of mirror images of them.
pub(crate) struct Fixed {
    pub placements: BigUint,
    pub orbits: BigUint,
}

/// By attackers and defenders: how many ways there are.
struct Ways {
    most: Slice,
    values: Vec<BigUint>,
}

impl Ways {
    fn one(most: Slice) -> Ways {
        let mut values = vec![BigUint::ZERO; (most.attackers + 1) * (most.defenders + 1)];
        values[0] = BigUint::from(1_u8);
        Ways { most, values }
    }

    /// Times a sum of such terms: how many attackers, defenders, and ways.
    fn times(&mut self, terms: &[(usize, usize, u64)]) {
        let columns = self.most.defenders + 1;
        let mut values = vec![BigUint::ZERO; self.values.len()];
        for (i, value) in self.values.iter().enumerate().filter(|(_, v)| **v != BigUint::ZERO) {
            let (a, d) = (i / columns, i % columns);
            for &(attackers, defenders, ways) in terms {
                if a + attackers <= self.most.attackers && d + defenders <= self.most.defenders {
                    values[(a + attackers) * columns + d + defenders] += value * ways;
                }
            }
        }
        self.values = values;
    }

    /// All ways with so many attackers, or more.
    fn total(&self, least: usize) -> BigUint {
        self.values.iter().skip(least * (self.most.defenders + 1)).sum()
    }
}

/// Placements of running games, mirror images once.
pub(crate) fn running(
    ground: &Ground,
    unmoved: Option<&(SquareSet, Vec<Position>)>,
    binomials: &Binomials,
) -> BigUint {
    let field = Field::with_camps(ground);
    let all = burnside(ground.group, |g| {
        fixed(ground, &field, g, |king| {
            let mut ways = Ways::one(ground.most);
            for camp in whole_camps(ground, &field.camps, g) {
                ways.times(&camp);
            }
            let in_camps = field.camps.iter().fold(SquareSet::EMPTY, |all, c| all | c.squares);
            free_cycles(ground, &field, g, in_camps.with(king), &mut ways);
            ways.total(1)
        })
    });
    match unmoved {
        None => all,
        Some((attackers, placements)) => {
            let least = |p: &Position| {
                let images = ground.group.iter().map(|g| p.image(ground.rules, g));
                images.map(|p| (p.attackers, p.defenders, p.king)).min()
            };
            let kept: std::collections::BTreeSet<_> = placements.iter().map(least).collect();
            all - self::unmoved(ground, *attackers, binomials).orbits + kept.len()
        }
    }
}

/// All placements with these attackers, whom the symmetries leave as they are.
pub(crate) fn unmoved(ground: &Ground, attackers: SquareSet, binomials: &Binomials) -> Fixed {
    let field = Field::with_camps(ground);
    let defenders = field.defenders - attackers;
    let placements = (field.kings - attackers).iter().map(|king| {
        let free = defenders.without(king).len();
        (0..=ground.most.defenders).map(|d| binomials.get(free, d)).sum::<BigUint>()
    });
    let orbits = burnside(ground.group, |g| {
        fixed(ground, &field, g, |king| {
            if attackers.contains(king) {
                return BigUint::ZERO;
            }
            let mut ways = Ways::one(ground.most);
            for cycle in cycles(ground.rules, g, defenders.without(king)) {
                ways.times(&[(0, 0, 1), (0, cycle.len(), 1)]);
            }
            ways.total(0)
        })
    });
    Fixed { placements: placements.sum(), orbits }
}

/// The slots of the crate's index, of all materials: the king's squares, times sets of
/// attackers up to symmetry, each with all sets of defenders on what is left.
pub(crate) fn slots(rules: &Ruleset, most: Slice, binomials: &Binomials) -> BigUint {
    let [attackers, defenders, kings] = Kind::ALL.map(|kind| rules.places(kind));
    // Attackers on squares where defenders may stand take the place of the defenders here.
    let by_sort = |g: Symmetry| {
        let mut ways = Ways::one(Slice { attackers: most.attackers, defenders: most.attackers });
        for cycle in cycles(rules, g, attackers) {
            let shared = if defenders.contains(cycle[0]) { cycle.len() } else { 0 };
            ways.times(&[(0, 0, 1), (cycle.len(), shared, 1)]);
        }
        ways
    };
    let group: Vec<Ways> = rules.symmetries().iter().map(by_sort).collect();
    let mut rows = BigUint::ZERO;
    for a in 1..=most.attackers {
        for shared in 0..=a.min(defenders.len()) {
            let index = a * (most.attackers + 1) + shared;
            let fixed: BigUint = group.iter().map(|ways| &ways.values[index]).sum();
            let free = defenders.len() - shared;
            let others: BigUint = (0..=most.defenders).map(|d| binomials.get(free, d)).sum();
            rows += fixed / group.len() * others;
        }
    }
    rows * kings.len()
}

fn burnside(group: SymmetryGroup, fixed: impl Fn(Symmetry) -> BigUint) -> BigUint {
    group.iter().map(fixed).sum::<BigUint>() / group.order()
}

/// Over the king's squares that a symmetry leaves where they are.
fn fixed(
    ground: &Ground,
    field: &Field,
    g: Symmetry,
    with_king: impl Fn(Square) -> BigUint,
) -> BigUint {
    let kings = field.kings.iter().filter(|&king| g.apply(ground.rules.board, king) == king);
    kings.map(with_king).sum()
}

/// Multiplies by the ways to fill the squares that are not `closed`.
fn free_cycles(ground: &Ground, field: &Field, g: Symmetry, closed: SquareSet, ways: &mut Ways) {
    let places = (field.attackers | field.defenders) - closed;
    for cycle in cycles(ground.rules, g, places) {
        let mut terms = vec![(0, 0, 1)];
        if field.attackers.contains(cycle[0]) {
            terms.push((cycle.len(), 0, 1));
        }
        if field.defenders.contains(cycle[0]) {
            terms.push((0, cycle.len(), 1));
        }
        ways.times(&terms);
    }
}

/// For each cycle of camps, the patterns that come back to themselves, by all men in it.
fn whole_camps(ground: &Ground, camps: &[Camp], g: Symmetry) -> Vec<Vec<(usize, usize, u64)>> {
    let board = ground.rules.board;
    let mut left: Vec<&Camp> = camps.iter().collect();
    let mut factors = Vec::new();
    while let Some(first) = left.pop() {
        let mut length = 1;
        let mut squares = g.apply_set(board, first.squares);
        while squares != first.squares {
            left.retain(|camp| camp.squares != squares);
            squares = g.apply_set(board, squares);
            length += 1;
        }
        let comes_back =
            |men: &&SquareSet| (0..length).fold(**men, |men, _| g.apply_set(board, men)) == **men;
        let patterns = first.patterns.iter().filter(comes_back);
        factors.push(patterns.map(|men| (length * men.len(), 0, 1)).collect());
    }
    factors
}

/// The cycles in which a symmetry moves squares of a set that it leaves as a whole.
fn cycles(rules: &Ruleset, g: Symmetry, squares: SquareSet) -> Vec<Vec<Square>> {
    let mut left = squares;
    let mut cycles = Vec::new();
    while let Some(first) = left.first() {
        let mut cycle = Vec::new();
        let mut square = first;
        while left.contains(square) {
            left.remove(square);
            cycle.push(square);
            square = g.apply(rules.board, square);
        }
        cycles.push(cycle);
    }
    cycles
}
