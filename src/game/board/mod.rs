//! Squares, sets of squares, and the geometry of an odd square board.

mod arrays;
mod square;
mod squares;
mod symmetry;

pub(crate) use arrays::{array_of, set_bits};
pub use square::{Board, Direction, Square, SquareName};
pub use squares::SquareSet;
pub(crate) use symmetry::SymmetrySet;
pub use symmetry::{Symmetry, SymmetryGroup};

/// The smallest board that a ruleset may have: files and ranks.
pub const MIN_SIZE: u8 = 5;
/// The largest board that a ruleset may have: files and ranks.
pub const MAX_SIZE: u8 = 19;
