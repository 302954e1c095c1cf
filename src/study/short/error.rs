use std::fmt;

use crate::system::bytes::Bytes;

use super::{Board, Cell};

/// Why a game of short tafl is not solved.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ShortError {
    /// A text that is no board.
    Board(String),
    /// A board without squares, or one that is too long.
    Sides {
        /// The rows that it would have.
        rows: usize,
        /// The columns that it would have.
        columns: usize,
    },
    /// A text that is no square.
    Cell(String),
    /// A square that the board does not have.
    NotOnBoard(Cell, Board),
    /// A text that is no rule of the soldier.
    Soldier(String),
    /// A board whose values could be counted in no memory at all.
    TooLarge(Board, u64),
    /// Whoever was told of the progress wanted no more.
    Stopped,
}

impl fmt::Display for ShortError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let most = Board::MAX_SIDE;
        match self {
            ShortError::Board(text) => {
                write!(f, "{text:?} is no board: write rows and columns, like 8x9")
            }
            ShortError::Sides { rows, columns } if *rows == 0 || *columns == 0 => write!(
                f,
                "a board of {rows} rows and {columns} columns has no squares: write 1x1 or more"
            ),
            ShortError::Sides { rows, columns } => write!(
                f,
                "a board of {rows} rows and {columns} columns is too long: it has at most {most} of either"
            ),
            ShortError::Cell(text) => {
                write!(f, "{text:?} is no square: write row and column from 0, like 7,8")
            }
            ShortError::NotOnBoard(cell, board) => {
                let last = board.corner();
                write!(f, "the board {board} has no square {cell}: squares go from 0,0 to {last}")
            }
            ShortError::Soldier(text) => {
                write!(f, "{text:?} is no rule of the soldier: write se, nw, closer or stationary")
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
