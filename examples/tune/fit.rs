//! Logistic regression: with `p = 1 / (1 + 10^(-evaluation / 400))` the probability of the defenders'
//! success, the weights minimize the cross entropy, by Adam (Kingma and Ba, ICLR 2015).

use rayon::prelude::*;
use taflbase::engine::{Weight, Weights};
use taflbase::rules::ByKind;

/// Epochs: rounds over all positions.
const ROUNDS: u32 = 600;

/// How fast and how far a fit goes.
#[derive(Clone, Copy)]
pub(crate) struct Pace {
    /// The initial learning rate, in hundredths of a soldier.
    pub(crate) rate: f64,
    /// The strength of the prior, the previous weights, as a number of positions.
    pub(crate) trust: f64,
}

/// A position and its outcome.
pub(crate) struct Sample {
    pub(crate) counts: Vec<(usize, i32)>,
    pub(crate) phase: f64,
    /// The score for the defenders: 1, ½ or 0.
    pub(crate) outcome: f64,
}

/// Returns the weights with the start and end values in turn.
pub(crate) fn flattened(weights: &Weights) -> Vec<f64> {
    let all = weights.places.iter().flatten().chain(&weights.terms);
    all.flat_map(|weight| [f64::from(weight.start), f64::from(weight.end)]).collect()
}

/// Returns the rounded weights, given the number of classes of squares.
pub(crate) fn weights(flattened: &[f64], classes: usize) -> Weights {
    Weights {
        places: ByKind([0, 1, 2].map(|kind| {
            (0..classes).map(|class| weight_at(flattened, kind * classes + class)).collect()
        })),
        terms: std::array::from_fn(|term| weight_at(flattened, 3 * classes + term)),
    }
}

/// Returns the rounded weight with this index.
pub(crate) fn weight_at(flattened: &[f64], i: usize) -> Weight {
    Weight { start: flattened[2 * i].round() as i32, end: flattened[2 * i + 1].round() as i32 }
}

/// Interpolates a weight for a game phase, the share of the pieces that are left.
pub(crate) fn weight(weights: &[f64], i: usize, phase: f64) -> f64 {
    weights[2 * i] * phase + weights[2 * i + 1] * (1.0 - phase)
}

/// Predicts the outcome of a sample from its evaluation.
fn predicted(sample: &Sample, weights: &[f64]) -> f64 {
    let terms = sample.counts.iter();
    let evaluation: f64 =
        terms.map(|&(i, n)| weight(weights, i, sample.phase) * f64::from(n)).sum();
    1.0 / (1.0 + 10_f64.powf(-evaluation / 400.0))
}

/// Returns the mean cross entropy.
pub(crate) fn loss(samples: &[Sample], weights: &[f64]) -> f64 {
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
pub(crate) fn prior(samples: &[Sample], previous: &[f64]) -> Vec<f64> {
    let factors = (1..=40).map(|tenths| f64::from(tenths) / 10.0);
    let rated = factors.map(|factor| (loss(samples, &scaled(previous, factor)), factor));
    let (loss, best) = rated.min_by(|one, other| one.0.total_cmp(&other.0)).unwrap_or((0.0, 1.0));
    eprintln!("the previous weights, times {best}: {loss:.5}");
    scaled(previous, best)
}

fn scaled(weights: &[f64], factor: f64) -> Vec<f64> {
    weights.iter().map(|weight| weight * factor).collect()
}

/// Minimizes the loss, from the prior.
pub(crate) fn fit(samples: &[Sample], prior: &[f64], pace: Pace) -> Vec<f64> {
    // The maximum second derivative of a position's loss.
    let curvature = 0.25 * (std::f64::consts::LN_10 / 400.0).powi(2);
    let hold = pace.trust * curvature / samples.len() as f64;
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
            let rate = pace.rate * (1.0 - f64::from(round - 1) / f64::from(ROUNDS));
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
