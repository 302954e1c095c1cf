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
    /// The square in that row and column.
    pub fn new(row: usize, column: usize) -> Cell {
        Cell { row, column }
    }

    /// The square on the other side of the main diagonal.
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
        let numbers = text.split_once(',');
        let number = |text: &str| text.trim().parse().ok();
        numbers
            .and_then(|(row, column)| Some(Cell::new(number(row)?, number(column)?)))
            .ok_or_else(|| ShortError::Cell(text.to_owned()))
    }
}

/// A board of at least one square.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Board {
    rows: usize,
    columns: usize,
}

impl Board {
    /// Rows or columns that a board has at most.
    pub const MAX_SIDE: usize = 10_000;

    /// A board of so many rows and columns.
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

    /// How many rows there are.
    pub fn rows(self) -> usize {
        self.rows
    }

    /// How many columns there are.
    pub fn columns(self) -> usize {
        self.columns
    }

    /// How many squares there are.
    pub fn squares(self) -> usize {
        self.rows * self.columns
    }

    /// All squares, row by row.
    pub fn cells(self) -> impl Iterator<Item = Cell> {
        (0..self.squares()).map(move |number| self.cell(number))
    }

    /// Whether the square is on the board.
    pub fn contains(self, cell: Cell) -> bool {
        cell.row < self.rows && cell.column < self.columns
    }

    /// The square in the south-east corner.
    pub fn corner(self) -> Cell {
        Cell::new(self.rows - 1, self.columns - 1)
    }

    /// The squares' numbers, row by row.
    pub(super) fn number(self, cell: Cell) -> usize {
        cell.row * self.columns + cell.column
    }

    pub(super) fn cell(self, number: usize) -> Cell {
        Cell::new(number / self.columns, number % self.columns)
    }

    /// The rows and columns from the north-west corner to that square.
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
        let sides = text.split_once(['x', 'X']);
        let sides = sides.and_then(|(rows, columns)| {
            Some((rows.trim().parse().ok()?, columns.trim().parse().ok()?))
        });
        let (rows, columns) = sides.ok_or_else(|| ShortError::Board(text.to_owned()))?;
        Board::new(rows, columns)
    }
}
