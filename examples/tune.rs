//! Fits the engine's weights to the outcomes of games: `scripts/tune.sh` plays them.
//!
//!     cargo run --release --example tune -- RULES GAMES.jsonl… > weights.toml
//!
//! Texel's method: the evaluation of a quiet position should predict the game's outcome. With
//! `p = 1 / (1 + 10^(-evaluation / 400))`, the weights minimize the cross entropy, by Adam
//! (Kingma and Ba, ICLR 2015). They are then scaled so that a soldier is worth 100 on average.

use std::io::Write as _;
use std::sync::Arc;

use rayon::prelude::*;
use serde_json::Value;
use taflbase::engine::{Counts, Weight, Weights};
use taflbase::moves::{Move, legal_moves};
use taflbase::notation::parse_move;
use taflbase::rules::ByKind;
use taflbase::{Game, Ruleset};

/// Epochs: rounds over all positions.
const ROUNDS: u32 = 600;
/// The initial learning rate, in hundredths of a soldier.
const RATE: f64 = 4.0;
/// The strength of the prior, the previous weights, as a number of positions.
const TRUST: f64 = 3000.0;

/// A position and the outcome of its game.
struct Sample {
    counts: Vec<(usize, i32)>,
    phase: f64,
    /// The score for the defenders: 1, ½ or 0.
    outcome: f64,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().ok_or("which ruleset?")?;
    let rules = Arc::new(Ruleset::load(&name)?);
    let mut samples = Vec::new();
    let mut games = 0;
    for file in arguments {
        for line in std::fs::read_to_string(&file)?.lines() {
            let game: Value = serde_json::from_str(line)?;
            games += usize::from(add_samples(&rules, &game, &mut samples).is_some());
        }
    }
    let mut err = std::io::stderr();
    writeln!(err, "{games} games, {} positions", samples.len())?;
    let classes = Weights::of(&rules).places.0[0].len();
    let prior = prior(&samples, &Weights::of(&rules));
    let mut weights = fit(&samples, &prior);
    let loss = loss(&samples, &weights);
    let scale = scale(&samples, &weights, classes);
    weights.iter_mut().for_each(|weight| *weight *= scale);
    let fitted = Weights {
        places: ByKind([0, 1, 2].map(|kind| {
            (0..classes).map(|class| rounded(&weights, kind * classes + class)).collect()
        })),
        terms: std::array::from_fn(|term| rounded(&weights, 3 * classes + term)),
    };
    let mut out = std::io::stdout();
    writeln!(
        out,
        "# Fitted by scripts/tune.sh to {} positions of {games} games of",
        samples.len()
    )?;
    writeln!(out, "# the engine with itself; mean cross entropy {loss:.4}.")?;
    write!(out, "{}", fitted.to_toml(&rules, std::slice::from_ref(&rules.name)))?;
    Ok(())
}

/// Returns the weight with this index, from the parameters.
fn rounded(weights: &[f64], i: usize) -> Weight {
    Weight { start: weights[2 * i].round() as i32, end: weights[2 * i + 1].round() as i32 }
}

/// Adds the game's quiet positions; returns `None` if the record is not one of `match`.
fn add_samples(rules: &Arc<Ruleset>, record: &Value, samples: &mut Vec<Sample>) -> Option<()> {
    let outcome = match (record["winner"].as_str(), record["attackers"].as_str()) {
        (None, _) => 0.5,
        (winner, attackers) if winner == attackers => 0.0,
        _ => 1.0,
    };
    let mut game = Game::new(Arc::clone(rules)).ok()?;
    for text in record["opening"].as_array()? {
        let played = parse_move(rules, game.position(), text.as_str()?).ok()?;
        game.play(&played).ok()?;
    }
    let scores = record["scores"].as_array()?;
    // Long games mostly shuffle pieces, so later positions add little.
    for (text, score) in record["moves"].as_array()?.iter().zip(scores).take(160) {
        let played = parse_move(rules, game.position(), text.as_str()?).ok()?;
        let is_estimate = score.as_str().is_some_and(|score| score.starts_with(['+', '-']));
        if is_estimate && legal_moves(rules, game.position()).iter().all(Move::is_quiet) {
            let Counts { counts, phase } = Counts::of(rules, game.position());
            samples.push(Sample { counts, phase, outcome });
        }
        game.play(&played).ok()?;
    }
    Some(())
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

/// Interpolates a weight for a game phase, the share of the pieces that are left.
fn weight(weights: &[f64], i: usize, phase: f64) -> f64 {
    weights[2 * i] * phase + weights[2 * i + 1] * (1.0 - phase)
}

/// Predicts the outcome of a sample from its evaluation.
fn predicted(sample: &Sample, weights: &[f64]) -> f64 {
    let terms = sample.counts.iter();
    let evaluation: f64 =
        terms.map(|&(i, n)| weight(weights, i, sample.phase) * f64::from(n)).sum();
    1.0 / (1.0 + 10_f64.powf(-evaluation / 400.0))
}

fn loss(samples: &[Sample], weights: &[f64]) -> f64 {
    let sum: f64 = samples
        .par_iter()
        .map(|sample| {
            let p = predicted(sample, weights).clamp(1e-9, 1.0 - 1e-9);
            -(sample.outcome * p.ln() + (1.0 - sample.outcome) * (1.0 - p).ln())
        })
        .sum();
    sum / samples.len() as f64
}

/// Returns the previous weights, scaled so that they predict best.
fn prior(samples: &[Sample], previous: &Weights) -> Vec<f64> {
    let weights = flattened(previous);
    let factors = (1..=40).map(|tenths| f64::from(tenths) / 10.0);
    let rated = factors.map(|factor| (loss(samples, &scaled(&weights, factor)), factor));
    let (_, best) = rated.min_by(|one, other| one.0.total_cmp(&other.0)).unwrap_or((0.0, 1.0));
    let prior = scaled(&weights, best);
    eprintln!("the previous weights, times {best}: {:.5}", loss(samples, &prior));
    prior
}

fn scaled(weights: &[f64], factor: f64) -> Vec<f64> {
    weights.iter().map(|weight| weight * factor).collect()
}

/// Returns the start and end value of each weight in turn.
fn flattened(weights: &Weights) -> Vec<f64> {
    let all = weights.places.iter().flatten().chain(&weights.terms);
    all.flat_map(|weight| [f64::from(weight.start), f64::from(weight.end)]).collect()
}

fn fit(samples: &[Sample], prior: &[f64]) -> Vec<f64> {
    // The maximum second derivative of a position's loss.
    let curvature = 0.25 * (std::f64::consts::LN_10 / 400.0).powi(2);
    let hold = TRUST * curvature / samples.len() as f64;
    let mut weights = prior.to_vec();
    let (mut first, mut second) = (vec![0.0; prior.len()], vec![0.0; prior.len()]);
    for round in 1..=ROUNDS {
        let mut gradient = gradient(samples, &weights);
        for i in 0..weights.len() {
            gradient[i] = gradient[i] / samples.len() as f64 + hold * (weights[i] - prior[i]);
            first[i] = 0.9 * first[i] + 0.1 * gradient[i];
            second[i] = 0.999 * second[i] + 0.001 * gradient[i] * gradient[i];
            let mean = first[i] / (1.0 - 0.9_f64.powi(round as i32));
            let spread = second[i] / (1.0 - 0.999_f64.powi(round as i32));
            let rate = RATE * (1.0 - f64::from(round - 1) / f64::from(ROUNDS));
            weights[i] -= rate * mean / (spread.sqrt() + 1e-12);
        }
        if round % 100 == 0 {
            eprintln!("round {round}: {:.5}", loss(samples, &weights));
        }
    }
    weights
}

/// Computes the gradient of the sum of all losses.
fn gradient(samples: &[Sample], weights: &[f64]) -> Vec<f64> {
    let zero = || vec![0.0; weights.len()];
    samples
        .par_iter()
        .fold(zero, |mut sum, sample| {
            let error = predicted(sample, weights) - sample.outcome;
            for &(i, n) in &sample.counts {
                let slope = error * f64::from(n) * std::f64::consts::LN_10 / 400.0;
                sum[2 * i] += slope * sample.phase;
                sum[2 * i + 1] += slope * (1.0 - sample.phase);
            }
            sum
        })
        .reduce(zero, |mut sum, other| {
            sum.iter_mut().zip(other).for_each(|(sum, other)| *sum += other);
            sum
        })
}
