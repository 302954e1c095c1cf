use super::{Board, Cell, ShortError, Soldier};

/// A game of short tafl: a board, the soldier's rule, and the king's squares to solve.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Game {
    board: Board,
    rule: Soldier,
    kings: Board,
}

impl Game {
    /// Creates the game with the king anywhere on the board.
    pub fn new(board: Board, rule: Soldier) -> Game {
        Game { board, rule, kings: board }
    }

    /// Restricts the game to the squares that the king can reach from this one: the square
    /// itself, and those north and west of it.
    ///
    /// # Errors
    /// If the board has no such square.
    pub fn reached_from(self, king: Cell) -> Result<Game, ShortError> {
        match self.board.contains(king) {
            true => Ok(Game { kings: Board::between_corner_and(king), ..self }),
            false => Err(ShortError::NotOnBoard(king, self.board)),
        }
    }

    /// Returns the board.
    pub fn board(self) -> Board {
        self.board
    }

    /// Returns the soldier's rule.
    pub fn rule(self) -> Soldier {
        self.rule
    }

    /// Returns the king's squares of the game: a part of the board, from the north-west corner.
    pub fn kings(self) -> Board {
        self.kings
    }

    /// Returns the part of the board, from the north-west corner, where the soldier is in play;
    /// it includes the king's own square.
    pub(super) fn region(self, king: Cell) -> Board {
        match self.rule.leaves_play() {
            true => Board::between_corner_and(king),
            false => self.board,
        }
    }
}
