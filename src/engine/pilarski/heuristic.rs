//! What the greedy player and the heuristic think of moves.

use crate::engine::bits::Bits;
use crate::engine::generate::squares;
use crate::engine::ground::Ground;
use crate::engine::state::{State, Step};
use crate::game::rules::{Kind, Side};

use super::Heuristic;
use super::paths::Paths;

/// A side's best moves by the heuristic: none if it has no move.
pub(super) fn best_steps<const W: usize>(
    heuristic: Heuristic,
    ground: &Ground<W>,
    paths: &Paths<W>,
    state: &mut State<W>,
) -> Vec<Step> {
    if let Some(step) = state.winning_step(ground) {
        return vec![step];
    }
    if heuristic.takes_paths && state.to_move == Side::Defenders {
        let steps: Vec<Step> = paths.king_steps(ground, state).collect();
        if !steps.is_empty() {
            return steps;
        }
    }
    let steps = state.steps(ground);
    best_of(&steps, |step| score(heuristic, ground, paths, state, step))
}

/// The paper's score of a move that does not end the game.
pub(super) fn score<const W: usize>(
    heuristic: Heuristic,
    ground: &Ground<W>,
    paths: &Paths<W>,
    state: &mut State<W>,
    step: Step,
) -> i32 {
    let side = state.to_move;
    let is_king = step.from() == state.king;
    let undo = state.play(ground, step);
    let mut score = 10 * undo.captured.len() as i32;
    score -= 5 * capturable(ground, state, side).len() as i32;
    match side {
        Side::Attackers => {
            if !paths.has_path(ground, state) {
                score += 1000;
            }
        }
        Side::Defenders => {
            if state.king_capture(ground).is_some() {
                score -= 1000;
            }
            if paths.has_path(ground, state) {
                score += 5;
            }
            if is_king && is_central(heuristic, ground, step.to()) {
                score += 1;
            }
        }
    }
    state.take_back(ground, step, undo);
    score
}

fn is_central<const W: usize>(heuristic: Heuristic, ground: &Ground<W>, square: usize) -> bool {
    let throne = ground.size * ground.size / 2;
    square == throne || !heuristic.throne_only && ground.next(throne).contains(&square)
}

/// The soldiers of a side that the other one could capture, if it were to move.
pub(super) fn capturable<const W: usize>(
    ground: &Ground<W>,
    state: &State<W>,
    side: Side,
) -> Bits<W> {
    let captor = side.other();
    let arrivals = state.capture_squares(ground, captor).iter();
    let reached = arrivals.filter(|&to| state.arrivals(ground, captor, to).next().is_some());
    reached.fold(Bits::EMPTY, |all, to| all | state.captured(ground, captor, to))
}

/// What the greedy player chooses from: captures, that of the king among them; else the
/// king's moves that bring him nearest to a goal; else all moves.
pub(super) fn greedy_steps<const W: usize>(ground: &Ground<W>, state: &State<W>) -> Vec<Step> {
    let side = state.to_move;
    let steps = state.steps(ground);
    let mut captures = state.capture_squares(ground, side);
    if side == Side::Attackers {
        captures = captures | state.king_capture_squares(ground);
    }
    let capturing: Vec<Step> =
        steps.iter().copied().filter(|s| captures.contains(s.to())).collect();
    if !capturing.is_empty() {
        return capturing;
    }
    if side == Side::Defenders {
        let now = distance(ground, state.king);
        let targets = state.targets(ground, Kind::King, state.king);
        let nearer = squares(ground, state.king, targets).filter(|&to| distance(ground, to) < now);
        let nearer: Vec<Step> = nearer.map(|to| Step::new(state.king, to)).collect();
        if !nearer.is_empty() {
            return best_of(&nearer, |step| -distance(ground, step.to()));
        }
    }
    steps
}

/// Squares along ranks and files from there to the nearest goal.
fn distance<const W: usize>(ground: &Ground<W>, square: usize) -> i32 {
    let apart = |goal: usize| {
        let files = ground.file[goal].abs_diff(ground.file[square]);
        let ranks = ground.rank[goal].abs_diff(ground.rank[square]);
        i32::from(files) + i32::from(ranks)
    };
    ground.goals.iter().map(apart).min().unwrap_or(0)
}

/// Those of the moves whose score is the highest.
fn best_of(steps: &[Step], mut score: impl FnMut(Step) -> i32) -> Vec<Step> {
    let mut best = Vec::new();
    let mut most = i32::MIN;
    for &step in steps {
        let score = score(step);
        if score > most {
            most = score;
            best.clear();
        }
        if score == most {
            best.push(step);
        }
    }
    best
}
