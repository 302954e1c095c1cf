//! Proportions of a sample, with confidence intervals.

use serde::Serialize;

/// The normal quantile of a two-sided 95 % interval.
pub(crate) const Z_95: f64 = 1.959_963_984_540_054;

/// A proportion of a sample, with a 95 % confidence interval.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Proportion {
    /// The proportion of the sample; 0 if the sample is empty.
    #[serde(rename = "share")]
    pub value: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
}

impl Proportion {
    /// Returns the proportion of successes in trials, with the exact interval (C. J. Clopper and
    /// E. S. Pearson, "The Use of Confidence or Fiducial Limits Illustrated in the Case of the
    /// Binomial", 1934).
    ///
    /// If the true proportion were `low`, 2.5 % of samples would have as many successes or more;
    /// if it were `high`, 2.5 % would have as few or fewer. Either end is therefore a limit with
    /// at least 97.5 % confidence, however small the sample.
    pub fn exact(successes: u64, trials: u64) -> Proportion {
        if trials == 0 {
            return Proportion { value: 0.0, low: 0.0, high: 1.0 };
        }
        let hits = successes.min(trials);
        Proportion {
            value: hits as f64 / trials as f64,
            low: lower_limit(hits, trials),
            // The upper limit of successes mirrors the lower limit of failures.
            high: 1.0 - lower_limit(trials - hits, trials),
        }
    }

    /// Returns the proportion of points in games, with Wilson's interval (E. B. Wilson,
    /// "Probable Inference, the Law of Succession, and Statistical Inference", 1927). Unlike the
    /// exact interval it is defined for half points, which make it slightly too wide. It is
    /// narrower than the exact one, and its coverage may fall below 95 %.
    pub fn wilson(points: f64, trials: u64) -> Proportion {
        if trials == 0 {
            return Proportion { value: 0.0, low: 0.0, high: 1.0 };
        }
        let n = trials as f64;
        let value = points / n;
        let square = Z_95 * Z_95;
        let middle = value + square / (2.0 * n);
        let half = Z_95 * (value * (1.0 - value) / n + square / (4.0 * n * n)).sqrt();
        let scale = 1.0 + square / n;
        let (low, high) = ((middle - half) / scale, (middle + half) / scale);
        // At 0 and 1 the formula is exact except for rounding.
        Proportion {
            value,
            low: if points == 0.0 { 0.0 } else { low },
            high: if points == n { 1.0 } else { high },
        }
    }
}

/// The probability beyond each end of a two-sided 95 % interval.
const TAIL: f64 = 0.025;

/// Returns the largest proportion for which the probability of this many successes or more is
/// at most [`TAIL`]. The probability grows with the proportion, so bisection finds it.
fn lower_limit(successes: u64, trials: u64) -> f64 {
    if successes == 0 {
        return 0.0;
    }
    let ln_ways = ln_choose(trials, successes);
    let (mut low, mut high) = (0.0, successes as f64 / trials as f64);
    loop {
        let middle = f64::midpoint(low, high);
        if middle <= low || middle >= high {
            return low;
        }
        match at_least(successes, trials, ln_ways, middle) <= TAIL {
            true => low = middle,
            false => high = middle,
        }
    }
}

/// Returns the logarithm of a binomial coefficient.
fn ln_choose(of: u64, chosen: u64) -> f64 {
    (1..=chosen).map(|i| ((of - chosen + i) as f64 / i as f64).ln()).sum()
}

/// Returns the probability of this many successes or more, at least 1, where `p` is not above
/// their proportion: the terms of the binomial distribution then decrease from the first on.
/// `ln_ways` is the logarithm of the binomial coefficient of `trials` and `successes`.
fn at_least(successes: u64, trials: u64, ln_ways: f64, p: f64) -> f64 {
    let failures = (trials - successes) as f64;
    let mut term = (ln_ways + successes as f64 * p.ln() + failures * (-p).ln_1p()).exp();
    let odds = p / (1.0 - p);
    let mut sum = term;
    for count in successes..trials {
        term *= (trials - count) as f64 / (count + 1) as f64 * odds;
        sum += term;
        if term < sum * f64::EPSILON {
            break;
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    #[cfg(feature = "build")]
    use num_bigint::BigUint;

    use super::*;

    /// Returns whether the probability of this many successes or more is at most 2.5 %, with the
    /// proportion in units of 2^-40: sums the binomial distribution in integers.
    #[cfg(feature = "build")]
    fn is_rare(successes: u64, trials: u64, share: u64) -> bool {
        let all = 1_u64 << 40;
        let mut ways = BigUint::from(1_u8);
        let mut chance = BigUint::ZERO;
        for count in 0..=trials {
            if count >= successes {
                let [hits, misses] = [(share, count), (all - share, trials - count)]
                    .map(|(part, times)| BigUint::from(part).pow(times as u32));
                chance += &ways * hits * misses;
            }
            ways = ways * (trials - count) / (count + 1);
        }
        chance * 40_u8 <= BigUint::from(all).pow(trials as u32)
    }

    #[test]
    #[cfg(feature = "build")]
    fn exact_limits_are_where_the_chance_is_one_in_forty() {
        for (trials, every) in [(1, 1), (2, 1), (7, 1), (10, 1), (48, 3), (300, 37)] {
            for successes in (0..=trials).filter(|n| n % every == 0) {
                let Proportion { low, high, .. } = Proportion::exact(successes, trials);
                let scaled = |share: f64| (share * (1_u64 << 40) as f64) as u64;
                // Within 2^-38 of either end: logarithms lose the last bits.
                if successes > 0 {
                    assert!(is_rare(successes, trials, scaled(low).saturating_sub(4)));
                    assert!(!is_rare(successes, trials, scaled(low) + 4), "{successes}");
                } else {
                    assert_eq!(low, 0.0);
                }
                let failures = trials - successes;
                if failures > 0 {
                    assert!(is_rare(failures, trials, scaled(1.0 - high).saturating_sub(4)));
                    assert!(!is_rare(failures, trials, scaled(1.0 - high) + 4), "{successes}");
                } else {
                    assert_eq!(high, 1.0);
                }
            }
        }
    }

    #[test]
    fn exact_limits_are_those_of_tables() {
        for (successes, trials, low, high) in [
            (8, 10, 0.4439, 0.9748),
            (5, 10, 0.1871, 0.8129),
            (0, 10, 0.0, 0.3085),
            (10, 10, 0.6915, 1.0),
            (1, 1, 0.025, 1.0),
            (0, 300, 0.0, 0.0122),
        ] {
            let share = Proportion::exact(successes, trials);
            assert!((share.low - low).abs() < 5e-5, "{successes} of {trials}: {share:?}");
            assert!((share.high - high).abs() < 5e-5, "{successes} of {trials}: {share:?}");
            assert_eq!(share.value, successes as f64 / trials as f64);
        }
        assert_eq!(Proportion::exact(0, 0), Proportion { value: 0.0, low: 0.0, high: 1.0 });
        // The largest sample that the CLI draws; close to the normal distribution.
        let large = Proportion::exact(50_000, 100_000);
        assert!((large.low - 0.496_896).abs() < 5e-6 && (large.high - 0.503_104).abs() < 5e-6);
    }

    #[test]
    fn intervals_are_those_of_tables() {
        // Wilson's interval of 8 in 10, as printed in textbooks: 0.490 to 0.943.
        let share = Proportion::wilson(8.0, 10);
        assert!((share.low - 0.490).abs() < 5e-4 && (share.high - 0.943).abs() < 5e-4);
        // Nothing in 10: z² / (n + z²).
        let none = Proportion::wilson(0.0, 10);
        assert!(none.low == 0.0 && (none.high - 0.2775).abs() < 5e-5);
        let all = Proportion::wilson(10.0, 10);
        assert!(all.high == 1.0 && (all.low - 0.7225).abs() < 5e-5);
        assert_eq!(Proportion::wilson(0.0, 0), Proportion { value: 0.0, low: 0.0, high: 1.0 });
    }
}
