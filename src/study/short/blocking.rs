//! Blocking Nim: the king among any number of soldiers that never move.

use std::collections::BTreeSet;

use super::{Board, Cell, ShortError};

/// The king's squares with their Grundy values, the soldiers being where they are.
#[derive(Clone, Debug)]
pub struct Blocked {
    board: Board,
    /// By the king's square; none where a soldier is.
    values: Vec<Option<u16>>,
}

impl Blocked {
    /// Finds the values: square by square, from those seen along the row to the west, as far
    /// as the next soldier, and along the column to the north. `go_on` is told how many rows
    /// of how many are done, and whether to go on is its answer.
    ///
    /// # Errors
    /// If a soldier is not on the board, or `go_on` does not want to.
    pub fn new(
        board: Board,
        soldiers: &BTreeSet<Cell>,
        go_on: &dyn Fn(u64, u64) -> bool,
    ) -> Result<Blocked, ShortError> {
        if let Some(&outside) = soldiers.iter().find(|&&soldier| !board.contains(soldier)) {
            return Err(ShortError::NotOnBoard(outside, board));
        }
        let mut values: Vec<Option<u16>> = vec![None; board.squares()];
        for king in board.cells() {
            if king.column == 0 && !go_on(king.row as u64, board.rows() as u64) {
                return Err(ShortError::Stopped);
            }
            if soldiers.contains(&king) {
                continue;
            }
            let west = (0..king.column).rev().map(|column| Cell::new(king.row, column));
            let north = (0..king.row).rev().map(|row| Cell::new(row, king.column));
            let mut seen = vec![false; board.rows() + board.columns()];
            let west = west.map_while(|cell| values[board.number(cell)]);
            for value in west.chain(north.map_while(|cell| values[board.number(cell)])) {
                seen[usize::from(value)] = true;
            }
            let least = seen.iter().position(|&seen| !seen);
            values[board.number(king)] = least.map(|value| value as u16);
        }
        Ok(Blocked { board, values })
    }

    /// The memory that it takes.
    pub fn memory_bytes(board: Board) -> u64 {
        (size_of::<Option<u16>>() * board.squares()) as u64
    }

    /// The board.
    pub fn board(&self) -> Board {
        self.board
    }

    /// The value with the king there; none if a soldier is.
    ///
    /// # Panics
    /// If the square is not on the board.
    pub fn value(&self, king: Cell) -> Option<u16> {
        assert!(self.board.contains(king), "no square of the board");
        self.values[self.board.number(king)]
    }

    /// The squares on which whoever is to move loses, row by row.
    pub fn p_squares(&self) -> impl Iterator<Item = Cell> + '_ {
        self.board.cells().filter(|&king| self.value(king) == Some(0))
    }
}
