//! The value of a position: win, draw or loss, and the distance to the end.

use std::ops::Neg;

/// Win, draw or loss (WDL), for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Wdl {
    /// The other side wins with best play.
    Loss,
    /// Neither side can force a win. Rulesets in which endless play depends on the game's history
    /// (`berkeley`) report this as *undecided*.
    Draw,
    /// The side to move wins with best play.
    Win,
}

impl Neg for Wdl {
    type Output = Wdl;
    /// Returns the outcome from the opponent's view.
    fn neg(self) -> Wdl {
        match self {
            Wdl::Loss => Wdl::Win,
            Wdl::Draw => Wdl::Draw,
            Wdl::Win => Wdl::Loss,
        }
    }
}

/// A distance to the end of the game in plies (moves of one side).
pub type Plies = u16;

/// The value of a position for the side to move, with the distance to the end (DTW): the number of
/// plies under best play, where the winner plays for speed and the loser for delay.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Value {
    /// Lost; 0 plies for a side that has no legal move.
    Loss(Plies),
    /// Drawn, or undecided under rulesets that say so.
    Draw,
    /// Won; 1 ply for a side whose next move ends the game.
    Win(Plies),
}

impl Value {
    /// Returns the value without its distance.
    pub fn wdl(self) -> Wdl {
        match self {
            Value::Loss(_) => Wdl::Loss,
            Value::Draw => Wdl::Draw,
            Value::Win(_) => Wdl::Win,
        }
    }

    /// Returns the distance to the end in plies; `None` for a draw.
    pub fn plies(self) -> Option<Plies> {
        match self {
            Value::Loss(plies) | Value::Win(plies) => Some(plies),
            Value::Draw => None,
        }
    }

    /// Returns the value one ply earlier, for the side that made the move to this position.
    #[must_use]
    pub fn before(self) -> Value {
        match self {
            Value::Loss(plies) => Value::Win(plies + 1),
            Value::Draw => Value::Draw,
            Value::Win(plies) => Value::Loss(plies + 1),
        }
    }

    /// Returns a sort key that grows with the mover's preference: quick wins, slow wins, draws,
    /// slow losses, quick losses.
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
