//! Move generation and ordering in the search.

use crate::engine::state::Step;
use crate::game::rules::Side;

use super::candidate::{CAPTURE, COUNTER, Candidate, KILLERS, LINE, TABLE};
use super::threat::Threat;
use super::worker::Worker;

impl<const W: usize> Worker<'_, W> {
    /// Adds the moves to search: all of them or, if the king threatens to escape, those that
    /// block all its lines or draw by repetition.
    pub(super) fn add_candidates(&mut self, threat: &Threat<W>, best: Step, ply: usize) {
        let (board, state) = (self.shared.board, &self.state);
        let side = state.to_move;
        let captures = state.capture_squares(board, side);
        let killers = self.move_history.killers[ply];
        let counter = self.move_history.counter(side, self.previous());
        let move_history = &*self.move_history;
        let candidates = &mut self.candidates;
        let push = |step: Step| {
            let history = move_history.score(side, step);
            let priority = if step == best {
                TABLE
            } else if state.is_capture(board, &captures, step) {
                CAPTURE + (1 << 14) + history
            } else if step == killers[0] {
                KILLERS[0]
            } else if step == killers[1] {
                KILLERS[1]
            } else if step == counter {
                COUNTER
            } else if side == Side::Defenders && step.from() == state.king {
                // A king that sees a goal forces a reply.
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
            state.each_step_to(board, *blocks, push);
            self.add_repetitions(captures);
        } else {
            state.each_step(board, push);
        }
    }

    /// Returns the candidate of the highest priority among those from index `first` on, of which
    /// `number` were tried. It is moved after those: one step of a selection sort for each
    /// move tried.
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
