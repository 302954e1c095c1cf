use super::{Board, Cell, ShortError, Soldier};

/// A board, how the soldier moves on it, and which of the king's squares are asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Game {
    board: Board,
    rule: Soldier,
    kings: Board,
}

impl Game {
    /// The game with the king anywhere on the board.
    pub fn new(board: Board, rule: Soldier) -> Game {
        Game { board, rule, kings: board }
    }

    /// The part of the game with the king on that square, or north or west of it: he never
    /// comes to another.
    ///
    /// # Errors
    /// If the board has no such square.
    pub fn reached_from(self, king: Cell) -> Result<Game, ShortError> {
        match self.board.contains(king) {
            true => Ok(Game { kings: Board::between_corner_and(king), ..self }),
            false => Err(ShortError::NotOnBoard(king, self.board)),
        }
    }

    /// The board, on which the soldier is.
    pub fn board(self) -> Board {
        self.board
    }

    /// How the soldier moves.
    pub fn rule(self) -> Soldier {
        self.rule
    }

    /// The rows and columns, from the north-west corner on, on which the king is.
    pub fn kings(self) -> Board {
        self.kings
    }

    /// The rows and columns, from the north-west corner on, of the squares on which the
    /// soldier is in play; the king's own square is among them.
    pub(super) fn region(self, king: Cell) -> Board {
        match self.rule.leaves_play() {
            true => Board::between_corner_and(king),
            false => self.board,
        }
    }
}
