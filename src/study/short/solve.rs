//! Retrograde analysis, king by king from the corner where the game ends.
//!
//! All moves lead to a king nearer to the north-west corner, or to the same king and a soldier
//! of smaller rank. So the king's squares are solved by their distance from the corner; those
//! at the same distance are independent and solved in parallel. The values that moves lead to
//! are not looked up position by position: each line of moves has a set of the values along it,
//! which grows by one value per step. The union of four such sets, for the king's two lines and
//! the soldier's two, gives a position's value.

use crate::system::parallel;

use super::mex::MexSet;
use super::{Board, Cell, Game, ShortError, Solved};

/// Computes the P-positions: one byte per position, 0 for P-positions and 1 for all others.
///
/// `go_on(done, total)` is called regularly with the number of king's squares; return `false` to
/// stop.
///
/// # Errors
/// If `go_on` returned `false`.
pub fn outcomes(game: Game, go_on: &dyn Fn(u64, u64) -> bool) -> Result<Solved<u8>, ShortError> {
    solve::<bool>(game, go_on)
}

/// Computes the Grundy values; `go_on` as for [`outcomes`].
///
/// # Errors
/// If `go_on` returned `false`, or the board is too large for any memory.
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

/// Returns the number of words, a power of two, with a bit for each possible value.
fn words(board: Board) -> usize {
    let moves = 2 * (board.rows() + board.columns() - 2);
    (moves + 1).div_ceil(64).next_power_of_two()
}

/// Returns the memory use of computing the outcomes, or the Grundy values.
pub fn memory_bytes(game: Game, grundy: bool) -> u64 {
    let (board, kings) = (game.board(), game.kings());
    let [squares, rows, columns] =
        [board.squares(), kings.rows(), kings.columns()].map(|number| number as u64);
    let (set, value) = if grundy { (8 * words(board) as u64, 2) } else { (1, 1) };
    // At most 10^16 positions and 10^12 sets: no overflow.
    let positions = match game.rule().leaves_play() {
        true => (rows * (rows + 1) / 2) * (columns * (columns + 1) / 2),
        false => rows * columns * squares,
    };
    (rows + columns) * squares * set + positions * value
}

/// The values west of a king in one row, or north of a king in one column, for each square of
/// the soldier.
type Line<S> = Vec<S>;

fn solve<S: MexSet>(
    game: Game,
    go_on: &dyn Fn(u64, u64) -> bool,
) -> Result<Solved<S::Value>, ShortError> {
    let kings = game.kings();
    let (rows, columns) = (kings.rows(), kings.columns());
    let mut row_lines: Vec<Line<S>> = lines(game, rows, |cell| cell.column);
    let mut column_lines: Vec<Line<S>> = lines(game, columns, |cell| cell.row);
    let mut values = vec![Vec::new(); kings.squares()];
    let mut done = 0;
    for distance in 0..rows + columns - 1 {
        let first = (distance + 1).saturating_sub(columns);
        let last = distance.min(rows - 1);
        // Squares at the same distance form an anti-diagonal: no two share a row or column.
        let of_rows = row_lines[first..=last].iter_mut();
        let of_columns = column_lines[distance - last..=distance - first].iter_mut().rev();
        let solved = parallel::map(of_rows.zip(of_columns), |i, (in_row, in_column)| {
            let king = Cell::new(first + i, distance - first - i);
            (king, KingSquare { game, king, in_row, in_column }.solve())
        });
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

/// Creates the lines of all rows, or of all columns; `along` returns a square's index in such a
/// line.
///
/// If soldiers leave play, a line begins with the values of Nim up to the soldier, which is out
/// of play for kings before it. If the soldier is in the line itself, these are dropped when the
/// king reaches its square.
fn lines<S: MexSet>(game: Game, number: usize, along: fn(Cell) -> usize) -> Vec<Line<S>> {
    let board = game.board();
    parallel::map(0..number, |_, king| {
        if !game.rule().leaves_play() {
            return vec![S::EMPTY; board.squares()];
        }
        let mut nim = vec![S::EMPTY];
        for place in 0..board.rows().max(board.columns()) {
            let mut values = nim[place];
            values.insert((king ^ place) as u16);
            nim.push(values);
        }
        board.cells().map(|soldier| nim[along(soldier)]).collect()
    })
}

/// One square of the king, with the lines of his row and column.
struct KingSquare<'a, S> {
    game: Game,
    king: Cell,
    in_row: &'a mut Line<S>,
    in_column: &'a mut Line<S>,
}

impl<S: MexSet> KingSquare<'_, S> {
    /// Computes the values by the soldier's square.
    fn solve(self) -> Vec<S::Value> {
        let KingSquare { game, king, in_row, in_column } = self;
        let (board, rule, region) = (game.board(), game.rule(), game.region(king));
        let mut values = vec![S::Value::default(); region.squares()];
        // The king splits his own row and column; the parts beyond him come last.
        let mut rows = vec![S::EMPTY; region.rows() + 1];
        let mut columns = vec![S::EMPTY; region.columns() + 1];
        let column_ranks = rule.ranked(king.column, region.columns());
        for rows_of_rank in rule.ranked(king.row, region.rows()) {
            for columns_of_rank in &column_ranks {
                let block = rows_of_rank
                    .iter()
                    .flat_map(|&row| {
                        columns_of_rank.iter().map(move |&column| Cell::new(row, column))
                    })
                    .filter(|&soldier| soldier != king);
                // No move leads from one square of the block to another, so all values are
                // computed before any is added to the lines.
                for soldier in block.clone() {
                    if !is_stuck(king, soldier) {
                        let (row, column) = soldier_lines(region, king, soldier);
                        let at = board.number(soldier);
                        let lines = [&in_row[at], &in_column[at], &rows[row], &columns[column]];
                        values[region.number(soldier)] = S::mex(lines);
                    }
                }
                for soldier in block {
                    let (row, column) = soldier_lines(region, king, soldier);
                    let (at, value) = (board.number(soldier), values[region.number(soldier)]);
                    let lines =
                        [&mut in_row[at], &mut in_column[at], &mut rows[row], &mut columns[column]];
                    lines.into_iter().for_each(|line| line.insert(value.into()));
                }
            }
        }
        // A soldier on this square blocks kings further along the lines.
        let here = board.number(king);
        (in_row[here], in_column[here]) = (S::EMPTY, S::EMPTY);
        values
    }
}

/// Returns whether the king cannot move, which ends the game.
fn is_stuck(king: Cell, soldier: Cell) -> bool {
    let north = king.row.checked_sub(1).map(|row| Cell::new(row, king.column));
    let west = king.column.checked_sub(1).map(|column| Cell::new(king.row, column));
    north.is_none_or(|cell| cell == soldier) && west.is_none_or(|cell| cell == soldier)
}

/// Returns the indices of the soldier's row and column; the king splits his own in two.
fn soldier_lines(region: Board, king: Cell, soldier: Cell) -> (usize, usize) {
    let is_east = soldier.row == king.row && soldier.column > king.column;
    let is_south = soldier.column == king.column && soldier.row > king.row;
    let row = if is_east { region.rows() } else { soldier.row };
    let column = if is_south { region.columns() } else { soldier.column };
    (row, column)
}
