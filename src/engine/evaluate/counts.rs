use crate::engine::board_tables::BoardTables;
use crate::engine::state::State;
use crate::game::board::SquareSet;
use crate::game::position::Position;
use crate::game::rules::{Kind, Ruleset};

use super::features::{FeatureSink, Mobility, Term, count_places, count_terms};
use super::orbits::{orbit_count, orbits};

/// The features of a position, for tuning: first the men by kind and orbit of squares, then the
/// terms.
#[doc(hidden)]
pub struct Counts {
    /// Indices of weights with their counts from the defenders' side. An index may occur more
    /// than once.
    pub counts: Vec<(usize, i32)>,
    /// The proportion of the weights of the start, 0 to 1.
    pub phase: f64,
}

/// Collects counts by the index of their weight.
struct FeatureCounts<'a> {
    orbits: &'a [usize],
    orbit_count: usize,
    counts: Vec<(usize, i32)>,
}

impl FeatureSink for FeatureCounts<'_> {
    fn place(&mut self, kind: Kind, square: usize) {
        self.counts.push((kind as usize * self.orbit_count + self.orbits[square], 1));
    }

    fn term(&mut self, term: Term, count: i32) {
        if count != 0 {
            self.counts.push((Kind::ALL.len() * self.orbit_count + term as usize, count));
        }
    }
}

impl Counts {
    /// Counts the features of a position.
    pub fn of(rules: &Ruleset, position: &Position) -> Counts {
        // The number of words of the largest board works for all.
        let board = BoardTables::<{ SquareSet::WORDS }>::new(rules);
        let state = State::new(&board, position);
        let orbits = orbits(rules);
        let mut sink = FeatureCounts {
            orbits: &orbits,
            orbit_count: orbit_count(&orbits),
            counts: Vec::new(),
        };
        count_places(&state, &mut sink);
        count_terms(&board, &state, &Mobility::of(&board, &state), &mut sink);
        let start_men = rules.start.attackers.len() + rules.start.defenders.len() + 1;
        let phase = (f64::from(state.men_count()) / start_men as f64).min(1.0);
        Counts { counts: sink.counts, phase }
    }
}
