//! What is known of positions without solving them, whatever the soldier's rule.
//!
//! [`outcome`] and [`value`] say what is proved in docs/short-tafl.md; for soldiers that move
//! south or east `outcome` is the slides' theorem. [`tail`] looks at what is only
//! conjectured: that the squares of P-positions far from the king come again and again.

use super::{Board, Cell, Game, Soldier, Solved, theorem};

/// Whether this is a P-position, where that is known. The soldier is in play.
pub fn outcome(game: Game, king: Cell, soldier: Cell) -> Option<bool> {
    if king.row == 0 || king.column == 0 {
        return Some(at_edge(king, soldier));
    }
    match game.rule() {
        Soldier::SouthEast => Some(theorem::is_p(king, soldier)),
        Soldier::Stationary => Some(stationary(king, soldier)),
        Soldier::NorthWest => near_north_west(king, soldier),
        Soldier::Closer => closer(game.board(), king, soldier),
    }
}

/// At the northern or western edge the king has lost in the corner or next to the soldier,
/// and else goes to one of these places.
fn at_edge(king: Cell, soldier: Cell) -> bool {
    king == Cell::new(0, 0) || is_behind(king, soldier)
}

/// Whether the soldier is on the next square that the king would come to in the north or west.
fn is_behind(king: Cell, soldier: Cell) -> bool {
    let is_west = soldier.row == king.row && soldier.column + 1 == king.column;
    is_west || soldier.column == king.column && soldier.row + 1 == king.row
}

/// Soldiers that stay on (c, d), `c <= d`: the king's squares are the main diagonal as
/// far as (d, d), one square next to the soldier, and from there on the next diagonal.
fn stationary(king: Cell, soldier: Cell) -> bool {
    if soldier.row > soldier.column {
        return stationary(king.transposed(), soldier.transposed());
    }
    let (Cell { row: a, column: b }, Cell { row: c, column: d }) = (king, soldier);
    match c == d {
        true => is_behind(king, soldier) || a == b && a >= c + 2,
        false => (a, b) == (c, d + 1) || (a, b) == (d, d) || a > d && b == a + 1,
    }
}

/// Soldiers that move north or west, in the king's way: the follower keeps them together.
fn near_north_west(king: Cell, soldier: Cell) -> Option<bool> {
    let is_west = soldier.row == king.row && soldier.column < king.column;
    let is_north = soldier.column == king.column && soldier.row < king.row;
    (is_west || is_north).then(|| is_behind(king, soldier))
}

/// Soldiers that move closer: next to the king, and of kings on the main diagonal all
/// squares but those of the other diagonal through him. On a board that is no square the
/// soldier may go where the main diagonal is not: far from the king nothing is known then.
fn closer(board: Board, king: Cell, soldier: Cell) -> Option<bool> {
    let rows = king.row.abs_diff(soldier.row);
    let columns = king.column.abs_diff(soldier.column);
    if rows == 0 || columns == 0 {
        return Some(rows + columns == 1);
    }
    let side = board.rows().min(board.columns());
    let has_diagonal = board.rows() == board.columns() || king.row + rows.min(columns) < side;
    if king.row != king.column || !has_diagonal {
        return None;
    }
    match rows == columns && rows >= 2 {
        true => (soldier.row == soldier.column).then_some(true),
        false => Some(false),
    }
}

/// The Grundy value, where it is known but for being 0. The soldier is in play.
pub fn value(game: Game, king: Cell, soldier: Cell) -> Option<u16> {
    let distance = |king: Cell, soldier: Cell| {
        let is_far_east =
            king.row == 0 || game.rule().leaves_play() && king.row <= soldier.column + 1;
        (king.row == soldier.row && king.column > soldier.column && is_far_east)
            .then(|| (king.column - soldier.column - 1) as u16)
    };
    match outcome(game, king, soldier) {
        Some(true) => Some(0),
        _ => distance(king, soldier).or_else(|| distance(king.transposed(), soldier.transposed())),
    }
}

/// How the squares of P-positions go on in the south.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tail {
    /// How many rows were looked at, from the first one on: all before the first row south of
    /// the king's that has no square, where the board is too narrow.
    pub rows: usize,
    /// The period, if one is seen.
    pub period: Option<Period>,
}

/// Each row has its squares where the one so many rows north has them, and as many columns
/// further east.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Period {
    /// How many rows.
    pub length: usize,
    /// The first row of all that are periodic.
    pub from: usize,
    /// The columns of the squares less their row, for each row of the period.
    pub offsets: Vec<Vec<i64>>,
}

/// Looks for a period, for one square of the king. It is seen if, up to the last row looked
/// at, it comes three times or more and begins in the first half of the rows. If none is seen,
/// no period of a third of the rows or less begins there in time; a longer one, or one that
/// begins later, needs a larger board, and that there is none at all cannot be seen on any.
pub fn tail<V: Copy + Into<u16>>(solved: &Solved<V>, king: Cell) -> Tail {
    let rows = offsets(solved, king);
    let period = (1..=rows.len() / 3).find_map(|length| {
        let differs = |row: &usize| rows[*row] != rows[row + length];
        let from = (0..rows.len() - length).rev().find(differs).map_or(0, |row| row + 1);
        let is_seen = from + 3 * length <= rows.len() && from <= rows.len() / 2;
        is_seen.then(|| Period { length, from, offsets: rows[from..from + length].to_vec() })
    });
    Tail { rows: rows.len(), period }
}

/// The columns less the row, row by row: as far south as the board is wide enough to have
/// any.
fn offsets<V: Copy + Into<u16>>(solved: &Solved<V>, king: Cell) -> Vec<Vec<i64>> {
    let mut rows = vec![Vec::new(); solved.game().board().rows()];
    for soldier in solved.soldiers(king).filter(|&soldier| solved.is_p(king, soldier)) {
        rows[soldier.row].push(soldier.column as i64 - soldier.row as i64);
    }
    let is_cut = |(row, offsets): &(usize, &Vec<i64>)| *row > king.row && offsets.is_empty();
    let end = rows.iter().enumerate().find(is_cut).map(|(row, _)| row);
    rows.truncate(end.unwrap_or(rows.len()));
    rows
}
