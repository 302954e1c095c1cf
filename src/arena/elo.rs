use crate::study::proportion::Z_95;

/// The pentanomial results of pairs of games with reversed colours: the numbers of pairs in which
/// the first player scored 0, ½, 1, 1½ and 2 points.
///
/// Both games of a pair have the same opening, so that pairs are independent, but games are not.
/// Scores and variances are those of a pair's mean score, from 0 to 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Pairs(pub [u64; 5]);

/// A difference of playing strength in Elo; infinite if one side has won every game.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Elo {
    /// The most likely difference.
    pub value: f64,
    /// The 95 % confidence interval; `None` if all pairs have the same result, so that the
    /// variance is unknown.
    pub interval: Option<(f64, f64)>,
}

impl Pairs {
    /// Adds a pair by the half points of the first player, 0 to 4.
    pub fn add(&mut self, half_points: usize) {
        self.0[half_points] += 1;
    }

    /// Returns the number of pairs.
    pub fn count(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Returns the mean score; `None` without pairs.
    pub fn score(&self) -> Option<f64> {
        let sum: f64 = self.weighted().map(|(score, count)| score * count).sum();
        (self.count() > 0).then(|| sum / self.count() as f64)
    }

    /// Returns the variance of a pair's score; `None` without pairs.
    pub fn variance(&self) -> Option<f64> {
        let mean = self.score()?;
        let sum: f64 = self.weighted().map(|(score, count)| (score - mean).powi(2) * count).sum();
        Some(sum / self.count() as f64)
    }

    /// Returns the standard error of the mean score; `None` if the variance is 0 or unknown.
    fn standard_error(&self) -> Option<f64> {
        let variance = self.variance().filter(|&variance| variance > 0.0)?;
        Some((variance / self.count() as f64).sqrt())
    }

    /// Returns the first player's advantage; `None` without pairs.
    pub fn elo(&self) -> Option<Elo> {
        let score = self.score()?;
        let interval = self.standard_error().map(|error| {
            let margin = Z_95 * error;
            (elo_of((score - margin).max(0.0)), elo_of((score + margin).min(1.0)))
        });
        Some(Elo { value: elo_of(score), interval })
    }

    /// Returns the normalised Elo: the difference in units of a game's standard deviation, which
    /// does not depend on the rate of draws or the balance of the openings.
    pub fn normalised_elo(&self) -> Option<f64> {
        let variance = self.variance().filter(|&variance| variance > 0.0)?;
        // A game's score has twice the variance of the mean of two.
        let deviation = (2.0 * variance).sqrt();
        Some((self.score()? - 0.5) / deviation * 800.0 / std::f64::consts::LN_10)
    }

    /// Returns the probability that the first player is the stronger one.
    pub fn likelihood_of_superiority(&self) -> Option<f64> {
        let deviations = (self.score()? - 0.5) / self.standard_error()?;
        Some(0.5 * libm::erfc(-deviations / std::f64::consts::SQRT_2))
    }

    /// Returns the five scores with their counts.
    pub(super) fn weighted(&self) -> impl Iterator<Item = (f64, f64)> {
        self.0.into_iter().enumerate().map(|(half_points, count)| {
            let score = half_points as f64 / 4.0;
            (score, count as f64)
        })
    }
}

/// Returns the difference in Elo for an expected score.
fn elo_of(score: f64) -> f64 {
    // Adding 0 turns the -0 of an even score into 0.
    400.0 * (score / (1.0 - score)).log10() + 0.0
}

/// Returns the expected score for a difference in Elo.
pub(super) fn score_of(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_near(found: f64, expected: f64) {
        assert!((found - expected).abs() < 0.005, "{found} instead of {expected}");
    }

    #[test]
    fn elo_and_scores_round_trip() {
        // 10 to 1 are 400 Elo, by definition.
        assert_near(elo_of(10.0 / 11.0), 400.0);
        assert_near(elo_of(0.76), 200.24);
        assert_eq!(elo_of(0.5), 0.0);
        for elo in [-300.0, 0.0, 5.0] {
            assert_near(elo_of(score_of(elo)), elo);
        }
        assert_eq!((elo_of(0.0), elo_of(1.0)), (f64::NEG_INFINITY, f64::INFINITY));
    }

    #[test]
    fn an_even_match_by_hand() {
        let pairs = Pairs([1, 2, 4, 2, 1]);
        assert_eq!((pairs.count(), pairs.score()), (10, Some(0.5)));
        // (2 * 1/4 + 4 * 1/16) / 10.
        assert_near(pairs.variance().unwrap(), 0.075);
        let elo = pairs.elo().unwrap();
        // The score's error is the root of 0.0075, and 1.96 of them reach 0.66974.
        assert_near(elo.value, 0.0);
        let (low, high) = elo.interval.unwrap();
        assert_near(high, 122.82);
        assert_near(low, -high);
        assert_eq!(pairs.normalised_elo(), Some(0.0));
        assert_near(pairs.likelihood_of_superiority().unwrap(), 0.5);
    }

    #[test]
    fn a_match_that_is_won_by_hand() {
        // 32 of 56 points: 4/7, and 400 * lg(4/3).
        let pairs = Pairs([1, 5, 10, 9, 3]);
        assert_near(pairs.score().unwrap(), 4.0 / 7.0);
        assert_near(pairs.elo().unwrap().value, 49.98);
        // (5/16 + 10/4 + 9 * 9/16 + 3) / 28 - 16/49.
        assert_near(pairs.variance().unwrap(), 0.06186);
        assert_near(pairs.normalised_elo().unwrap(), 70.55);
        // 1.52 deviations: 93.57 % by any table of the normal distribution.
        assert_near(pairs.likelihood_of_superiority().unwrap(), 0.9357);
    }

    #[test]
    fn what_cannot_be_known_is_none() {
        let none = Pairs::default();
        assert_eq!(
            (none.score(), none.elo(), none.likelihood_of_superiority()),
            (None, None, None)
        );
        let alike = Pairs([0, 0, 0, 0, 9]);
        let elo = Elo { value: f64::INFINITY, interval: None };
        assert_eq!((alike.elo(), alike.normalised_elo()), (Some(elo), None));
        // Near the end of the scale the interval has no upper end.
        let (low, high) = Pairs([0, 0, 0, 1, 3]).elo().unwrap().interval.unwrap();
        assert!(low.is_finite() && high == f64::INFINITY);
    }
}
