//! The slides' theorem on soldiers that move south or east, and the sets of its proof.
//!
//! Let the king be on `(a, b)` with `a <= b` (otherwise reflect in the main diagonal), and
//! `r = b - a`. A soldier in play on `(c, d)` makes a P-position if and only if
//!
//! - it is adjacent to the king, on `(a, b - 1)`, or, if `r = 0`, on `(a - 1, a)`; or
//! - `a >= 1`, it is at least two rows north of the king, `x = a - 1 - c >= 1`, and as far
//!   from the main diagonal as he is: `d - c = r`, or on the other side of the diagonal
//!   `d - c = -r` where, for `r >= 3`, `x` modulo `2 r` is one of `1, …, r - 2`.
//!
//! That is [`is_p`]. [`p_squares`] has the slides' own clauses, with the damaged term read as
//! `(a - 1 - 2 k r - i, b - 1 - 2 k r - i)`. Both are equivalent.

use std::cmp::Ordering;

use super::Cell;

/// Returns whether this is a P-position by the theorem. The soldier must be in play.
pub fn is_p(king: Cell, soldier: Cell) -> bool {
    if king.row > king.column {
        return is_p(king.transposed(), soldier.transposed());
    }
    let r = king.column - king.row;
    let is_behind = soldier.row == king.row && soldier.column + 1 == king.column
        || r == 0 && soldier.column == king.column && soldier.row + 1 == king.row;
    if is_behind || king.row < soldier.row + 2 {
        return is_behind;
    }
    let x = king.row - 1 - soldier.row;
    let crosses = r > 0 && (1..r.saturating_sub(1)).contains(&(x % (2 * r)));
    match crosses {
        true => soldier.column + r == soldier.row,
        false => soldier.row + r == soldier.column,
    }
}

/// Returns the soldier's squares that the clauses of the slides list, for a king with `a <= b`.
pub fn p_squares(king: Cell) -> Vec<Cell> {
    let (a, b) = (king.row as i64, king.column as i64);
    let r = b - a;
    let mut squares: Vec<(i64, i64)> = Vec::new();
    match (a, r) {
        (0, _) => squares.push((0, b - 1)),
        (_, 0) => {
            squares.extend([(a - 1, a), (a, a - 1)]);
            squares.extend((0..a - 1).map(|k| (k, k)));
        }
        // The slides write these kings as (a - 1, a) and (a - 2, a).
        (_, 1 | 2) => {
            squares.push((a, b - 1));
            squares.extend((r..b - 1).map(|k| (k - r, k)));
        }
        _ => {
            squares.push((a, b - 1));
            for k in 0..=a / (2 * r) {
                let (x, y) = (a - 1 - 2 * k * r, b - 1 - 2 * k * r);
                squares.extend((r - 1..=2 * r).map(|i| (x - i, y - i)));
                squares.extend((1..=r - 2).map(|i| (x - i, y - 2 * r - i)));
            }
        }
    }
    cells(squares)
}

/// Returns the squares with non-negative coordinates.
fn cells(squares: Vec<(i64, i64)>) -> Vec<Cell> {
    squares
        .into_iter()
        .filter_map(|(row, column)| Some(Cell::new(row.try_into().ok()?, column.try_into().ok()?)))
        .collect()
}

/// A set of the theorem's proof: with the soldier in it, the king has a move to a P-position and
/// the soldier has none. The sets are for kings with `a <= b`, `r >= 1`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProofSet {
    /// The row north of the king's, as far as column `a`: the king moves next to the soldier.
    H,
    /// The king's column: the king moves to `(a, a)`, and the soldier is out of play.
    V1,
    /// The columns from `b + 1 - r` to `b - 2`: as in `V1`. On the slides they begin with
    /// `b - 1 - r`, which includes P-positions.
    V2,
    /// Between the P-positions on either side of the main diagonal: the king moves west until
    /// the soldier's square is one of them.
    R,
}

impl ProofSet {
    /// All four.
    pub const ALL: [ProofSet; 4] = [ProofSet::H, ProofSet::V1, ProofSet::V2, ProofSet::R];

    /// Returns the set's name on the slides.
    pub fn name(self) -> &'static str {
        match self {
            ProofSet::H => "H",
            ProofSet::V1 => "V1",
            ProofSet::V2 => "V2",
            ProofSet::R => "R",
        }
    }

    /// Returns whether the soldier is in the set, as corrected or as printed.
    fn contains(self, king: Cell, soldier: Cell, text: ProofText) -> bool {
        let (a, b, r) = (king.row, king.column, king.column - king.row);
        match self {
            ProofSet::H => soldier.row + 1 == a && soldier.column <= a,
            ProofSet::V1 => soldier.column == b,
            ProofSet::V2 => {
                let first = a + 1 - if text == ProofText::AsPrinted { a.min(2) } else { 0 };
                soldier.row < a && (first..b - 1).contains(&soldier.column)
            }
            ProofSet::R => {
                let x = (a - soldier.row).checked_sub(1);
                let y = (b - soldier.column).checked_sub(1);
                x.zip(y).is_some_and(|(x, y)| {
                    let j = y.checked_sub(x - x % (2 * r));
                    (1..r - 1).contains(&(x % (2 * r)))
                        && j.is_some_and(|j| (r - 1..=2 * r).contains(&j))
                })
            }
        }
    }
}

/// A version of the proof.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProofText {
    /// With the columns of `V2` corrected.
    Corrected,
    /// Exactly as on the slides.
    AsPrinted,
}

/// Returns the first of the proof's sets that contains the soldier; `None` for a king on the
/// main diagonal. The soldier must be in play.
pub fn proof_set(king: Cell, soldier: Cell, text: ProofText) -> Option<ProofSet> {
    match king.row.cmp(&king.column) {
        Ordering::Less => ProofSet::ALL.into_iter().find(|set| set.contains(king, soldier, text)),
        Ordering::Equal => None,
        Ordering::Greater => proof_set(king.transposed(), soldier.transposed(), text),
    }
}
