//! Move choice of the greedy player and of the heuristic.

use crate::engine::bits::Bits;
use crate::engine::board_tables::BoardTables;
use crate::engine::generate::squares;
use crate::engine::state::{State, Step};
use crate::game::rules::{Kind, Side};

use super::method::Heuristic;
use super::paths::Paths;

/// Returns the best moves by the heuristic; none if there is no move.
pub(super) fn best_steps<const W: usize>(
    heuristic: Heuristic,
    board: &BoardTables<W>,
    paths: &Paths<W>,
    state: &mut State<W>,
) -> Vec<Step> {
    if let Some(step) = state.winning_step(board) {
        return vec![step];
    }
    if heuristic.takes_paths && state.to_move == Side::Defenders {
        let steps: Vec<Step> = paths.king_steps(board, state).collect();
        if !steps.is_empty() {
            return steps;
        }
    }
    let steps = state.steps(board);
    best_of(&steps, |step| score(heuristic, board, paths, state, step))
}

/// Returns the paper's score of a move that does not end the game.
pub(super) fn score<const W: usize>(
    heuristic: Heuristic,
    board: &BoardTables<W>,
    paths: &Paths<W>,
    state: &mut State<W>,
    step: Step,
) -> i32 {
    let side = state.to_move;
    let is_king = step.from() == state.king;
    let undo = state.play(board, step);
    let mut score = 10 * undo.captured.len() as i32;
    score -= 5 * capturable(board, state, side).len() as i32;
    match side {
        Side::Attackers => {
            if !paths.has_path(board, state) {
                score += 1000;
            }
        }
        Side::Defenders => {
            if state.king_capture(board).is_some() {
                score -= 1000;
            }
            if paths.has_path(board, state) {
                score += 5;
            }
            if is_king && is_central(heuristic, board, step.to()) {
                score += 1;
            }
        }
    }
    state.take_back(board, step, undo);
    score
}

fn is_central<const W: usize>(heuristic: Heuristic, board: &BoardTables<W>, square: usize) -> bool {
    let throne = board.size * board.size / 2;
    square == throne || !heuristic.throne_only && board.neighbours(throne).contains(&square)
}

/// Returns the soldiers of `side` that the other side could capture if it were to move.
pub(super) fn capturable<const W: usize>(
    board: &BoardTables<W>,
    state: &State<W>,
    side: Side,
) -> Bits<W> {
    let captor = side.other();
    let arrivals = state.capture_squares(board, captor).iter();
    let reached = arrivals.filter(|&to| {
        let mut men = state.arrivals(board, captor, to);
        men.any(|from| board.king_armed || from != state.king)
    });
    reached.fold(Bits::EMPTY, |all, to| all | state.captured(board, captor, to))
}

/// Returns the moves that the greedy player chooses from: captures, of the king too; else the
/// king's moves that bring it nearest to a goal; else all moves.
pub(super) fn greedy_steps<const W: usize>(board: &BoardTables<W>, state: &State<W>) -> Vec<Step> {
    let side = state.to_move;
    let steps = state.steps(board);
    let mut captures = state.capture_squares(board, side);
    if side == Side::Attackers {
        captures = captures | state.king_capture_squares(board);
    }
    let is_capture = |step: &Step| state.is_capture(board, &captures, *step);
    let capturing: Vec<Step> = steps.iter().copied().filter(is_capture).collect();
    if !capturing.is_empty() {
        return capturing;
    }
    if side == Side::Defenders {
        let now = distance(board, state.king);
        let targets = state.targets(board, Kind::King, state.king);
        let nearer: Vec<Step> = squares(board, state.king, targets)
            .filter(|&to| distance(board, to) < now)
            .map(|to| Step::new(state.king, to))
            .collect();
        if !nearer.is_empty() {
            return best_of(&nearer, |step| -distance(board, step.to()));
        }
    }
    steps
}

/// Returns the Manhattan distance to the nearest goal.
fn distance<const W: usize>(board: &BoardTables<W>, square: usize) -> i32 {
    let distances = board.goals.iter().map(|goal| {
        let files = board.file[goal].abs_diff(board.file[square]);
        let ranks = board.rank[goal].abs_diff(board.rank[square]);
        i32::from(files) + i32::from(ranks)
    });
    distances.min().unwrap_or(0)
}

/// Returns the moves with the highest score.
fn best_of(steps: &[Step], mut score: impl FnMut(Step) -> i32) -> Vec<Step> {
    let mut best = Vec::new();
    let mut most = i32::MIN;
    for &step in steps {
        let points = score(step);
        if points > most {
            most = points;
            best.clear();
        }
        if points == most {
            best.push(step);
        }
    }
    best
}
