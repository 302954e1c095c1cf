//! The static evaluation: a sum of terms that are the same for all rulesets, with weights for
//! each ruleset.

pub(super) mod counts;
pub(crate) mod features;
mod orbits;
pub(crate) mod weights;

use crate::game::rules::{ByKind, Kind, Ruleset, Side};

use super::bits::Bits;
use super::board_tables::BoardTables;
use super::state::{State, Step};
use features::{FeatureSink, Mobility, Term, count_places, count_terms};
use weights::{Weight, Weights};

/// Evaluates positions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Evaluator {
    /// By kind and square.
    places: ByKind<Vec<Weight>>,
    terms: [Weight; Term::COUNT],
    /// The number of men in the starting position. With all of them, only the weights of the start
    /// count.
    start_men: i32,
}

impl Evaluator {
    pub(crate) fn new(rules: &Ruleset, weights: &Weights) -> Evaluator {
        let orbits = orbits::orbits(rules);
        let places = ByKind::from_fn(|kind| {
            let weights = &weights.places[kind];
            orbits.iter().map(|&orbit| weights.get(orbit).copied().unwrap_or_default()).collect()
        });
        let start = &rules.start;
        let start_men = start.attackers.len() + start.defenders.len() + 1;
        Evaluator { places, terms: weights.terms, start_men: start_men as i32 }
    }

    /// Returns the evaluation for the side to move, in hundredths of a soldier.
    #[inline]
    pub(crate) fn estimate<const W: usize>(&self, board: &BoardTables<W>, state: &State<W>) -> i32 {
        self.estimate_with(board, state, &Mobility::of(board, state), self.places(state))
    }

    /// Returns the same, given the position's moves and the weight of the men's squares.
    #[inline(always)]
    pub(crate) fn estimate_with<const W: usize>(
        &self,
        board: &BoardTables<W>,
        state: &State<W>,
        mobility: &Mobility<W>,
        places: Weight,
    ) -> i32 {
        let mut sum = WeightedSum { evaluator: self, total: places };
        count_terms(board, state, mobility, &mut sum);
        let men = (state.men_count() as i32).min(self.start_men);
        let Weight { start, end } = sum.total;
        let points = (start * men + end * (self.start_men - men)) / self.start_men;
        match state.to_move {
            Side::Attackers => -points,
            Side::Defenders => points,
        }
    }

    /// Returns the weight of the men's squares.
    #[inline]
    pub(crate) fn places<const W: usize>(&self, state: &State<W>) -> Weight {
        let mut sum = WeightedSum { evaluator: self, total: Weight::default() };
        count_places(state, &mut sum);
        sum.total
    }

    /// Returns the weight of the men's squares after a move of a man of this kind that captures
    /// these soldiers, given the weight before it.
    #[inline]
    pub(crate) fn places_after<const W: usize>(
        &self,
        before: Weight,
        kind: Kind,
        step: Step,
        captured: Bits<W>,
    ) -> Weight {
        let mut places = before;
        places -= self.places[kind][step.from()];
        places += self.places[kind][step.to()];
        let victim = kind.side().other().soldier();
        captured.iter().for_each(|square| places -= self.places[victim][square]);
        places
    }
}

/// Sums up weights.
struct WeightedSum<'a> {
    evaluator: &'a Evaluator,
    total: Weight,
}

impl FeatureSink for WeightedSum<'_> {
    #[inline]
    fn place(&mut self, kind: Kind, square: usize) {
        self.total += self.evaluator.places[kind][square];
    }

    #[inline]
    fn term(&mut self, term: Term, count: i32) {
        let Weight { start, end } = self.evaluator.terms[term as usize];
        self.total.start += start * count;
        self.total.end += end * count;
    }
}
