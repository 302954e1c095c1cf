use serde::Serialize;

use super::{Origin, Ruleset};

/// The smallest board of the group of large boards.
const LARGE: usize = 11;

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
    /// Its group by the size of the board: `7x7`, `9x9`, `11x11 and larger`.
    pub group: String,
    /// The kind of its source: `historical-source` or `present-play`.
    pub origin: Origin,
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
            group: self.group(),
            origin: self.origin,
        }
    }

    /// Returns the group of the ruleset in lists, by the size of its board.
    pub fn group(&self) -> String {
        let size = self.board.size();
        if size < LARGE { format!("{size}x{size}") } else { format!("{LARGE}x{LARGE} and larger") }
    }
}

impl RulesetSummary {
    /// Returns a key that sorts rulesets into their groups: by size, and then by the kind of source.
    pub fn list_order(&self) -> (usize, Origin) {
        (self.size.min(LARGE), self.origin)
    }
}
