use std::fmt;

use crate::game::position::PositionError;

/// Why there is no bound, or no sample.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum BoundError {
    /// Games cannot begin where the ruleset says.
    Start(PositionError),
    /// Whoever was told of the progress wanted no more.
    Stopped,
}

impl fmt::Display for BoundError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BoundError::Start(error) => write!(f, "the start is no position: {error}"),
            BoundError::Stopped => f.write_str("stopped"),
        }
    }
}

impl std::error::Error for BoundError {}

impl From<PositionError> for BoundError {
    fn from(error: PositionError) -> BoundError {
        BoundError::Start(error)
    }
}
