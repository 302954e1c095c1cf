use std::fmt;

use crate::game::board::SquareName;
use crate::game::position::{PositionError, with_article};
use crate::game::rules::{Kind, LayoutError};
use crate::game::slice::Slice;
use crate::study::scan::StatsError;

/// The reason why a search cannot run.
#[derive(Debug)]
#[non_exhaustive]
pub enum FindError {
    /// The table cannot be scanned.
    Table(StatsError),
    /// The query needs distances, and the slice has a WDL table only.
    NoDistances(Slice),
    /// The query needs distances, and wants positions that have none: those of this outcome,
    /// `draw`, `undecided` or `endless`.
    OpenWithoutDistance(&'static str),
    /// No position can match the pattern.
    Pattern(PatternError),
    /// The name of an outcome that the rules do not have.
    Outcome {
        /// The name.
        name: String,
        /// The rules' outcome between win and loss: `draw`, `undecided` or `endless`.
        open: &'static str,
    },
}

impl fmt::Display for FindError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FindError::Table(error) => error.fmt(f),
            FindError::NoDistances(slice) => write!(
                f,
                "{slice} has a WDL table only, without distances: build the slice, or search \
                 without plies"
            ),
            FindError::OpenWithoutDistance(open) => write!(
                f,
                "a position that is {open} has no distance: search for it without plies and \
                 longest"
            ),
            FindError::Pattern(error) => error.fmt(f),
            FindError::Outcome { name, open } => {
                write!(f, "{name:?} is not an outcome under these rules: write win, loss or {open}")
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

/// The reason why a pattern is invalid.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum PatternError {
    /// The text does not describe the board.
    Layout(LayoutError),
    /// A rank has more than one `*`.
    TwoStars {
        /// The rank's number, from 1.
        rank: usize,
    },
    /// The board has no square of this name; the second field is its last square.
    NoSquare(String, SquareName),
    /// A square has two requirements that exclude each other.
    Twice(SquareName),
    /// A piece is on a square where its kind cannot stand.
    Place(PositionError),
    /// The requirements leave no square for the king.
    NoKing,
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PatternError::Layout(LayoutError::NoPiece { rank, found }) => write!(
                f,
                "rank {rank}: {found:?} is not valid in a pattern: write t, T, K, a number of \
                 empty squares, ? for any square or * for the rest of the rank"
            ),
            PatternError::Layout(error) => error.fmt(f),
            PatternError::TwoStars { rank } => {
                write!(f, "rank {rank} has more than one *: write ? for single squares instead")
            }
            PatternError::NoSquare(name, last) => {
                write!(f, "the board has no square {name:?}: squares go from a1 to {last}")
            }
            PatternError::Twice(square) => {
                write!(f, "{square} has two different contents in the pattern: give it one")
            }
            PatternError::Place(error) => error.fmt(f),
            PatternError::NoKing => {
                write!(f, "no square is left for {}", with_article(Kind::King))
            }
        }
    }
}

impl std::error::Error for PatternError {}
