use std::fmt;

use crate::game::board::SquareName;
use crate::game::position::{PositionError, with_article};
use crate::game::rules::{Kind, LayoutError};
use crate::game::slice::Slice;
use crate::study::stats::StatsError;

/// Why nothing can be looked for.
#[derive(Debug)]
#[non_exhaustive]
pub enum FindError {
    /// The table cannot be gone through.
    Table(StatsError),
    /// Distances were asked for, and the slice has a WDL table only.
    NoDistances(Slice),
    /// The pattern is none that a position can have.
    Pattern(PatternError),
    /// A word that is no outcome under the rules.
    Outcome {
        /// The word.
        name: String,
        /// What the rules have between win and loss.
        open: &'static str,
    },
}

impl fmt::Display for FindError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FindError::Table(error) => error.fmt(f),
            FindError::NoDistances(slice) => write!(
                f,
                "{slice} has no table of distances, only one of wins, draws and losses: build \
                 the slice, or ask without plies"
            ),
            FindError::Pattern(error) => error.fmt(f),
            FindError::Outcome { name, open } => {
                write!(f, "{name:?} is no value under these rules: write win, loss or {open}")
            }
        }
    }
}

impl std::error::Error for FindError {}

impl From<StatsError> for FindError {
    fn from(error: StatsError) -> FindError {
        FindError::Table(error)
    }
}

impl From<PatternError> for FindError {
    fn from(error: PatternError) -> FindError {
        FindError::Pattern(error)
    }
}

/// What is wrong with a pattern.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum PatternError {
    /// A text that does not fill the board.
    Layout(LayoutError),
    /// A rank in which the same place is left open twice.
    TwoStars {
        /// The rank's number, from 1.
        rank: usize,
    },
    /// A name that is no square's.
    NoSquare(String, SquareName),
    /// One square for two things.
    Twice(SquareName),
    /// A piece where its kind cannot stand.
    Place(PositionError),
    /// No square is left for the king.
    NoKing,
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PatternError::Layout(LayoutError::NoPiece { rank, found }) => write!(
                f,
                "rank {rank}: {found:?} is no part of a pattern: write t, T, K, a count of empty \
                 squares, ? for any square or * for the rest of the rank"
            ),
            PatternError::Layout(error) => error.fmt(f),
            PatternError::TwoStars { rank } => {
                write!(f, "rank {rank} has more than one *: write ? for each square but one run")
            }
            PatternError::NoSquare(name, last) => {
                write!(f, "the board has no square {name:?}: squares go from a1 to {last}")
            }
            PatternError::Twice(square) => {
                write!(f, "{square} is asked to be two things at once")
            }
            PatternError::Place(error) => error.fmt(f),
            PatternError::NoKing => {
                write!(f, "no square is left for {}", with_article(Kind::King))
            }
        }
    }
}

impl std::error::Error for PatternError {}
