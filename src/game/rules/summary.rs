use serde::Serialize;

use super::Ruleset;

/// A ruleset's entry in a list of rulesets, for programs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct RulesetSummary {
    /// Its name.
    pub name: String,
    /// Its title.
    pub title: String,
    /// The number of files, which is also the number of ranks.
    pub size: usize,
    /// Attackers at the start.
    pub attackers: usize,
    /// Defenders at the start, without the king.
    pub defenders: usize,
    /// `attackers` or `defenders`.
    pub first_mover: &'static str,
    /// The fingerprint in its displayed form.
    pub fingerprint: String,
}

impl Ruleset {
    /// Returns the entry for a list of rulesets.
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
