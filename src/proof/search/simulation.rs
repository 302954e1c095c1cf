//! Simulation: trying the proof of one move on its siblings.

use crate::engine::state::{State, Step};

use super::numbers::Numbers;
use super::worker::{Child, Worker};

/// The maximum number of positions that the simulation of one proof visits.
const SIMULATION: u32 = 100;

impl<const W: usize> Worker<'_, '_, W> {
    /// Tries to prove the other replies in the same way as the reply `proved` (Kawano, "Using similar
    /// positions to search game trees", 1996).
    pub(super) fn simulate_siblings(&mut self, first: usize, proved: usize) {
        let board = &self.shared.board;
        let mut reference = self.state.clone();
        reference.play(board, self.children[proved].step);
        for at in first..self.children.len() {
            let Child { step, numbers, .. } = self.children[at];
            if numbers.is_solved() {
                continue;
            }
            let undo = self.play(step);
            let mut budget = SIMULATION;
            let is_proved = self.simulate(&mut reference, &mut budget);
            self.take_back(step, undo);
            if is_proved {
                self.children[at].numbers = Numbers::SUCCESS;
            }
        }
    }

    /// Tries to prove the current state by the moves that prove `reference`, which has the same side
    /// to move.
    fn simulate(&mut self, reference: &mut State<W>, budget: &mut u32) -> bool {
        let shared = self.shared;
        let board = &shared.board;
        let key = self.key();
        let numbers = self.numbers(key);
        if numbers.is_solved() {
            return self.is_proved(numbers) && numbers.is_hard();
        }
        if *budget == 0 || self.path_ply(key).is_some() {
            return false;
        }
        *budget -= 1;
        if self.state.to_move == self.prover {
            let Some(step) = self.solving_step(reference) else { return false };
            if !self.is_legal(&self.state, step)
                || self.moves_king(step) != (step.from() == reference.king)
            {
                return false;
            }
            let (undo, reference_undo) = (self.play(step), reference.play(board, step));
            let is_proved = self.simulate(reference, budget);
            reference.take_back(board, step, reference_undo);
            self.take_back(step, undo);
            if is_proved {
                self.store(key, Numbers::SUCCESS, step, self.nodes);
            }
            return is_proved;
        }
        for step in self.moves() {
            let is_shared = self.is_legal(reference, step)
                && self.moves_king(step) == (step.from() == reference.king);
            let undo = self.play(step);
            let is_proved = if is_shared {
                let reference_undo = reference.play(board, step);
                let is_proved = self.simulate(reference, budget);
                reference.take_back(board, step, reference_undo);
                is_proved
            } else {
                let numbers = self.look_up();
                self.is_proved(numbers) && numbers.is_hard()
            };
            self.take_back(step, undo);
            if !is_proved {
                return false;
            }
        }
        self.store(key, Numbers::FAILURE, Step::NONE, self.nodes);
        true
    }

    fn moves_king(&self, step: Step) -> bool {
        step.from() == self.state.king
    }

    /// Returns the move by which the table solves a state for its mover.
    pub(in crate::proof) fn solving_step(&self, state: &State<W>) -> Option<Step> {
        let entry = self.shared.stored(state, self.prover)?;
        (entry.phi == 0 && entry.step != Step::NONE).then_some(entry.step)
    }

    fn is_legal(&self, state: &State<W>, step: Step) -> bool {
        let board = &self.shared.board;
        state.men(state.to_move).contains(step.from())
            && !state.occupied().contains(step.to())
            && state.arrivals(board, state.to_move, step.to()).any(|from| from == step.from())
    }
}
