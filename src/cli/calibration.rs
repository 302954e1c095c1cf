//! How long building takes here and how large files become, from building a few
//! small slices.
//!
//! The time of a slice is taken to be
//!
//! ```text
//! least + growth^attackers * (per_slot * slots + per_set * attackers * sets)
//! ```
//!
//! with the sets of attackers, since every attacker more makes games longer, and what depends on the
//! attackers alone is worked out once for each set of them. The logarithm of the
//! bits per slot is taken to be linear in the attackers and in 1 / (defenders + 1),
//! near to what was measured over many slices; bare kings compress worst.

use std::time::{Duration, Instant};

use taflbase::Tablebase;
use taflbase::build::{SlicePlan, SliceSize};
use taflbase::rules::Ruleset;
use taflbase::slice::Slice;
use taflbase::table::Metric;

use super::failure::Failure;
use super::measure::measured;

/// Calibration stops before a slice that would take longer than this.
const LONGEST: Duration = Duration::from_millis(1500);
/// Slots that take about as long as a set of attackers does, and as what every
/// slice takes however small it is.
const SLOTS_PER_SET: u64 = 200;
const SLOTS_PER_SLICE: u64 = 500_000;
/// How the logarithm of the bits grows with the attackers and with
/// 1 / (defenders + 1), if nothing is known of a ruleset.
const TREND: [f64; 2] = [0.3, 1.0];
/// How much the trend counts beside what is measured.
const TREND_WEIGHT: f64 = 0.5;

/// What was learnt from small slices.
pub struct Calibration {
    time: Time,
    /// The logarithm of the bits per slot: a constant, and two slopes.
    bits: f64,
    slopes: [f64; 2],
}

/// The terms of the time.
#[derive(Clone, Copy, Default)]
struct Time {
    least: f64,
    growth: f64,
    per_slot: f64,
    per_set: f64,
}

/// A slice of which something is known.
struct Sample {
    slice: Slice,
    size: SliceSize,
    bytes: u64,
    /// Unknown if it was there already.
    core_seconds: Option<f64>,
}

impl Calibration {
    /// Builds the smallest of the planned slices in a temporary folder, and looks
    /// at the files of those that are there.
    pub fn new(base: &Tablebase, plan: &[SlicePlan]) -> Result<Calibration, Failure> {
        let mut samples = built(base.rules(), plan)?;
        samples.extend(plan.iter().filter(|plan| plan.present).filter_map(|plan| {
            let bytes = file_bytes(base, plan.slice)?;
            Some(Sample { slice: plan.slice, size: plan.size?, bytes, core_seconds: None })
        }));
        let (bits, slopes) = fit_bits(&samples);
        Ok(Calibration { time: fit_time(&samples), bits, slopes })
    }

    /// The time of one core that building takes.
    pub fn core_seconds(&self, slice: Slice, size: &SliceSize) -> f64 {
        let Time { least, growth, per_slot, per_set } = self.time;
        let [slots, sets] = time_terms(slice, size);
        least + growth.powi(slice.attackers as i32) * (per_slot * slots + per_set * sets)
    }

    /// The size of both files.
    pub fn file_bytes(&self, slice: Slice, size: &SliceSize) -> u64 {
        let [attackers, bare] = bits_terms(slice);
        let bits = (self.bits + self.slopes[0] * attackers + self.slopes[1] * bare).exp();
        (size.slots as f64 * bits / 8.0) as u64
    }
}

/// The size of both files of a slice that is there.
pub fn file_bytes(base: &Tablebase, slice: Slice) -> Option<u64> {
    let sizes = Metric::ALL.map(|metric| base.table(slice, metric).ok().map(|t| t.size_bytes()));
    sizes.into_iter().sum()
}

/// Builds slices from small to large, as long as it does not take long.
fn built(rules: &Ruleset, plan: &[SlicePlan]) -> Result<Vec<Sample>, Failure> {
    let sized = plan.iter().filter_map(|plan| plan.size.map(|size| (plan.slice, size)));
    let mut candidates: Vec<(Slice, SliceSize)> = sized.collect();
    let work = |size: &SliceSize| {
        let sets = size.blocks.saturating_mul(SLOTS_PER_SET);
        size.slots.saturating_add(sets).saturating_add(SLOTS_PER_SLICE)
    };
    candidates.sort_by_key(|(_, size)| work(size));
    let folder = tempfile::tempdir().map_err(Failure::error)?;
    let begun = Instant::now();
    let (mut samples, mut done) = (Vec::new(), 0.0);
    for (slice, size) in candidates {
        let pace = begun.elapsed().as_secs_f64() / done;
        if done > 0.0 && pace * work(&size) as f64 > LONGEST.as_secs_f64() {
            break;
        }
        for (report, measure) in measured(rules, &[slice], 1, folder.path())? {
            if report.slice == slice && report.built {
                let bytes = report.bytes.iter().map(|&(_, bytes)| bytes).sum();
                let core_seconds = Some(measure.core.all.as_secs_f64());
                samples.push(Sample { slice, size, bytes, core_seconds });
            }
        }
        done += work(&size) as f64;
    }
    Ok(samples)
}

fn time_terms(slice: Slice, size: &SliceSize) -> [f64; 2] {
    [size.slots as f64, slice.attackers as f64 * size.blocks as f64]
}

fn bits_terms(slice: Slice) -> [f64; 2] {
    [slice.attackers as f64, 1.0 / (slice.defenders + 1) as f64]
}

/// The terms with the least relative errors; what takes longer counts for more.
fn fit_time(samples: &[Sample]) -> Time {
    let timed = samples.iter().filter_map(|s| s.core_seconds.map(|seconds| (s, seconds)));
    let timed: Vec<(&Sample, f64)> = timed.collect();
    // The smallest slices have a few positions.
    let least = timed.iter().map(|&(_, seconds)| seconds).reduce(f64::min).unwrap_or(0.0);
    let (mut best, mut least_error) = (Time::default(), f64::INFINITY);
    for growth in (0..=16).map(|step| 1.0 + 0.05 * f64::from(step)) {
        let points: Vec<(f64, [f64; 2])> = timed
            .iter()
            .filter(|&&(_, seconds)| seconds > least)
            .map(|&(sample, seconds)| {
                let seconds = seconds - least;
                let scale = growth.powi(sample.slice.attackers as i32) / seconds;
                (seconds.sqrt(), time_terms(sample.slice, &sample.size).map(|x| x * scale))
            })
            .collect();
        let error = |[a, b]: [f64; 2]| {
            points.iter().map(|(w, [x, y])| w * (a * x + b * y - 1.0).powi(2)).sum::<f64>()
        };
        let sum = |of: &dyn Fn(&[f64; 2]) -> f64| points.iter().map(|(w, x)| w * of(x)).sum();
        let matrix: [f64; 3] =
            [sum(&|x| x[0] * x[0]), sum(&|x| x[0] * x[1]), sum(&|x| x[1] * x[1])];
        let right: [f64; 2] = [sum(&|x| x[0]), sum(&|x| x[1])];
        // Nothing takes less than no time.
        let both = solve(matrix, right).filter(|terms| terms.iter().all(|&term| term >= 0.0));
        let alone = [[right[0] / matrix[0], 0.0], [0.0, right[1] / matrix[2]]];
        for terms in both.into_iter().chain(alone) {
            if error(terms) < least_error {
                let [per_slot, per_set] = terms;
                (best, least_error) = (Time { least, growth, per_slot, per_set }, error(terms));
            }
        }
    }
    best
}

/// The constant and the slopes of the logarithm of the bits.
fn fit_bits(samples: &[Sample]) -> (f64, [f64; 2]) {
    let log_bits = |sample: &Sample| (8.0 * sample.bytes as f64 / sample.size.slots as f64).ln();
    let weights: Vec<f64> = samples.iter().map(|s| (s.size.slots as f64).sqrt()).collect();
    let total: f64 = weights.iter().sum();
    let mean = |of: &dyn Fn(&Sample) -> f64| -> f64 {
        samples.iter().zip(&weights).map(|(sample, w)| w * of(sample)).sum::<f64>() / total
    };
    let means = [0, 1].map(|i| mean(&|sample| bits_terms(sample.slice)[i]));
    let centred = |sample: &Sample, i: usize| bits_terms(sample.slice)[i] - means[i];
    // What the trend leaves to be explained.
    let rest = |sample: &Sample| {
        log_bits(sample) - TREND[0] * centred(sample, 0) - TREND[1] * centred(sample, 1)
    };
    let matrix = [
        mean(&|s| centred(s, 0).powi(2)) + TREND_WEIGHT,
        mean(&|s| centred(s, 0) * centred(s, 1)),
        mean(&|s| centred(s, 1).powi(2)) + TREND_WEIGHT,
    ];
    let right = [0, 1].map(|i| mean(&|sample| centred(sample, i) * rest(sample)));
    let change = solve(matrix, right).unwrap_or_default();
    let slopes = [TREND[0] + change[0], TREND[1] + change[1]];
    let constant = mean(&log_bits) - slopes[0] * means[0] - slopes[1] * means[1];
    (constant, slopes)
}

/// Solves `a x + b y = right[0], b x + c y = right[1]`, if there is one solution.
fn solve([a, b, c]: [f64; 3], right: [f64; 2]) -> Option<[f64; 2]> {
    let determinant = a * c - b * b;
    let solution = [c * right[0] - b * right[1], a * right[1] - b * right[0]];
    (determinant > 1e-9 * a * c).then(|| solution.map(|x| x / determinant))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(slice: &str, blocks: u64, slots: u64) -> Sample {
        let size = SliceSize { blocks, rows: 0, slots, memory_bytes: 0, scratch_bytes: 0 };
        Sample { slice: slice.parse().unwrap(), size, bytes: 0, core_seconds: None }
    }

    #[test]
    fn what_follows_the_model_is_found_again() {
        let time = Time { least: 0.01, growth: 1.25, per_slot: 3e-8, per_set: 1e-5 };
        let truth = Calibration { time, bits: -3.0, slopes: TREND };
        let mut samples = [
            sample("K0v1", 0, 720),
            sample("K0v2", 136, 12_240),
            sample("K1v2", 136, 514_080),
            sample("K0v3", 2_000, 180_000),
            sample("K2v2", 136, 11_000_000),
        ];
        for sample in &mut samples {
            sample.core_seconds = Some(truth.core_seconds(sample.slice, &sample.size));
            sample.bytes = truth.file_bytes(sample.slice, &sample.size);
        }
        let found = fit_time(&samples);
        let (bits, slopes) = fit_bits(&samples);
        for (found, expected) in [
            (found.least, 0.01),
            (found.growth, 1.25),
            (found.per_slot, 3e-8),
            (found.per_set, 1e-5),
            (bits, -3.0),
            (slopes[0], TREND[0]),
            (slopes[1], TREND[1]),
        ] {
            assert!((found / expected - 1.0).abs() < 0.03, "{found} {expected}");
        }
    }
}
