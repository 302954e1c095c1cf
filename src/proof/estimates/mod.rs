//! The estimates behind the numbers of leaves: how near the side to move is to its aim.
//!
//! An evaluation `e`, in hundredths of a soldier, says that the side to move reaches its aim with
//! probability `1 / (1 + 10^(-e / 400))`. For some rulesets the weights are fitted to positions that
//! searches have solved (`scripts/tune-proofs.sh`), for each question and side to move: what helps
//! to win is not what helps to prevent a win. Otherwise the weights are those of the engine, which
//! are fitted to games.

use crate::engine::board_tables::BoardTables;
use crate::engine::evaluate::Evaluator;
use crate::engine::evaluate::features::Mobility;
use crate::engine::evaluate::weights::{Weight, Weights, WeightsError, WeightsFile};
use crate::engine::state::State;
use crate::game::rules::{BySide, Ruleset, Side};

/// The points that change a number by 1.
const POINTS_PER_NUMBER: f64 = 60.0;

/// [`Estimate::doubt`] of fitted weights.
const FITTED_DOUBT: f64 = 240.0;

/// The name in the files of the weight of a [threat](crate::proof::SolvedPosition::is_threat).
const THREAT: &str = "threat";

/// The files of fitted weights in one folder, by prover and side to move.
macro_rules! files {
    ($folder:literal) => {
        BySide([
            BySide([
                include_str!(concat!($folder, "/attackers-win-attackers-move.toml")),
                include_str!(concat!($folder, "/attackers-win-defenders-move.toml")),
            ]),
            BySide([
                include_str!(concat!($folder, "/defenders-win-attackers-move.toml")),
                include_str!(concat!($folder, "/defenders-win-defenders-move.toml")),
            ]),
        ])
    };
}

/// The texts of the fitted weights. All files of a folder name the same rulesets.
const FITTED: [BySide<BySide<&str>>; 1] = [files!("brandubh")];

/// Estimates how near the side to move is to its aim in one question.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Estimate {
    pub(super) evaluator: Evaluator,
    /// The weight of a threat of the king to win, where the attackers are to move.
    threat: Weight,
    /// How doubtful the evaluation is, in points. Without doubt, a side that is ahead has nothing
    /// left to do.
    doubt: f64,
}

impl Estimate {
    fn parse(text: &str, rules: &Ruleset) -> Result<Option<Estimate>, WeightsError> {
        let mut file = WeightsFile::parse(text)?;
        let threat = file.take_term(THREAT)?;
        let weights = file.is_for_rules_of(rules).then(|| file.weights(rules)).transpose()?;
        Ok(weights.map(|weights| {
            let evaluator = Evaluator::new(rules, &weights);
            Estimate { evaluator, threat, doubt: FITTED_DOUBT }
        }))
    }

    /// Returns the evaluation for the side to move, given the weight of the men's squares.
    #[inline(always)]
    pub(super) fn points<const W: usize>(
        &self,
        board: &BoardTables<W>,
        state: &State<W>,
        mobility: &Mobility<W>,
        places: Weight,
        is_threat: bool,
    ) -> i32 {
        let mut known = places;
        if is_threat {
            known += self.threat;
        }
        self.evaluator.estimate_with(board, state, mobility, known)
    }

    /// Returns the estimated effort until the side to move has reached its aim, beside 1.
    #[inline(always)]
    pub(super) fn to_success(&self, points: i32) -> u32 {
        self.effort(f64::from(points))
    }

    /// Returns the estimated effort until it has failed, beside 1 and its moves.
    #[inline(always)]
    pub(super) fn to_failure(&self, points: i32) -> u32 {
        self.effort(-f64::from(points))
    }

    /// A hyperbola that nears the effort without doubt, `max(-points, 0)`, on both sides. A square
    /// root is exact by IEEE 754, so that all machines make the same search.
    #[inline(always)]
    fn effort(&self, points: f64) -> u32 {
        let distance = (points * points + self.doubt * self.doubt).sqrt();
        ((distance - points) / 2.0 / POINTS_PER_NUMBER) as u32
    }
}

/// The estimates for a ruleset, by prover and side to move.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Estimates(BySide<BySide<Estimate>>);

impl Estimates {
    /// Returns the estimates for the ruleset: those for its rules, whatever the start.
    ///
    /// # Panics
    /// Never: a test parses all files.
    pub(super) fn of(rules: &Ruleset) -> Estimates {
        let fitted = FITTED.iter().find_map(|texts| Estimates::fitted(texts, rules));
        fitted.unwrap_or_else(|| Estimates::by_engine(rules))
    }

    /// Returns the estimates of these files, if they are for the rules.
    fn fitted(texts: &BySide<BySide<&str>>, rules: &Ruleset) -> Option<Estimates> {
        let parse = |prover, mover| {
            Estimate::parse(texts[prover][mover], rules)
                .unwrap_or_else(|error| unreachable!("{error}"))
        };
        let [attackers, defenders] = Side::ALL.map(|prover| {
            Some(BySide([parse(prover, Side::Attackers)?, parse(prover, Side::Defenders)?]))
        });
        Some(Estimates(BySide([attackers?, defenders?])))
    }

    /// Returns the estimates by the engine's weights, which are the same for both questions.
    pub(super) fn by_engine(rules: &Ruleset) -> Estimates {
        let evaluator = Evaluator::new(rules, &Weights::of(rules));
        let estimate = Estimate { evaluator, threat: Weight::default(), doubt: 0.0 };
        Estimates(BySide::from_fn(|_| BySide::from_fn(|_| estimate.clone())))
    }

    /// Returns the estimate for this side to move in the search for the win of `prover`.
    #[inline]
    pub(super) fn for_mover(&self, prover: Side, mover: Side) -> &Estimate {
        &self.0[prover][mover]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::position::Position;

    #[test]
    fn rulesets_have_the_estimates_that_name_them_or_the_engines() {
        let mut all_named = Vec::new();
        for texts in &FITTED {
            let rulesets = |text| WeightsFile::parse(text).unwrap().rulesets;
            let named = rulesets(texts[Side::Attackers][Side::Attackers]);
            assert!(texts.iter().flatten().all(|text| rulesets(text) == named), "{named:?}");
            for name in &named {
                let rules = Ruleset::builtin(name).unwrap();
                let Estimates(estimates) = Estimates::of(&rules);
                for (prover, mover) in Side::ALL.iter().flat_map(|p| Side::ALL.map(|m| (*p, m))) {
                    let text = texts[prover][mover];
                    let case = format!("# {}-win-{}-move: ", prover.name(), mover.name());
                    assert!(text.starts_with(&case), "{name}: {case}");
                    let fitted = Estimate::parse(text, &rules).unwrap();
                    assert_eq!(Some(&estimates[prover][mover]), fitted.as_ref(), "{name}");
                    let is_small = |weight: i32| weight.abs() <= 2_000;
                    let Weight { start, end } = estimates[prover][mover].threat;
                    assert!(is_small(start) && is_small(end), "threat = [{start}, {end}]");
                    assert_eq!(text.contains("threat = [0, 0]"), mover == Side::Defenders);
                }
            }
            all_named.extend(named);
        }
        let reduced = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/rulesets/brandubh-6v4.toml");
        let reduced = Ruleset::load(reduced).unwrap();
        let brandubh = Estimates::of(&Ruleset::builtin("brandubh").unwrap());
        let [own, whole] = [Estimates::of(&reduced), brandubh].map(|Estimates(estimates)| {
            estimates.map(|by_mover| by_mover.map(|estimate| estimate.threat))
        });
        assert_eq!(own, whole, "the rules are the same, only the start is not");
        for name in Ruleset::builtin_names() {
            let rules = Ruleset::builtin(name).unwrap();
            let is_fitted = Estimates::of(&rules) != Estimates::by_engine(&rules);
            assert_eq!(is_fitted, all_named.iter().any(|named| named == name), "{name}");
        }
    }

    #[test]
    fn a_threat_and_doubt_change_the_estimate() {
        let rules = Ruleset::builtin("brandubh").unwrap();
        let board: BoardTables<1> = BoardTables::new(&rules);
        let state = State::new(&board, &Position::start(&rules).unwrap());
        let mobility = Mobility::of(&board, &state);
        let (fitted, engines) = (Estimates::of(&rules), Estimates::by_engine(&rules));
        for prover in Side::ALL {
            let estimate = fitted.for_mover(prover, Side::Attackers);
            let places = estimate.evaluator.places(&state);
            let points = |is_threat| estimate.points(&board, &state, &mobility, places, is_threat);
            // With all men on the board, only the weight of the start counts.
            assert_eq!(points(false) - points(true), estimate.threat.start);
            assert!(estimate.threat.start > 0, "a threat of the king is bad for the attackers");
            let engine = engines.for_mover(prover, Side::Attackers);
            assert_eq!([2, 2], [estimate.to_success(0), estimate.to_failure(0)]);
            for points in -3000..=3000 {
                let sure = (-points).max(0) as u32 / 60;
                assert_eq!(engine.to_success(points), sure, "{points}");
                assert_eq!(engine.to_failure(-points), sure, "{points}");
                assert_eq!(estimate.to_success(points), estimate.to_failure(-points));
                let by_doubt = estimate.to_success(points) - sure;
                assert!(by_doubt <= 2 && (points.abs() < 400 || by_doubt <= 1), "{points}");
            }
        }
    }
}
