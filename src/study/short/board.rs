use std::fmt;
use std::str::FromStr;

use super::ShortError;

/// A square by its row and column, counted from 0 at the north-west corner.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Cell {
    /// The row, 0 being the northernmost.
    pub row: usize,
    /// The column, 0 being the westernmost.
    pub column: usize,
}

impl Cell {
    /// Creates a square from its row and column.
    pub fn new(row: usize, column: usize) -> Cell {
        Cell { row, column }
    }

    /// Returns the mirror image in the main diagonal.
    #[must_use]
    pub fn transposed(self) -> Cell {
        Cell::new(self.column, self.row)
    }
}

/// Written `row,column`.
impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{}", self.row, self.column)
    }
}

impl FromStr for Cell {
    type Err = ShortError;

    fn from_str(text: &str) -> Result<Cell, ShortError> {
        let (row, column) =
            number_pair(text, ',').ok_or_else(|| ShortError::Cell(text.to_owned()))?;
        Ok(Cell::new(row, column))
    }
}

/// Parses two numbers with a separator between them.
fn number_pair(text: &str, separator: char) -> Option<(usize, usize)> {
    let (first, second) = text.split_once(separator)?;
    Some((first.trim().parse().ok()?, second.trim().parse().ok()?))
}

/// A board of at least one square.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Board {
    rows: usize,
    columns: usize,
}

impl Board {
    /// The maximum number of rows, and of columns.
    pub const MAX_SIDE: usize = 10_000;

    /// Creates a board.
    ///
    /// # Errors
    /// If it has no squares, or more than [`MAX_SIDE`](Self::MAX_SIDE) rows or columns.
    pub fn new(rows: usize, columns: usize) -> Result<Board, ShortError> {
        let sides = 1..=Board::MAX_SIDE;
        match sides.contains(&rows) && sides.contains(&columns) {
            true => Ok(Board { rows, columns }),
            false => Err(ShortError::Sides { rows, columns }),
        }
    }

    /// Returns the number of rows.
    pub fn rows(self) -> usize {
        self.rows
    }

    /// Returns the number of columns.
    pub fn columns(self) -> usize {
        self.columns
    }

    /// Returns the number of squares.
    pub fn squares(self) -> usize {
        self.rows * self.columns
    }

    /// Returns all squares, row by row.
    pub fn cells(self) -> impl Iterator<Item = Cell> {
        (0..self.squares()).map(move |number| self.cell(number))
    }

    /// Returns whether the square is on the board.
    pub fn contains(self, cell: Cell) -> bool {
        cell.row < self.rows && cell.column < self.columns
    }

    /// Returns the south-east corner.
    pub fn corner(self) -> Cell {
        Cell::new(self.rows - 1, self.columns - 1)
    }

    /// Returns the index of a square, row by row.
    pub(super) fn number(self, cell: Cell) -> usize {
        cell.row * self.columns + cell.column
    }

    pub(super) fn cell(self, number: usize) -> Cell {
        Cell::new(number / self.columns, number % self.columns)
    }

    /// Returns the part of a board from the north-west corner to this square.
    pub(super) fn between_corner_and(cell: Cell) -> Board {
        Board { rows: cell.row + 1, columns: cell.column + 1 }
    }
}

/// Written `8x9`: 8 rows, 9 columns.
impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.rows, self.columns)
    }
}

impl FromStr for Board {
    type Err = ShortError;

    fn from_str(text: &str) -> Result<Board, ShortError> {
        let (rows, columns) = number_pair(text, 'x')
            .or_else(|| number_pair(text, 'X'))
            .ok_or_else(|| ShortError::Board(text.to_owned()))?;
        Board::new(rows, columns)
    }
}
