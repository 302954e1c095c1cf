//! What building a slice takes, as a function of its material, learnt from samples.
//!
//! Time and bytes are taken to be
//!
//! ```text
//! slots * exp(base + one step for each attacker but the first
//!                  + one step for each defender
//!                  + both * (attackers - 1) * defenders)
//! ```
//!
//! and every step is a compromise between what the small slices say and a trend that
//! was measured over the slices of many games: so steps that no small slice tells of
//! follow the trend. What is peculiar to a game and to a machine is mostly in the
//! base and in the first steps. Bare kings are solved in a way of their own, so their
//! time is learnt apart.

use taflbase::slice::Slice;

/// How far a base is from what is usual, steps from their trend, and samples from
/// their model, about: as logarithms.
const BASE_ERROR: f64 = 3.0;
const STEP_ERROR: f64 = 0.2;
const SAMPLE_ERROR: f64 = 0.08;
/// Rounds of [`Model::fit`]; the last ones change nothing any more.
const ROUNDS: usize = 300;

/// Something that building a slice takes.
pub(super) struct Quantity {
    /// What every slice takes, however small it is.
    fixed: f64,
    /// How far that is from the truth for a single slice.
    error: f64,
    /// What a slot can take at most.
    most: f64,
    /// What is usual for the logarithm of what a slot takes: with one attacker and no
    /// defenders, and by how much it grows with the second attacker, the third, and
    /// so on; with the first defender and so on. Last numbers are for all that follow.
    base: f64,
    attackers: &'static [f64],
    defenders: &'static [f64],
    both: f64,
}

/// Seconds of one core, with defenders and without.
const TIME: Quantity = Quantity {
    fixed: 0.0,
    error: 0.03,
    most: f64::INFINITY,
    base: -17.0,
    attackers: &[-0.2, 0.0, 0.32],
    defenders: &[0.0, -0.3, 0.1, 0.25],
    both: 0.015,
};
const BARE_KING_TIME: Quantity = Quantity {
    base: -14.5,
    attackers: &[-0.5, -0.5, -0.05, 0.2],
    defenders: &[0.0],
    both: 0.0,
    ..TIME
};

/// Bytes of both files.
pub(super) const BYTES: Quantity = Quantity {
    fixed: 400.0,
    error: 500.0,
    // A value takes a byte in one file and a fifth of one in the other.
    most: 1.2,
    base: -2.0,
    attackers: &[-0.25, 0.4, 0.32, 0.32, 0.32, 0.2],
    defenders: &[-0.15, 0.2, -0.15, -0.05],
    both: 0.05,
};

/// Time by material.
pub(super) struct Time {
    bare_kings: Model,
    others: Model,
}

/// What a slot takes of a quantity, by material.
pub(super) struct Model {
    quantity: &'static Quantity,
    base: f64,
    /// The steps that samples tell of: of the second attacker and so on.
    attackers: Vec<f64>,
    /// Of the first defender and so on.
    defenders: Vec<f64>,
}

/// A slice of which it is known how much of a quantity it takes.
#[derive(Clone, Copy)]
pub(super) struct MeasuredSlice {
    /// The slice.
    pub slice: Slice,
    /// How many slots it has.
    pub slots: u64,
    /// Seconds or bytes.
    pub amount: f64,
}

impl Time {
    /// What goes best with the seconds of the samples.
    pub(super) fn fit(samples: &[MeasuredSlice]) -> Time {
        let (bare_kings, others): (Vec<MeasuredSlice>, Vec<MeasuredSlice>) =
            samples.iter().partition(|sample| sample.slice.defenders == 0);
        Time {
            bare_kings: Model::fit(&BARE_KING_TIME, &bare_kings),
            others: Model::fit(&TIME, &others),
        }
    }

    /// What the slice takes.
    pub(super) fn seconds(&self, slice: Slice, slots: u64) -> f64 {
        let model = if slice.defenders == 0 { &self.bare_kings } else { &self.others };
        model.amount(slice, slots)
    }
}

impl Model {
    /// The model that goes best with the samples and with what is usual; everything
    /// counts the more the less its error is.
    pub(super) fn fit(quantity: &'static Quantity, samples: &[MeasuredSlice]) -> Model {
        let most = |men: fn(&MeasuredSlice) -> usize| samples.iter().map(men).max().unwrap_or(0);
        let steps = |usual, count| (0..count).map(|i| usual_step(usual, i)).collect();
        let mut model = Model {
            quantity,
            base: quantity.base,
            attackers: steps(quantity.attackers, most(|sample| sample.slice.attackers - 1)),
            defenders: steps(quantity.defenders, most(|sample| sample.slice.defenders)),
        };
        for _ in 0..ROUNDS {
            let says = model.rest(samples, |_| true);
            compromise(&mut model.base, quantity.base, BASE_ERROR, says);
            for i in 0..model.attackers.len() {
                let says = model.rest(samples, |slice| slice.attackers - 1 > i);
                let usual = usual_step(quantity.attackers, i);
                compromise(&mut model.attackers[i], usual, STEP_ERROR, says);
            }
            for i in 0..model.defenders.len() {
                let says = model.rest(samples, |slice| slice.defenders > i);
                let usual = usual_step(quantity.defenders, i);
                compromise(&mut model.defenders[i], usual, STEP_ERROR, says);
            }
        }
        model
    }

    /// What the model leaves unexplained of some of the samples: the sum of the
    /// differences by weight, and of the weights.
    fn rest(&self, samples: &[MeasuredSlice], which: impl Fn(Slice) -> bool) -> (f64, f64) {
        let Quantity { fixed, error, .. } = *self.quantity;
        let chosen = samples.iter().filter(|sample| which(sample.slice));
        chosen.fold((0.0, 0.0), |(rest, weights), &MeasuredSlice { slice, slots, amount }| {
            // A clock may see nothing pass; such a sample then weighs nothing.
            let amount = amount.max(f64::MIN_POSITIVE);
            let weight = 1.0 / (SAMPLE_ERROR.powi(2) + (error / amount).powi(2));
            let log = ((amount - fixed) / slots as f64).ln();
            (rest + weight * (log - self.log(slice)), weights + weight)
        })
    }

    /// The logarithm of what a slot takes.
    fn log(&self, slice: Slice) -> f64 {
        let sum = |steps: &[f64], usual: &[f64], count: usize| -> f64 {
            let step = |i| steps.get(i).copied().unwrap_or_else(|| usual_step(usual, i));
            (0..count).map(step).sum()
        };
        let (defenders, others) = (slice.defenders, slice.attackers - 1);
        self.base
            + sum(&self.attackers, self.quantity.attackers, others)
            + sum(&self.defenders, self.quantity.defenders, defenders)
            + self.quantity.both * (defenders * others) as f64
    }

    /// What the slice takes.
    pub(super) fn amount(&self, slice: Slice, slots: u64) -> f64 {
        let slot = self.log(slice).exp().min(self.quantity.most);
        self.quantity.fixed + slot * slots as f64
    }
}

/// A step of which no sample tells.
fn usual_step(usual: &[f64], i: usize) -> f64 {
    usual[i.min(usual.len() - 1)]
}

/// Moves a number to where it is nearest to what is usual and to what samples say, of
/// which the rest and the weight is given.
fn compromise(number: &mut f64, usual: f64, error: f64, (rest, weight): (f64, f64)) {
    let usual_weight = error.powi(-2);
    *number += (rest + usual_weight * (usual - *number)) / (weight + usual_weight);
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
        let foretold = |sample: &MeasuredSlice| model.amount(sample.slice, sample.slots);
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
            let ratio = model.seconds(sample.slice, sample.slots) / sample.amount;
            assert!((0.9..1.1).contains(&ratio), "{} {ratio}", sample.slice);
        }
        let seconds = |slice: &str| model.seconds(slice.parse().unwrap(), 1);
        let untold = (seconds("K1v4") / seconds("K1v3")).ln();
        let usual = TIME.attackers[2] + TIME.both;
        assert!((untold - usual).abs() < 1e-9, "{untold} {usual}");
    }

    #[test]
    fn nothing_is_larger_than_its_values() {
        let model = Model::fit(&BYTES, &samples(|_, slots, _| slots as f64));
        assert!(model.amount("K9v9".parse().unwrap(), 1_000_000) < 1_300_000.0);
    }
}
