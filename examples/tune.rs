//! Fits the engine's weights to the outcomes of games: `scripts/tune.sh` plays them.
//!
//!     cargo run --release --example tune -- RULES GAMES.jsonl… > weights.toml
//!
//! Texel's method: the estimate of a quiet position is to foretell the game's outcome.
//! With `p = 1 / (1 + 10^(-estimate / 400))`, the weights are those that make the
//! outcomes most likely (least cross entropy), found by Adam (Kingma and Ba, ICLR 2015),
//! and then all multiplied so that a soldier is worth a hundred on the average.

use std::io::Write as _;
use std::sync::Arc;

use rayon::prelude::*;
use serde_json::Value;
use taflbase::engine::{Counts, Weight, Weights};
use taflbase::moves::{Move, legal_moves};
use taflbase::notation::parse_move;
use taflbase::rules::ByKind;
use taflbase::{Game, Ruleset};

/// Rounds over all positions.
const ROUNDS: u32 = 600;
/// What a round changes a weight by at first, in hundredths of a soldier.
const RATE: f64 = 4.0;
/// A weight is held to what it was before as if so many positions spoke for that.
const TRUST: f64 = 3000.0;

/// A position with what became of it.
struct Sample {
    counts: Vec<(usize, i32)>,
    phase: f64,
    /// For the defenders: 1, ½ or 0.
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
    let rounded = |i: usize| Weight {
        start: weights[2 * i].round() as i32,
        end: weights[2 * i + 1].round() as i32,
    };
    let places = |kind| (0..classes).map(|class| rounded(kind * classes + class)).collect();
    let weights = Weights {
        places: ByKind([places(0), places(1), places(2)]),
        terms: std::array::from_fn(|term| rounded(3 * classes + term)),
    };
    let mut out = std::io::stdout();
    writeln!(
        out,
        "# Fitted by scripts/tune.sh to {} positions of {games} games of",
        samples.len()
    )?;
    writeln!(out, "# the engine with itself; mean cross entropy {loss:.4}.")?;
    write!(out, "{}", weights.to_toml(&rules, std::slice::from_ref(&rules.name)))?;
    Ok(())
}

/// Adds the game's quiet positions; nothing if the record is not what `match` writes.
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
    // A game that shuffles to its end says the same over and over.
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

/// By what weights are multiplied, so that a soldier is worth a hundred: on the average
/// of all soldiers in all positions, whatever their side.
fn scale(samples: &[Sample], weights: &[f64], classes: usize) -> f64 {
    let soldiers = samples.iter().flat_map(|sample| {
        let soldiers = sample.counts.iter().filter(|(i, _)| *i < 2 * classes);
        soldiers.map(|&(i, _)| weight(weights, i, sample.phase).abs())
    });
    let (sum, count) = soldiers.fold((0.0, 0.0), |(sum, count), worth| (sum + worth, count + 1.0));
    100.0 * count / sum
}

/// What a weight is when that share of the men is left.
fn weight(weights: &[f64], i: usize, phase: f64) -> f64 {
    weights[2 * i] * phase + weights[2 * i + 1] * (1.0 - phase)
}

fn foretold(sample: &Sample, weights: &[f64]) -> f64 {
    let worth = |&(i, n): &(usize, i32)| weight(weights, i, sample.phase) * f64::from(n);
    let estimate: f64 = sample.counts.iter().map(worth).sum();
    1.0 / (1.0 + 10_f64.powf(-estimate / 400.0))
}

fn loss(samples: &[Sample], weights: &[f64]) -> f64 {
    let sum: f64 = samples
        .par_iter()
        .map(|sample| {
            let p = foretold(sample, weights).clamp(1e-9, 1.0 - 1e-9);
            -(sample.outcome * p.ln() + (1.0 - sample.outcome) * (1.0 - p).ln())
        })
        .sum();
    sum / samples.len() as f64
}

/// The weights of before, multiplied so that they foretell as well as they can.
fn prior(samples: &[Sample], weights: &Weights) -> Vec<f64> {
    let weights = weights_of(weights);
    let times = |factor: f64| weights.iter().map(|weight| weight * factor).collect::<Vec<f64>>();
    let factors = (1..=40).map(|tenths| f64::from(tenths) / 10.0);
    let rated = factors.map(|factor| (loss(samples, &times(factor)), factor));
    let (_, best) = rated.min_by(|one, other| one.0.total_cmp(&other.0)).unwrap_or((0.0, 1.0));
    eprintln!("the weights of before, times {best}: {:.5}", loss(samples, &times(best)));
    times(best)
}

/// Both values of each weight, one after the other.
fn weights_of(weights: &Weights) -> Vec<f64> {
    let all = weights.places.iter().flatten().chain(&weights.terms);
    all.flat_map(|weight| [f64::from(weight.start), f64::from(weight.end)]).collect()
}

fn fit(samples: &[Sample], prior: &[f64]) -> Vec<f64> {
    // How fast the slope of a loss changes with a weight, at its steepest.
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

/// Of the sum of all losses.
fn gradient(samples: &[Sample], weights: &[f64]) -> Vec<f64> {
    let zero = || vec![0.0; weights.len()];
    let add = |mut sum: Vec<f64>, sample: &Sample| {
        let error = foretold(sample, weights) - sample.outcome;
        for &(i, n) in &sample.counts {
            let slope = error * f64::from(n) * std::f64::consts::LN_10 / 400.0;
            sum[2 * i] += slope * sample.phase;
            sum[2 * i + 1] += slope * (1.0 - sample.phase);
        }
        sum
    };
    samples.par_iter().fold(zero, add).reduce(zero, |mut sum, other| {
        sum.iter_mut().zip(other).for_each(|(sum, other)| *sum += other);
        sum
    })
}
