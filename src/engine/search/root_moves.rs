//! The moves of the position on the board, and what is known of each.

use std::cmp::Reverse;

use crate::engine::state::Step;
use crate::game::moves::Move;
use crate::game::value::Wdl;
use crate::tablebase::Probed;

use super::score::{INFINITE, Points, decided_in, is_decided, plies_to_end};

/// A move of the position on the board, and what is known of it.
#[derive(Clone, Debug)]
pub(super) struct RootMove {
    pub(super) step: Step,
    /// Whether it ends the game: such moves have no position to search.
    pub(super) ends_game: bool,
    /// In this iteration; less than any score if it is not known to be better than those
    /// before it.
    pub(super) score: Points,
    /// This move, and what was expected to follow when its score was last exact.
    pub(super) line: Vec<Step>,
    /// A win that it is worth at least, or a loss that it is worth at most: proved, for
    /// good.
    proved: Option<Points>,
}

impl RootMove {
    /// A move of which that is proved.
    pub(super) fn new(played: &Move, proved: Option<Probed>) -> RootMove {
        let step = Step::of(played);
        let decided = proved.filter(|value| value.wdl != Wdl::Draw);
        RootMove {
            step,
            ends_game: played.ending.is_some(),
            score: -INFINITE,
            line: vec![step],
            proved: decided.map(|value| decided_in(value.wdl == Wdl::Win, value.plies, 0)),
        }
    }

    /// Whether it is proved to lose.
    fn is_lost(&self) -> bool {
        self.proved.is_some_and(|proved| proved < 0)
    }

    /// Notes what the score of a search of that window proves; what it comes to with what
    /// was proved before. A later search may see less: it may cut off what an earlier one
    /// did not.
    pub(super) fn prove(&mut self, score: Points, alpha: Points, beta: Points) -> Points {
        let better = |old: Points| if score > 0 { old.max(score) } else { old.min(score) };
        // A score outside the window is a bound, and of a win or a loss maybe the wrong one.
        if is_decided(score) && if score > 0 { score > alpha } else { score < beta } {
            self.proved = Some(self.proved.map_or(score, better));
        }
        // Among wins without distances the search has to choose.
        match self.proved.filter(|&proved| plies_to_end(proved).is_some()) {
            Some(proved) if proved > 0 => score.max(proved),
            Some(proved) => score.min(proved),
            None => score,
        }
    }

    /// What there is to report of it after a search of that depth.
    pub(super) fn root_line(&self, depth: i32) -> RootLine {
        RootLine { score: self.score, depth, proved: self.proved, line: self.line.clone() }
    }
}

/// What is reported of a move.
#[derive(Clone, Debug)]
pub(super) struct RootLine {
    pub(super) score: Points,
    /// The depth of the search that the score is from.
    pub(super) depth: i32,
    /// A win or a loss that is proved.
    pub(super) proved: Option<Points>,
    pub(super) line: Vec<Step>,
}

/// What an iteration has found.
pub(super) struct IterationResult {
    pub(super) depth: i32,
    pub(super) is_complete: bool,
    /// The best lines: the deeper searched first, and among those the better.
    pub(super) lines: Vec<RootLine>,
}

/// What an iteration has found that was stopped after `done` lines: what it got to, and
/// then what the last one said of other moves.
///
/// The best move so far of the line in progress is good enough unless it has lost: of
/// the position that is true only when all moves have lost.
pub(super) fn partial_lines(
    moves: &[RootMove],
    done: usize,
    last: &[RootLine],
    lines: usize,
    depth: i32,
) -> Vec<RootLine> {
    if moves.iter().all(RootMove::is_lost) {
        let mut lost: Vec<RootLine> = moves.iter().map(|mv| mv.root_line(depth)).collect();
        lost.sort_by_key(|found| Reverse(found.proved));
        lost.truncate(lines);
        return lost;
    }
    let (finished, others) = moves.split_at(done);
    let mut found: Vec<RootLine> = finished.iter().map(|mv| mv.root_line(depth)).collect();
    let best = others.first().filter(|mv| mv.score > -INFINITE && !mv.is_lost());
    found.extend(best.map(|mv| mv.root_line(depth)));
    let open = |step| moves.iter().any(|mv| mv.step == step && !mv.is_lost());
    for earlier in last {
        let step = earlier.line[0];
        if open(step) && found.iter().all(|found| found.line[0] != step) {
            found.push(earlier.clone());
        }
    }
    if found.is_empty() {
        // Not searched to this depth, and not better than the best was before.
        let estimate = last.first().map_or((-INFINITE, 0), |best| (best.score, best.depth));
        let open = moves.iter().find(|mv| !mv.is_lost());
        found.extend(open.map(|mv| {
            let (score, depth) = estimate;
            RootLine { score, depth, proved: mv.proved, line: vec![mv.step] }
        }));
    }
    found.truncate(lines);
    found
}
