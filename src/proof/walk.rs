//! Walks through strategies: a worker at their positions, which need not be on the line of a search.

use crate::engine::state::{State, Step};
use crate::game::rules::Side;
use crate::game::value::Wdl;

use super::canonical::Canonical;
use super::lookahead::{Judgement, each_step, judge};
use super::search::Worker;

/// How a position ends the strategy, by what a checker sees at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Leaf {
    /// Decided for the holder: a win by the rules, or a table value that suffices.
    Held,
    /// Decided against the holder.
    Lost,
    /// To be expanded.
    Inner,
}

impl<const W: usize> Worker<'_, '_, W> {
    /// Judges the current state by the rules and the tables alone. If `wins`, the holder is to
    /// win; otherwise it is only not to lose.
    pub(super) fn leaf(&self, holder: Side, wins: bool) -> Leaf {
        let is_held = match judge(&self.shared.board, &self.state) {
            Judgement::Won(winner) => winner == holder,
            _ => match self.probe() {
                None => return Leaf::Inner,
                Some(Wdl::Draw) => !wins,
                Some(wdl) => (wdl == Wdl::Win) == (self.state.to_move == holder),
            },
        };
        if is_held { Leaf::Held } else { Leaf::Lost }
    }

    /// Sets the state to a canonical position.
    pub(super) fn set(&mut self, position: &Canonical<W>) {
        let position = position.position(self.shared.rules);
        self.set_state(State::new(&self.shared.board, &position));
    }

    /// Returns the moves of the current state that the next move of the other side does not make
    /// hopeless.
    pub(super) fn moves(&self) -> Vec<Step> {
        let board = &self.shared.board;
        let mut steps = Vec::new();
        each_step(board, &self.state, judge(board, &self.state), |step| steps.push(step));
        steps
    }

    /// Calls `look` with the state after a move. Afterwards the state is as before.
    pub(super) fn after<R>(&mut self, step: Step, look: impl FnOnce(&Self) -> R) -> R {
        let board = &self.shared.board;
        let undo = self.state.play(board, step);
        let seen = look(self);
        self.state.take_back(board, step, undo);
        seen
    }

    /// Returns the canonical position of the current state.
    pub(super) fn canonical(&self) -> Canonical<W> {
        self.shared.symmetries.canonical(&self.state).0
    }

    /// Returns the moves of the current state, one for each canonical position after it.
    pub(super) fn successors(&mut self) -> Vec<(Step, Canonical<W>)> {
        let steps = self.moves();
        let mut successors: Vec<(Step, Canonical<W>)> = Vec::with_capacity(steps.len());
        for step in steps {
            let canonical = self.after(step, Self::canonical);
            if successors.iter().all(|(_, other)| *other != canonical) {
                successors.push((step, canonical));
            }
        }
        successors
    }
}
