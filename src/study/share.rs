//! Shares of a sample, and how far they can be trusted.

use serde::Serialize;

/// Two-sided 95 % of a normal distribution lie within so many standard deviations.
pub(crate) const WITHIN_95: f64 = 1.959_963_984_540_054;

/// A share of a sample, with the interval that holds the true one in 95 of 100 cases.
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
    /// The share that so many of so many are, with Wilson's interval (E. B. Wilson, "Probable
    /// Inference, the Law of Succession, and Statistical Inference", 1927). Half points are
    /// taken as they are, which makes the interval a little too wide.
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

#[cfg(test)]
mod tests {
    use super::*;

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
