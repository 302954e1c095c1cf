//! Blocking Nim: a king among any number of soldiers that never move.

use std::collections::BTreeSet;

use super::{Board, Cell, ShortError};

/// The Grundy values of the king's squares, for a fixed set of soldiers.
#[derive(Clone, Debug)]
pub struct Blocked {
    board: Board,
    /// By the king's square; `None` where a soldier is.
    values: Vec<Option<u16>>,
}

impl Blocked {
    /// Computes the values, row by row. `go_on(done, total)` is called for each row; return
    /// `false` to stop.
    ///
    /// # Errors
    /// If a soldier is not on the board, or `go_on` returned `false`.
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
            // A soldier has no value, so each direction ends at the first one.
            let west = (0..king.column)
                .rev()
                .map_while(|column| values[board.number(Cell::new(king.row, column))]);
            let north = (0..king.row)
                .rev()
                .map_while(|row| values[board.number(Cell::new(row, king.column))]);
            let mut seen = vec![false; board.rows() + board.columns()];
            for value in west.chain(north) {
                seen[usize::from(value)] = true;
            }
            let mex = seen.iter().position(|&seen| !seen);
            values[board.number(king)] = mex.map(|value| value as u16);
        }
        Ok(Blocked { board, values })
    }

    /// Returns the memory use for a board.
    pub fn memory_bytes(board: Board) -> u64 {
        (size_of::<Option<u16>>() * board.squares()) as u64
    }

    /// Returns the board.
    pub fn board(&self) -> Board {
        self.board
    }

    /// Returns the value with the king on a square; `None` if a soldier is there.
    ///
    /// # Panics
    /// If the square is not on the board.
    pub fn value(&self, king: Cell) -> Option<u16> {
        assert!(self.board.contains(king), "the square is not on the board");
        self.values[self.board.number(king)]
    }

    /// Returns the king's squares that are P-positions, row by row.
    pub fn p_squares(&self) -> impl Iterator<Item = Cell> + '_ {
        self.board.cells().filter(|&king| self.value(king) == Some(0))
    }
}
