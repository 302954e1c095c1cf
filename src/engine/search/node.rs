//! The inner nodes: principal variation search with pruning and reductions.

use crate::engine::state::Step;
use crate::game::rules::Side;

use super::candidate::{CAPTURE, Candidate};
use super::path::PathDependence;
use super::score::{MAX_ESTIMATE, Points, is_decided, lost_in, won_in};
use super::table::{Bound, Entry};
use super::threat::Threat;
use super::worker::Worker;

/// The reduction of null moves in plies, before the part that depends on the depth.
const NULL_MOVE_REDUCTION: i32 = 3;
/// The maximum depth of reverse futility pruning, and its margin for each ply.
const REVERSE_FUTILITY_DEPTH: i32 = 5;
const REVERSE_FUTILITY_MARGIN: Points = 90;
/// The maximum depth of futility pruning of quiet moves, and its margin for each ply.
const FUTILITY_DEPTH: i32 = 4;
const FUTILITY_MARGIN: Points = 110;

impl<const W: usize> Worker<'_, W> {
    /// Returns the score of the position for the side to move: exact between `alpha` and
    /// `beta`, else a bound.
    pub(super) fn search<const PV: bool>(
        &mut self,
        mut alpha: Points,
        mut beta: Points,
        mut depth: i32,
    ) -> Points {
        if depth <= 0 {
            return self.quiesce(alpha, beta, 0);
        }
        let ply = self.ply();
        if let Some(score) = self.enter(ply) {
            return score;
        }
        // Mate distance pruning: the best possible score is a win with the next move, and the
        // worst a loss now, because there is no move.
        alpha = alpha.max(lost_in(ply));
        beta = beta.min(won_in(ply + 1));
        if alpha >= beta {
            return alpha;
        }
        let known = self.probe_table(ply);
        // At PV nodes a cutoff would truncate the line.
        if let Some(entry) = known
            && !PV
            && entry.depth >= depth
            && entry.settles(alpha, beta)
        {
            return entry.score;
        }
        if let Some(score) = self.probe_oracle(ply) {
            return score;
        }
        let threat = self.threat();
        let is_safe = matches!(threat, Threat::None);
        // Extend forced replies, but not without end.
        if !is_safe && (ply as i32) < 2 * self.root_depth {
            depth += 1;
        }
        let estimate = if is_safe { self.estimate() } else { NO_ESTIMATE };
        if !PV && is_safe && !is_decided(beta) {
            if depth <= REVERSE_FUTILITY_DEPTH && estimate - REVERSE_FUTILITY_MARGIN * depth >= beta
            {
                return estimate;
            }
            if let Some(score) = self.try_null_move(beta, depth, estimate) {
                return score;
            }
        }
        let best = known.map_or(Step::NONE, |entry| entry.step);
        // Internal iterative reduction: a shallower search finds a first move for the next visit.
        if best == Step::NONE && depth >= 4 {
            depth -= 1;
        }
        let first = self.candidates.len();
        self.add_candidates(&threat, best, ply);
        let score = self.search_moves::<PV>(alpha, beta, depth, first, estimate, is_safe);
        self.candidates.truncate(first);
        score
    }

    /// Searches the candidates from index `first` on, and stores the result.
    fn search_moves<const PV: bool>(
        &mut self,
        mut alpha: Points,
        beta: Points,
        depth: i32,
        first: usize,
        estimate: Points,
        is_safe: bool,
    ) -> Points {
        let ply = self.ply();
        let side = self.state.to_move;
        let old_alpha = alpha;
        // The score if no candidate is left: without a threat all moves were tried, so there is
        // none; attackers who cannot block an escape have lost unless they have no move at all.
        let none =
            if is_safe || side == Side::Defenders { lost_in(ply) } else { self.escape_score(ply) };
        let (mut best, mut best_step) = (none, Step::NONE);
        let mut dependence = PathDependence::NONE;
        let mut tried = [Step::NONE; 32];
        let mut tried_count = 0;
        let mut number = 0;
        while let Some(Candidate { step, priority }) = self.pick(first, number) {
            let is_quiet = priority < CAPTURE;
            // Futility and late move pruning: at a low depth, a quiet move seldom makes up for a
            // poor evaluation, and a late one is seldom the best. Not while the best move so far
            // loses: only all moves together prove a loss.
            if !PV
                && is_safe
                && is_quiet
                && number > 0
                && !is_decided(best)
                && depth <= FUTILITY_DEPTH
                && (estimate + FUTILITY_MARGIN * depth <= alpha && number > 3
                    || number > 6 + 4 * (depth * depth) as usize)
            {
                number += 1;
                continue;
            }
            let (undo, ended) = self.play(step);
            let captures = !undo.captured.is_empty();
            let score = match ended {
                Some(score) => -score,
                None => {
                    let reduction = if depth >= 3 && number >= 2 && is_safe && !captures {
                        self.reduction::<PV>(depth, number, priority)
                    } else {
                        0
                    };
                    self.search_move::<PV>(alpha, beta, depth - 1, reduction, number)
                }
            };
            self.take_back(step, undo);
            // The score of an interrupted search means nothing: the caller drops it.
            if self.stopped {
                return 0;
            }
            number += 1;
            dependence.add(self.depends_on, score > best);
            if score > best {
                best = score;
                if score > alpha {
                    alpha = score;
                    best_step = step;
                    self.update_pv(ply, step);
                }
                if alpha >= beta {
                    // Captures come early in any case: the history only orders quiet moves.
                    if !captures {
                        let previous = self.previous();
                        let quiet = &tried[..tried_count];
                        self.move_history.update(side, ply, previous, step, quiet, depth);
                    }
                    break;
                }
            }
            if !captures && tried_count < tried.len() {
                tried[tried_count] = step;
                tried_count += 1;
            }
        }
        let bound = Some(Bound::of(best, old_alpha, beta));
        self.set_dependence(dependence.of(best), best);
        self.store(Entry { step: best_step, score: best, depth, bound });
        best
    }

    /// Searches the position after a move: unless the move is the first, with a null window and
    /// a reduced depth first.
    #[inline]
    fn search_move<const PV: bool>(
        &mut self,
        alpha: Points,
        beta: Points,
        depth: i32,
        reduction: i32,
        number: usize,
    ) -> Points {
        if number == 0 {
            return -self.search::<PV>(-beta, -alpha, depth);
        }
        let mut score = -self.search::<false>(-alpha - 1, -alpha, depth - reduction);
        if score > alpha && reduction > 0 {
            score = -self.search::<false>(-alpha - 1, -alpha, depth);
        }
        if PV && score > alpha && score < beta {
            score = -self.search::<true>(-beta, -alpha, depth);
        }
        score
    }

    /// Null move pruning: returns a score if the position fails high even when the side to move
    /// passes. The caller excludes threats to the king.
    fn try_null_move(&mut self, beta: Points, depth: i32, estimate: Points) -> Option<Points> {
        /// With fewer soldiers, zugzwang is likely.
        const MIN_SOLDIERS: u32 = 3;
        let side = self.state.to_move;
        if depth < 3
            || estimate < beta
            || self.steps.last() == Some(&Step::NONE)
            || self.state.soldiers[side].len() < MIN_SOLDIERS
        {
            return None;
        }
        self.make_null_move();
        let reduction = NULL_MOVE_REDUCTION + depth / 4;
        let score = -self.search::<false>(-beta, 1 - beta, depth - 1 - reduction);
        self.undo_null_move();
        // A win after a null move is not proved.
        (score >= beta && !self.stopped).then_some(if is_decided(score) { beta } else { score })
    }

    /// Returns the late move reduction in plies.
    #[inline]
    fn reduction<const PV: bool>(&self, depth: i32, number: usize, priority: i32) -> i32 {
        let base = i32::from(REDUCTIONS[depth.min(31) as usize][number.min(63)]);
        (base - i32::from(PV) - priority / 4096).clamp(0, depth - 2)
    }

    /// Returns the score of attackers who block no line: the king escapes with the next ply,
    /// unless they have already lost because they cannot move.
    pub(super) fn escape_score(&self, ply: usize) -> Points {
        if self.state.has_step(self.shared.board) { lost_in(ply + 2) } else { lost_in(ply) }
    }

    /// Returns the previous move; [`Step::NONE`] at the root and after a null move.
    pub(super) fn previous(&self) -> Step {
        self.steps.last().copied().unwrap_or_default()
    }

    /// Returns the static evaluation.
    #[inline]
    pub(super) fn estimate(&self) -> Points {
        self.shared
            .evaluator
            .estimate(self.shared.board, &self.state)
            .clamp(-MAX_ESTIMATE, MAX_ESTIMATE)
    }
}

/// In place of an evaluation where the king is threatened.
const NO_ESTIMATE: Points = -MAX_ESTIMATE - 1;
/// Late move reductions in plies, by depth and number of the move.
static REDUCTIONS: [[u8; 64]; 32] = reductions();

const fn reductions() -> [[u8; 64]; 32] {
    let mut table = [[0; 64]; 32];
    let mut depth = 1;
    while depth < 32 {
        let mut number = 1;
        while number < 64 {
            // Half the product of the two logarithms, rounded, which are in eighths.
            let product = log2_eighths(depth) * log2_eighths(number);
            table[depth][number] = ((product + 64) / 256) as u8;
            number += 1;
        }
        depth += 1;
    }
    table
}

/// Returns eight times the binary logarithm, interpolated linearly between powers of two.
const fn log2_eighths(number: usize) -> usize {
    let whole = number.ilog2() as usize;
    8 * whole + ((8 * (number - (1 << whole))) >> whole)
}
