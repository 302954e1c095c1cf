use std::fmt;

use crate::game::history::Outcome;
use crate::game::notation::MoveError;
use crate::game::position::PositionError;
use crate::game::rules::{OtnError, Side};

/// The reason why a text is not a game record, with the place in the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecordError {
    /// The line, from 1.
    pub line: usize,
    /// The turn, from 1, if the fault is in a turn.
    pub turn: Option<usize>,
    /// The fault.
    pub fault: RecordFault,
}

/// A fault in a game record.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum RecordFault {
    /// A bracket is not closed.
    Open,
    /// A bracket before the first turn is not a tag.
    NoTag(String),
    /// No tag gives the rules.
    NoRules,
    /// The rules record cannot be read.
    Rules(OtnError),
    /// No built-in ruleset has this name.
    UnknownRuleset(String),
    /// The starting position is not legal.
    Start(PositionError),
    /// The result tag has an unknown value.
    Result(String),
    /// The result tag contradicts the moves.
    Contradiction {
        /// The value of the tag.
        claimed: String,
        /// The outcome of the game.
        outcome: Outcome,
    },
    /// The result tag contradicts a resignation.
    ContradictedResignation {
        /// The value of the tag.
        claimed: String,
        /// The side that resigned.
        loser: Side,
    },
    /// A turn does not have this number, which comes next.
    Turn(usize),
    /// The turn has a third move.
    ThirdMove(String),
    /// A move follows the end of the game.
    GameOver {
        /// The move.
        text: String,
        /// The outcome of the game.
        outcome: Outcome,
    },
    /// A move follows a resignation.
    Resigned(String),
    /// The game has more moves than this, the maximum that the caller accepts.
    TooManyMoves(usize),
    /// A move cannot be played.
    Move {
        /// The move.
        text: String,
        /// The reason.
        error: MoveError,
    },
}

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}", self.line)?;
        if let Some(turn) = self.turn {
            write!(f, ", turn {turn}")?;
        }
        write!(f, ": {}", self.fault)
    }
}

impl fmt::Display for RecordFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RecordFault::Open => f.write_str("the bracket [ is not closed"),
            RecordFault::NoTag(text) => {
                write!(f, "{text:?} is not a tag: write [name:value]")
            }
            RecordFault::NoRules => f.write_str("no tag gives the rules: write [rules:dim:7 …]"),
            RecordFault::Rules(error) => write!(f, "rules: {error}"),
            RecordFault::UnknownRuleset(name) => {
                write!(
                    f,
                    "{name:?} is not a built-in ruleset: read the record with the rules of the game"
                )
            }
            RecordFault::Start(error) => write!(f, "start: {error}"),
            RecordFault::Result(text) => write!(
                f,
                "{text:?} is not a result: write 1 (attackers), 0 (draw), -1 (defenders) or ?"
            ),
            RecordFault::Contradiction { claimed, outcome } => {
                write!(f, "the result tag says {claimed}, but the moves give: {outcome}")
            }
            RecordFault::ContradictedResignation { claimed, loser } => {
                write!(f, "the result tag says {claimed}, but the {} resign", loser.name())
            }
            RecordFault::Turn(expected) => write!(f, "expected turn {expected}"),
            RecordFault::ThirdMove(text) => write!(f, "{text} is the turn's third move"),
            RecordFault::GameOver { text, outcome } => {
                write!(f, "{text} follows the end of the game ({outcome})")
            }
            RecordFault::Resigned(text) => write!(f, "{text} follows a resignation"),
            RecordFault::TooManyMoves(max) => {
                write!(f, "the game has more than {max} moves: shorten the record")
            }
            RecordFault::Move { text, error } => write!(f, "{text}: {error}"),
        }
    }
}

impl std::error::Error for RecordError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.fault {
            RecordFault::Rules(error) => Some(error),
            RecordFault::Start(error) => Some(error),
            RecordFault::Move { error, .. } => Some(error),
            _ => None,
        }
    }
}
