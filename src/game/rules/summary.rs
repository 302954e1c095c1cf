use serde::Serialize;

use super::Ruleset;

/// A ruleset in a list of rulesets, in the words that programs read.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct RulesetSummary {
    /// Its name.
    pub name: String,
    /// Its title.
    pub title: String,
    /// Squares on each edge of the board.
    pub size: usize,
    /// Attackers at the start.
    pub attackers: usize,
    /// Defenders at the start, the king not counted.
    pub defenders: usize,
    /// `attackers` or `defenders`.
    pub first_mover: &'static str,
    /// The fingerprint as it is shown.
    pub fingerprint: String,
}

impl Ruleset {
    /// What a list of rulesets tells of it.
    pub fn summary(&self) -> RulesetSummary {
        RulesetSummary {
            name: self.name.clone(),
            title: self.title.clone(),
            size: self.board.size(),
            attackers: self.start.attackers.len(),
            defenders: self.start.defenders.len(),
            first_mover: self.first.name(),
            fingerprint: self.fingerprint().to_string(),
        }
    }
}
