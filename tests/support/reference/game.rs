//! What a solver has to know of a game.

use super::position::Position;

/// What a legal move leads to.
pub(crate) struct Successor {
    /// The board after the move, the other side to move.
    pub position: Position,
    /// How many soldiers were taken.
    pub captures: usize,
    /// Whether the mover has won by it: the king has escaped or is captured.
    pub won: bool,
}

/// The rules of a game and the board that it is played on.
pub(crate) trait Game {
    /// How many files and ranks the board has.
    fn size(&self) -> usize;

    /// Whether the piece may be there in a position of a running game.
    fn may_stand(&self, piece: u8, square: usize) -> bool;

    /// All legal moves, as what they lead to.
    fn successors(&self, position: &Position) -> Vec<Successor>;

    /// How many squares the board has.
    fn squares(&self) -> usize {
        self.size() * self.size()
    }

    /// Reads a board, a blank, and the side to move.
    fn read(&self, text: &str) -> Position {
        Position::read(text, self.size())
    }

    /// Writes what [`Game::read`] reads.
    fn write(&self, position: &Position) -> String {
        position.write(self.size())
    }

    /// How many lines of play of that many plies there are. A finished game
    /// has no continuation.
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
