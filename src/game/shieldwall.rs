//! Shieldwall captures: a move to the edge captures the row of enemies beside it, if they are
//! hemmed in on every side.

use crate::game::board::{Direction, Square, SquareSet};
use crate::game::position::Position;
use crate::game::rules::{Ruleset, Side};

/// The fewest enemies in a row that a wall captures.
pub(crate) const LEAST_IN_ROW: usize = 2;

/// Returns the pieces of the side that take part in captures: all but an unarmed king.
pub(super) fn captors(rules: &Ruleset, board: &Position, side: Side) -> SquareSet {
    match side {
        Side::Defenders if !rules.king_armed => board.defenders,
        _ => board.pieces(side),
    }
}

/// Returns the soldiers that shieldwalls capture when a piece of `mover` has just arrived on `at`.
/// On `board` the piece has already moved and nothing has been removed.
///
/// A row of two or more enemies along the edge begins beside the piece. Each has a piece of the
/// mover in front of it, and the row ends at a piece of the mover or at a corner. The king counts
/// in a row but is not captured.
pub(super) fn walled_in(rules: &Ruleset, board: &Position, mover: Side, at: Square) -> SquareSet {
    let rows = closed_rows(rules, board, mover, at).map(|row| row.squares);
    let mut captured = rows.fold(SquareSet::EMPTY, |all, squares| all | squares);
    let victims = mover.other();
    captured.remove(board.king);
    captured - rules.protected[victims] - rules.unaided[victims]
}

/// Returns the shieldwalls that a piece of `mover` has closed by its arrival on `at`: the row, the
/// pieces in front of it and those at its ends, of which one may be an empty corner instead.
pub(super) fn shieldwalls(
    rules: &Ruleset,
    board: &Position,
    mover: Side,
    at: Square,
) -> impl Iterator<Item = [SquareSet; 2]> {
    closed_rows(rules, board, mover, at).map(move |row| {
        let front = |square| rules.slides().next(square, row.inwards);
        let fronts: SquareSet = row.squares.iter().filter_map(front).collect();
        [row.squares, fronts.with(at) | row.end.map_or(SquareSet::EMPTY, SquareSet::of)]
    })
}

/// Returns the rows of enemies that a piece of `mover` has closed by its arrival on `at`.
fn closed_rows(
    rules: &Ruleset,
    board: &Position,
    mover: Side,
    at: Square,
) -> impl Iterator<Item = Row> {
    edge_directions(rules, at).filter_map(move |[along, inwards]| {
        let row = Row::new(rules, board, mover, [along, inwards], at);
        let is_long = row.squares.len() >= LEAST_IN_ROW;
        (is_long && row.is_closed(rules, board, mover)).then_some(row)
    })
}

/// Returns the two directions along the edge from this square, each with the one that leads
/// inwards; none for corners and for squares away from the edge.
pub(crate) fn edge_directions(
    rules: &Ruleset,
    at: Square,
) -> impl Iterator<Item = [Direction; 2]> + use<'_> {
    let has_next = move |direction| rules.slides().next(at, direction).is_some();
    Direction::ALL.into_iter().flat_map(move |along| {
        let across =
            Direction::ALL.into_iter().filter(move |&d| d != along && d != along.opposite());
        let inwards = across.filter(move |&d| has_next(d) && !has_next(d.opposite()));
        let is_between = has_next(along) && has_next(along.opposite());
        inwards.filter(move |_| is_between).map(move |inwards| [along, inwards])
    })
}

/// Enemies along the edge with the mover's pieces in front of them.
struct Row {
    squares: SquareSet,
    inwards: Direction,
    /// The square after the last one.
    end: Option<Square>,
}

impl Row {
    fn new(
        rules: &Ruleset,
        board: &Position,
        mover: Side,
        [along, inwards]: [Direction; 2],
        at: Square,
    ) -> Row {
        let slides = rules.slides();
        let (enemies, captors) = (board.pieces(mover.other()), captors(rules, board, mover));
        let is_walled = |square: Square| {
            let front = slides.next(square, inwards);
            enemies.contains(square) && front.is_some_and(|front| captors.contains(front))
        };
        let mut row = Row { squares: SquareSet::EMPTY, inwards, end: slides.next(at, along) };
        while let Some(square) = row.end.filter(|&square| is_walled(square)) {
            row.squares.insert(square);
            row.end = slides.next(square, along);
        }
        row
    }

    /// Returns whether a piece of the mover or a corner ends the row.
    fn is_closed(&self, rules: &Ruleset, board: &Position, mover: Side) -> bool {
        self.end.is_some_and(|end| {
            captors(rules, board, mover).contains(end)
                || rules.board.corners().contains(end) && !board.occupied().contains(end)
        })
    }
}
