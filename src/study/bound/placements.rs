//! Placements at random, each as likely as any other.

use num_bigint::{BigInt, BigUint};

use crate::game::board::{Square, SquareSet};
use crate::game::position::Position;
use crate::game::rules::Side;
use crate::game::slice::Slice;
use crate::system::random::SeededRng;

use super::count::{Binomials, Field, Shape, Weights};
use super::ground::Ground;

/// Draws placements of running games, as the tightest bound counts them.
pub(crate) struct Placements<'a> {
    ground: &'a Ground<'a>,
    /// Without camps: what they forbid is drawn anew.
    field: Field,
    binomials: Binomials,
    kings: Vec<(Square, Shape, Weights)>,
    /// The attackers that have not moved, and what there is with them.
    unmoved: Option<(SquareSet, Vec<Position>)>,
}

impl<'a> Placements<'a> {
    pub(crate) fn new(ground: &'a Ground<'a>, unmoved: Option<(SquareSet, Vec<Position>)>) -> Self {
        let field = Field::reached(ground);
        let binomials = Binomials::of(ground);
        let kings = field.kings.iter().filter_map(|king| {
            let shape = field.shape(king, SquareSet::EMPTY, SquareSet::EMPTY)?;
            let weights = shape.weights(ground.most, &binomials);
            Some((king, shape, weights))
        });
        let kings = kings.collect();
        Placements { ground, field, binomials, kings, unmoved }
    }

    /// The placement that belongs to that state of the generator, either side to move.
    pub(crate) fn draw(&self, random: &mut SeededRng) -> Position {
        loop {
            let position = self.draw_one(random);
            if self.is_counted(&position) {
                return position;
            }
        }
    }

    fn draw_one(&self, random: &mut SeededRng) -> Position {
        let totals = self.kings.iter().map(|(_, _, weights)| weights.total(1));
        let (king, shape, weights) = &self.kings[chosen(random, totals)];
        let slices: Vec<(Slice, &BigInt)> = weights.slices().collect();
        let number = chosen(random, slices.iter().map(|(_, weight)| weight.magnitude().clone()));
        let (attackers, defenders) = self.fill(*king, shape, slices[number].0, random);
        let to_move = Side::ALL[random.below(2)];
        let rules = self.ground.rules.id();
        Position { king: *king, attackers, defenders, to_move, rules }
    }

    /// Soldiers of a material for a king.
    fn fill(
        &self,
        king: Square,
        shape: &Shape,
        slice: Slice,
        random: &mut SeededRng,
    ) -> (SquareSet, SquareSet) {
        let [attackers, defenders] =
            [self.field.attackers, self.field.defenders].map(|places| places.without(king));
        let c = |n: usize, k: usize| self.binomials.get(n, k);
        // How many attackers, and defenders, are on squares that are theirs alone.
        let mut cases = Vec::new();
        for x in 0..=slice.attackers.min(shape.attackers) {
            let shared = slice.attackers - x;
            if shared > shape.both {
                continue;
            }
            for y in 0..=slice.defenders.min(shape.defenders) {
                let own = c(shape.attackers, x) * c(shape.defenders, y);
                let rest = c(shape.both, shared) * c(shape.both - shared, slice.defenders - y);
                cases.push(((x, y), own * rest));
            }
        }
        let (x, y) = cases[chosen(random, cases.iter().map(|(_, weight)| weight.clone()))].0;
        let both = attackers & defenders;
        let mut some = |places: SquareSet, count: usize| subset(random, places, count);
        let placed = some(both, slice.attackers - x) | some(attackers - both, x);
        let others = some(both - placed, slice.defenders - y) | some(defenders - both, y);
        (placed, others)
    }

    /// Whether the tightest bound counts the placement.
    fn is_counted(&self, position: &Position) -> bool {
        let in_camps =
            self.ground.camps.iter().all(|camp| {
                camp.patterns.binary_search(&(position.attackers & camp.squares)).is_ok()
            });
        in_camps
            && self.unmoved.as_ref().is_none_or(|(unmoved, counted)| {
                position.attackers != *unmoved
                    || counted.iter().any(|one| one.layout() == position.layout())
            })
    }
}

/// One of these, each as likely as its weight says.
fn chosen(random: &mut SeededRng, weights: impl Iterator<Item = BigUint> + Clone) -> usize {
    let mut left = below(random, &weights.clone().sum());
    for (i, weight) in weights.enumerate() {
        if left < weight {
            return i;
        }
        left -= weight;
    }
    unreachable!("the number is below the sum")
}

/// A number below the limit, which is not 0, each as likely as any other.
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

/// So many of the squares.
fn subset(random: &mut SeededRng, places: SquareSet, count: usize) -> SquareSet {
    let mut squares: Vec<Square> = places.iter().collect();
    for i in 0..count {
        let other = i + random.below(squares.len() - i);
        squares.swap(i, other);
    }
    squares.into_iter().take(count).collect()
}
