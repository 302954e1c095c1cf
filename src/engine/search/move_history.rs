//! What a thread remembers of moves, whatever the position: which have been good.

use crate::engine::state::Step;
use crate::game::rules::{BySide, Side};

use super::worker::MAX_PLY;

/// Histories of moves, kept from one search to the next.
pub(super) struct MoveHistory {
    area: usize,
    /// By side, origin and target.
    scores: BySide<Vec<i16>>,
    /// The reply that was good against a move, by its side, origin and target.
    counters: BySide<Vec<Step>>,
    /// Two moves that were good at a ply.
    pub(super) killers: [[Step; 2]; MAX_PLY + 1],
}

/// No history is more, nor less than its negative.
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

    /// A new search of the same game: what was learned counts for less.
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

    /// A quiet move has been good enough, and those tried before it have not.
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

    /// Moves a history by that much, the less the nearer it is to its bound.
    fn adjust(&mut self, side: Side, step: Step, bonus: i32) {
        let index = self.index(step);
        let value = &mut self.scores[side][index];
        let old = i32::from(*value);
        *value = (old + bonus - old * bonus.abs() / MAX_SCORE) as i16;
    }
}
