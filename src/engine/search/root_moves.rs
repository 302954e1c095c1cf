//! The root moves with their scores and lines.

use std::cmp::Reverse;

use crate::engine::state::Step;
use crate::game::moves::Move;
use crate::game::value::Wdl;
use crate::tablebase::Probed;

use super::score::{INFINITE, Points, decided_in, is_decided, plies_to_end, won_in};

/// A root move.
#[derive(Clone, Debug)]
pub(super) struct RootMove {
    pub(super) step: Step,
    /// Whether the move wins at once, so that there is no position to search.
    pub(super) ends_game: bool,
    /// The score in this iteration; -[`INFINITE`] if the move is not known to be better than
    /// those before it.
    pub(super) score: Points,
    /// The principal variation of this move from when its score was last exact.
    pub(super) line: Vec<Step>,
    /// A proved lower bound that is a win, or a proved upper bound that is a loss.
    proved: Option<Points>,
}

impl RootMove {
    /// Creates a root move with a value that is already proved.
    pub(super) fn new(played: &Move, proved: Option<Probed>) -> RootMove {
        let step = Step::of(played);
        let ends_game = played.ending.is_some();
        let decided = proved.filter(|value| value.wdl != Wdl::Draw);
        let decided = decided.map(|value| decided_in(value.wdl == Wdl::Win, value.plies, 0));
        RootMove {
            step,
            ends_game,
            score: -INFINITE,
            line: vec![step],
            proved: if ends_game { Some(won_in(1)) } else { decided },
        }
    }

    /// Returns whether the move is neither proved to win nor to lose.
    pub(super) fn is_open(&self) -> bool {
        self.proved.is_none()
    }

    /// Returns whether the move is proved to win.
    pub(super) fn is_won(&self) -> bool {
        self.proved.is_some_and(|proved| proved > 0)
    }

    /// Returns whether the move is proved to lose.
    fn is_lost(&self) -> bool {
        self.proved.is_some_and(|proved| proved < 0)
    }

    /// Records what a score from a search with this window proves. Returns the score combined
    /// with earlier proofs, because a later search may prune what an earlier one did not.
    pub(super) fn prove(&mut self, score: Points, alpha: Points, beta: Points) -> Points {
        // A score outside the window is only a bound, which may be on the wrong side for a proof.
        if is_decided(score) && if score > 0 { score > alpha } else { score < beta } {
            let old = self.proved.unwrap_or(score);
            self.proved = Some(if score > 0 { old.max(score) } else { old.min(score) });
        }
        // Proofs without a distance leave the choice among the moves to the search.
        match self.proved.filter(|&proved| plies_to_end(proved).is_some()) {
            Some(proved) if proved > 0 => score.max(proved),
            Some(proved) => score.min(proved),
            None => score,
        }
    }

    /// Returns the line to report after a search of this depth.
    pub(super) fn root_line(&self, depth: i32) -> RootLine {
        RootLine { score: self.score, depth, proved: self.proved, line: self.line.clone() }
    }
}

/// Sorts the moves before a search: first those that win at once, then the one that an earlier search
/// preferred, so that few nodes suffice to find a win again. The others keep their order.
pub(super) fn sort_unsearched(moves: &mut [RootMove], preferred: Option<Step>) {
    moves.sort_by_key(|mv| (!mv.ends_game, Some(mv.step) != preferred));
}

/// Sorts moves by score, the best first. Moves without a new score keep their order.
pub(super) fn sort_by_score(moves: &mut [RootMove]) {
    moves.sort_by_key(|mv| -mv.score);
}

/// A root move's result, as it is reported.
#[derive(Clone, Debug)]
pub(super) struct RootLine {
    pub(super) score: Points,
    /// The depth at which the score was found.
    pub(super) depth: i32,
    /// A proved win or loss.
    pub(super) proved: Option<Points>,
    pub(super) line: Vec<Step>,
}

/// The result of an iteration.
pub(super) struct IterationResult {
    pub(super) depth: i32,
    pub(super) is_complete: bool,
    /// The best lines, sorted by depth and then by score.
    pub(super) lines: Vec<RootLine>,
}

/// Returns the lines of an iteration that was stopped after `done` lines: its own results, then
/// those of the last iteration for other moves.
///
/// The best move so far of the unfinished line is included unless it is lost, since another move
/// may be better; a loss is reported only when all moves lose.
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
    for earlier in last {
        let step = earlier.line[0];
        let is_open = moves.iter().any(|mv| mv.step == step && !mv.is_lost());
        if is_open && found.iter().all(|found| found.line[0] != step) {
            found.push(earlier.clone());
        }
    }
    if found.is_empty() {
        // A move that was not searched to this depth gets the score of the last best move, as it
        // was not better than that one.
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
