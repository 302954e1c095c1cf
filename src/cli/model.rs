//! A regression model of the time and bytes that a slice takes, by its material.
//!
//! Both are modelled as
//!
//! ```text
//! slots * exp(base + one step for each attacker but the first
//!                  + one step for each defender
//!                  + interaction * (attackers - 1) * defenders
//!                  + growth * ln(slots / 1e8), if there are more)
//! ```
//!
//! Each parameter has a prior, measured over the slices of many games, and is fitted to
//! samples by least squares; steps without samples keep the prior. What is particular to a
//! game or a machine is mostly in the base and the first steps. Slices with a bare king are
//! solved by another algorithm, so their time has a model of its own.

use taflbase::slice::Slice;

/// Standard deviations, as logarithms: of the base and the steps from their priors, and of the
/// samples from the model.
const BASE_ERROR: f64 = 3.0;
const STEP_ERROR: f64 = 0.2;
const SAMPLE_ERROR: f64 = 0.08;
/// Rounds of [`Model::fit`], enough to converge.
const ROUNDS: usize = 300;
/// The number of slots beyond which each takes longer the more there are.
const LARGE: f64 = 1e8;

/// The priors of a modelled quantity.
pub(super) struct Quantity {
    /// The amount that every slice takes in addition.
    fixed: f64,
    /// The standard deviation of `fixed` for one slice.
    error: f64,
    /// The upper limit per slot.
    max_per_slot: f64,
    /// Priors of the logarithm per slot: `base` with one attacker and no defenders, then the
    /// steps for the second attacker and so on, and for the first defender and so on. The last
    /// step holds for all that follow.
    base: f64,
    attackers: &'static [f64],
    defenders: &'static [f64],
    interaction: f64,
    /// The increase of the logarithm for each factor of e of slots beyond [`LARGE`].
    growth: f64,
}

/// CPU seconds of slices with defenders.
const TIME: Quantity = Quantity {
    fixed: 0.0,
    error: 0.03,
    max_per_slot: f64::INFINITY,
    base: -17.0,
    attackers: &[-0.14, -0.07, 0.06, 0.32, 0.48],
    defenders: &[0.0, -0.43, 0.05, 0.19],
    interaction: 0.02,
    growth: 0.062,
};
/// CPU seconds of slices without defenders.
const BARE_KING_TIME: Quantity = Quantity {
    base: -14.5,
    attackers: &[-0.5, -0.5, -0.05, 0.2],
    defenders: &[0.0],
    interaction: 0.0,
    growth: 0.0,
    ..TIME
};

/// Bytes of both files.
pub(super) const BYTES: Quantity = Quantity {
    fixed: 400.0,
    error: 500.0,
    // Uncompressed, a value takes a byte in the DTW file and a fifth of one in the WDL file.
    max_per_slot: 1.2,
    base: -2.0,
    attackers: &[-0.25, 0.4, 0.32, 0.32, 0.32, 0.2],
    defenders: &[-0.15, 0.2, -0.15, -0.05],
    interaction: 0.05,
    growth: 0.0,
};

/// The model of CPU time.
pub(super) struct Time {
    bare_kings: Model,
    others: Model,
}

/// A fitted model of a quantity.
pub(super) struct Model {
    quantity: &'static Quantity,
    base: f64,
    /// The fitted steps, for the second attacker and so on.
    attackers: Vec<f64>,
    /// The fitted steps, for the first defender and so on.
    defenders: Vec<f64>,
}

/// A sample: a slice and the measured amount of a quantity.
#[derive(Clone, Copy)]
pub(super) struct MeasuredSlice {
    /// The slice.
    pub slice: Slice,
    /// The number of its slots.
    pub slots: u64,
    /// Seconds or bytes.
    pub amount: f64,
}

impl Time {
    /// Fits the model to samples in seconds.
    pub(super) fn fit(samples: &[MeasuredSlice]) -> Time {
        let (bare_kings, others): (Vec<MeasuredSlice>, Vec<MeasuredSlice>) =
            samples.iter().partition(|sample| sample.slice.defenders == 0);
        Time {
            bare_kings: Model::fit(&BARE_KING_TIME, &bare_kings),
            others: Model::fit(&TIME, &others),
        }
    }

    /// Predicts the CPU seconds of a slice.
    pub(super) fn seconds(&self, slice: Slice, slots: f64) -> f64 {
        let model = if slice.defenders == 0 { &self.bare_kings } else { &self.others };
        model.amount(slice, slots)
    }
}

impl Model {
    /// Fits the model by weighted least squares to the samples and the priors, one parameter
    /// after the other until they converge.
    pub(super) fn fit(quantity: &'static Quantity, samples: &[MeasuredSlice]) -> Model {
        let attackers = samples.iter().map(|sample| sample.slice.attackers - 1).max().unwrap_or(0);
        let defenders = samples.iter().map(|sample| sample.slice.defenders).max().unwrap_or(0);
        let mut model = Model {
            quantity,
            base: quantity.base,
            attackers: (0..attackers).map(|i| prior_step(quantity.attackers, i)).collect(),
            defenders: (0..defenders).map(|i| prior_step(quantity.defenders, i)).collect(),
        };
        for _ in 0..ROUNDS {
            let residual = model.residual(samples, |_| true);
            update(&mut model.base, quantity.base, BASE_ERROR, residual);
            for i in 0..model.attackers.len() {
                let residual = model.residual(samples, |slice| slice.attackers - 1 > i);
                let prior = prior_step(quantity.attackers, i);
                update(&mut model.attackers[i], prior, STEP_ERROR, residual);
            }
            for i in 0..model.defenders.len() {
                let residual = model.residual(samples, |slice| slice.defenders > i);
                let prior = prior_step(quantity.defenders, i);
                update(&mut model.defenders[i], prior, STEP_ERROR, residual);
            }
        }
        model
    }

    /// Returns the weighted sum of the residuals of the selected samples, and the sum of their
    /// weights.
    fn residual(&self, samples: &[MeasuredSlice], which: impl Fn(Slice) -> bool) -> (f64, f64) {
        let Quantity { fixed, error, .. } = *self.quantity;
        let chosen = samples.iter().filter(|sample| which(sample.slice));
        chosen.fold((0.0, 0.0), |(sum, weights), &MeasuredSlice { slice, slots, amount }| {
            // A measured time may be 0; the weight of that sample is then 0, too.
            let positive = amount.max(f64::MIN_POSITIVE);
            let weight = 1.0 / (SAMPLE_ERROR.powi(2) + (error / positive).powi(2));
            let log = ((positive - fixed) / slots as f64).ln();
            (sum + weight * (log - self.log_per_slot(slice, slots as f64)), weights + weight)
        })
    }

    /// Predicts the logarithm of the amount per slot.
    fn log_per_slot(&self, slice: Slice, slots: f64) -> f64 {
        let (defenders, others) = (slice.defenders, slice.attackers - 1);
        self.base
            + sum_steps(&self.attackers, self.quantity.attackers, others)
            + sum_steps(&self.defenders, self.quantity.defenders, defenders)
            + self.quantity.interaction * (defenders * others) as f64
            + self.quantity.growth * (slots / LARGE).ln().max(0.0)
    }

    /// Predicts the amount for a slice.
    pub(super) fn amount(&self, slice: Slice, slots: f64) -> f64 {
        let per_slot = self.log_per_slot(slice, slots).exp().min(self.quantity.max_per_slot);
        self.quantity.fixed + per_slot * slots
    }
}

/// Returns the prior of a step.
fn prior_step(priors: &[f64], i: usize) -> f64 {
    priors[i.min(priors.len() - 1)]
}

/// Adds the first `count` steps, fitted or else prior.
fn sum_steps(fitted: &[f64], priors: &[f64], count: usize) -> f64 {
    (0..count).map(|i| fitted.get(i).copied().unwrap_or_else(|| prior_step(priors, i))).sum()
}

/// Moves a parameter to its weighted mean between the prior and the samples, given the
/// residual of the samples and its weight.
fn update(parameter: &mut f64, prior: f64, prior_error: f64, (residual, weight): (f64, f64)) {
    let prior_weight = prior_error.powi(-2);
    *parameter += (residual + prior_weight * (prior - *parameter)) / (weight + prior_weight);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Brandubh up to 6 men: slots, and bytes of both files.
    const BRANDUBH: [(&str, u64, u64); 15] = [
        ("K0v1", 720, 623),
        ("K1v1", 30_960, 1_143),
        ("K0v2", 12_240, 963),
        ("K2v1", 650_160, 11_611),
        ("K1v2", 514_080, 6_945),
        ("K0v3", 153_900, 5_430),
        ("K3v1", 8_885_520, 93_014),
        ("K2v2", 10_538_640, 113_571),
        ("K1v3", 6_309_900, 130_481),
        ("K0v4", 1_547_640, 62_074),
        ("K4v1", 88_855_200, 621_644),
        ("K3v2", 140_515_200, 1_300_957),
        ("K2v3", 126_198_000, 2_339_217),
        ("K1v4", 61_905_600, 1_811_215),
        ("K0v5", 12_268_260, 695_735),
    ];

    fn samples(amount: impl Fn(Slice, u64, u64) -> f64) -> Vec<MeasuredSlice> {
        let sample = |&(slice, slots, bytes): &(&str, u64, u64)| {
            let slice: Slice = slice.parse().unwrap();
            MeasuredSlice { slice, slots, amount: amount(slice, slots, bytes) }
        };
        BRANDUBH.iter().map(sample).collect()
    }

    #[test]
    fn small_slices_foretell_the_bytes_of_larger_ones() {
        let all = samples(|_, _, bytes| bytes as f64);
        let (small, large) = all.split_at(10);
        let model = Model::fit(&BYTES, small);
        let foretold = |sample: &MeasuredSlice| model.amount(sample.slice, sample.slots as f64);
        let ratio = large.iter().map(foretold).sum::<f64>()
            / large.iter().map(|sample| sample.amount).sum::<f64>();
        assert!((0.8..1.25).contains(&ratio), "{ratio}");
    }

    #[test]
    fn samples_correct_the_trend_as_far_as_they_go() {
        // A slow machine, and a game in which men make no difference.
        let slot = |slice: Slice| if slice.defenders == 0 { 1e-6 } else { 4e-6 };
        let all = samples(|slice, slots, _| slots as f64 * slot(slice));
        let model = Time::fit(&all[..10]);
        for sample in &all[6..10] {
            let ratio = model.seconds(sample.slice, sample.slots as f64) / sample.amount;
            assert!((0.9..1.1).contains(&ratio), "{} {ratio}", sample.slice);
        }
        let seconds = |slice: &str| model.seconds(slice.parse().unwrap(), 1.0);
        let untold = (seconds("K1v4") / seconds("K1v3")).ln();
        let usual = TIME.attackers[2] + TIME.interaction;
        assert!((untold - usual).abs() < 1e-9, "{untold} {usual}");
    }

    /// Brandubh with defenders: slots, and the seconds of one core that a build took.
    const MEASURED: [(&str, u64, f64); 14] = [
        ("K4v1", 88_855_200, 1.0),
        ("K3v2", 140_515_200, 1.6),
        ("K2v3", 126_198_000, 1.6),
        ("K1v4", 61_905_600, 1.5),
        ("K4v2", 1_370_023_200, 18.7),
        ("K3v3", 1_640_574_000, 24.7),
        ("K2v4", 1_207_159_200, 21.9),
        ("K1v5", 478_462_140, 17.9),
        ("K4v3", 15_585_453_000, 315.2),
        ("K3v4", 15_290_683_200, 360.1),
        ("K2v5", 9_090_780_660, 254.2),
        ("K1v6", 3_023_635_680, 212.2),
        ("K1v7", 15_963_147_540, 1994.0),
        // In partitions, which take 1.6 times the time in memory.
        ("K2v6", 55_937_260_080, 4530.0 / 1.6),
    ];

    #[test]
    fn slices_of_6_men_foretell_the_time_of_9() {
        let all = MEASURED.map(|(slice, slots, amount)| {
            let slice: Slice = slice.parse().unwrap();
            MeasuredSlice { slice, slots, amount }
        });
        let (small, large) = all.split_at(4);
        let model = Time::fit(small);
        for sample in large {
            let ratio = model.seconds(sample.slice, sample.slots as f64) / sample.amount;
            assert!((0.8..1.25).contains(&ratio), "{} {ratio}", sample.slice);
        }
    }

    #[test]
    fn nothing_is_larger_than_its_values() {
        let model = Model::fit(&BYTES, &samples(|_, slots, _| slots as f64));
        assert!(model.amount("K9v9".parse().unwrap(), 1e6) < 1_300_000.0);
    }
}
