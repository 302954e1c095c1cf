use std::fmt;

use crate::game::position::PositionError;

/// The reason why a bound or a sample cannot be computed.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum BoundError {
    /// The ruleset's start is not a legal position.
    Start(PositionError),
    /// The progress callback returned `false`.
    Stopped,
}

impl fmt::Display for BoundError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BoundError::Start(error) => write!(f, "the start is not a legal position: {error}"),
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
