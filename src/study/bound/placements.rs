//! Random placements, uniformly distributed.

use num_bigint::{BigInt, BigUint};

use crate::game::board::{Square, SquareSet};
use crate::game::position::Position;
use crate::game::rules::Side;
use crate::game::slice::Slice;
use crate::system::random::SeededRng;

use super::count::{BigBinomials, Field, MaterialCounts, Shape};
use super::reachability::Reachability;

/// Draws placements of unfinished games, uniformly from those that the tightest bound counts.
pub(crate) struct Placements<'a> {
    reachability: &'a Reachability<'a>,
    /// Without camps: placements that they exclude are rejected after drawing.
    field: Field,
    binomials: BigBinomials,
    kings: Vec<(Square, Shape, MaterialCounts)>,
    /// The attackers of the start, if none can have moved, and the placements possible then.
    unmoved: Option<(SquareSet, Vec<Position>)>,
}

impl<'a> Placements<'a> {
    pub(crate) fn new(
        reachability: &'a Reachability<'a>,
        unmoved: Option<(SquareSet, Vec<Position>)>,
    ) -> Self {
        let field = Field::reached(reachability);
        let binomials = BigBinomials::of(reachability);
        let kings = field
            .kings
            .iter()
            .filter_map(|king| {
                let shape = field.shape(king, SquareSet::EMPTY, SquareSet::EMPTY)?;
                let counts = shape.counts(reachability.max_material, &binomials);
                Some((king, shape, counts))
            })
            .collect();
        Placements { reachability, field, binomials, kings, unmoved }
    }

    /// Draws a placement, with either side to move.
    pub(crate) fn draw(&self, random: &mut SeededRng) -> Position {
        loop {
            let position = self.draw_one(random);
            if self.is_counted(&position) {
                return position;
            }
        }
    }

    fn draw_one(&self, random: &mut SeededRng) -> Position {
        let totals = self.kings.iter().map(|(_, _, counts)| counts.total(1));
        let (king, shape, counts) = &self.kings[weighted(random, totals)];
        let slices: Vec<(Slice, &BigInt)> = counts.slices().collect();
        let number = weighted(random, slices.iter().map(|(_, weight)| weight.magnitude().clone()));
        let (attackers, defenders) = self.fill(*king, shape, slices[number].0, random);
        let to_move = Side::ALL[random.below(2)];
        let rules = self.reachability.rules.id();
        Position { king: *king, attackers, defenders, to_move, rules }
    }

    /// Draws soldiers of a material for a king, uniformly.
    fn fill(
        &self,
        king: Square,
        shape: &Shape,
        slice: Slice,
        random: &mut SeededRng,
    ) -> (SquareSet, SquareSet) {
        let [attackers, defenders] =
            [self.field.attackers, self.field.defenders].map(|places| places.without(king));
        let choose = &self.binomials;
        // Weights by the numbers of attackers and defenders on squares of their side only.
        let mut cases = Vec::new();
        for x in 0..=slice.attackers.min(shape.attackers) {
            let shared = slice.attackers - x;
            if shared > shape.both {
                continue;
            }
            for y in 0..=slice.defenders.min(shape.defenders) {
                let own = choose.get(shape.attackers, x) * choose.get(shape.defenders, y);
                let rest = choose.get(shape.both, shared)
                    * choose.get(shape.both - shared, slice.defenders - y);
                cases.push(((x, y), own * rest));
            }
        }
        let (x, y) = cases[weighted(random, cases.iter().map(|(_, weight)| weight.clone()))].0;
        let both = attackers & defenders;
        let placed = subset(random, both, slice.attackers - x);
        let placed_attackers = placed | subset(random, attackers - both, x);
        let shared_defenders = subset(random, both - placed, slice.defenders - y);
        (placed_attackers, shared_defenders | subset(random, defenders - both, y))
    }

    /// Returns whether the tightest bound counts the placement.
    fn is_counted(&self, position: &Position) -> bool {
        let in_camps =
            self.reachability.camps.iter().all(|camp| {
                camp.patterns.binary_search(&(position.attackers & camp.squares)).is_ok()
            });
        in_camps
            && self.unmoved.as_ref().is_none_or(|(unmoved, counted)| {
                position.attackers != *unmoved
                    || counted.iter().any(|one| one.layout() == position.layout())
            })
    }
}

/// Draws an index with probabilities proportional to the weights.
fn weighted(random: &mut SeededRng, weights: impl Iterator<Item = BigUint> + Clone) -> usize {
    let mut left = below(random, &weights.clone().sum());
    for (i, weight) in weights.enumerate() {
        if left < weight {
            return i;
        }
        left -= weight;
    }
    unreachable!("the number is below the sum")
}

/// Draws a number below the limit, which is not 0, uniformly.
fn below(random: &mut SeededRng, limit: &BigUint) -> BigUint {
    let bits = limit.bits();
    loop {
        let words: Vec<u32> =
            (0..bits.div_ceil(32)).map(|_| (random.next_u64() >> 32) as u32).collect();
        let number = BigUint::new(words) >> (bits.div_ceil(32) * 32 - bits);
        if number < *limit {
            return number;
        }
    }
}

/// Draws a subset of this size, uniformly.
fn subset(random: &mut SeededRng, places: SquareSet, count: usize) -> SquareSet {
    let mut squares: Vec<Square> = places.iter().collect();
    for i in 0..count {
        let other = i + random.below(squares.len() - i);
        squares.swap(i, other);
    }
    squares.into_iter().take(count).collect()
}
