//! Advice: the move that the engine plays in a position that takes much work.
//!
//! Proof numbers tell little about two moves that both take long: of the prover's moves they search
//! all that look alike. The engine, which looks at the best lines alone, sees twice as far. Where much
//! work has gone below a position, the prover's other moves look twice as expensive as the engine's.

use std::collections::HashMap;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use crate::engine::state::Step;
use crate::engine::{Engine, EngineOptions, Limits};
use crate::game::history::Game;
use crate::game::rules::Ruleset;
use crate::proof::hashes::Key;

use super::worker::{REPORT_EVERY, Worker};

/// The engine is asked when this many nodes, as a binary logarithm, have been searched below a
/// position, and again whenever the logarithm has grown by [`WORK_STEP`].
const FIRST_WORK: u32 = 16;
const WORK_STEP: u32 = 2;
/// The engine's transposition table, which each thread has beside the table of proof numbers.
const ENGINE_TABLE_BYTES: usize = 64 << 20;
/// How much more expensive the other moves look.
pub(in crate::proof) const OTHERS_FACTOR: u32 = 2;

/// What the engine has advised so far.
pub(in crate::proof) struct AdviceTable {
    rules: Arc<Ruleset>,
    /// The least work at which the engine is asked: [`FIRST_WORK`].
    first_work: u32,
    /// The size of the engine's transposition table: [`ENGINE_TABLE_BYTES`].
    engine_table_bytes: usize,
    /// By the [`Key::check`] of a position.
    by_position: Mutex<HashMap<u64, Advice>>,
}

/// The engine's move in a position.
#[derive(Clone, Copy)]
pub(in crate::proof) struct Advice {
    /// The [`Key::check`] of the position after the move; `None` until the engine has found one.
    pub(in crate::proof) after: Option<u64>,
    /// The binary logarithm of the nodes that had been searched when the engine was asked.
    work: u32,
}

impl AdviceTable {
    pub(in crate::proof) fn new(rules: &Ruleset) -> AdviceTable {
        let rules = Arc::new(rules.clone());
        AdviceTable {
            rules,
            first_work: FIRST_WORK,
            engine_table_bytes: ENGINE_TABLE_BYTES,
            by_position: Mutex::default(),
        }
    }

    /// Returns whether the engine is to be asked when about 2^`work` nodes have been searched below a
    /// position. `asked` is the work when it was asked before.
    pub(in crate::proof) fn is_due(&self, work: u32, asked: Option<u32>) -> bool {
        work >= asked.map_or(self.first_work, |asked| asked + WORK_STEP)
    }

    fn get(&self, key: Key) -> Option<Advice> {
        self.by_position.lock().unwrap_or_else(PoisonError::into_inner).get(&key.check).copied()
    }

    fn put(&self, key: Key, advice: Option<Advice>) {
        let mut by_position = self.by_position.lock().unwrap_or_else(PoisonError::into_inner);
        match advice {
            Some(advice) => by_position.insert(key.check, advice),
            None => by_position.remove(&key.check),
        };
    }
}

impl<const W: usize> Worker<'_, '_, W> {
    /// Returns the advice for the current state, below which about 2^`work` nodes have been searched.
    /// `known` is the advice so far.
    #[inline]
    pub(in crate::proof) fn advice(
        &mut self,
        key: Key,
        work: u32,
        known: Option<Advice>,
    ) -> Option<Advice> {
        let table = &self.shared.advice;
        let is_due = |known: Option<Advice>| table.is_due(work, known.map(|advice| advice.work));
        if !is_due(known) {
            return known;
        }
        // Another thread may have asked.
        let known = table.get(key).or(known);
        if !is_due(known) {
            return known;
        }
        // Meanwhile the other threads go on with what is known.
        let asked = Advice { after: known.and_then(|known| known.after), work };
        table.put(key, Some(asked));
        let advice = match self.engine_move(1 << work) {
            Some(step) => {
                let undo = self.play(step);
                let after = Some(self.key().check);
                self.take_back(step, undo);
                Some(Advice { after, work })
            }
            // A later search may have the nodes or the time.
            None if self.is_leaving() => known,
            // Without memory or a thread for an engine, another attempt now would fail too.
            None => Some(asked),
        };
        table.put(key, advice);
        advice
    }

    /// Returns the engine's move in the current state after that many nodes, or `None` if there is no
    /// memory or thread for an engine or the search is over.
    #[cold]
    fn engine_move(&mut self, nodes: u64) -> Option<Step> {
        let AdviceTable { rules, engine_table_bytes, .. } = &self.shared.advice;
        let position = self.state.position(self.shared.rules);
        let game = Game::from_position(Arc::clone(rules), position).ok()?;
        let create = || {
            let table_bytes = *engine_table_bytes;
            let options = EngineOptions { table_bytes, ..EngineOptions::new(rules) };
            Engine::new(Arc::clone(rules), options).ok()
        };
        let mut engine = self.adviser.take().or_else(create)?;
        let stopper = engine.stopper();
        let (sender, receiver) = mpsc::channel();
        let best = thread::scope(|scope| {
            let engine = &mut engine;
            let search = move || sender.send(engine.best_move(&game, &Limits::nodes(nodes)));
            // If the system refuses a thread, the channel closes: there is no advice.
            let _ = thread::Builder::new().spawn_scoped(scope, search);
            loop {
                match receiver.recv_timeout(REPORT_EVERY) {
                    Err(RecvTimeoutError::Timeout) => self.check_limits(),
                    found => break found.ok()?.ok(),
                }
                if self.is_leaving() {
                    stopper.stop();
                }
            }
        });
        // The engine may have ended before it was stopped.
        stopper.reset();
        self.adviser = Some(engine);
        best.filter(|_| !self.is_leaving()).map(|best| Step::of(&best))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use super::*;
    use crate::engine::state::State;
    use crate::game::position::Position;
    use crate::game::rules::Side;
    use crate::proof::prover::shared;
    use crate::proof::search::{Control, Shared};
    use crate::proof::tests::{random_positions, rules, table_value, tables};
    use crate::proof::{ProofOptions, ProvedValue};

    #[test]
    fn wins_found_by_advice_agree_with_tables() {
        let rules = rules("mini-corner");
        let (_folder, tables) = tables(&rules, "K2v3");
        let options = ProofOptions { table_bytes: 1 << 22, ..ProofOptions::default() };
        let mut shared: Shared<'_, 1> = shared(&rules, &options).unwrap();
        shared.advice.first_work = 0;
        let (mut found, mut missed) = (0, 0);
        for position in random_positions(&rules, "K2v3", 100, 20_261_129) {
            let value = table_value(&rules, &tables, &position);
            for prover in Side::ALL {
                let control = Control::new(None);
                control.max_nodes.store(100_000, Ordering::Relaxed);
                let root = State::new(&shared.board, &position);
                let mut worker = Worker::new(&shared, &control, prover, root);
                let numbers = worker.solve();
                let is_proved = worker.is_proved(numbers);
                let is_won = value == ProvedValue::Win(prover);
                assert!(is_won || !is_proved, "{prover:?} {}", position.to_text(&rules));
                found += usize::from(is_proved);
                missed += usize::from(is_won && !is_proved);
            }
        }
        assert!(found > 50 && missed == 0, "{found} found, {missed} missed");
        let asked = shared.advice.by_position.lock().unwrap().len();
        assert!(asked > 100, "{asked}");
    }

    /// Returns a position with most men.
    fn opening(rules: &Ruleset) -> Position {
        random_positions(rules, "K4v8", 1, 20_261_129).remove(0)
    }

    fn unlimited() -> Control {
        let control = Control::new(None);
        control.max_nodes.store(u64::MAX, Ordering::Relaxed);
        control
    }

    /// Returns a worker that searches whether the side to move wins.
    fn worker_at<'a, 't>(
        position: &Position,
        shared: &'a Shared<'t, 1>,
        control: &'a Control,
    ) -> Worker<'a, 't, 1> {
        Worker::new(shared, control, position.to_move, State::new(&shared.board, position))
    }

    #[test]
    fn the_engine_is_asked_when_work_has_grown() {
        let rules = rules("brandubh");
        let shared: Shared<'_, 1> = shared(&rules, &ProofOptions::default()).unwrap();
        let (control, position) = (unlimited(), opening(&rules));
        let mut worker = worker_at(&position, &shared, &control);
        let key = worker.key();
        assert!(worker.advice(key, FIRST_WORK - 1, None).is_none());
        let first = worker.advice(key, FIRST_WORK, None).unwrap();
        let options = EngineOptions::new(&rules);
        let game = Game::from_position(Arc::clone(&shared.advice.rules), position).unwrap();
        let mut engine = Engine::new(Arc::clone(&shared.advice.rules), options).unwrap();
        let best = engine.best_move(&game, &Limits::nodes(1 << FIRST_WORK)).unwrap();
        worker.play(Step::of(&best));
        assert_eq!(first.after, Some(worker.key().check));
        worker.set_state(State::new(&shared.board, game.position()));

        // A mark that the engine would not make.
        let marked = Advice { after: first.after.map(|after| !after), ..first };
        shared.advice.put(key, Some(marked));
        for known in [None, Some(marked)] {
            let later = worker.advice(key, FIRST_WORK + WORK_STEP - 1, known).unwrap();
            assert_eq!(later.after, marked.after);
        }
        let asked_again = worker.advice(key, FIRST_WORK + WORK_STEP, Some(marked)).unwrap();
        assert_ne!(asked_again.after, marked.after);
    }

    #[test]
    fn without_memory_for_an_engine_none_is_created_until_work_has_grown() {
        let rules = rules("brandubh");
        let mut shared: Shared<'_, 1> = shared(&rules, &ProofOptions::default()).unwrap();
        shared.advice.engine_table_bytes = 1 << 60;
        let (control, position) = (unlimited(), opening(&rules));
        let mut worker = worker_at(&position, &shared, &control);
        let key = worker.key();
        for known in [None, Some(Advice { after: Some(1), work: FIRST_WORK })] {
            let work = FIRST_WORK + WORK_STEP;
            let advice = worker.advice(key, work, known).unwrap();
            assert_eq!(advice.after, known.and_then(|known| known.after));
            let kept = shared.advice.get(key).unwrap();
            assert_eq!((kept.after, kept.work, advice.work), (advice.after, work, work));
            shared.advice.put(key, None);
        }
    }

    #[test]
    fn the_engine_ends_with_the_search() {
        let rules = rules("brandubh");
        let shared: Shared<'_, 1> = shared(&rules, &ProofOptions::default()).unwrap();
        let position = opening(&rules);
        let known = Advice { after: Some(1), work: FIRST_WORK };
        for known in [None, Some(known)] {
            // No node is left.
            let control = Control::new(None);
            let mut worker = worker_at(&position, &shared, &control);
            let key = worker.key();
            shared.advice.put(key, known);
            // More nodes than can be searched.
            let advice = worker.advice(key, 40, known);
            assert_eq!(advice.map(|advice| advice.work), known.map(|known| known.work));
            let kept = shared.advice.get(key);
            assert_eq!(kept.map(|kept| kept.work), known.map(|known| known.work));
            assert!(worker.is_stopped);
        }
    }
}
