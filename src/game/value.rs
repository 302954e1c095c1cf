//! What a position is worth: win, draw or loss, and how far away the end is.

use std::ops::Neg;

/// Win, draw or loss, for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Wdl {
    /// The other side wins with best play.
    Loss,
    /// Neither side can force a win. Rulesets whose endless games depend on
    /// history (`berkeley`) report this as *undecided*.
    Draw,
    /// The side to move wins with best play.
    Win,
}

impl Neg for Wdl {
    type Output = Wdl;
    /// The same outcome seen from the other side.
    fn neg(self) -> Wdl {
        match self {
            Wdl::Loss => Wdl::Win,
            Wdl::Draw => Wdl::Draw,
            Wdl::Win => Wdl::Loss,
        }
    }
}

/// A count of plies (moves of one side) to the end of the game.
pub type Plies = u16;

/// The value of a position for the side to move, with the distance to the end
/// (DTW): plies with best play, the winner hurrying and the loser delaying.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Value {
    /// Lost; 0 plies for a side that has no legal move.
    Loss(Plies),
    /// Drawn, or undecided where the ruleset says so.
    Draw,
    /// Won; 1 ply for a side whose next move ends the game.
    Win(Plies),
}

impl Value {
    /// The value without its distance.
    pub fn wdl(self) -> Wdl {
        match self {
            Value::Loss(_) => Wdl::Loss,
            Value::Draw => Wdl::Draw,
            Value::Win(_) => Wdl::Win,
        }
    }

    /// The distance to the end in plies; `None` for a draw.
    pub fn plies(self) -> Option<Plies> {
        match self {
            Value::Loss(plies) | Value::Win(plies) => Some(plies),
            Value::Draw => None,
        }
    }

    /// A position's value as the mover who brought it about sees it, one ply
    /// earlier.
    #[must_use]
    pub fn before(self) -> Value {
        match self {
            Value::Loss(plies) => Value::Win(plies + 1),
            Value::Draw => Value::Draw,
            Value::Win(plies) => Value::Loss(plies + 1),
        }
    }

    /// A key that grows with what a mover prefers: quick wins, slow wins, a
    /// draw, slow losses, quick losses.
    pub fn preference(self) -> i32 {
        match self {
            Value::Loss(plies) => i32::from(plies) - 0x1_0000,
            Value::Draw => 0,
            Value::Win(plies) => 0x1_0000 - i32::from(plies),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn preference_orders_moves() {
        let best_first =
            [Value::Win(1), Value::Win(9), Value::Draw, Value::Loss(8), Value::Loss(0)];
        assert!(best_first.is_sorted_by_key(|v| -v.preference()));
        assert_eq!(Value::Loss(0).before(), Value::Win(1));
        assert_eq!(Value::Win(3).before(), Value::Loss(4));
        assert_eq!(-Value::Win(3).wdl(), Value::Win(3).before().wdl());
    }
}
