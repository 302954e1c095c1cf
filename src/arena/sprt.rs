//! The sequential test that ends a match.

use std::fmt;
use std::str::FromStr;

use super::elo::{Pairs, score_of};

/// In place of a count of 0, since results that have not occurred are possible.
const UNSEEN: f64 = 1e-3;

/// The sequential probability ratio test (Wald 1945) of two hypotheses on the first player's
/// advantage, by the results of pairs.
///
/// This is the generalised test of chess testing frameworks: for each hypothesis, the likelihood
/// is that of the most likely distribution of the five results with the hypothesis's mean. The
/// match ends when the ratio of the two likelihoods leaves its bounds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sprt {
    /// The difference in Elo under the first hypothesis.
    pub elo0: f64,
    /// The difference in Elo under the second hypothesis, which is larger.
    pub elo1: f64,
    /// The probability of accepting the second hypothesis if the first one is true.
    pub alpha: f64,
    /// The probability of accepting the first hypothesis if the second one is true.
    pub beta: f64,
}

/// The hypothesis that a test accepts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hypothesis {
    /// The first player is no stronger than [`Sprt::elo0`].
    First,
    /// The first player is at least as strong as [`Sprt::elo1`].
    Second,
}

impl Sprt {
    /// Creates a test of these hypotheses with error probabilities of 5 %.
    pub fn new(elo0: f64, elo1: f64) -> Sprt {
        Sprt { elo0, elo1, alpha: 0.05, beta: 0.05 }
    }

    /// Returns the log-likelihood ratios at which the first and the second hypothesis are
    /// accepted.
    pub fn bounds(&self) -> (f64, f64) {
        let Sprt { alpha, beta, .. } = self;
        ((beta / (1.0 - alpha)).ln(), ((1.0 - beta) / alpha).ln())
    }

    /// Returns the logarithm of the likelihood under the second hypothesis divided by that under
    /// the first.
    pub fn log_likelihood_ratio(&self, pairs: &Pairs) -> f64 {
        if pairs.count() == 0 {
            return 0.0;
        }
        let seen: Vec<(f64, f64)> =
            pairs.weighted().map(|(score, count)| (score, count.max(UNSEEN))).collect();
        let [first, second] =
            [self.elo0, self.elo1].map(|elo| log_likelihood(&seen, score_of(elo)));
        second - first
    }

    /// Returns the accepted hypothesis, if any.
    pub fn decide(&self, pairs: &Pairs) -> Option<Hypothesis> {
        let ratio = self.log_likelihood_ratio(pairs);
        let (lower, upper) = self.bounds();
        if ratio <= lower {
            Some(Hypothesis::First)
        } else if ratio >= upper {
            Some(Hypothesis::Second)
        } else {
            None
        }
    }
}

/// Returns the maximum log-likelihood of the counts under a distribution with this mean, up to a
/// constant that does not depend on the mean.
///
/// By Lagrange's method, the distribution is p / (1 + t (a - mean)) for each score a, where p is
/// the observed proportion, and t is such that the mean is right.
fn log_likelihood(seen: &[(f64, f64)], mean: f64) -> f64 {
    // Between these all proportions are positive, and the excess falls from +∞ to -∞.
    let (mut low, mut high) = (-1.0 / (1.0 - mean), 1.0 / mean);
    for _ in 0..200 {
        let middle = f64::midpoint(low, high);
        if excess_over_mean(seen, mean, middle) > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    let t = f64::midpoint(low, high);
    seen.iter().map(|(score, count)| -count * (1.0 + t * (score - mean)).ln()).sum()
}

/// Returns the difference between the distribution's mean for `t` and `mean`, times the sum of all
/// counts.
fn excess_over_mean(seen: &[(f64, f64)], mean: f64, t: f64) -> f64 {
    seen.iter().map(|(score, count)| count * (score - mean) / (1.0 + t * (score - mean))).sum()
}

/// Parses a difference in Elo.
fn parse_elo(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|elo: &f64| elo.abs() <= 1000.0)
}

impl FromStr for Sprt {
    type Err = String;

    /// Parses two differences in Elo, like `0,5`.
    fn from_str(text: &str) -> Result<Sprt, String> {
        let numbers = text.split_once(',').and_then(|(a, b)| parse_elo(a).zip(parse_elo(b)));
        match numbers {
            Some((elo0, elo1)) if elo0 < elo1 => Ok(Sprt::new(elo0, elo1)),
            Some(_) => Err("write the smaller difference first, like 0,5".to_owned()),
            None => Err("write two differences in Elo from -1000 to 1000, like 0,5".to_owned()),
        }
    }
}

impl fmt::Display for Sprt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{}", self.elo0, self.elo1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bounds_are_those_of_wald() {
        let (lower, upper) = Sprt::new(0.0, 5.0).bounds();
        assert!((upper - 19f64.ln()).abs() < 1e-12 && (lower + upper).abs() < 1e-12);
    }

    /// Where only whole wins and losses of pairs are seen, a distribution has no choice
    /// but its mean.
    #[test]
    fn two_results_are_a_test_of_a_coin() {
        let test = Sprt::new(-20.0, 30.0);
        let ratio = test.log_likelihood_ratio(&Pairs([40, 0, 0, 0, 60]));
        let (first, second) = (score_of(-20.0), score_of(30.0));
        let coin = 60.0 * (second / first).ln() + 40.0 * ((1.0 - second) / (1.0 - first)).ln();
        assert!((ratio - coin).abs() < 0.01, "{ratio} instead of {coin}");
    }

    /// For small differences the ratio is that of two normal distributions.
    #[test]
    fn many_pairs_are_normally_distributed() {
        let test = Sprt::new(0.0, 5.0);
        let pairs = Pairs([500, 2100, 4600, 2200, 600]);
        let (score, variance) = (pairs.score().unwrap(), pairs.variance().unwrap());
        let (first, second) = (score_of(0.0), score_of(5.0));
        let normal = (second - first) * (2.0 * score - first - second)
            / 2.0
            / (variance / pairs.count() as f64);
        let ratio = test.log_likelihood_ratio(&pairs);
        assert!((ratio / normal - 1.0).abs() < 0.01, "{ratio} instead of {normal}");
    }

    #[test]
    fn a_test_is_decided_either_way_or_not_yet() {
        let test = Sprt::new(0.0, 50.0);
        assert_eq!(test.decide(&Pairs::default()), None);
        assert_eq!(test.decide(&Pairs([10, 20, 40, 24, 12])), None);
        assert_eq!(test.decide(&Pairs([30, 60, 90, 45, 25])), Some(Hypothesis::First));
        assert_eq!(test.decide(&Pairs([20, 30, 90, 70, 50])), Some(Hypothesis::Second));
        let mirrored = Sprt::new(-50.0, 0.0);
        assert_eq!(mirrored.decide(&Pairs([50, 70, 90, 30, 20])), Some(Hypothesis::First));
        let even = Sprt::new(-10.0, 10.0).log_likelihood_ratio(&Pairs([3, 5, 9, 5, 3]));
        assert!(even.abs() < 1e-9, "{even}");
    }

    #[test]
    fn one_sided_results_are_no_trouble() {
        for pairs in [Pairs([0, 0, 0, 0, 1000]), Pairs([1000, 0, 0, 0, 0]), Pairs([0, 0, 1, 0, 0])]
        {
            assert!(Sprt::new(-1000.0, 1000.0).log_likelihood_ratio(&pairs).is_finite());
        }
    }

    #[test]
    fn tests_are_read() {
        assert_eq!("0,5".parse(), Ok(Sprt::new(0.0, 5.0)));
        assert_eq!(" -3.5 , 0 ".parse::<Sprt>().unwrap().to_string(), "-3.5,0");
        for wrong in ["", "5", "5,0", "1,1", "a,b", "nan,1", "0,inf", "0,5,9"] {
            assert!(wrong.parse::<Sprt>().is_err(), "{wrong}");
        }
    }
}
