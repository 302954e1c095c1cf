use std::fmt;

use crate::system::bytes::Bytes;

use super::{Board, Cell};

/// The reason why a game of short tafl cannot be solved.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ShortError {
    /// The text is not a board.
    Board(String),
    /// The board has no squares, or too many rows or columns.
    Sides {
        /// The number of rows.
        rows: usize,
        /// The number of columns.
        columns: usize,
    },
    /// The text is not a square.
    Cell(String),
    /// The square is not on the board.
    NotOnBoard(Cell, Board),
    /// The text is not a rule of the soldier.
    Soldier(String),
    /// Solving the board would take this many bytes of memory.
    TooLarge(Board, u64),
    /// The progress callback returned `false`.
    Stopped,
}

impl fmt::Display for ShortError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let max = Board::MAX_SIDE;
        match self {
            ShortError::Board(text) => {
                write!(f, "{text:?} is not a board: write rows and columns, like 8x9")
            }
            ShortError::Sides { rows, columns } if *rows == 0 || *columns == 0 => write!(
                f,
                "a board of {rows} rows and {columns} columns has no squares: write 1x1 or more"
            ),
            ShortError::Sides { rows, columns } => write!(
                f,
                "a board of {rows} rows and {columns} columns is too large: write at most \
                 {max}x{max}"
            ),
            ShortError::Cell(text) => {
                write!(f, "{text:?} is not a square: write row and column from 0, like 7,8")
            }
            ShortError::NotOnBoard(cell, board) => {
                let last = board.corner();
                write!(f, "the board {board} has no square {cell}: squares go from 0,0 to {last}")
            }
            ShortError::Soldier(text) => {
                write!(
                    f,
                    "{text:?} is not a rule of the soldier: write se, nw, closer or stationary"
                )
            }
            ShortError::TooLarge(board, bytes) => {
                write!(
                    f,
                    "the board {board} is too large: it would take {} of memory",
                    Bytes(*bytes)
                )
            }
            ShortError::Stopped => f.write_str("stopped"),
        }
    }
}

impl std::error::Error for ShortError {}
