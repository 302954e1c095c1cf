//! Quiescence search: plays out captures and threats of the king, so that only quiet positions
//! are evaluated.

use crate::engine::generate::squares;
use crate::engine::state::Step;
use crate::game::rules::{Kind, Side};

use super::candidate::{Candidate, TABLE};
use super::path::PathDependence;
use super::score::Points;
use super::table::{Bound, Entry};
use super::threat::Threat;
use super::worker::Worker;

/// The number of plies that also search the king's moves to open lines. Later plies search
/// captures only.
const KING_LINE_PLIES: usize = 2;

impl<const W: usize> Worker<'_, W> {
    /// Returns the score of the position after quiescence search. `depth` is the number of plies
    /// of quiescence search already played.
    pub(super) fn quiesce(&mut self, mut alpha: Points, beta: Points, depth: usize) -> Points {
        let ply = self.ply();
        if let Some(score) = self.enter(ply) {
            return score;
        }
        // Deeper down, the wait for memory costs more than the entry saves.
        let known = if depth == 0 { self.probe_table(ply) } else { None };
        if let Some(entry) = known.filter(|entry| entry.settles(alpha, beta)) {
            return entry.score;
        }
        if let Some(score) = self.probe_oracle(ply) {
            return score;
        }
        let threat = self.threat();
        let first = self.candidates.len();
        let best = known.map_or(Step::NONE, |entry| entry.step);
        let mut score = match &threat {
            Threat::Escape(_) => {
                self.add_candidates(&threat, best, ply);
                self.escape_score(ply)
            }
            // A king that can be captured can usually be saved: the search for that move costs
            // more than it gains.
            Threat::Capture | Threat::None => {
                let estimate = self.estimate();
                // Stand pat: a quiet move is at least as good as the evaluation.
                if estimate >= beta {
                    return estimate;
                }
                alpha = alpha.max(estimate);
                self.add_tactical_moves(depth, best);
                estimate
            }
        };
        let old_alpha = alpha;
        let mut best_step = Step::NONE;
        let mut dependence = PathDependence::NONE;
        let mut number = 0;
        while let Some(Candidate { step, .. }) = self.pick(first, number) {
            number += 1;
            let (undo, ended) = self.play(step);
            let value = match ended {
                Some(value) => -value,
                None => -self.quiesce(-beta, -alpha, depth + 1),
            };
            self.take_back(step, undo);
            if self.stopped {
                break;
            }
            dependence.add(self.depends_on, value > score);
            if value > score {
                score = value;
                if value > alpha {
                    alpha = value;
                    best_step = step;
                    self.update_pv(ply, step);
                }
                if alpha >= beta {
                    break;
                }
            }
        }
        self.candidates.truncate(first);
        self.set_dependence(dependence.of(score), score);
        // Deeper nodes do not read the table, and an incomplete score must not be stored.
        if depth == 0 && !self.stopped {
            let bound = Some(Bound::of(score, old_alpha, beta));
            self.store(Entry { step: best_step, score, depth: 0, bound });
        }
        score
    }

    /// Adds captures and, in the first plies, the king's moves to squares from which it sees a
    /// goal.
    fn add_tactical_moves(&mut self, depth: usize, best: Step) {
        let (board, state) = (self.shared.board, &self.state);
        let side = state.to_move;
        let captures = state.capture_squares(board, side);
        let move_history = &*self.move_history;
        let candidates = &mut self.candidates;
        state.each_step_to(board, captures, |step| {
            if !state.is_capture(board, &captures, step) {
                return;
            }
            let priority = if step == best { TABLE } else { move_history.score(side, step) };
            candidates.push(Candidate { step, priority });
        });
        if side == Side::Defenders && depth < KING_LINE_PLIES {
            let targets = state.targets(board, Kind::King, state.king);
            for to in squares(board, state.king, targets) {
                let lines = state.open_goals(board, to).len();
                let step = Step::new(state.king, to);
                if lines > 0 && !state.is_capture(board, &captures, step) {
                    candidates.push(Candidate { step, priority: 10_000 * lines as i32 });
                }
            }
        }
    }
}
