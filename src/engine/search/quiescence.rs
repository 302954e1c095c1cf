//! Where the search ends: captures and threats to the king are played out, so that no
//! estimate is asked of a position in which something is about to happen.

use crate::engine::evaluate::open_from;
use crate::engine::generate::squares;
use crate::engine::state::Step;
use crate::rules::{Kind, Side};

use super::node::Threat;
use super::score::{Points, won_in};
use super::table::{Bound, Entry};
use super::worker::{ANYWHERE, Candidate, MAX_PLY, Worker};

/// So many plies of it look for kings who threaten to escape; later ones for captures only.
const LINE_PLIES: usize = 2;

impl<const W: usize> Worker<'_, W> {
    /// The score of a position after what happens in it has happened; `depth` plies of
    /// that have been played.
    pub(super) fn quiesce(&mut self, mut alpha: Points, beta: Points, depth: usize) -> Points {
        let ply = self.ply();
        self.visit(ply);
        self.lines[ply].clear();
        self.rests_on = ANYWHERE;
        if self.stopped {
            return 0;
        }
        if self.state.winning_step(self.shared.ground).is_some() {
            return won_in(ply + 1);
        }
        if ply >= MAX_PLY - 1 {
            return self.estimate();
        }
        // Deeper down, the table's answer would come too late to be worth the wait.
        let known = if depth == 0 { self.shared.table.get(self.state.key, ply) } else { None };
        if let Some(entry) = known {
            match entry.bound {
                Bound::Exact => return entry.score,
                Bound::Lower if entry.score >= beta => return entry.score,
                Bound::Upper if entry.score <= alpha => return entry.score,
                Bound::Lower | Bound::Upper => {}
            }
        }
        if let Some(score) = self.ask_tables(ply) {
            return score;
        }
        let threat = self.threat();
        let first = self.candidates.len();
        let best = known.map_or(Step::NONE, |entry| entry.step);
        let mut score = match &threat {
            Threat::Escape(_) => {
                self.add_candidates(&threat, best, ply);
                self.escaped(ply)
            }
            // A king who can be captured can mostly be helped: to look for the move costs more
            // than it tells.
            Threat::Capture | Threat::None => {
                let estimate = self.estimate();
                if estimate >= beta {
                    return estimate;
                }
                alpha = alpha.max(estimate);
                self.add_tactics(depth, best);
                estimate
            }
        };
        let old_alpha = alpha;
        let (mut best_step, mut rests_on) = (Step::NONE, ANYWHERE);
        let mut number = 0;
        while let Some(Candidate { step, .. }) = self.pick(first, number) {
            number += 1;
            let (undo, ended) = self.play(step);
            let value = match ended {
                Some(value) => {
                    self.lines[ply + 1].clear();
                    -value
                }
                None => -self.quiesce(-beta, -alpha, depth + 1),
            };
            self.take_back(step, undo);
            if self.stopped {
                break;
            }
            if value > score {
                score = value;
                rests_on = self.rests_on;
                if value > alpha {
                    alpha = value;
                    best_step = step;
                    self.keep_line(ply, step);
                }
                if alpha >= beta {
                    break;
                }
            }
        }
        self.candidates.truncate(first);
        let here = self.path.len() - 1;
        self.rests_on = if rests_on < here { rests_on } else { ANYWHERE };
        if !self.stopped && depth == 0 && self.rests_on == ANYWHERE {
            let bound = if score >= beta {
                Bound::Lower
            } else if score > old_alpha {
                Bound::Exact
            } else {
                Bound::Upper
            };
            let entry = Entry { step: best_step, score, depth: 0, bound };
            self.shared.table.put(self.state.key, ply, entry);
        }
        score
    }

    /// Adds captures, and at first the king's moves to squares from which he sees a goal.
    fn add_tactics(&mut self, depth: usize, best: Step) {
        let (ground, state) = (self.shared.ground, &self.state);
        let side = state.to_move;
        let captures = state.capture_squares(ground, side);
        let memory = &*self.memory;
        let candidates = &mut self.candidates;
        let promise = |step: Step| if step == best { 1 << 20 } else { memory.history(side, step) };
        state.each_step_to(ground, captures, |step| {
            candidates.push(Candidate { step, promise: promise(step) });
        });
        if side == Side::Defenders && depth < LINE_PLIES {
            let targets = state.targets(ground, Kind::King, state.king);
            for to in squares(ground, state.king, targets) {
                let lines = open_from(ground, state, to);
                if lines > 0 && !captures.contains(to) {
                    let step = Step::new(state.king, to);
                    candidates.push(Candidate { step, promise: 10_000 * lines as i32 });
                }
            }
        }
    }
}
