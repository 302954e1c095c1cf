//! The expansion of a position.

use std::sync::atomic::Ordering;

use crate::engine::state::Step;
use crate::proof::hashes::Key;
use crate::proof::table::{Entry, INFINITE};

use super::advice::OTHERS_FACTOR;
use super::numbers::{HARD, Numbers};
use super::worker::{Child, MAX_PLY, Worker};

/// How expensive a move looks, in sixteenths of its number.
const PLAIN: u32 = 16;
/// The same where the killer, the best move of the last position at this ply, is open, too. The best
/// replies to different moves are mostly the same one (Akl and Newborn, "The principal continuation and
/// the killer heuristic", 1977).
const BESIDE_KILLER: u32 = PLAIN + 3;
/// The same where the move that the engine advises is open, too.
const BESIDE_ADVISED: u32 = PLAIN * OTHERS_FACTOR;

/// With several threads, a visit of a move that took this many nodes may have left the numbers of
/// the others behind.
const REFRESH_AFTER: u64 = 64;

impl<const W: usize> Worker<'_, '_, W> {
    /// Expands the current state until its numbers reach the limits, or the search stops.
    pub(super) fn expand(&mut self, key: Key, max_phi: u32, max_delta: u32, ply: u32) -> Numbers {
        self.count_node();
        let before = self.nodes;
        let first = self.children.len();
        let slot = self.path_slot(key.check);
        self.path[slot] = (key.check, ply + 1);
        self.line.push(key);
        self.busy(key).fetch_add(1, Ordering::Relaxed);
        self.add_children(first);
        let (mut numbers, step) = self.search_children((key, first), max_phi, max_delta, ply);
        self.children.truncate(first);
        self.busy(key).fetch_sub(1, Ordering::Relaxed);
        self.line.pop();
        self.path[slot] = (0, 0);
        if self.solved_ply >= ply {
            self.solved_ply = u32::MAX;
        }
        if !numbers.is_solved()
            && let Some(solved) = self.solved_by_another(key)
        {
            return solved;
        }
        if step != Step::NONE {
            self.killers[ply as usize] = step;
        }
        // A repetition of this position, or of one below, depends on nothing above it.
        if numbers.rest >= ply {
            numbers.rest = HARD;
        }
        self.store(key, numbers, step, before);
        self.sample(key, numbers);
        numbers
    }

    /// Searches the moves of the current state until its numbers reach the limits, or the search
    /// stops. Returns the numbers and the best move.
    fn search_children(
        &mut self,
        (key, first): (Key, usize),
        max_phi: u32,
        max_delta: u32,
        ply: u32,
    ) -> (Numbers, Step) {
        let mover_proves = self.state.to_move == self.prover;
        let nodes_before = self.nodes;
        let work_before = if mover_proves { self.work_at(key) } else { 0 };
        let killer = self.killers[ply as usize];
        let mut advice = None;
        loop {
            if mover_proves {
                let work = self.work_since(nodes_before).max(work_before);
                advice = self.advice(key, work, advice);
            }
            let advised = advice.and_then(|advice| advice.after);
            let favourite = self.favourite(first, advised, killer);
            let mut choice = self.choose(first, max_phi, favourite, false);
            // Where the mover will probably fail, each of its moves has to be answered. Where it will
            // probably succeed, one move is enough: threads that search others waste their time.
            let spreads = choice.as_ref().is_ok_and(|choice| choice.phi > choice.delta);
            if spreads && self.shared.is_parallel {
                choice = self.choose(first, max_phi, favourite, true);
            }
            let choice = match choice {
                Ok(choice) => choice,
                Err((success, step)) => {
                    // A win of the prover does not rest on the path.
                    let is_won = (success.phi == 0) == mover_proves;
                    let rest = if is_won { HARD } else { success.rest };
                    return (Numbers { rest, ..success }, step);
                }
            };
            let Choice { best, phi, second, delta, open, phi_of_best, factor, .. } = choice;
            let step = self.children[best].step;
            if ply == 0 {
                let entry = Entry { phi, delta, step, is_soft: false, work: 0 };
                self.control.root.store(entry.pack(), Ordering::Relaxed);
            }
            let is_abandoned = self.is_stopped || self.solved_ply <= ply;
            if phi >= max_phi || delta >= max_delta || is_abandoned {
                let numbers = Numbers { phi: phi.max(1), delta: delta.max(1), rest: HARD };
                return (numbers, step);
            }
            debug_assert!(phi_of_best <= delta);
            let child_max_phi = max_delta.saturating_sub(open - 1).min(INFINITE - 1);
            let most = max_phi.min(second.saturating_add(second / 4 + 1)).min(INFINITE - 1);
            let child_max_delta = (most * PLAIN).div_ceil(factor);
            let before = self.nodes;
            let numbers = self.visit(best, child_max_phi, child_max_delta, ply + 1);
            self.children[best].numbers = numbers;
            if self.shared.is_parallel && self.nodes - before >= REFRESH_AFTER {
                self.refresh(first);
            }
            if !mover_proves && numbers.phi == 0 && numbers.is_hard() && !self.is_stopped {
                self.simulate_siblings(first, best);
            }
        }
    }

    /// Updates the numbers of the open moves by what other threads have found.
    fn refresh(&mut self, first: usize) {
        for at in first..self.children.len() {
            let Child { key, numbers, .. } = self.children[at];
            if !numbers.is_solved()
                && let Some(entry) = self.shared.table.get(key)
            {
                self.children[at].numbers = Numbers::of(&entry);
            }
        }
    }

    /// Searches the move `at`, or returns what another thread has meanwhile found there.
    fn visit(&mut self, at: usize, max_phi: u32, max_delta: u32, ply: u32) -> Numbers {
        let Child { step, key, numbers } = self.children[at];
        if self.shared.is_parallel
            && let Some(entry) = self.shared.table.get(key)
        {
            let newer = Numbers::of(&entry);
            if newer != numbers
                && (newer.is_solved() || newer.phi >= max_phi || newer.delta >= max_delta)
            {
                return newer;
            }
        }
        if ply >= MAX_PLY {
            // The child's mover is the other side.
            let child_proves = self.state.to_move != self.prover;
            return Numbers { rest: 0, ..Numbers::decided(!child_proves) };
        }
        let undo = self.play(step);
        debug_assert_eq!(key, self.key(), "the hash of the move");
        let found = self.expand(key, max_phi, max_delta, ply);
        self.take_back(step, undo);
        found
    }

    /// Returns the open move beside which the others look more expensive: the one that the engine
    /// advises, or else the killer. `advised` is the [`Key::check`] after the engine's move.
    fn favourite(&self, first: usize, advised: Option<u64>, killer: Step) -> Option<Favourite> {
        let find = |is_wanted: &dyn Fn(&Child) -> bool| {
            let mut children = self.children[first..].iter();
            children.find(|child| child.numbers.phi != 0 && is_wanted(child))
        };
        let advised = advised.and_then(|after| find(&|child| child.key.check == after));
        let (child, factor) = match advised {
            Some(child) => (child, BESIDE_ADVISED),
            None => (find(&|child| child.step == killer)?, BESIDE_KILLER),
        };
        Some(Favourite { step: child.step, factor })
    }

    /// Chooses the most promising move; the error is the result if the position is solved. Moves
    /// whose numbers exceed the limit come last, since their search would return at once. If
    /// `spreads`, moves that other threads are searching have a surcharge.
    fn choose(
        &self,
        first: usize,
        max_phi: u32,
        favourite: Option<Favourite>,
        spreads: bool,
    ) -> Result<Choice, (Numbers, Step)> {
        let children = &self.children[first..];
        let mut choice = Choice {
            best: usize::MAX,
            phi: INFINITE,
            busy_phi: INFINITE,
            second: INFINITE,
            delta: 0,
            open: 0,
            phi_of_best: INFINITE,
            factor: PLAIN,
        };
        let mut success: Option<(u32, Step)> = None;
        let mut rest = HARD;
        let mut max_child_phi = 0;
        for (at, child) in (first..).zip(children) {
            let Numbers { phi, delta, rest: child_rest } = child.numbers;
            if delta == 0 {
                // Prefer the result that depends on the fewest positions of the line.
                if success.is_none_or(|(least, _)| child_rest > least) {
                    success = Some((child_rest, child.step));
                }
                continue;
            }
            if phi == 0 {
                rest = rest.min(child_rest);
                continue;
            }
            choice.open += 1;
            max_child_phi = max_child_phi.max(phi);
            let factor = match favourite {
                Some(favourite) if child.step != favourite.step => favourite.factor,
                _ => PLAIN,
            };
            let delta = (delta * factor / PLAIN).min(INFINITE - 1);
            let busy = match spreads {
                true => self.busy(child.key).load(Ordering::Relaxed),
                false => 0,
            };
            let busy_delta = match delta {
                delta if delta >= max_phi => INFINITE - 1,
                delta => delta.saturating_add(busy * (1 + delta / 4)).min(INFINITE - 2),
            };
            let is_better = busy_delta < choice.busy_phi
                || busy_delta == choice.busy_phi && phi < choice.phi_of_best;
            if is_better {
                choice.second = choice.second.min(choice.busy_phi);
                (choice.best, choice.busy_phi, choice.phi_of_best) = (at, busy_delta, phi);
                choice.factor = factor;
            } else {
                choice.second = choice.second.min(busy_delta);
            }
            choice.phi = choice.phi.min(delta);
        }
        if let Some((rest, step)) = success {
            return Err((Numbers { rest, ..Numbers::SUCCESS }, step));
        }
        if choice.open == 0 {
            return Err((Numbers { rest, ..Numbers::FAILURE }, Step::NONE));
        }
        choice.delta = (max_child_phi + choice.open - 1).min(INFINITE - 1);
        Ok(choice)
    }
}

/// The most promising move of a position.
struct Choice {
    best: usize,
    /// The least `delta` of the moves.
    phi: u32,
    /// The same with the surcharge for moves that other threads are searching.
    busy_phi: u32,
    /// The second least `delta`, with the surcharge.
    second: u32,
    delta: u32,
    /// The number of moves that are not solved.
    open: u32,
    phi_of_best: u32,
    /// How expensive the best move looks, in sixteenths of its number.
    factor: u32,
}

/// An open move that is preferred.
#[derive(Clone, Copy)]
struct Favourite {
    step: Step,
    /// How expensive the other moves look, in sixteenths of their numbers.
    factor: u32,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::state::State;
    use crate::game::history::Game;
    use crate::proof::ProofOptions;
    use crate::proof::prover::shared;
    use crate::proof::search::{Control, Shared};
    use crate::proof::tests::rules;

    #[test]
    fn moves_look_more_expensive_than_an_open_one_that_is_preferred() {
        let rules = rules("brandubh");
        let shared: Shared<'_, 1> = shared(&rules, &ProofOptions::default()).unwrap();
        let control = Control::new(None);
        let root = State::new(&shared.board, Game::new(rules.clone().into()).unwrap().position());
        let mut worker = Worker::new(&shared, &control, root.to_move, root);
        worker.add_children(0);
        for child in &mut worker.children {
            child.numbers = Numbers { phi: 10, delta: 30, rest: HARD };
        }
        let advised = worker.children[3].key.check;
        let killer = worker.children[3].step;
        let mut chosen = |phi, delta, advised, killer| {
            worker.children[3].numbers = Numbers { phi, delta, rest: HARD };
            let favourite = worker.favourite(0, advised, killer);
            let choice = worker.choose(0, INFINITE, favourite, false).ok().unwrap();
            (choice.best == 3, choice.phi, choice.second, choice.factor)
        };
        assert_eq!(chosen(10, 50, Some(advised), Step::NONE), (true, 50, 60, 16));
        assert_eq!(chosen(10, 70, Some(advised), Step::NONE), (false, 60, 60, 32));
        assert_eq!(chosen(10, 34, None, killer), (true, 34, 35, 16));
        assert_eq!(chosen(10, 36, None, killer), (false, 35, 35, 19));
        assert_eq!(chosen(10, 50, None, Step::NONE), (false, 30, 30, 16));
        assert_eq!(chosen(0, INFINITE, Some(advised), killer), (false, 30, 30, 16));
    }

    #[test]
    fn the_best_move_of_the_last_position_at_a_ply_is_preferred() {
        let rules = rules("brandubh");
        let position = *Game::new(rules.clone().into()).unwrap().position();
        // Returns which of these two moves of the start an expansion searches, and the best one.
        let visited = |killer, [cheap, dear]: [Key; 2], max_phi| {
            let shared: Shared<'_, 1> = shared(&rules, &ProofOptions::default()).unwrap();
            let control = Control::new(None);
            control.max_nodes.store(u64::MAX, Ordering::Relaxed);
            let root = State::new(&shared.board, &position);
            let mut worker = Worker::new(&shared, &control, position.to_move, root);
            worker.killers[0] = killer;
            worker.expand(worker.key(), max_phi, INFINITE - 1, 0);
            let best = shared.stored(&worker.state, position.to_move).map(|entry| entry.step);
            assert_eq!(best, Some(worker.killers[0]));
            assert_ne!(worker.killers[1], Step::NONE);
            [cheap, dear].map(|key| shared.table.get(key).is_some())
        };
        let shared: Shared<'_, 1> = shared(&rules, &ProofOptions::default()).unwrap();
        let control = Control::new(None);
        let root = State::new(&shared.board, &position);
        let mut worker = Worker::new(&shared, &control, position.to_move, root);
        worker.add_children(0);
        let cheap = *worker.children.iter().min_by_key(|child| child.numbers.delta).unwrap();
        let limit = cheap.numbers.delta * BESIDE_KILLER / PLAIN;
        let is_dear =
            |child: &&Child| (cheap.numbers.delta + 1..limit).contains(&child.numbers.delta);
        let dear = *worker.children.iter().find(is_dear).unwrap();
        let (keys, max_phi) = ([cheap.key, dear.key], dear.numbers.delta + 1);
        assert!(visited(Step::NONE, keys, max_phi)[0]);
        assert_eq!(visited(dear.step, keys, max_phi), [false, true]);
    }
}
