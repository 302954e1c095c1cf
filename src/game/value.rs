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

/// What is known of a position's outcome, for the side to move: it lies between these two.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct WdlBounds {
    /// The outcome is this or better; [`Wdl::Draw`] says that the side to move does not lose.
    pub at_least: Wdl,
    /// The outcome is this or worse; [`Wdl::Draw`] says that the side to move does not win.
    pub at_most: Wdl,
}

impl WdlBounds {
    /// Nothing is known.
    pub const UNKNOWN: WdlBounds = WdlBounds { at_least: Wdl::Loss, at_most: Wdl::Win };

    /// The outcome itself is known.
    pub fn exactly(wdl: Wdl) -> WdlBounds {
        WdlBounds { at_least: wdl, at_most: wdl }
    }

    /// Returns the outcome if it is known.
    pub fn exact(self) -> Option<Wdl> {
        (self.at_least == self.at_most).then_some(self.at_least)
    }

    /// Returns whether anything is known.
    pub fn is_known(self) -> bool {
        self != WdlBounds::UNKNOWN
    }

    /// Returns what two sources come to together. If they contradict each other, nothing is known.
    #[must_use]
    pub fn and(self, other: WdlBounds) -> WdlBounds {
        let at_least = self.at_least.max(other.at_least);
        let at_most = self.at_most.min(other.at_most);
        if at_least > at_most { WdlBounds::UNKNOWN } else { WdlBounds { at_least, at_most } }
    }

    /// Returns the bounds of a side that can choose among moves with these bounds for it; a side
    /// without a move has lost.
    pub fn best(moves: impl IntoIterator<Item = WdlBounds>) -> WdlBounds {
        moves.into_iter().fold(WdlBounds::exactly(Wdl::Loss), |best, mv| WdlBounds {
            at_least: best.at_least.max(mv.at_least),
            at_most: best.at_most.max(mv.at_most),
        })
    }
}

impl Neg for WdlBounds {
    type Output = WdlBounds;
    /// Returns the bounds from the opponent's view.
    fn neg(self) -> WdlBounds {
        WdlBounds { at_least: -self.at_most, at_most: -self.at_least }
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

impl From<Value> for Wdl {
    fn from(value: Value) -> Wdl {
        value.wdl()
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

    #[test]
    fn bounds_are_those_of_the_best_move() {
        let holds = WdlBounds { at_least: Wdl::Draw, at_most: Wdl::Win };
        let [win, draw, loss] = [Wdl::Win, Wdl::Draw, Wdl::Loss].map(WdlBounds::exactly);
        assert_eq!(WdlBounds::best([]), loss);
        assert_eq!(WdlBounds::best([loss, WdlBounds::UNKNOWN]), WdlBounds::UNKNOWN);
        assert_eq!(WdlBounds::best([draw, WdlBounds::UNKNOWN]), holds);
        assert_eq!(WdlBounds::best([holds, win]).exact(), Some(Wdl::Win));
        assert_eq!(-holds, WdlBounds { at_least: Wdl::Loss, at_most: Wdl::Draw });
        assert_eq!(holds.and(-holds), draw);
        assert_eq!(win.and(draw), WdlBounds::UNKNOWN);
        assert!(holds.is_known() && holds.exact().is_none());
        assert!(!WdlBounds::UNKNOWN.is_known());
    }
}
