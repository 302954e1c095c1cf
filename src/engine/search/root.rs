//! The root: threads, iterative deepening, aspiration windows and multiple lines.

use std::thread;

use crate::engine::iteration::Iteration;
use crate::engine::state::Step;

use super::move_history::MoveHistory;
use super::path::MAX_PLY;
use super::root_moves::{IterationResult, RootLine, RootMove, partial_lines, sort_by_score};
use super::score::{INFINITE, Points, WON, is_decided, won_in};
use super::shared::Shared;
use super::worker::Worker;

/// The minimum depth for aspiration windows, and their initial half-width.
const ASPIRATION_DEPTH: i32 = 4;
const ASPIRATION_WINDOW: Points = 40;

/// Searches on all threads until a limit is reached. Reports the iterations of the first thread.
pub(super) fn run<const W: usize>(
    shared: &Shared<'_, W>,
    move_histories: &mut [MoveHistory],
    moves: &[RootMove],
    lines: usize,
    report: &mut dyn FnMut(&Iteration),
) -> Iteration {
    move_histories.iter_mut().for_each(MoveHistory::new_search);
    let Some((first, helpers)) = move_histories.split_first_mut() else {
        unreachable!("an engine has a thread");
    };
    thread::scope(|scope| {
        let _finish = FinishGuard(shared);
        for (number, move_history) in helpers.iter_mut().enumerate() {
            let moves = moves.to_vec();
            let search = move || {
                let mut worker = Worker::new(shared, move_history);
                // Lazy SMP: half of the helpers are a ply ahead, so that the threads diverge.
                worker.iterative_deepening(moves, lines, 1 + number as i32 % 2, &mut |_, _| {});
            };
            // If the system refuses a thread, the others search alone.
            if thread::Builder::new().spawn_scoped(scope, search).is_err() {
                break;
            }
        }
        let mut worker = Worker::new(shared, first);
        let mut moves = moves.to_vec();
        worker.prove_again(&mut moves);
        // Before any move has been searched, the result is the first one.
        let initial =
            IterationResult { depth: 0, is_complete: false, lines: vec![moves[0].root_line(0)] };
        let mut last = worker.iteration(&initial);
        worker.iterative_deepening(moves, lines, 1, &mut |worker, result| {
            last = worker.iteration(result);
            report(&last);
        });
        last
    })
}

/// Stops the helpers when dropped, even if the report of an iteration panics.
struct FinishGuard<'a, 's, const W: usize>(&'a Shared<'s, W>);

impl<const W: usize> Drop for FinishGuard<'_, '_, W> {
    fn drop(&mut self) {
        self.0.finish();
    }
}

impl<const W: usize> Worker<'_, W> {
    /// Searches for the win that an earlier search found, and for nothing else, so that an announced
    /// win is not lost sight of. It has to be proved again, since the game has a longer history now.
    /// Puts the move that wins first.
    fn prove_again(&mut self, moves: &mut [RootMove]) {
        /// The maximum number of nodes.
        const BUDGET: u64 = 50_000;
        let Shared { limits, expected_win: Some(plies), .. } = *self.shared else { return };
        // Half of the nodes are left for other moves.
        let max_nodes = self.max_nodes;
        self.max_nodes = max_nodes.min(limits.nodes.map_or(BUDGET, |nodes| BUDGET.min(nodes / 2)));
        let max_depth = limits.depth.map_or(plies, |depth| plies.min(depth as usize)) as i32;
        // The move that the earlier search expected may need no other moves to compare it with.
        let is_preferred = self.shared.preferred == Some(moves[0].step);
        let quick =
            is_preferred.then(|| self.find_win(&mut moves[..1], plies, max_depth)).flatten();
        let mut depths = 1..=max_depth;
        let winner = quick.or_else(|| depths.find_map(|depth| self.find_win(moves, plies, depth)));
        if let Some(number) = winner {
            moves[..=number].rotate_right(1);
        }
        self.max_nodes = max_nodes;
        self.stopped = self.nodes >= max_nodes || self.shared.is_over();
    }

    /// Returns the number of a move that a search of this depth proves to win within these plies.
    fn find_win(&mut self, moves: &mut [RootMove], plies: usize, depth: i32) -> Option<usize> {
        let (alpha, beta) = (won_in(plies) - 1, won_in(plies));
        self.root_depth = depth;
        moves.iter_mut().position(|mv| {
            if self.stopped || !mv.is_open() {
                return mv.is_won();
            }
            let (undo, ended) = self.play(mv.step);
            let reply = ended.unwrap_or_else(|| self.search::<false>(-beta, -alpha, depth - 1));
            self.take_back(mv.step, undo);
            if !self.stopped {
                mv.prove(-reply, alpha, beta);
            }
            mv.is_won()
        })
    }

    /// Searches with increasing depth until a limit is reached or nothing can change.
    fn iterative_deepening(
        &mut self,
        mut moves: Vec<RootMove>,
        lines: usize,
        first_depth: i32,
        report: &mut dyn FnMut(&mut Self, &IterationResult),
    ) {
        let max_depth = self.shared.limits.depth.unwrap_or(u32::MAX).min(MAX_PLY as u32 - 1) as i32;
        let mut last: Vec<RootLine> = Vec::new();
        for depth in first_depth..=max_depth.max(first_depth) {
            self.root_depth = depth;
            let done = self.iterate(&mut moves, lines, depth);
            let is_complete = done == lines;
            if is_complete {
                last = moves[..lines].iter().map(|mv| mv.root_line(depth)).collect();
                report(self, &IterationResult { depth, is_complete, lines: last.clone() });
            } else if moves.iter().any(|mv| mv.score > -INFINITE) {
                let partial = partial_lines(&moves, done, &last, lines, depth);
                report(self, &IterationResult { depth, is_complete, lines: partial });
            }
            if !is_complete || self.is_settled(&moves, lines, depth) {
                break;
            }
        }
    }

    /// Runs an iteration, and returns the number of finished lines. Sorts the moves by score,
    /// those of the finished lines first.
    fn iterate(&mut self, moves: &mut [RootMove], lines: usize, depth: i32) -> usize {
        for line in 0..lines {
            let last = moves[line].score;
            let mut margin = ASPIRATION_WINDOW;
            let narrow = depth >= ASPIRATION_DEPTH && !is_decided(last) && last > -INFINITE;
            let (mut alpha, mut beta) =
                if narrow { (last - margin, last + margin) } else { (-INFINITE, INFINITE) };
            // Scores of the last iteration must not count as scores of this one.
            moves[line..].iter_mut().for_each(|mv| mv.score = -INFINITE);
            loop {
                let score = self.search_root(&mut moves[line..], alpha, beta, depth);
                sort_by_score(&mut moves[line..]);
                if self.stopped {
                    sort_by_score(&mut moves[..line]);
                    return line;
                }
                // Widen the side of the window that the score fell out of.
                margin *= 4;
                if score <= alpha {
                    alpha = if margin > 2000 { -INFINITE } else { score - margin };
                } else if score >= beta {
                    beta = if margin > 2000 { INFINITE } else { score + margin };
                } else {
                    break;
                }
            }
        }
        // A later line may have a better score than an earlier one.
        sort_by_score(&mut moves[..lines]);
        lines
    }

    /// Searches the moves. Moves that are not better than the best so far get no score.
    fn search_root(
        &mut self,
        moves: &mut [RootMove],
        mut alpha: Points,
        beta: Points,
        depth: i32,
    ) -> Points {
        let mut best = -INFINITE;
        for number in 0..moves.len() {
            let step = moves[number].step;
            let searched = if moves[number].ends_game {
                self.pv[1].clear();
                won_in(1)
            } else {
                self.search_root_move(step, alpha, beta, depth - 1, number == 0)
            };
            if self.stopped {
                // Keep the moves searched in this iteration in front of the rest.
                if number > 0 {
                    moves[number..].iter_mut().for_each(|mv| mv.score = -INFINITE);
                }
                return best;
            }
            let entry = &mut moves[number];
            let score = entry.prove(searched, alpha, beta);
            if number == 0 || score > alpha {
                entry.score = score;
                // A score that was proved earlier has its own line.
                if score == searched {
                    entry.line.clear();
                    entry.line.push(step);
                    entry.line.extend_from_slice(&self.pv[1]);
                }
            } else {
                entry.score = -INFINITE;
            }
            best = best.max(score);
            alpha = alpha.max(score);
            if alpha >= beta {
                moves[number + 1..].iter_mut().for_each(|mv| mv.score = -INFINITE);
                break;
            }
        }
        best
    }

    /// Searches a root move: the first with the full window, others with a null window first.
    fn search_root_move(
        &mut self,
        step: Step,
        alpha: Points,
        beta: Points,
        depth: i32,
        is_first: bool,
    ) -> Points {
        let (undo, ended) = self.play(step);
        let score = match ended {
            Some(score) => -score,
            None if is_first => -self.search::<true>(-beta, -alpha, depth),
            None => {
                let score = -self.search::<false>(-alpha - 1, -alpha, depth);
                if score > alpha && !self.stopped {
                    -self.search::<true>(-beta, -alpha, depth)
                } else {
                    score
                }
            }
        };
        self.take_back(step, undo);
        score
    }

    /// Returns whether deeper searches cannot change the result.
    fn is_settled(&self, moves: &[RootMove], lines: usize, depth: i32) -> bool {
        let limits = &self.shared.limits;
        // The only move needs no search, unless a depth or a number of nodes was requested.
        if moves.len() == 1 && limits.depth.is_none() && limits.nodes.is_none() {
            return limits.time.is_some();
        }
        moves[..lines].iter().all(|mv| {
            let plies = WON - mv.score.abs();
            is_decided(mv.score) && plies <= depth && plies < MAX_PLY as Points
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::with_worker;
    use super::*;
    use crate::game::moves::legal_moves;
    use crate::game::rules::Ruleset;

    /// At the start every move has mirror images, which are worth as much.
    #[test]
    fn only_moves_that_are_better_than_those_before_them_get_a_score() {
        let rules = Ruleset::builtin("brandubh").unwrap();
        with_worker::<1>(&rules, None, |worker, game| {
            let moves = legal_moves(game.rules(), game.position());
            for depth in 1..=3 {
                let mut moves: Vec<RootMove> =
                    moves.iter().map(|played| RootMove::new(played, None)).collect();
                let best = worker.search_root(&mut moves, -INFINITE, INFINITE, depth);
                let scores = moves.iter().map(|mv| mv.score).filter(|&score| score > -INFINITE);
                let scores: Vec<Points> = scores.collect();
                assert!(scores.is_sorted_by(|one, next| one < next), "{scores:?}");
                assert_eq!(scores.last(), Some(&best));
                let known = moves.iter().filter(|mv| mv.line.len() > 1);
                assert!(known.count() <= scores.len());
            }
        });
    }
}
