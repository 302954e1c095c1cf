//! Statistics of a thread about moves, independent of the position: history, counter moves
//! and killers.

use crate::engine::state::Step;
use crate::game::rules::{BySide, Side};

use super::path::MAX_PLY;

/// Move statistics, kept from one search to the next.
pub(super) struct MoveHistory {
    area: usize,
    /// History scores by side, origin and target.
    scores: BySide<Vec<i16>>,
    /// Counter moves: the last good reply to a move, by the reply's side and the move.
    counters: BySide<Vec<Step>>,
    /// Killers: the last two good moves at a ply.
    pub(super) killers: [[Step; 2]; MAX_PLY + 1],
}

/// The bound of history scores in both directions.
const MAX_SCORE: i32 = 1 << 13;

impl MoveHistory {
    pub(super) fn new(area: usize) -> MoveHistory {
        MoveHistory {
            area,
            scores: BySide::from_fn(|_| vec![0; area * area]),
            counters: BySide::from_fn(|_| vec![Step::NONE; area * area]),
            killers: [[Step::NONE; 2]; MAX_PLY + 1],
        }
    }

    /// Ages the statistics for a new search of the same game.
    pub(super) fn new_search(&mut self) {
        self.killers = [[Step::NONE; 2]; MAX_PLY + 1];
        self.scores.iter_mut().flatten().for_each(|value| *value /= 2);
    }

    #[inline]
    fn index(&self, step: Step) -> usize {
        step.from() * self.area + step.to()
    }

    #[inline]
    pub(super) fn score(&self, side: Side, step: Step) -> i32 {
        i32::from(self.scores[side][self.index(step)])
    }

    #[inline]
    pub(super) fn counter(&self, side: Side, previous: Step) -> Step {
        if previous == Step::NONE { Step::NONE } else { self.counters[side][self.index(previous)] }
    }

    /// Rewards a quiet move that caused a cutoff, and penalises those tried before it.
    pub(super) fn update(
        &mut self,
        side: Side,
        ply: usize,
        previous: Step,
        good: Step,
        tried: &[Step],
        depth: i32,
    ) {
        let killers = &mut self.killers[ply];
        if killers[0] != good {
            *killers = [good, killers[0]];
        }
        if previous != Step::NONE {
            let index = self.index(previous);
            self.counters[side][index] = good;
        }
        let bonus = (depth * depth * 4 + depth * 8).min(1200);
        self.adjust(side, good, bonus);
        for &step in tried {
            self.adjust(side, step, -bonus);
        }
    }

    /// Adds a bonus to a history score, scaled down near the bound.
    fn adjust(&mut self, side: Side, step: Step, bonus: i32) {
        let index = self.index(step);
        let value = &mut self.scores[side][index];
        let old = i32::from(*value);
        *value = (old + bonus - old * bonus.abs() / MAX_SCORE) as i16;
    }
}
