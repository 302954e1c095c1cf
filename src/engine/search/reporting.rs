//! Reports of iterations. The lines of decided games are completed to their end.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::engine::iteration::{Iteration, Line, Score};
use crate::engine::state::Step;

use super::root_moves::{IterationResult, RootLine};
use super::root_probe::KnownValue;
use super::score::{INFINITE, MAX_ESTIMATE, plies_to_end, to_score};
use super::worker::Worker;

impl<const W: usize> Worker<'_, W> {
    /// Converts the result of an iteration to the form in which it is reported.
    pub(super) fn iteration(&mut self, result: &IterationResult) -> Iteration {
        let lines =
            result.lines.iter().zip(0..).map(|(found, number)| self.line(found, number)).collect();
        Iteration {
            depth: result.depth as u32,
            is_complete: result.is_complete,
            selective_depth: self.selective_depth as u32,
            lines,
            nodes: total(&self.shared.nodes, self.nodes),
            table_hits: total(&self.shared.table_hits, self.table_hits),
            time: self.shared.deadline.started.elapsed(),
        }
    }

    /// Converts a line to moves of the game. Only proved scores become wins or losses.
    fn line(&mut self, found: &RootLine, number: usize) -> Line {
        let RootLine { score, depth, proved, ref line } = *found;
        let score = match (proved, self.shared.root_value) {
            (Some(proved), _) => to_score(proved),
            // The score of the first line is the value of the position.
            (None, Some(KnownValue::TableWin)) if number == 0 => Score::TableWin,
            (None, Some(KnownValue::ProvedWin)) if number == 0 => Score::ProvedWin,
            (None, Some(KnownValue::TableLoss)) => Score::TableLoss,
            (None, Some(KnownValue::ProvedLoss)) => Score::ProvedLoss,
            (None, Some(KnownValue::Draw)) => Score::Estimate(0),
            (None, _) if score == -INFINITE => Score::Estimate(0),
            (None, _) => Score::Estimate(score.clamp(-MAX_ESTIMATE, MAX_ESTIMATE)),
        };
        let steps = match proved.and_then(plies_to_end) {
            Some(plies) => self.completed(line, plies),
            None => line.clone(),
        };
        let rules = self.shared.rules;
        let mut state = self.shared.root.clone();
        let mut moves = Vec::with_capacity(steps.len());
        for step in steps {
            let Some(full) = state.full_move(rules, step) else {
                break;
            };
            moves.push(full);
            if full.ending.is_some() {
                break;
            }
            state.play(self.shared.board, step);
        }
        Line { score, depth: depth as u32, moves }
    }

    /// Returns a line extended to the end of the game, which is decided in this many plies. New
    /// searches find the moves that were cut off.
    fn completed(&mut self, line: &[Step], plies: usize) -> Vec<Step> {
        /// The maximum number of nodes of these searches.
        const BUDGET: u64 = 50_000;
        let before = (self.nodes, self.stopped, self.max_nodes, self.selective_depth);
        (self.stopped, self.max_nodes) = (false, self.nodes + BUDGET);
        self.is_completing = true;
        let mut steps = Vec::new();
        let mut undos = Vec::new();
        let mut next = line.to_vec();
        // Each search extends the line as far as its own PV reaches, which may be cut off, too.
        while !next.is_empty() {
            let mut is_over = false;
            for step in std::mem::take(&mut next) {
                // `play` leaves it to the search to see the king's capture and his escape.
                let full = self.state.full_move(self.shared.rules, step);
                let (undo, ended) = self.play(step);
                steps.push(step);
                undos.push(undo);
                is_over |= ended.is_some() || full.is_none_or(|full| full.ending.is_some());
            }
            if !is_over && steps.len() < plies {
                next = self.continuation(plies);
            }
        }
        for (&step, undo) in steps.iter().zip(undos).rev() {
            self.take_back(step, undo);
        }
        steps.extend(next);
        self.is_completing = false;
        (self.nodes, self.stopped, self.max_nodes, self.selective_depth) = before;
        steps
    }

    /// Returns the continuation of a game that ends within this many plies from the root; empty
    /// if none is found.
    fn continuation(&mut self, plies: usize) -> Vec<Step> {
        let ply = self.ply();
        if let Some(step) = self.state.winning_step(self.shared.board) {
            return vec![step];
        }
        let depth = (plies - ply) as i32;
        self.root_depth = depth;
        let score = self.search::<true>(-INFINITE, INFINITE, depth);
        if self.stopped || plies_to_end(score).is_none_or(|found| found > plies) {
            return Vec::new();
        }
        if !self.pv[ply].is_empty() {
            return self.pv[ply].clone();
        }
        // A search ends where the tables know the distance.
        let position = self.state.position(self.shared.rules.id());
        if let Some(line) = self.shared.oracle.line(&position) {
            return line;
        }
        // A side that loses after any move may play any.
        let mut any = Vec::new();
        if plies_to_end(score) == Some(ply + 2) {
            self.state.each_step(self.shared.board, |step| any.push(step));
            any.truncate(1);
        }
        any
    }
}

/// Returns the count of all threads. The shared count lags behind each thread's own, which is
/// exact if there is only one thread.
fn total(shared: &AtomicU64, own: u64) -> u64 {
    shared.load(Ordering::Relaxed).max(own)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::engine::search::tests::with_worker;
    use crate::engine::state::{State, Step};
    use crate::game::position::Position;
    use crate::game::rules::Ruleset;
    use crate::tablebase::Tablebase;

    /// An opponent may lose sooner than he must.
    #[test]
    fn a_line_is_not_completed_beyond_the_end_of_the_game() {
        let rules = Ruleset::builtin("brandubh").unwrap();
        let tables = Arc::new(Tablebase::new(rules.clone()));
        with_worker::<1>(&rules, Some(Arc::clone(&tables)), |worker, _| {
            for (position, step) in [
                ("/7/4t2/7/7/K6/7/2t4/ d", ["a5", "a1"]),
                ("/7/4t2/7/7/tK5/7/2t4/ a", ["c7", "c5"]),
            ] {
                let position = Position::parse(position, &rules).unwrap();
                worker.state = State::new(worker.shared.board, &position);
                let [from, to] = step.map(|square| rules.board.parse(square).unwrap().index());
                let line = [Step::new(from, to)];
                assert_eq!(worker.completed(&line, 5), line);
                assert!(tables.search_error().is_none(), "{:?}", tables.search_error());
            }
        });
    }
}
