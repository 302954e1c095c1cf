//! Which moves are looked at, and in which order.

use crate::engine::state::Step;
use crate::game::rules::Side;

use super::node::{CAPTURE, Threat};
use super::worker::{Candidate, Worker};

/// What moves priority, from the best: the table's move, captures, killers, the counter
/// move; then, by history, all others.
pub(super) const TABLE: i32 = 1 << 20;
const LINE: i32 = CAPTURE - 1000;
const KILLERS: [i32; 2] = [CAPTURE - 3000, CAPTURE - 4000];
const COUNTER: i32 = CAPTURE - 5000;

impl<const W: usize> Worker<'_, W> {
    /// Adds the moves of the side to move that are worth a look: all of them, or those
    /// that close the lines to goals if there are such.
    pub(super) fn add_candidates(&mut self, threat: &Threat<W>, best: Step, ply: usize) {
        let (board, state) = (self.shared.board, &self.state);
        let side = state.to_move;
        let captures = state.capture_squares(board, side);
        let killers = self.move_history.killers[ply];
        let counter = self.move_history.counter(side, self.previous());
        let move_history = &*self.move_history;
        let candidates = &mut self.candidates;
        let add = |step: Step| {
            let history = move_history.score(side, step);
            let priority = if step == best {
                TABLE
            } else if captures.contains(step.to()) {
                CAPTURE + (1 << 14) + history
            } else if step == killers[0] {
                KILLERS[0]
            } else if step == killers[1] {
                KILLERS[1]
            } else if step == counter {
                COUNTER
            } else if side == Side::Defenders && step.from() == state.king {
                // A king who sees a goal forces the attackers to answer.
                match state.open_goals(board, step.to()).len() {
                    0 => history,
                    lines => LINE + 100 * lines as i32,
                }
            } else {
                history
            };
            candidates.push(Candidate { step, priority });
        };
        if let Threat::Escape(blocks) = threat {
            state.each_step_to(board, *blocks, add);
            self.add_repetitions(captures);
        } else {
            state.each_step(board, add);
        }
    }

    /// The most promising candidate that is left of those from `first` on, of which
    /// `number` were tried.
    #[inline]
    pub(super) fn pick(&mut self, first: usize, number: usize) -> Option<Candidate> {
        let left = self.candidates.get_mut(first + number..)?;
        let mut best = 0;
        for (at, candidate) in left.iter().enumerate().skip(1) {
            if candidate.priority > left[best].priority {
                best = at;
            }
        }
        if left.is_empty() {
            return None;
        }
        left.swap(0, best);
        Some(left[0])
    }
}
