use std::fmt;

use crate::game::board::Board;
use crate::study::scan::StatsError;
use crate::tablebase::ProbeError;

/// The reason why a slice cannot be compared.
#[derive(Debug)]
#[non_exhaustive]
pub enum CompareError {
    /// The rulesets have no positions in common: their boards differ in size.
    Boards {
        /// The first ruleset's name and board.
        first: (String, Board),
        /// The second ruleset's name and board.
        second: (String, Board),
    },
    /// A table cannot be scanned.
    Stats(StatsError),
    /// A table is missing or cannot be probed.
    Probe(ProbeError),
    /// The progress callback returned `false`.
    Stopped,
}

impl fmt::Display for CompareError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CompareError::Boards { first: (first, board), second: (second, other) } => write!(
                f,
                "{first} is played on {0}x{0} and {second} on {1}x{1}: they have no positions in \
                 common; compare the shares that `taflbase stats` prints for each",
                board.size(),
                other.size()
            ),
            CompareError::Stats(error) => error.fmt(f),
            CompareError::Probe(error) => error.fmt(f),
            CompareError::Stopped => f.write_str("stopped"),
        }
    }
}

impl std::error::Error for CompareError {}

impl From<StatsError> for CompareError {
    fn from(error: StatsError) -> CompareError {
        CompareError::Stats(error)
    }
}

impl From<ProbeError> for CompareError {
    fn from(error: ProbeError) -> CompareError {
        CompareError::Probe(error)
    }
}
