//! Placements counted up to symmetry, by Burnside's lemma: the mean, over the symmetries, of
//! the number of placements that each fixes.
//!
//! A symmetry fixes a placement if it fixes the king's square and all squares of each of its
//! cycles have the same content. So a cycle of n squares contributes a factor `1 + a^n + d^n`
//! where either side may stand, and a cycle of camps contributes the patterns that are mapped to
//! themselves once around the cycle.

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigUint;

use crate::game::board::{Square, SquareSet, Symmetry, SymmetryGroup};
use crate::game::position::Position;
use crate::game::rules::{Kind, Ruleset};
use crate::game::slice::Slice;

use super::count::{BigBinomials, Field};
use super::reachability::{Camp, Reachability};

/// The number of placements with all attackers at home, and of their orbits.
pub(crate) struct UnmovedCounts {
    pub placements: BigUint,
    pub orbits: BigUint,
}

/// A sum of terms: attackers, defenders and the coefficient.
type Factor = Vec<(usize, usize, u64)>;

/// A polynomial in the numbers of attackers and defenders, whose coefficients are numbers of
/// ways; truncated at `max_material`.
struct Ways {
    max_material: Slice,
    values: Vec<BigUint>,
}

impl Ways {
    /// Multiplies these factors.
    fn product(max_material: Slice, factors: &[Factor]) -> Ways {
        let slices = (max_material.attackers + 1) * (max_material.defenders + 1);
        let mut values = vec![BigUint::ZERO; slices];
        values[0] = BigUint::from(1_u8);
        let mut ways = Ways { max_material, values };
        factors.iter().for_each(|factor| ways.times(factor));
        ways
    }

    fn times(&mut self, factor: &[(usize, usize, u64)]) {
        let max = self.max_material;
        let columns = max.defenders + 1;
        let mut values = vec![BigUint::ZERO; self.values.len()];
        for (i, value) in self.values.iter().enumerate().filter(|(_, v)| **v != BigUint::ZERO) {
            let (a, d) = (i / columns, i % columns);
            for &(attackers, defenders, ways) in factor {
                if a + attackers <= max.attackers && d + defenders <= max.defenders {
                    values[(a + attackers) * columns + d + defenders] += value * ways;
                }
            }
        }
        self.values = values;
    }

    /// Sums the ways with at least this many attackers.
    fn total(&self, min_attackers: usize) -> BigUint {
        self.values.iter().skip(min_attackers * (self.max_material.defenders + 1)).sum()
    }
}

/// Counts the placements of unfinished games, mirror images once.
pub(crate) fn running(
    reachability: &Reachability,
    unmoved: Option<&(SquareSet, Vec<Position>)>,
    binomials: &BigBinomials,
) -> BigUint {
    let field = Field::with_camps(reachability);
    let all = burnside(reachability.group, |g| {
        let camps = whole_camps(reachability, &field.camps, g);
        let in_camps = field.camps.iter().fold(SquareSet::EMPTY, |all, c| all | c.squares);
        fixed(reachability, field.kings, g, 1, |king| {
            let mut factors = free_cycles(reachability, &field, g, in_camps.with(king));
            factors.extend_from_slice(&camps);
            factors
        })
    });
    match unmoved {
        None => all,
        Some((attackers, placements)) => {
            let orbits: BTreeSet<_> =
                placements.iter().map(|position| least_image(reachability, position)).collect();
            all - self::unmoved(reachability, *attackers, binomials).orbits + orbits.len()
        }
    }
}

/// Returns the least image of a placement, which identifies its orbit.
fn least_image(
    reachability: &Reachability,
    position: &Position,
) -> Option<(SquareSet, SquareSet, Square)> {
    let images = reachability.group.iter().map(|g| position.image(reachability.rules, g));
    images.map(|image| (image.attackers, image.defenders, image.king)).min()
}

/// Counts all placements with these attackers, a set that the symmetries fix.
pub(crate) fn unmoved(
    reachability: &Reachability,
    attackers: SquareSet,
    binomials: &BigBinomials,
) -> UnmovedCounts {
    let field = Field::with_camps(reachability);
    let defenders = field.defenders - attackers;
    let placements = (field.kings - attackers).iter().map(|king| {
        let free = defenders.without(king).len();
        (0..=reachability.max_material.defenders).map(|d| binomials.get(free, d)).sum::<BigUint>()
    });
    let orbits = burnside(reachability.group, |g| {
        fixed(reachability, field.kings - attackers, g, 0, |king| {
            let cycles = cycles(reachability.rules, g, defenders.without(king));
            cycles.iter().map(|cycle| vec![(0, 0, 1), (0, cycle.len(), 1)]).collect()
        })
    });
    UnmovedCounts { placements: placements.sum(), orbits }
}

/// Counts the slots of the crate's index over all materials: the king's squares, times the sets
/// of attackers up to symmetry, each with all sets of defenders on the remaining squares.
pub(crate) fn slots(rules: &Ruleset, max_material: Slice, binomials: &BigBinomials) -> BigUint {
    let [attackers, defenders, kings] = Kind::ALL.map(|kind| rules.places(kind));
    // The second variable counts attackers on squares where defenders may stand, not defenders.
    let max_attackers = max_material.attackers;
    let variables = Slice { attackers: max_attackers, defenders: max_attackers };
    let by_symmetry: Vec<Ways> = rules
        .symmetries()
        .iter()
        .map(|g| {
            let factor = |cycle: &Vec<Square>| {
                let shared = if defenders.contains(cycle[0]) { cycle.len() } else { 0 };
                vec![(0, 0, 1), (cycle.len(), shared, 1)]
            };
            let factors: Vec<_> = cycles(rules, g, attackers).iter().map(factor).collect();
            Ways::product(variables, &factors)
        })
        .collect();
    let mut rows = BigUint::ZERO;
    for a in 1..=max_attackers {
        for shared in 0..=a.min(defenders.len()) {
            let index = a * (max_attackers + 1) + shared;
            let fixed: BigUint = by_symmetry.iter().map(|ways| &ways.values[index]).sum();
            let free = defenders.len() - shared;
            let others: BigUint =
                (0..=max_material.defenders).map(|d| binomials.get(free, d)).sum();
            rows += fixed / by_symmetry.len() * others;
        }
    }
    rows * kings.len()
}

fn burnside(group: SymmetryGroup, fixed: impl Fn(Symmetry) -> BigUint) -> BigUint {
    group.iter().map(fixed).sum::<BigUint>() / group.order()
}

/// Sums, over the king's squares that a symmetry fixes, the ways with at least this many attackers.
/// Most squares have the same factors as another.
fn fixed(
    reachability: &Reachability,
    kings: SquareSet,
    g: Symmetry,
    min_attackers: usize,
    factors: impl Fn(Square) -> Vec<Factor>,
) -> BigUint {
    let board = reachability.rules.board;
    let mut squares = BTreeMap::<Vec<Factor>, usize>::new();
    for king in kings.iter().filter(|&king| g.apply(board, king) == king) {
        let mut factors = factors(king);
        factors.sort_unstable();
        *squares.entry(factors).or_default() += 1;
    }
    let ways = |(factors, count): (&Vec<Factor>, &usize)| {
        Ways::product(reachability.max_material, factors).total(min_attackers) * *count
    };
    squares.iter().map(ways).sum()
}

/// Returns a factor for each cycle of squares that are not `closed`.
fn free_cycles(
    reachability: &Reachability,
    field: &Field,
    g: Symmetry,
    closed: SquareSet,
) -> Vec<Factor> {
    let places = (field.attackers | field.defenders) - closed;
    let factor = |cycle: &Vec<Square>| {
        let mut factor = vec![(0, 0, 1)];
        if field.attackers.contains(cycle[0]) {
            factor.push((cycle.len(), 0, 1));
        }
        if field.defenders.contains(cycle[0]) {
            factor.push((0, cycle.len(), 1));
        }
        factor
    };
    cycles(reachability.rules, g, places).iter().map(factor).collect()
}

/// Returns, for each cycle of camps, the patterns that are mapped to themselves around the
/// cycle, with the number of attackers in all of its camps.
fn whole_camps(reachability: &Reachability, camps: &[Camp], g: Symmetry) -> Vec<Factor> {
    let board = reachability.rules.board;
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
        let fixed = first.patterns.iter().filter(|&&pattern| {
            (0..length).fold(pattern, |men, _| g.apply_set(board, men)) == pattern
        });
        factors.push(fixed.map(|men| (length * men.len(), 0, 1)).collect());
    }
    factors
}

/// Returns the cycles of a symmetry on a set of squares that it maps to itself.
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
