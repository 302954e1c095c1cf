//! Formulas for positions, for each of the soldier's rules.
//!
//! [`outcome`] and [`value`] are proved in docs/short-tafl.md; for soldiers that move south or
//! east `outcome` is the slides' theorem. [`tail`] examines a conjecture: that P-positions far
//! from the king are periodic.

use super::{Board, Cell, Game, Soldier, Solved, theorem};

/// Returns whether this is a P-position, if a formula covers it. The soldier must be in play.
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

/// At the northern or western edge the player to move loses if the king is in the corner or
/// next to the soldier; otherwise the king moves to one of these places.
fn at_edge(king: Cell, soldier: Cell) -> bool {
    king == Cell::new(0, 0) || is_behind(king, soldier)
}

/// Returns whether the soldier is on the king's northern or western neighbour.
fn is_behind(king: Cell, soldier: Cell) -> bool {
    let is_west = soldier.row == king.row && soldier.column + 1 == king.column;
    is_west || soldier.column == king.column && soldier.row + 1 == king.row
}

/// Stationary soldiers on (c, d), `c <= d`: the king's squares are the main diagonal as far as
/// (d, d), one square next to the soldier, and the next diagonal beyond it.
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

/// Soldiers that move north or west and block the king: the second player keeps the pieces
/// adjacent.
fn near_north_west(king: Cell, soldier: Cell) -> Option<bool> {
    let is_west = soldier.row == king.row && soldier.column < king.column;
    let is_north = soldier.column == king.column && soldier.row < king.row;
    (is_west || is_north).then(|| is_behind(king, soldier))
}

/// Soldiers that move closer: covers the king's row and column, and for kings on the main
/// diagonal all squares except those of the other diagonal through him. On a board that is not
/// square the soldier can go beyond the main diagonal, so squares far from the king are not
/// covered.
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

/// Returns the Grundy value, if a formula covers it. The soldier must be in play.
pub fn value(game: Game, king: Cell, soldier: Cell) -> Option<u16> {
    if outcome(game, king, soldier) == Some(true) {
        return Some(0);
    }
    row_distance(game, king, soldier)
        .or_else(|| row_distance(game, king.transposed(), soldier.transposed()))
}

/// Returns the number of squares between the soldier and a king east of it in the same row, if
/// that is the Grundy value.
fn row_distance(game: Game, king: Cell, soldier: Cell) -> Option<u16> {
    let is_far_east = king.row == 0 || game.rule().leaves_play() && king.row <= soldier.column + 1;
    (king.row == soldier.row && king.column > soldier.column && is_far_east)
        .then(|| (king.column - soldier.column - 1) as u16)
}

/// The P-positions south of the king, row by row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tail {
    /// The number of rows examined, from the first one: up to the first row south of the king's
    /// without a P-position, where the board is too narrow.
    pub rows: usize,
    /// The period, if one was found.
    pub period: Option<Period>,
}

/// A period: each row has its P-positions `length` columns further east than the row `length`
/// rows north of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Period {
    /// The number of rows.
    pub length: usize,
    /// The first periodic row.
    pub from: usize,
    /// The columns of the P-positions minus their row, for each row of the period.
    pub offsets: Vec<Vec<i64>>,
}

/// Searches for a period, for one square of the king. A period counts if it begins in the first
/// half of the rows and repeats at least three times. If none is found, no period up to a third
/// of the rows begins early enough; longer or later ones would need a larger board, and no board
/// can show that there is none at all.
pub fn tail<V: Copy + Into<u16>>(solved: &Solved<V>, king: Cell) -> Tail {
    let rows = offsets(solved, king);
    let period = (1..=rows.len() / 3).find_map(|length| {
        let last_difference =
            (0..rows.len() - length).rev().find(|&row| rows[row] != rows[row + length]);
        let from = last_difference.map_or(0, |row| row + 1);
        let is_seen = from + 3 * length <= rows.len() && from <= rows.len() / 2;
        is_seen.then(|| Period { length, from, offsets: rows[from..from + length].to_vec() })
    });
    Tail { rows: rows.len(), period }
}

/// Returns the columns of the P-positions minus the row, row by row, as far south as the board
/// is wide enough to have any.
fn offsets<V: Copy + Into<u16>>(solved: &Solved<V>, king: Cell) -> Vec<Vec<i64>> {
    let mut rows = vec![Vec::new(); solved.game().board().rows()];
    for soldier in solved.soldiers(king).filter(|&soldier| solved.is_p(king, soldier)) {
        rows[soldier.row].push(soldier.column as i64 - soldier.row as i64);
    }
    let end = (king.row + 1..rows.len()).find(|&row| rows[row].is_empty());
    rows.truncate(end.unwrap_or(rows.len()));
    rows
}
