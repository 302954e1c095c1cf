use super::{Cell, Game};

/// The values of all positions of a game with the soldier in play.
#[derive(Clone, Debug)]
pub struct Solved<V> {
    game: Game,
    /// By the king's square, then by the soldier's square in the region where it is in play.
    values: Vec<Vec<V>>,
}

impl<V: Copy + Into<u16>> Solved<V> {
    pub(super) fn new(game: Game, values: Vec<Vec<V>>) -> Solved<V> {
        Solved { game, values }
    }

    /// Returns the game.
    pub fn game(&self) -> Game {
        self.game
    }

    /// Returns the squares on which the soldier is in play, row by row.
    pub fn soldiers(&self, king: Cell) -> impl Iterator<Item = Cell> + use<V> {
        self.game.region(king).cells().filter(move |&soldier| soldier != king)
    }

    /// Returns the number of positions.
    pub fn positions(&self) -> u64 {
        self.values.iter().map(|values| values.len() as u64 - 1).sum()
    }

    /// Returns the value of a position: its Grundy value if solved by
    /// [`grundy_values`](super::grundy_values); 0 for P-positions and 1 for all others if solved
    /// by [`outcomes`](super::outcomes). With the soldier out of play it is the value of Nim.
    ///
    /// # Panics
    /// If the king's square is not one of the game's, or the soldier is off the board or on the
    /// king's square.
    pub fn value(&self, king: Cell, soldier: Cell) -> u16 {
        assert!(
            self.game.board().contains(soldier) && king != soldier,
            "the soldier must be on the board, and not on the king's square"
        );
        let region = self.game.region(king);
        match region.contains(soldier) {
            true => self.values[self.game.kings().number(king)][region.number(soldier)].into(),
            false => (king.row ^ king.column) as u16,
        }
    }

    /// Returns whether this is a P-position: the player to move loses.
    pub fn is_p(&self, king: Cell, soldier: Cell) -> bool {
        self.value(king, soldier) == 0
    }

    /// Returns all positions with the soldier in play, as the king's and the soldier's square:
    /// by the king, then by the soldier, row by row.
    pub fn all(&self) -> impl Iterator<Item = (Cell, Cell)> + '_ {
        let kings = self.game.kings().cells();
        kings.flat_map(|king| self.soldiers(king).map(move |soldier| (king, soldier)))
    }

    /// Returns the P-positions, in the same order.
    pub fn p_positions(&self) -> impl Iterator<Item = (Cell, Cell)> + '_ {
        self.all().filter(|&(king, soldier)| self.is_p(king, soldier))
    }
}
