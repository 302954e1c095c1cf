use crate::game::board::SquareSet;

use super::{Kind, Ruleset};

impl Ruleset {
    /// Describes a set: the named sets that it contains, the largest first, and then the
    /// remaining squares.
    pub(crate) fn phrase(&self, set: SquareSet) -> String {
        let (mut rest, mut words) = (set, Vec::new());
        while let Some((name, squares)) = self.largest_within(rest) {
            rest -= squares;
            words.push(name.to_owned());
        }
        words.extend(self.board.names(rest));
        words.join(", ")
    }

    /// Returns the largest named set within this one.
    pub(crate) fn largest_within(&self, set: SquareSet) -> Option<(&str, SquareSet)> {
        let named = self.squares.iter().map(|(name, squares)| (name.as_str(), *squares));
        let within = named.filter(|(_, squares)| squares.is_subset(set));
        // Of equally large sets take the first; `max_by_key` alone takes the last.
        within.rev().max_by_key(|(_, squares)| squares.len())
    }
}

/// Returns the kind's name in files and JSON.
pub(crate) fn plural(kind: Kind) -> &'static str {
    match kind {
        Kind::Attacker => "attackers",
        Kind::Defender => "defenders",
        Kind::King => "king",
    }
}
