use std::fmt;

use crate::game::history::Outcome;
use crate::game::notation::MoveError;
use crate::game::position::PositionError;
use crate::game::rules::OtnError;

/// Why a text is no game record, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecordError {
    /// The line, from 1.
    pub line: usize,
    /// The turn, from 1, if the fault is in one.
    pub turn: Option<usize>,
    /// What is wrong there.
    pub fault: RecordFault,
}

/// What is wrong with a game record.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum RecordFault {
    /// A bracket is not closed.
    Open,
    /// A bracket before the first turn is no tag.
    NoTag(String),
    /// No tag tells the rules.
    NoRules,
    /// The rules record cannot be read.
    Rules(OtnError),
    /// There is no built-in ruleset of this name.
    UnknownRuleset(String),
    /// The game begins with no legal position.
    Start(PositionError),
    /// The result is none of those that there are.
    Result(String),
    /// The result is not that of the moves.
    Contradiction {
        /// The result that is told.
        told: String,
        /// How the game has ended.
        outcome: Outcome,
    },
    /// Another turn was to come.
    Turn(usize),
    /// The turn has a third move.
    ThirdMove(String),
    /// A move follows the end of the game.
    GameOver {
        /// The move.
        text: String,
        /// How the game has ended.
        outcome: Outcome,
    },
    /// A move follows a resignation.
    Resigned(String),
    /// A move cannot be played.
    Move {
        /// The move.
        text: String,
        /// Why not.
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
                write!(f, "{text:?} is no tag: write [name:value]")
            }
            RecordFault::NoRules => f.write_str("no tag tells the rules: write [rules:dim:7 …]"),
            RecordFault::Rules(error) => write!(f, "rules: {error}"),
            RecordFault::UnknownRuleset(name) => {
                write!(f, "{name:?} is no built-in ruleset: give the game's rules with it")
            }
            RecordFault::Start(error) => write!(f, "start: {error}"),
            RecordFault::Result(text) => write!(
                f,
                "{text:?} is no result: write 1 (attackers), 0 (draw), -1 (defenders) or ?"
            ),
            RecordFault::Contradiction { told, outcome } => {
                write!(f, "the result is told as {told}, but the moves say: {outcome}")
            }
            RecordFault::Turn(expected) => write!(f, "turn {expected} was to come"),
            RecordFault::ThirdMove(text) => write!(f, "{text} is the turn's third move"),
            RecordFault::GameOver { text, outcome } => {
                write!(f, "{text} follows the end of the game, {outcome}")
            }
            RecordFault::Resigned(text) => write!(f, "{text} follows a resignation"),
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
