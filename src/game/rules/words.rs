use crate::game::board::SquareSet;

use super::{Kind, Ruleset};

impl Ruleset {
    /// The squares' names, in square order.
    pub(crate) fn list(&self, squares: SquareSet) -> Vec<String> {
        let names = squares.iter().map(|square| self.board.name(square));
        names.map(|name| name.to_string()).collect()
    }

    /// The set in words: the named sets that make it up, the largest first,
    /// and what is left square by square.
    pub(crate) fn phrase(&self, set: SquareSet) -> String {
        let (mut rest, mut words) = (set, Vec::new());
        while let Some((name, squares)) = self.largest_within(rest) {
            rest -= squares;
            words.push(name.to_owned());
        }
        words.extend(self.list(rest));
        words.join(", ")
    }

    fn largest_within(&self, set: SquareSet) -> Option<(&str, SquareSet)> {
        let named = self.squares.iter().map(|(name, squares)| (name.as_str(), *squares));
        let within = named.filter(|(_, squares)| squares.is_subset(set));
        // Of equally large sets, the first: `max_by_key` would take the last.
        within.rev().max_by_key(|(_, squares)| squares.len())
    }
}

/// The kind as files and JSON name it.
pub(crate) fn plural(kind: Kind) -> &'static str {
    match kind {
        Kind::Attacker => "attackers",
        Kind::Defender => "defenders",
        Kind::King => "king",
    }
}
