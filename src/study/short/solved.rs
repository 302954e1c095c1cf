use super::{Cell, Game};

/// The values of all positions of a game in which the soldier is in play.
#[derive(Clone, Debug)]
pub struct Solved<V> {
    game: Game,
    /// By the king's square, then by the soldier's in the region where it is in play.
    values: Vec<Vec<V>>,
}

impl<V: Copy + Into<u16>> Solved<V> {
    pub(super) fn new(game: Game, values: Vec<Vec<V>>) -> Solved<V> {
        Solved { game, values }
    }

    /// What was solved.
    pub fn game(&self) -> Game {
        self.game
    }

    /// The squares on which the soldier is in play, row by row.
    pub fn soldiers(&self, king: Cell) -> impl Iterator<Item = Cell> + use<V> {
        self.game.region(king).cells().filter(move |&soldier| soldier != king)
    }

    /// How many positions there are.
    pub fn positions(&self) -> u64 {
        self.values.iter().map(|values| values.len() as u64 - 1).sum()
    }

    /// The value of a position: of [`outcomes`](super::outcomes) 0 or 1, the latter for any
    /// value but 0; of [`grundy_values`](super::grundy_values) the value itself. A soldier
    /// that is out of play leaves the value of Nim.
    ///
    /// # Panics
    /// If the king is on no square that was asked for, the soldier on no square of it or on his.
    pub fn value(&self, king: Cell, soldier: Cell) -> u16 {
        assert!(self.game.board().contains(soldier) && king != soldier, "no place for a soldier");
        let region = self.game.region(king);
        match region.contains(soldier) {
            true => self.values[self.game.kings().number(king)][region.number(soldier)].into(),
            false => (king.row ^ king.column) as u16,
        }
    }

    /// Whether whoever is to move loses.
    pub fn is_p(&self, king: Cell, soldier: Cell) -> bool {
        self.value(king, soldier) == 0
    }

    /// All positions with the soldier in play, as the king's and the soldier's square: by
    /// the king, then by the soldier, row by row.
    pub fn all(&self) -> impl Iterator<Item = (Cell, Cell)> + '_ {
        let kings = self.game.kings().cells();
        kings.flat_map(|king| self.soldiers(king).map(move |soldier| (king, soldier)))
    }

    /// Those in which whoever is to move loses, in the same order.
    pub fn p_positions(&self) -> impl Iterator<Item = (Cell, Cell)> + '_ {
        self.all().filter(|&(king, soldier)| self.is_p(king, soldier))
    }
}
