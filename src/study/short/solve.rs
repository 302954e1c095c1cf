//! Retrograde analysis, king by king from the corner where the game ends.
//!
//! All moves lead to a king nearer to the north-west corner, or to the same king and
//! a soldier of smaller rank. So kings are taken by their distance from the corner; those
//! of one distance need nothing of each other, and are worked on at once. What moves lead
//! to is not looked up position by position: each line of moves has a set of the values
//! seen along it, which grows by one value a step. Four such sets, the king's two lines
//! and the soldier's two, give a position's value.

use rayon::prelude::*;

use super::mex::MexSet;
use super::{Board, Cell, Game, ShortError, Solved};

/// Finds the P-positions: a byte for each position, 0 for those, 1 for all others.
///
/// `go_on` is told now and then how many king's squares of how many are done, and whether
/// to go on is its answer.
///
/// # Errors
/// If `go_on` does not want to.
pub fn outcomes(game: Game, go_on: &dyn Fn(u64, u64) -> bool) -> Result<Solved<u8>, ShortError> {
    solve::<bool>(game, go_on)
}

/// Finds the Grundy values; `go_on` as for [`outcomes`].
///
/// # Errors
/// If `go_on` does not want to go on, or the board is so long that no memory would do.
pub fn grundy_values(
    game: Game,
    go_on: &dyn Fn(u64, u64) -> bool,
) -> Result<Solved<u16>, ShortError> {
    match words(game.board()) {
        1 => solve::<[u64; 1]>(game, go_on),
        2 => solve::<[u64; 2]>(game, go_on),
        4 => solve::<[u64; 4]>(game, go_on),
        8 => solve::<[u64; 8]>(game, go_on),
        16 => solve::<[u64; 16]>(game, go_on),
        32 => solve::<[u64; 32]>(game, go_on),
        64 => solve::<[u64; 64]>(game, go_on),
        128 => solve::<[u64; 128]>(game, go_on),
        _ => Err(ShortError::TooLarge(game.board(), memory_bytes(game, true))),
    }
}

/// The words that hold a bit for each value that a position can have.
fn words(board: Board) -> usize {
    let moves = 2 * (board.rows() + board.columns() - 2);
    (moves + 1).div_ceil(64).next_power_of_two()
}

/// The memory that it takes to find the outcomes, or the Grundy values.
pub fn memory_bytes(game: Game, grundy: bool) -> u64 {
    let (board, kings) = (game.board(), game.kings());
    let [squares, rows, columns] =
        [board.squares(), kings.rows(), kings.columns()].map(|number| number as u64);
    let (seen, value) = if grundy { (8 * words(board) as u64, 2) } else { (1, 1) };
    // No more than 10^16 positions, and 10^12 sets.
    let positions = match game.rule().leaves_play() {
        true => (rows * (rows + 1) / 2) * (columns * (columns + 1) / 2),
        false => rows * columns * squares,
    };
    (rows + columns) * squares * seen + positions * value
}

/// What kings of one row have seen to their west, or of one column to their north, for each
/// square of the soldier.
type Line<S> = Vec<S>;

fn solve<S: MexSet>(
    game: Game,
    go_on: &dyn Fn(u64, u64) -> bool,
) -> Result<Solved<S::Value>, ShortError> {
    let kings = game.kings();
    let (rows, columns) = (kings.rows(), kings.columns());
    let mut in_rows: Vec<Line<S>> = lines(game, rows, |cell| cell.column);
    let mut in_columns: Vec<Line<S>> = lines(game, columns, |cell| cell.row);
    let mut values = vec![Vec::new(); kings.squares()];
    let mut done = 0;
    for distance in 0..rows + columns - 1 {
        let first = (distance + 1).saturating_sub(columns);
        let last = distance.min(rows - 1);
        let in_rows = in_rows[first..=last].par_iter_mut();
        let in_columns = in_columns[distance - last..=distance - first].par_iter_mut().rev();
        let solved: Vec<_> = in_rows
            .zip(in_columns)
            .enumerate()
            .map(|(i, (in_row, in_column))| {
                let king = Cell::new(first + i, distance - first - i);
                (king, KingSquare { game, king, in_row, in_column }.solve())
            })
            .collect();
        for (king, solved) in solved {
            values[kings.number(king)] = solved;
            done += 1;
        }
        if !go_on(done, kings.squares() as u64) {
            return Err(ShortError::Stopped);
        }
    }
    Ok(Solved::new(game, values))
}

/// The lines of kings in all rows, or in all columns; `along` tells where a square is in such
/// a line.
///
/// A line begins with what kings see who have passed the soldier, where that is out of play
/// then: the values of Nim. Of a soldier in the line itself they are forgotten when the king
/// has come to its square.
fn lines<S: MexSet>(game: Game, number: usize, along: fn(Cell) -> usize) -> Vec<Line<S>> {
    let (board, all) = (game.board(), (0..number).into_par_iter());
    all.map(|king| {
        if !game.rule().leaves_play() {
            return vec![S::NONE; board.squares()];
        }
        let mut nim = vec![S::NONE];
        for place in 0..board.rows().max(board.columns()) {
            let mut seen = nim[place];
            seen.see((king ^ place) as u16);
            nim.push(seen);
        }
        board.cells().map(|soldier| nim[along(soldier)]).collect()
    })
    .collect()
}

/// One square of the king, and what he sees from there.
struct KingSquare<'a, S> {
    game: Game,
    king: Cell,
    in_row: &'a mut Line<S>,
    in_column: &'a mut Line<S>,
}

impl<S: MexSet> KingSquare<'_, S> {
    /// The values by the squares of the soldier.
    fn solve(self) -> Vec<S::Value> {
        let KingSquare { game, king, in_row, in_column } = self;
        let (board, rule, region) = (game.board(), game.rule(), game.region(king));
        let mut values = vec![S::Value::default(); region.squares()];
        // The parts of the king's row and column that are beyond him come last.
        let mut rows = vec![S::NONE; region.rows() + 1];
        let mut columns = vec![S::NONE; region.columns() + 1];
        let by_column = rule.ranked(king.column, region.columns());
        for of_rank in rule.ranked(king.row, region.rows()) {
            for by_column in &by_column {
                let block = of_rank
                    .iter()
                    .flat_map(|&row| by_column.iter().map(move |&column| Cell::new(row, column)));
                let block = block.filter(|&soldier| soldier != king);
                // No move leads from one square of the block to another.
                for soldier in block.clone() {
                    if !is_stuck(king, soldier) {
                        let (row, column) = soldier_lines(region, king, soldier);
                        let at = board.number(soldier);
                        let lines = [&in_row[at], &in_column[at], &rows[row], &columns[column]];
                        values[region.number(soldier)] = S::value(lines);
                    }
                }
                for soldier in block {
                    let (row, column) = soldier_lines(region, king, soldier);
                    let (at, value) = (board.number(soldier), values[region.number(soldier)]);
                    let lines =
                        [&mut in_row[at], &mut in_column[at], &mut rows[row], &mut columns[column]];
                    lines.into_iter().for_each(|line| line.see(value.into()));
                }
            }
        }
        // A soldier here is in the way of kings who come later.
        let here = board.number(king);
        (in_row[here], in_column[here]) = (S::NONE, S::NONE);
        values
    }
}

/// Whether the king cannot move: the game is over.
fn is_stuck(king: Cell, soldier: Cell) -> bool {
    let is_closed = |gone: Option<usize>, cell: fn(Cell, usize) -> Cell| {
        gone.is_none_or(|place| cell(king, place) == soldier)
    };
    is_closed(king.row.checked_sub(1), |king, row| Cell::new(row, king.column))
        && is_closed(king.column.checked_sub(1), |king, column| Cell::new(king.row, column))
}

/// The numbers of the soldier's row and column; the king cuts his own in two.
fn soldier_lines(region: Board, king: Cell, soldier: Cell) -> (usize, usize) {
    let is_east = soldier.row == king.row && soldier.column > king.column;
    let is_south = soldier.column == king.column && soldier.row > king.row;
    let row = if is_east { region.rows() } else { soldier.row };
    let column = if is_south { region.columns() } else { soldier.column };
    (row, column)
}
