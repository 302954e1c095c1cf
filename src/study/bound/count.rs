//! Exact numbers of placements.
//!
//! For a given square of the king, the other squares are of four sorts: squares for either side,
//! for attackers only, for defenders only, and camps. On n squares for either side, a attackers
//! and d defenders have `C(n, a) C(n - a, d)` placements; the products over the sorts are summed
//! over all distributions of the pieces. The number of squares of each sort is a [`Shape`]; many
//! squares of the king have the same one.

use std::collections::HashMap;

use num_bigint::{BigInt, BigUint};

use crate::game::board::{Square, SquareSet};
use crate::game::rules::{Kind, Ruleset};
use crate::game::slice::Slice;

use super::number::count;
use super::reachability::{Camp, Reachability};

/// The squares on which each kind may stand.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub kings: SquareSet,
    pub attackers: SquareSet,
    pub defenders: SquareSet,
    pub camps: Vec<Camp>,
}

/// The number of free squares of each sort, with some attackers already placed.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Shape {
    /// For either side.
    pub both: usize,
    pub attackers: usize,
    pub defenders: usize,
    /// Attackers on required squares.
    pub placed: usize,
    /// By the number of further attackers in camps: the number of ways to place them.
    pub camps: Vec<u64>,
}

/// The coefficient of each shape in a sum; negative where it is subtracted.
#[derive(Clone, Default, Debug)]
pub(crate) struct ShapeCounts(HashMap<Shape, i64>);

/// Binomial coefficients of any size.
pub(crate) struct BigBinomials {
    columns: usize,
    values: Vec<BigUint>,
}

/// The number of placements of each material.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct MaterialCounts {
    max_material: Slice,
    values: Vec<BigInt>,
}

impl Field {
    /// Allows all soldiers on the squares of either side's soldiers.
    pub(crate) fn anywhere(rules: &Ruleset) -> Field {
        let soldiers = rules.places(Kind::Attacker) | rules.places(Kind::Defender);
        let kings = rules.places(Kind::King);
        Field { kings, attackers: soldiers, defenders: soldiers, camps: Vec::new() }
    }

    /// Allows each kind where the rules do: all positions that tables can store.
    pub(crate) fn legal(rules: &Ruleset) -> Field {
        let [attackers, defenders, kings] = Kind::ALL.map(|kind| rules.places(kind));
        Field { kings, attackers, defenders, camps: Vec::new() }
    }

    /// Allows each kind on the squares that it can reach.
    pub(crate) fn reached(reachability: &Reachability) -> Field {
        let [attackers, defenders, kings] = reachability.reach.0;
        Field { kings, attackers, defenders, camps: Vec::new() }
    }

    /// Restricts [`reached`](Field::reached) by the camps.
    pub(crate) fn with_camps(reachability: &Reachability) -> Field {
        Field { camps: reachability.camps.clone(), ..Field::reached(reachability) }
    }

    /// Returns the shape with the king on a square, attackers on all of `placed`, and nothing on
    /// `empty`; `None` if that is impossible.
    pub(crate) fn shape(&self, king: Square, placed: SquareSet, empty: SquareSet) -> Option<Shape> {
        if placed.contains(king) || placed.meets(empty) || !placed.is_subset(self.attackers) {
            return None;
        }
        let closed = (placed | empty).with(king);
        let mut camps = vec![1_u64];
        let mut in_camps = SquareSet::EMPTY;
        for camp in &self.camps {
            in_camps |= camp.squares;
            camps = product(&camps, &camp.ways(placed & camp.squares, empty.with(king)));
        }
        if camps.iter().all(|&ways| ways == 0) {
            return None;
        }
        let [attackers, defenders] =
            [self.attackers, self.defenders].map(|places| places - in_camps - closed);
        let both = (attackers & defenders).len();
        Some(Shape {
            both,
            attackers: attackers.len() - both,
            defenders: defenders.len() - both,
            placed: placed.len(),
            camps,
        })
    }

    /// Counts all placements.
    pub(crate) fn all(&self) -> ShapeCounts {
        let mut shapes = ShapeCounts::default();
        for king in self.kings {
            shapes.add(self.shape(king, SquareSet::EMPTY, SquareSet::EMPTY), 1);
        }
        shapes
    }

    /// Adds the placements with this king, attackers on all of `placed`, and at least one of the
    /// sets empty, by inclusion and exclusion.
    pub(crate) fn any_empty(
        &self,
        shapes: &mut ShapeCounts,
        king: Square,
        placed: SquareSet,
        sets: &[SquareSet],
    ) {
        unions(sets, |empty, times| shapes.add(self.shape(king, placed, empty), times));
    }

    /// Adds the placements with attackers on all squares of at least one of the sets.
    pub(crate) fn any_taken(&self, shapes: &mut ShapeCounts, king: Square, sets: &[SquareSet]) {
        unions(sets, |placed, times| {
            shapes.add(self.shape(king, placed, SquareSet::EMPTY), times);
        });
    }
}

/// Calls `add` with the union of each non-empty selection of sets, and its sign in the
/// inclusion-exclusion formula.
fn unions(sets: &[SquareSet], mut add: impl FnMut(SquareSet, i64)) {
    for chosen in 1..1_u32 << sets.len() {
        let picked = (0..sets.len()).filter(|i| chosen >> i & 1 == 1);
        let union = picked.fold(SquareSet::EMPTY, |union, i| union | sets[i]);
        add(union, if chosen.count_ones() % 2 == 1 { 1 } else { -1 });
    }
}

impl Camp {
    /// Returns, by the number of further attackers, the number of patterns with attackers on all
    /// of `placed` and none on `empty`.
    fn ways(&self, placed: SquareSet, empty: SquareSet) -> Vec<u64> {
        let mut ways = vec![0; self.squares.len() - placed.len() + 1];
        for men in &self.patterns {
            if placed.is_subset(*men) && !men.meets(empty) {
                ways[men.len() - placed.len()] += 1;
            }
        }
        ways
    }
}

/// Multiplies two polynomials.
fn product(first: &[u64], second: &[u64]) -> Vec<u64> {
    let mut product = vec![0; first.len() + second.len() - 1];
    for (i, x) in first.iter().enumerate() {
        for (j, y) in second.iter().enumerate() {
            product[i + j] += x * y;
        }
    }
    product
}

impl ShapeCounts {
    /// Adds to the coefficient of a shape.
    pub(crate) fn add(&mut self, shape: Option<Shape>, times: i64) {
        if let Some(shape) = shape {
            *self.0.entry(shape).or_default() += times;
        }
    }

    /// Returns the number of placements of each material up to `max_material`.
    pub(crate) fn counts(&self, max_material: Slice, binomials: &BigBinomials) -> MaterialCounts {
        let mut counts = MaterialCounts::none(max_material);
        for (shape, &times) in self.0.iter().filter(|&(_, &times)| times != 0) {
            let of_shape = shape.counts(max_material, binomials);
            for (total, value) in counts.values.iter_mut().zip(of_shape.values) {
                *total += value * times;
            }
        }
        counts
    }
}

impl Shape {
    /// Returns the number of placements of each material, which includes the attackers already
    /// placed.
    pub(crate) fn counts(&self, max_material: Slice, binomials: &BigBinomials) -> MaterialCounts {
        let zero = BigUint::ZERO;
        let attackers_only = self.attackers_only(max_material.attackers, binomials);
        // Ways to place defenders, by attackers on squares for either side, then by defenders.
        let defenders: Vec<Vec<BigUint>> = (0..=max_material.attackers.min(self.both))
            .map(|taken| {
                (0..=max_material.defenders).map(|d| self.defenders(taken, d, binomials)).collect()
            })
            .collect();
        let mut counts = MaterialCounts::none(max_material);
        for a in self.placed..=max_material.attackers {
            for d in 0..=max_material.defenders {
                let free = a - self.placed;
                let ways =
                    defenders.iter().enumerate().take(free + 1).map(|(shared, defenders)| {
                        let apart = attackers_only.get(free - shared).unwrap_or(&zero);
                        binomials.get(self.both, shared) * apart * &defenders[d]
                    });
                *counts.get_mut(a, d) = BigInt::from(ways.sum::<BigUint>());
            }
        }
        counts
    }

    /// Returns, by number of attackers, the ways to place them in camps and on squares for
    /// attackers only.
    fn attackers_only(&self, max_attackers: usize, binomials: &BigBinomials) -> Vec<BigUint> {
        (0..=max_attackers)
            .map(|men| {
                let inside = self.camps.iter().enumerate().take(men + 1);
                inside.map(|(c, &ways)| binomials.get(self.attackers, men - c) * ways).sum()
            })
            .collect()
    }

    /// Returns the ways to place defenders after attackers have taken squares for either side.
    fn defenders(&self, taken: usize, defenders: usize, binomials: &BigBinomials) -> BigUint {
        let apart = (0..=defenders.min(self.defenders)).map(|apart| {
            binomials.get(self.defenders, apart)
                * binomials.get(self.both - taken, defenders - apart)
        });
        apart.sum()
    }
}

impl BigBinomials {
    /// Computes all `C(n, k)` up to these n and k.
    pub(crate) fn new(max_n: usize, max_k: usize) -> BigBinomials {
        let columns = max_k + 1;
        let mut values = vec![BigUint::ZERO; (max_n + 1) * columns];
        for n in 0..=max_n {
            values[n * columns] = BigUint::from(1_u8);
            for k in 1..=max_k.min(n) {
                values[n * columns + k] =
                    &values[(n - 1) * columns + k] + &values[(n - 1) * columns + k - 1];
            }
        }
        BigBinomials { columns, values }
    }

    /// Computes those that the rules need.
    pub(crate) fn of(reachability: &Reachability) -> BigBinomials {
        BigBinomials::new(
            reachability.rules.board.area(),
            reachability.max_material.attackers.max(reachability.max_material.defenders),
        )
    }

    /// Returns `C(n, k)`.
    pub(crate) fn get(&self, n: usize, k: usize) -> &BigUint {
        &self.values[n * self.columns + k]
    }
}

impl MaterialCounts {
    pub(crate) fn none(max_material: Slice) -> MaterialCounts {
        let slices = (max_material.attackers + 1) * (max_material.defenders + 1);
        MaterialCounts { max_material, values: vec![BigInt::ZERO; slices] }
    }

    /// Returns the number of placements of a material.
    pub(crate) fn get(&self, attackers: usize, defenders: usize) -> &BigInt {
        &self.values[attackers * self.columns() + defenders]
    }

    pub(crate) fn get_mut(&mut self, attackers: usize, defenders: usize) -> &mut BigInt {
        let index = attackers * self.columns() + defenders;
        &mut self.values[index]
    }

    /// Sums over all materials with at least this many attackers.
    pub(crate) fn total(&self, min_attackers: usize) -> BigUint {
        count(&self.values.iter().skip(min_attackers * self.columns()).sum())
    }

    /// Returns the materials with at least one attacker, with their numbers of placements.
    pub(crate) fn slices(&self) -> impl Iterator<Item = (Slice, &BigInt)> {
        let columns = self.columns();
        self.values.iter().enumerate().skip(columns).map(move |(i, value)| {
            (Slice { defenders: i % columns, attackers: i / columns }, value)
        })
    }

    fn columns(&self) -> usize {
        self.max_material.defenders + 1
    }
}
