//! What an undecided position is worth: a sum of terms that are the same for every
//! ruleset, with weights of its own for each.

mod features;
mod weights;

use crate::game::board::{Square, SquareSet};
use crate::game::rules::{ByKind, Kind, Ruleset, Side};

use super::board_tables::BoardTables;
use super::state::State;

pub use features::Term;
pub use weights::{Weight, Weights, WeightsError};

use features::{FeatureSink, count_features};

/// Gives positions their estimates.
pub(super) struct Evaluator {
    /// By square.
    places: ByKind<Vec<Weight>>,
    terms: [Weight; Term::COUNT],
    /// Men in the starting position: with them the weights of the start count.
    start_men: i32,
}

impl Evaluator {
    pub(super) fn new(rules: &Ruleset, weights: &Weights) -> Evaluator {
        let orbits = orbits(rules);
        let places = ByKind::from_fn(|kind| {
            let of_square = |orbit: &usize| weights.places[kind].get(*orbit).copied();
            orbits.iter().map(|orbit| of_square(orbit).unwrap_or_default()).collect()
        });
        let start = &rules.start;
        let start_men = start.attackers.len() + start.defenders.len() + 1;
        Evaluator { places, terms: weights.terms, start_men: start_men as i32 }
    }

    /// The estimate for the side to move, in hundredths of a soldier.
    #[inline]
    pub(super) fn estimate<const W: usize>(&self, board: &BoardTables<W>, state: &State<W>) -> i32 {
        let mut sum = WeightedSum { evaluator: self, total: Weight::default() };
        count_features(board, state, &mut sum);
        let men = (state.men_count() as i32).min(self.start_men);
        let Weight { start, end } = sum.total;
        let points = (start * men + end * (self.start_men - men)) / self.start_men;
        match state.to_move {
            Side::Attackers => -points,
            Side::Defenders => points,
        }
    }
}

/// Adds up the weights.
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

/// The number of each square's class under the ruleset's symmetries, in the order of the
/// classes' first squares.
pub(super) fn orbits(rules: &Ruleset) -> Vec<usize> {
    let board = rules.board;
    let mut orbits = vec![usize::MAX; board.area()];
    let mut count = 0;
    for square in board.squares() {
        if orbits[square.index()] == usize::MAX {
            for symmetry in rules.symmetries().iter() {
                orbits[symmetry.apply(board, square).index()] = count;
            }
            count += 1;
        }
    }
    orbits
}

/// What a position has of each weight: first the places by kind and class of squares,
/// then the terms. For tuning.
#[doc(hidden)]
pub struct Counts {
    /// How often each weight counts, from the defenders' side.
    pub counts: Vec<(usize, i32)>,
    /// The share of the weights of the start, 0 to 1.
    pub phase: f64,
}

struct FeatureCounts<'a> {
    orbits: &'a [usize],
    classes: usize,
    counts: Vec<(usize, i32)>,
}

impl FeatureSink for FeatureCounts<'_> {
    fn place(&mut self, kind: Kind, square: usize) {
        self.counts.push((kind as usize * self.classes + self.orbits[square], 1));
    }

    fn term(&mut self, term: Term, count: i32) {
        if count != 0 {
            self.counts.push((Kind::ALL.len() * self.classes + term as usize, count));
        }
    }
}

impl Counts {
    /// Of a position.
    pub fn of(rules: &Ruleset, position: &crate::game::position::Position) -> Counts {
        // The largest board's words serve all.
        let board = BoardTables::<{ SquareSet::WORDS }>::new(rules);
        let state = State::new(&board, position);
        let orbits = orbits(rules);
        let classes = classes(&orbits);
        let mut sink = FeatureCounts { orbits: &orbits, classes, counts: Vec::new() };
        count_features(&board, &state, &mut sink);
        let start_men = rules.start.attackers.len() + rules.start.defenders.len() + 1;
        let phase = (f64::from(state.men_count()) / start_men as f64).min(1.0);
        Counts { counts: sink.counts, phase }
    }
}

pub(super) fn classes(orbits: &[usize]) -> usize {
    orbits.iter().max().map_or(0, |last| last + 1)
}

/// The first square of each class, to name it.
pub(super) fn representatives(rules: &Ruleset) -> Vec<Square> {
    let orbits = orbits(rules);
    let first = |class| orbits.iter().position(|&orbit| orbit == class);
    (0..classes(&orbits)).filter_map(first).map(Square::new).collect()
}
