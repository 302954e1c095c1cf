use std::fmt;
use std::str::FromStr;

use super::ShortError;

/// The soldier's rule. It slides like a rook and does not jump over the king.
///
/// Each rule gives every place in a row or column a *rank*, which depends on where the king's
/// row or column crosses it: the soldier moves to places of smaller rank. A move of the soldier
/// lowers the sum of its two ranks, and a move of the king his distance from the north-west
/// corner, so that no position repeats.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Soldier {
    /// South or east, but never past the king: it stays in the quadrant north and west of him.
    /// When the king moves past it, so that it is outside the quadrant, it is out of play.
    SouthEast,
    /// North or west, as the king.
    NorthWest,
    /// In any direction, if that ends closer to the king.
    Closer,
    /// Never. Once the king has passed it, it is out of play.
    Stationary,
}

impl Soldier {
    /// All four.
    pub const ALL: [Soldier; 4] =
        [Soldier::SouthEast, Soldier::NorthWest, Soldier::Closer, Soldier::Stationary];

    /// Returns the rule's name: `se`, `nw`, `closer` or `stationary`.
    pub fn name(self) -> &'static str {
        match self {
            Soldier::SouthEast => "se",
            Soldier::NorthWest => "nw",
            Soldier::Closer => "closer",
            Soldier::Stationary => "stationary",
        }
    }

    /// Returns whether a soldier outside the quadrant north and west of the king, his own row
    /// and column included, is out of play: it can neither move nor block him. The game is then
    /// Nim with his row and column as heaps.
    pub fn leaves_play(self) -> bool {
        matches!(self, Soldier::SouthEast | Soldier::Stationary)
    }

    /// Returns the rank of a place in a line that the king's line crosses at `king`. The place
    /// is not beyond the king if the soldier [leaves play](Self::leaves_play) there.
    pub(super) fn rank(self, king: usize, place: usize) -> usize {
        match self {
            Soldier::SouthEast => king - place,
            Soldier::NorthWest => place,
            Soldier::Closer => king.abs_diff(place),
            Soldier::Stationary => 0,
        }
    }

    /// Groups the first `places` of a line by rank, smallest rank first.
    pub(super) fn ranked(self, king: usize, places: usize) -> Vec<Vec<usize>> {
        let mut ranked: Vec<usize> = (0..places).collect();
        ranked.sort_by_key(|&place| self.rank(king, place));
        ranked
            .chunk_by(|&a, &b| self.rank(king, a) == self.rank(king, b))
            .map(<[usize]>::to_vec)
            .collect()
    }
}

impl fmt::Display for Soldier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Soldier {
    type Err = ShortError;

    fn from_str(text: &str) -> Result<Soldier, ShortError> {
        let found = Soldier::ALL.into_iter().find(|rule| rule.name() == text);
        found.ok_or_else(|| ShortError::Soldier(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_come_by_rank() {
        assert_eq!(Soldier::SouthEast.ranked(2, 3), [[2], [1], [0]]);
        assert_eq!(Soldier::NorthWest.ranked(2, 3), [[0], [1], [2]]);
        assert_eq!(Soldier::Closer.ranked(1, 4), [vec![1], vec![0, 2], vec![3]]);
        assert_eq!(Soldier::Stationary.ranked(1, 2), [[0, 1]]);
    }
}
