//! What a solver needs to know about a game.

use super::position::Position;

/// The effect of a legal move.
pub(crate) struct Successor {
    /// The board after the move, with the other side to move.
    pub position: Position,
    /// The number of captured soldiers.
    pub captures: usize,
    /// Whether the mover wins by it: the king escapes or is captured.
    pub won: bool,
}

/// The rules of a game and its board.
pub(crate) trait Game {
    /// The number of files, which is that of ranks.
    fn size(&self) -> usize;

    /// Whether the piece may be there in a position of a running game.
    fn may_stand(&self, piece: u8, square: usize) -> bool;

    /// Returns the effects of all legal moves.
    fn successors(&self, position: &Position) -> Vec<Successor>;

    /// The number of squares.
    fn squares(&self) -> usize {
        self.size() * self.size()
    }

    /// Parses a board, a blank, and the side to move.
    fn read(&self, text: &str) -> Position {
        Position::read(text, self.size())
    }

    /// Formats a position as [`Game::read`] parses it.
    fn write(&self, position: &Position) -> String {
        position.write(self.size())
    }

    /// Returns the number of move sequences of this many plies. A finished game has no
    /// continuation.
    fn perft(&self, position: &Position, depth: usize) -> u64 {
        let successors = self.successors(position);
        if depth == 1 {
            return successors.len() as u64;
        }
        let running = successors.iter().filter(|s| !s.won);
        running.map(|s| self.perft(&s.position, depth - 1)).sum()
    }
}

impl<G: Game> Game for &G {
    fn size(&self) -> usize {
        (*self).size()
    }

    fn may_stand(&self, piece: u8, square: usize) -> bool {
        (*self).may_stand(piece, square)
    }

    fn successors(&self, position: &Position) -> Vec<Successor> {
        (*self).successors(position)
    }
}
