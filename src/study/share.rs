//! Shares of a sample, and how far they can be trusted.

use serde::Serialize;

/// Two-sided 95 % of a normal distribution lie within so many standard deviations.
pub(crate) const WITHIN_95: f64 = 1.959_963_984_540_054;

/// A share of a sample, with a 95 % confidence interval.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Share {
    /// The sample's own share; 0 for an empty one.
    pub share: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}

impl Share {
    /// The share of successes in trials, with its exact interval (C. J. Clopper and E. S.
    /// Pearson, "The Use of Confidence or Fiducial Limits Illustrated in the Case of the
    /// Binomial", 1934).
    ///
    /// If the true share were `low`, as many successes or more would come up in 2.5 of 100
    /// samples, and if it were `high`, as few or fewer. Either end is therefore a limit with
    /// at least 97.5 % confidence, however small the sample is.
    pub fn exact(successes: u64, trials: u64) -> Share {
        if trials == 0 {
            return Share { share: 0.0, low: 0.0, high: 1.0 };
        }
        let successes = successes.min(trials);
        Share {
            share: successes as f64 / trials as f64,
            low: lower_limit(successes, trials),
            // As few successes are as many failures.
            high: 1.0 - lower_limit(trials - successes, trials),
        }
    }

    /// The share of points in games, with Wilson's interval (E. B. Wilson, "Probable
    /// Inference, the Law of Succession, and Statistical Inference", 1927). Unlike the exact
    /// one it is defined for half points, which make it a little too wide; it is narrower, and
    /// its ends are no limits of that confidence in every case.
    pub fn of(points: f64, trials: u64) -> Share {
        if trials == 0 {
            return Share { share: 0.0, low: 0.0, high: 1.0 };
        }
        let n = trials as f64;
        let share = points / n;
        let square = WITHIN_95 * WITHIN_95;
        let middle = share + square / (2.0 * n);
        let half = WITHIN_95 * (share * (1.0 - share) / n + square / (4.0 * n * n)).sqrt();
        let scale = 1.0 + square / n;
        let (low, high) = ((middle - half) / scale, (middle + half) / scale);
        // At either end the formula gives that end, but for what rounding leaves.
        Share {
            share,
            low: if points == 0.0 { 0.0 } else { low },
            high: if points == n { 1.0 } else { high },
        }
    }
}

/// What lies beyond either end of a two-sided interval of 95 %.
const BEYOND: f64 = 0.025;

/// The largest share with which that many successes or more have a chance of [`BEYOND`] at
/// the most; the chance grows with the share, so it is halved in on.
fn lower_limit(successes: u64, trials: u64) -> f64 {
    if successes == 0 {
        return 0.0;
    }
    let ways = ln_choose(trials, successes);
    let (mut low, mut high) = (0.0, successes as f64 / trials as f64);
    loop {
        let middle = f64::midpoint(low, high);
        if middle <= low || middle >= high {
            return low;
        }
        match at_least(successes, trials, ways, middle) <= BEYOND {
            true => low = middle,
            false => high = middle,
        }
    }
}

/// The logarithm of a binomial coefficient.
fn ln_choose(of: u64, chosen: u64) -> f64 {
    (1..=chosen).map(|i| ((of - chosen + i) as f64 / i as f64).ln()).sum()
}

/// The chance of that many successes or more, 1 at least, for a share that is not above
/// theirs: the terms of the binomial distribution shrink from the first one on.
/// `ways` is the logarithm of how many ways there are to have as many.
fn at_least(successes: u64, trials: u64, ways: f64, share: f64) -> f64 {
    let failures = (trials - successes) as f64;
    let mut term = (ways + successes as f64 * share.ln() + failures * (-share).ln_1p()).exp();
    let odds = share / (1.0 - share);
    let mut chance = term;
    for count in successes..trials {
        term *= (trials - count) as f64 / (count + 1) as f64 * odds;
        chance += term;
        if term < chance * f64::EPSILON {
            break;
        }
    }
    chance
}

#[cfg(test)]
mod tests {
    #[cfg(feature = "build")]
    use num_bigint::BigUint;

    use super::*;

    /// Whether the chance of that many successes or more is at most 2.5 %, if the share is so
    /// many 2^-40: the sum of the binomial distribution in whole numbers.
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
                let Share { low, high, .. } = Share::exact(successes, trials);
                let scaled = |share: f64| (share * (1_u64 << 40) as f64) as u64;
                // 2^-38 about either end; the last bits are lost in logarithms.
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
            let share = Share::exact(successes, trials);
            assert!((share.low - low).abs() < 5e-5, "{successes} of {trials}: {share:?}");
            assert!((share.high - high).abs() < 5e-5, "{successes} of {trials}: {share:?}");
            assert_eq!(share.share, successes as f64 / trials as f64);
        }
        assert_eq!(Share::exact(0, 0), Share { share: 0.0, low: 0.0, high: 1.0 });
        // Of the largest sample that can be drawn; the normal distribution is near there.
        let large = Share::exact(50_000, 100_000);
        assert!((large.low - 0.496_896).abs() < 5e-6 && (large.high - 0.503_104).abs() < 5e-6);
    }

    #[test]
    fn intervals_are_those_of_tables() {
        // Wilson's interval of 8 in 10, as printed in textbooks: 0.490 to 0.943.
        let share = Share::of(8.0, 10);
        assert!((share.low - 0.490).abs() < 5e-4 && (share.high - 0.943).abs() < 5e-4);
        // Nothing in 10: z² / (n + z²).
        let none = Share::of(0.0, 10);
        assert!(none.low == 0.0 && (none.high - 0.2775).abs() < 5e-5);
        let all = Share::of(10.0, 10);
        assert!(all.high == 1.0 && (all.low - 0.7225).abs() < 5e-5);
        assert_eq!(Share::of(0.0, 0), Share { share: 0.0, low: 0.0, high: 1.0 });
    }
}
