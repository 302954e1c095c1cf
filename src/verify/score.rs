use crate::game::value::Value;
use crate::table::{Code, dtw_value};

/// The value of a position that a move leads to, as a number that is smaller for better
/// moves: first positions lost for the opponent, the quickest first, then draws, then won
/// positions, the quickest last. The best move has the minimum.
///
/// ```text
/// loss 0, loss 2, …      0, 1, …
/// draw                   the middle
/// …, win 3, win 1        …, greatest - 2, greatest - 1
/// no move                greatest
/// ```
pub(super) trait Score: Copy + Ord + Default + Send + Sync + 'static {
    /// No move: greater than all other scores.
    const NONE: Self;
    /// A draw.
    const DRAW: Self;
    /// Lost in 0: smaller than all other scores.
    const LOST: Self;
    /// The greatest code whose score, and the score before it, are unique.
    const LARGEST_CODE: Code;

    /// Returns the score of a DTW code. A WDL code counts as a win in 1 or a loss in 0.
    fn of(code: Code) -> Self;

    /// Returns the value of the score; `None` for [`Score::NONE`].
    fn value(self) -> Option<Value>;

    /// Returns [`Score::NONE`] if the mask is that, and the score itself if the mask is
    /// [`Score::LOST`]; there are no other masks.
    fn masked(self, mask: Self) -> Self;

    /// Returns the score of a position whose best move leads to this score.
    fn before(self) -> Self;

    /// As [`before`](Score::before) without distances: all wins count as 1 ply and all losses
    /// as 0.
    fn outcome_before(self) -> Self;
}

macro_rules! score {
    ($number:ty, $largest_code:expr) => {
        impl Score for $number {
            const NONE: $number = <$number>::MAX;
            const DRAW: $number = <$number>::MAX / 2;
            const LOST: $number = 0;
            const LARGEST_CODE: Code = $largest_code;

            #[inline(always)]
            fn of(code: Code) -> $number {
                match code {
                    0 => Self::DRAW,
                    odd if odd % 2 == 1 => Self::NONE - 1 - (odd / 2) as $number,
                    even => (even / 2 - 1) as $number,
                }
            }

            fn value(self) -> Option<Value> {
                match self {
                    Self::NONE => None,
                    Self::DRAW => Some(Value::Draw),
                    loss if loss < Self::DRAW => dtw_value(2 * Code::from(loss) + 2),
                    win => dtw_value(2 * Code::from(Self::NONE - 1 - win) + 1),
                }
            }

            #[inline(always)]
            fn masked(self, mask: $number) -> $number {
                self | mask
            }

            // A loss becomes a win one ply longer, and a win a loss one ply longer. Without a
            // move, the position is lost in 0.
            #[inline(always)]
            fn before(self) -> $number {
                Self::NONE - self - <$number>::from(self <= Self::DRAW)
            }

            #[inline(always)]
            fn outcome_before(self) -> $number {
                if self > Self::DRAW { Self::LOST } else { Self::NONE - 1 - self }
            }
        }
    };
}

// The loss before the longest win must differ from a draw.
score!(u8, 251);
score!(u16, 65531);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{dtw_code, dtw_code_to_wdl_code};

    fn check<T: Score + std::fmt::Debug>() {
        let codes = 0..=T::LARGEST_CODE;
        let mut scores: Vec<(i32, T)> = Vec::new();
        for code in codes {
            let value = dtw_value(code).unwrap();
            let score = T::of(code);
            assert_eq!(score.value(), Some(value));
            assert_eq!(score.before().value(), Some(value.before()));
            let outcome = T::of(dtw_code_to_wdl_code(code));
            let before = dtw_code_to_wdl_code(dtw_code(value.before()).unwrap());
            assert_eq!(outcome.outcome_before(), T::of(before));
            assert_eq!(score.masked(T::LOST), score);
            assert_eq!(score.masked(T::NONE), T::NONE);
            scores.push((value.preference(), score));
        }
        scores.sort();
        assert!(scores.is_sorted_by(|a, b| a.1 < b.1));
        assert_eq!(T::NONE.before().value(), Some(Value::Loss(0)));
        assert_eq!(T::NONE.outcome_before(), T::LOST);
        assert_eq!(T::NONE.value(), None);
    }

    #[test]
    fn scores_order_moves_and_lead_back() {
        check::<u8>();
        check::<u16>();
    }
}
