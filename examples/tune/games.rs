//! Fits the engine's weights to the outcomes of games, by Texel's method: the evaluation of a quiet
//! position should predict the game's outcome. The weights are then scaled so that a soldier is worth
//! 100 on average.

use std::io::Write as _;
use std::sync::Arc;

use serde_json::Value;
use taflbase::Ruleset;
use taflbase::engine::{Counts, Weights};
use taflbase::moves::{Move, legal_moves};

use crate::fit::{Pace, Sample, fit, flattened, loss, prior, weight, weights};
use crate::replay;

const PACE: Pace = Pace { rate: 4.0, trust: 3000.0 };
/// Long games mostly shuffle pieces, so later positions add little.
const MAX_PLIES: usize = 160;

pub(crate) fn tune(
    rules: &Arc<Ruleset>,
    games: &[Value],
) -> Result<(), Box<dyn std::error::Error>> {
    let mut samples = Vec::new();
    let complete = games.iter().filter_map(|game| add_samples(rules, game, &mut samples)).count();
    writeln!(std::io::stderr(), "{complete} games, {} positions", samples.len())?;
    let previous = Weights::of(rules);
    let classes = previous.places.0[0].len();
    let mut fitted = fit(&samples, &prior(&samples, &flattened(&previous)), PACE);
    let loss = loss(&samples, &fitted);
    let scale = scale(&samples, &fitted, classes);
    fitted.iter_mut().for_each(|weight| *weight *= scale);
    let mut out = std::io::stdout();
    let positions = samples.len();
    writeln!(out, "# Fitted by scripts/tune.sh to {positions} positions of {complete} games of")?;
    writeln!(out, "# the engine with itself; mean cross entropy {loss:.4}.")?;
    write!(out, "{}", weights(&fitted, classes).to_toml(rules, std::slice::from_ref(&rules.name)))?;
    Ok(())
}

/// Adds the game's quiet positions; returns `None` if the record is not one of `match`.
fn add_samples(rules: &Arc<Ruleset>, record: &Value, samples: &mut Vec<Sample>) -> Option<()> {
    let outcome = match (record["winner"].as_str(), record["attackers"].as_str()) {
        (None, _) => 0.5,
        (winner, attackers) if winner == attackers => 0.0,
        _ => 1.0,
    };
    let scores = record["scores"].as_array()?;
    replay(rules, record, |at, game| {
        let score = scores.get(at).and_then(Value::as_str);
        let is_estimate = score.is_some_and(|score| score.starts_with(['+', '-']));
        let is_quiet = || legal_moves(rules, game.position()).iter().all(Move::is_quiet);
        if at < MAX_PLIES && is_estimate && is_quiet() {
            let Counts { counts, phase } = Counts::of(rules, game.position());
            samples.push(Sample { counts, phase, outcome });
        }
    })
}

/// Returns the factor that makes a soldier worth 100, on average over all soldiers of both sides
/// in all positions.
fn scale(samples: &[Sample], weights: &[f64], classes: usize) -> f64 {
    let soldiers = samples.iter().flat_map(|sample| {
        let soldiers = sample.counts.iter().filter(|(i, _)| *i < 2 * classes);
        soldiers.map(|&(i, _)| weight(weights, i, sample.phase).abs())
    });
    let (sum, count) = soldiers.fold((0.0, 0.0), |(sum, count), worth| (sum + worth, count + 1.0));
    100.0 * count / sum
}
