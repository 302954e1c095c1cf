//! Exact numbers of placements: men on squares of which only their number matters.
//!
//! With the king on his square, the others are of four sorts: squares for either side, for
//! attackers only, for defenders only, and camps. Of n squares for either side, a attackers
//! and d defenders take `C(n, a) C(n - a, d)`; over the sorts the products are added up. How
//! many squares there are of each sort is a [`Shape`]; many squares of the king have the same.

use std::collections::HashMap;

use num_bigint::{BigInt, BigUint};

use crate::game::board::{Square, SquareSet};
use crate::game::slice::Slice;

use super::ground::{Camp, Ground};
use crate::game::rules::{Kind, Ruleset};

/// Where men may stand.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub kings: SquareSet,
    pub attackers: SquareSet,
    pub defenders: SquareSet,
    pub camps: Vec<Camp>,
}

/// How many squares of each sort are left, with some attackers placed already.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Shape {
    /// For either side.
    pub both: usize,
    pub attackers: usize,
    pub defenders: usize,
    /// Attackers that stand where they have to.
    pub placed: usize,
    /// By the number of men in camps: how many ways there are.
    pub camps: Vec<u64>,
}

/// How often each shape is counted; less than 0 for what is taken off.
#[derive(Clone, Default, Debug)]
pub(crate) struct Tally(HashMap<Shape, i64>);

/// Binomial coefficients of any size.
pub(crate) struct Binomials {
    columns: usize,
    values: Vec<BigUint>,
}

/// A number of placements for each material.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Weights {
    most: Slice,
    values: Vec<BigInt>,
}

impl Field {
    /// Soldiers on all squares on which any may stand.
    pub(crate) fn anywhere(rules: &Ruleset) -> Field {
        let soldiers = rules.places(Kind::Attacker) | rules.places(Kind::Defender);
        let kings = rules.places(Kind::King);
        Field { kings, attackers: soldiers, defenders: soldiers, camps: Vec::new() }
    }

    /// All legal stored positions.
    pub(crate) fn legal(rules: &Ruleset) -> Field {
        let [attackers, defenders, kings] = Kind::ALL.map(|kind| rules.places(kind));
        Field { kings, attackers, defenders, camps: Vec::new() }
    }

    /// Each kind where it can come to.
    pub(crate) fn reached(ground: &Ground) -> Field {
        let [attackers, defenders, kings] = ground.reach.0;
        Field { kings, attackers, defenders, camps: Vec::new() }
    }

    /// The same, with the camps.
    pub(crate) fn with_camps(ground: &Ground) -> Field {
        Field { camps: ground.camps.clone(), ..Field::reached(ground) }
    }

    /// The shape with the king on his square, attackers `placed`, and `empty` squares; `None`
    /// if that cannot be.
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

    /// All placements.
    pub(crate) fn all(&self) -> Tally {
        let mut tally = Tally::default();
        for king in self.kings {
            tally.add(self.shape(king, SquareSet::EMPTY, SquareSet::EMPTY), 1);
        }
        tally
    }

    /// The placements with the king there in which one of these sets is empty, at the least:
    /// all that have one, less those that have two, and so on.
    pub(crate) fn any_empty(&self, tally: &mut Tally, king: Square, sets: &[SquareSet]) {
        self.any_empty_beside(tally, king, SquareSet::EMPTY, sets);
    }

    /// The same with attackers `placed`.
    pub(crate) fn any_empty_beside(
        &self,
        tally: &mut Tally,
        king: Square,
        placed: SquareSet,
        sets: &[SquareSet],
    ) {
        self.unions(sets, |empty, times| tally.add(self.shape(king, placed, empty), times));
    }

    /// The placements with an attacker on each square of one of these sets, at the least.
    pub(crate) fn any_taken(&self, tally: &mut Tally, king: Square, sets: &[SquareSet]) {
        self.unions(sets, |placed, times| {
            tally.add(self.shape(king, placed, SquareSet::EMPTY), times);
        });
    }

    fn unions(&self, sets: &[SquareSet], mut add: impl FnMut(SquareSet, i64)) {
        for chosen in 1..1_u32 << sets.len() {
            let picked = (0..sets.len()).filter(|i| chosen >> i & 1 == 1);
            let union = picked.fold(SquareSet::EMPTY, |union, i| union | sets[i]);
            add(union, if chosen.count_ones() % 2 == 1 { 1 } else { -1 });
        }
    }
}

impl Camp {
    /// By the number of further men: the patterns with men on all of `placed` and none on
    /// `empty`.
    fn ways(&self, placed: SquareSet, empty: SquareSet) -> Vec<u64> {
        let mut ways = vec![0; self.squares.len() - placed.len() + 1];
        let fits = |men: &&SquareSet| placed.is_subset(**men) && !men.meets(empty);
        for men in self.patterns.iter().filter(fits) {
            ways[men.len() - placed.len()] += 1;
        }
        ways
    }
}

/// The product of two polynomials.
fn product(first: &[u64], second: &[u64]) -> Vec<u64> {
    let mut product = vec![0; first.len() + second.len() - 1];
    for (i, x) in first.iter().enumerate() {
        for (j, y) in second.iter().enumerate() {
            product[i + j] += x * y;
        }
    }
    product
}

impl Tally {
    /// Counts a shape so many times.
    pub(crate) fn add(&mut self, shape: Option<Shape>, times: i64) {
        if let Some(shape) = shape {
            *self.0.entry(shape).or_default() += times;
        }
    }

    /// The placements of each material.
    pub(crate) fn weights(&self, most: Slice, binomials: &Binomials) -> Weights {
        let mut weights = Weights::none(most);
        for (shape, &times) in self.0.iter().filter(|&(_, &times)| times != 0) {
            for (total, value) in
                weights.values.iter_mut().zip(shape.weights(most, binomials).values)
            {
                *total += value * times;
            }
        }
        weights
    }
}

impl Shape {
    /// The placements of each material, the attackers placed already among them.
    pub(crate) fn weights(&self, most: Slice, binomials: &Binomials) -> Weights {
        let zero = BigUint::ZERO;
        let attackers_only = self.attackers_only(most.attackers, binomials);
        // By attackers on squares for either side, and defenders anywhere.
        let defenders: Vec<Vec<BigUint>> = (0..=most.attackers.min(self.both))
            .map(|taken| {
                (0..=most.defenders).map(|d| self.defenders(taken, d, binomials)).collect()
            })
            .collect();
        let mut weights = Weights::none(most);
        for a in self.placed..=most.attackers {
            for d in 0..=most.defenders {
                let free = a - self.placed;
                let ways =
                    defenders.iter().enumerate().take(free + 1).map(|(shared, defenders)| {
                        let apart = attackers_only.get(free - shared).unwrap_or(&zero);
                        binomials.get(self.both, shared) * apart * &defenders[d]
                    });
                *weights.get_mut(a, d) = BigInt::from(ways.sum::<BigUint>());
            }
        }
        weights
    }

    /// By number: attackers in camps and on squares for attackers only.
    fn attackers_only(&self, most: usize, binomials: &Binomials) -> Vec<BigUint> {
        let ways = |men: usize| {
            let inside = self.camps.iter().enumerate().take(men + 1);
            inside.map(|(c, &ways)| binomials.get(self.attackers, men - c) * ways).sum()
        };
        (0..=most).map(ways).collect()
    }

    /// The ways to place defenders where attackers have taken squares.
    fn defenders(&self, taken: usize, defenders: usize, binomials: &Binomials) -> BigUint {
        let apart = (0..=defenders.min(self.defenders)).map(|apart| {
            binomials.get(self.defenders, apart)
                * binomials.get(self.both - taken, defenders - apart)
        });
        apart.sum()
    }
}

impl Binomials {
    /// All `C(n, k)` with these n and k at the most.
    pub(crate) fn new(max_n: usize, max_k: usize) -> Binomials {
        let columns = max_k + 1;
        let mut values = vec![BigUint::ZERO; (max_n + 1) * columns];
        for n in 0..=max_n {
            values[n * columns] = BigUint::from(1_u8);
            for k in 1..=max_k.min(n) {
                values[n * columns + k] =
                    &values[(n - 1) * columns + k] + &values[(n - 1) * columns + k - 1];
            }
        }
        Binomials { columns, values }
    }

    /// Enough for these rules.
    pub(crate) fn of(ground: &Ground) -> Binomials {
        Binomials::new(ground.rules.board.area(), ground.most.attackers.max(ground.most.defenders))
    }

    /// `C(n, k)`.
    pub(crate) fn get(&self, n: usize, k: usize) -> &BigUint {
        &self.values[n * self.columns + k]
    }
}

impl Weights {
    pub(crate) fn none(most: Slice) -> Weights {
        let values = vec![BigInt::ZERO; (most.attackers + 1) * (most.defenders + 1)];
        Weights { most, values }
    }

    /// Of a material.
    pub(crate) fn get(&self, attackers: usize, defenders: usize) -> &BigInt {
        &self.values[attackers * (self.most.defenders + 1) + defenders]
    }

    pub(crate) fn get_mut(&mut self, attackers: usize, defenders: usize) -> &mut BigInt {
        &mut self.values[attackers * (self.most.defenders + 1) + defenders]
    }

    /// Those of all materials with this many attackers, or more.
    pub(crate) fn total(&self, least: usize) -> BigUint {
        let all: BigInt = self.values.iter().skip(least * (self.most.defenders + 1)).sum();
        all.magnitude().clone()
    }

    /// Materials with one attacker or more, and their numbers.
    pub(crate) fn slices(&self) -> impl Iterator<Item = (Slice, &BigInt)> {
        let values = self.values.iter().enumerate().skip(self.most.defenders + 1);
        values.map(|(i, value)| {
            let (attackers, defenders) =
                (i / (self.most.defenders + 1), i % (self.most.defenders + 1));
            (Slice { defenders, attackers }, value)
        })
    }
}
