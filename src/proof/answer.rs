//! Answers to the two questions about a position, and the value that follows from them.

use std::fmt;

use crate::game::rules::{Endless, Side};

use super::table::INFINITE;

/// The answer to the question whether a side can force a win.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Answer {
    /// The question was not asked.
    #[default]
    Unasked,
    /// The side can force a win.
    Won,
    /// The side cannot force a win.
    NotWon,
    /// Not decided within the limits.
    Open {
        /// The proof number: an estimate of the remaining effort to prove the win.
        proof: u32,
        /// The disproof number: an estimate of the remaining effort to disprove it.
        disproof: u32,
    },
}

impl Answer {
    /// The answer before a search.
    pub(super) const UNKNOWN: Answer = Answer::Open { proof: 1, disproof: 1 };

    /// Returns the proof and the disproof number of an open question, each unless it is infinite:
    /// where only repetitions are left, no search lowers it, but a closed set may decide.
    pub fn numbers(self) -> [Option<u32>; 2] {
        match self {
            Answer::Open { proof, disproof } => [proof, disproof].map(finite),
            _ => [None, None],
        }
    }
}

/// Returns a number unless it is infinite.
pub(super) fn finite(number: u32) -> Option<u32> {
    (number < INFINITE).then_some(number)
}

/// The proved value of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProvedValue {
    /// This side can force a win.
    Win(Side),
    /// Neither side can force a win: a draw, undecided under rules where the winner depends on the
    /// game's history, or endless where the attackers win endless play.
    Endless(Endless),
    /// Not proved.
    Open,
}

impl ProvedValue {
    /// Returns the side that can force a win.
    pub fn winner(self) -> Option<Side> {
        match self {
            ProvedValue::Win(side) => Some(side),
            ProvedValue::Endless(_) | ProvedValue::Open => None,
        }
    }
}

impl fmt::Display for ProvedValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ProvedValue::Win(side) => side.name(),
            ProvedValue::Endless(endless) => endless.name(),
            ProvedValue::Open => "open",
        })
    }
}

/// Returns the value that follows from the answers for the attackers and for the defenders.
pub(super) fn value([attackers, defenders]: [Answer; 2], endless: Endless) -> ProvedValue {
    match (attackers, defenders) {
        (Answer::Won, _) => ProvedValue::Win(Side::Attackers),
        (_, Answer::Won) => ProvedValue::Win(Side::Defenders),
        (Answer::NotWon, Answer::NotWon) => ProvedValue::Endless(endless),
        _ => ProvedValue::Open,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_infinite_number_is_none() {
        let open = |proof, disproof| Answer::Open { proof, disproof };
        assert_eq!(open(INFINITE - 1, 7).numbers(), [Some(INFINITE - 1), Some(7)]);
        assert_eq!(open(INFINITE, 7).numbers(), [None, Some(7)]);
        assert_eq!(Answer::Won.numbers(), [None, None]);
    }
}
