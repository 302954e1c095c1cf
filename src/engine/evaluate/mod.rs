//! The static evaluation: a sum of terms that are the same for all rulesets, with weights for
//! each ruleset.

pub(super) mod counts;
pub(crate) mod features;
mod orbits;
pub(crate) mod weights;

use crate::game::rules::{ByKind, Kind, Ruleset, Side};

use super::board_tables::BoardTables;
use super::state::State;
use features::{FeatureSink, Mobility, Term, count_features};
use weights::{Weight, Weights};

/// Evaluates positions.
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
        self.estimate_with(board, state, &Mobility::of(board, state))
    }

    /// Returns the same, given the position's moves.
    #[inline]
    pub(crate) fn estimate_with<const W: usize>(
        &self,
        board: &BoardTables<W>,
        state: &State<W>,
        mobility: &Mobility<W>,
    ) -> i32 {
        let mut sum = WeightedSum { evaluator: self, total: Weight::default() };
        count_features(board, state, mobility, &mut sum);
        let men = (state.men_count() as i32).min(self.start_men);
        let Weight { start, end } = sum.total;
        let points = (start * men + end * (self.start_men - men)) / self.start_men;
        match state.to_move {
            Side::Attackers => -points,
            Side::Defenders => points,
        }
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
        let Weight { start, end } = self.evaluator.places[kind][square];
        self.total.start += start;
        self.total.end += end;
    }

    #[inline]
    fn term(&mut self, term: Term, count: i32) {
        let Weight { start, end } = self.evaluator.terms[term as usize];
        self.total.start += start * count;
        self.total.end += end * count;
    }
}
