//! The moves of a position with their numbers.

use crate::proof::lookahead::{each_step, judge};

use super::numbers::Numbers;
use super::shared::Shared;
use super::worker::{Child, Worker};

impl<const W: usize> Worker<'_, '_, W> {
    /// Adds the moves of the current state with their numbers. If a move reaches the mover's aim,
    /// only that one is added.
    pub(super) fn add_children(&mut self, first: usize) {
        self.add_moves(first);
        let mover_proves = self.state.to_move == self.prover;
        // A solved move from the table saves the evaluation of all others.
        for at in first..self.children.len() {
            let key = self.children[at].key;
            let known = match self.path_ply(key) {
                // A repetition is no win of the prover, which is the aim of the other side.
                Some(ply) => Some(Numbers { rest: ply, ..Numbers::decided(mover_proves) }),
                None => self.known(key),
            };
            if self.add_numbers(first, at, known.unwrap_or(Numbers::UNKNOWN)) {
                return;
            }
        }
        let Shared { board, estimates, .. } = self.shared;
        let before = self.state.clone();
        // After the move it is the other side's turn.
        let evaluator = &estimates.for_mover(self.prover, before.to_move.other()).evaluator;
        let places_before = evaluator.places(&before);
        for at in first..self.children.len() {
            let Child { step, key, numbers } = self.children[at];
            if numbers != Numbers::UNKNOWN {
                continue;
            }
            let undo = self.state.play(board, step);
            let kind = before.mover_kind(step.from());
            let places = evaluator.places_after(places_before, kind, step, undo.captured);
            let found = self.evaluate_with(places);
            // Cheaper than to take back the move.
            self.state.clone_from(&before);
            self.shared.table.put_estimate(key, [found.phi, found.delta]);
            if self.add_numbers(first, at, found) {
                return;
            }
        }
    }

    /// Sets the numbers of a move. If it reaches the mover's aim, removes all other moves and returns
    /// `true`.
    #[inline]
    fn add_numbers(&mut self, first: usize, at: usize, numbers: Numbers) -> bool {
        self.children[at].numbers = numbers;
        let is_success = numbers.delta == 0 && numbers.phi != 0 && numbers.is_hard();
        if is_success {
            self.children[first] = self.children[at];
            self.children.truncate(first + 1);
        }
        is_success
    }

    /// Adds the moves of the current state, one for each class of mirror images after them.
    fn add_moves(&mut self, first: usize) {
        let Shared { board, table, keys, .. } = self.shared;
        let mut steps = std::mem::take(&mut self.steps);
        steps.clear();
        each_step(board, &self.state, judge(board, &self.state), |step| steps.push(step));
        let captures = self.state.capture_squares(board, self.state.to_move);
        // A small Bloom filter of the keys, which saves most comparisons with earlier moves.
        let mut seen = [0_u64; 4];
        for &step in &steps {
            let hashes = if self.state.is_capture(board, &captures, step) {
                let undo = self.play(step);
                let hashes = self.hashes;
                self.take_back(step, undo);
                hashes
            } else {
                keys.after(&self.hashes, self.state.mover_kind(step.from()), step)
            };
            let key = hashes.key(self.prover);
            let (word, bit) = (key.check as usize >> 6 & 3, 1 << (key.check & 63));
            let is_new = seen[word] & bit == 0
                || self.children[first..].iter().all(|child| child.key != key);
            if is_new {
                seen[word] |= bit;
                self.children.push(Child { step, key, numbers: Numbers::UNKNOWN });
            }
        }
        self.steps = steps;
        // In a loop of its own: an address that is not in the TLB holds up what follows, and in few
        // instructions there are many of these at once.
        self.children[first..].iter().for_each(|child| table.prefetch(child.key));
    }
}

#[cfg(test)]
mod tests {
    use crate::engine::state::State;
    use crate::game::rules::Side;
    use crate::proof::ProofOptions;
    use crate::proof::prover::shared;
    use crate::proof::search::{Control, Shared, Worker};
    use crate::proof::tests::{random_positions, rules};

    /// The weight of the men's squares is updated move by move, with the weights of the next side to
    /// move.
    #[test]
    fn numbers_of_moves_are_those_of_the_positions_after_them() {
        let mut compared = 0;
        for (name, slice) in [("brandubh", "K4v8"), ("mini-corner", "K3v8")] {
            let rules = rules(name);
            let options = ProofOptions { table_bytes: 1 << 20, ..ProofOptions::default() };
            let shared: Shared<'_, 1> = shared(&rules, &options).unwrap();
            let control = Control::new(None);
            for position in random_positions(&rules, slice, 20, 20_261_128) {
                for prover in Side::ALL {
                    let root = State::new(&shared.board, &position);
                    let mut worker = Worker::new(&shared, &control, prover, root);
                    worker.add_children(0);
                    for child in worker.children.clone() {
                        let undo = worker.play(child.step);
                        let text = worker.state.position(rules.id()).to_text(&rules);
                        assert_eq!(child.numbers, worker.evaluate(), "{name} {prover:?} {text}");
                        worker.take_back(child.step, undo);
                        compared += usize::from(!child.numbers.is_solved());
                    }
                }
            }
        }
        assert!(compared > 500, "{compared}");
    }
}
