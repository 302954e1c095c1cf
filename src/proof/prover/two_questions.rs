//! The two questions, asked in turns.

use std::num::NonZeroUsize;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Instant;

use crate::engine::state::State;
use crate::game::position::Position;
use crate::game::rules::{BySide, Ruleset, Side};
use crate::proof::answer::Answer;
use crate::proof::certificate::Part;
use crate::proof::questions::Questions;
use crate::proof::search::{Control, Numbers, Shared, Worker};
use crate::proof::walk::Leaf;

use super::locked_checkpoint::LockedCheckpoint;
use super::{MAX_CLOSED_SET, ProofOptions, ProofProgress};

/// The nodes of each question in the first round; they double with every round.
const FIRST_BUDGET: u64 = 1000;

pub(super) struct Prover<'a, 't, const W: usize> {
    pub(super) shared: &'a Shared<'t, W>,
    pub(super) control: &'a Control,
    pub(super) root: State<W>,
    pub(super) rules: &'a Ruleset,
    pub(super) position: &'a Position,
    pub(super) options: &'a ProofOptions<'a>,
    pub(super) started: Instant,
    pub(super) report: &'a mut dyn FnMut(&ProofProgress) -> bool,
    pub(super) checkpoint: Option<LockedCheckpoint<'a>>,
    /// When the last report was made.
    pub(super) reported: Instant,
    pub(super) is_interrupted: bool,
    /// The positions of the winner's strategy so far, while it is taken from the table.
    pub(super) strategy_positions: Option<u64>,
    pub(super) questions: Questions,
    /// The nodes of each question so far.
    pub(super) nodes_of: BySide<u64>,
    /// What is proved so far.
    pub(super) parts: Vec<Part>,
    /// The most positions among which a closed set is sought.
    pub(super) max_positions: usize,
}

impl<'a, 't, const W: usize> Prover<'a, 't, W> {
    pub(super) fn new(
        shared: &'a Shared<'t, W>,
        control: &'a Control,
        (rules, position): (&'a Ruleset, &'a Position),
        options: &'a ProofOptions<'a>,
        report: &'a mut dyn FnMut(&ProofProgress) -> bool,
    ) -> Self {
        Prover {
            shared,
            control,
            root: State::new(&shared.board, position),
            rules,
            position,
            options,
            started: Instant::now(),
            report,
            checkpoint: None,
            reported: Instant::now(),
            is_interrupted: false,
            strategy_positions: None,
            questions: Questions::new(&options.questions),
            nodes_of: BySide::default(),
            parts: Vec::new(),
            max_positions: MAX_CLOSED_SET,
        }
    }

    /// Returns a worker at the root, for the question whether this side wins.
    pub(super) fn worker(&self, side: Side) -> Worker<'a, 't, W> {
        Worker::new(self.shared, self.control, side, self.root.clone())
    }

    /// Answers the questions in turns, with budgets that double.
    pub(super) fn answer_all(&mut self) -> BySide<Answer> {
        for &side in &self.options.questions {
            let answer = self.answer_at_once(side);
            self.questions.answer(side, answer);
        }
        let mut budget = FIRST_BUDGET;
        while !self.questions.is_answered() {
            let nodes_before = self.nodes();
            for side in Side::ALL {
                if self.questions.is_searched(side) && !self.is_over() {
                    self.ask(side, budget);
                }
            }
            for side in Side::ALL {
                let waits = self.questions.closed_set_waits(side, self.nodes_of);
                if self.questions.lacks_closed_set(side) && !waits && !self.is_over() {
                    self.seek_closed_set(side);
                }
            }
            // A round without a new node would be repeated forever.
            if self.is_over() || self.nodes() == nodes_before {
                break;
            }
            budget = budget.saturating_mul(2);
        }
        self.questions.answers
    }

    /// Searches for a side's win with that many nodes.
    fn ask(&mut self, side: Side, budget: u64) {
        let nodes_before = self.nodes();
        match self.answer(side, budget) {
            Answer::NotWon => self.questions.set_lacks_closed_set(side, true),
            answer => self.questions.answer(side, answer),
        }
        self.nodes_of[side] += self.nodes() - nodes_before;
    }

    /// Seeks the closed set that proves that a side does not win. It gets as many nodes as its
    /// question has had; if they do not suffice, it may have to wait for the other question again. If
    /// the set is too large, the question stays open.
    fn seek_closed_set(&mut self, side: Side) {
        let nodes_before = self.nodes();
        let budget = self.nodes_of[side].max(FIRST_BUDGET);
        if let Some(answer) = self.refute(side, budget) {
            self.questions.set_lacks_closed_set(side, false);
            self.questions.answer(side, answer);
        }
        self.nodes_of[side] += self.nodes() - nodes_before;
    }

    pub(super) fn nodes(&self) -> u64 {
        self.control.nodes.load(Ordering::Relaxed)
    }

    pub(super) fn is_over(&self) -> bool {
        self.is_interrupted
            || self.options.max_nodes.is_some_and(|max| self.nodes() >= max)
            || self.control.is_late()
    }

    /// Answers a question if the rules or the tables decide the position.
    pub(super) fn answer_at_once(&mut self, side: Side) -> Answer {
        match self.worker(side).leaf(side, true) {
            Leaf::Held => {
                self.parts.push(Part::new(self.rules, side, true, []));
                Answer::Won
            }
            Leaf::Lost => {
                self.parts.push(Part::new(self.rules, side.other(), false, []));
                Answer::NotWon
            }
            Leaf::Inner => Answer::UNKNOWN,
        }
    }

    /// Searches for a side's win with at most `budget` nodes. `NotWon` is not proved: it may rest on
    /// repetitions.
    pub(super) fn answer(&mut self, side: Side, budget: u64) -> Answer {
        let max_nodes = self.nodes().saturating_add(budget);
        let max_nodes = max_nodes.min(self.options.max_nodes.unwrap_or(u64::MAX));
        let numbers = self.run(side, &self.root.clone(), max_nodes, self.options.threads);
        match numbers.of_win(self.root.to_move == side) {
            [0, _] => {
                self.certify_win(side);
                Answer::Won
            }
            [_, 0] => Answer::NotWon,
            [proof, disproof] => Answer::Open { proof, disproof },
        }
    }

    /// Searches a state until the node count reaches `max_nodes`, and returns its numbers.
    pub(super) fn run(
        &mut self,
        side: Side,
        state: &State<W>,
        max_nodes: u64,
        threads: NonZeroUsize,
    ) -> Numbers {
        let (shared, control) = (self.shared, self.control);
        control.max_nodes.store(max_nodes, Ordering::Relaxed);
        control.stopped.store(self.is_interrupted || control.is_late(), Ordering::Relaxed);
        let mut report = || {
            self.keep_if_due();
            self.report_now(side)
        };
        let mut worker = Worker::new(shared, control, side, state.clone());
        worker.report = Some(&mut report);
        thread::scope(|scope| {
            for _ in 1..threads.get() {
                let search = || {
                    let numbers = Worker::new(shared, control, side, state.clone()).solve();
                    if numbers.is_solved() {
                        control.stopped.store(true, Ordering::Relaxed);
                    }
                };
                // If the system refuses a thread, the others search alone.
                if thread::Builder::new().spawn_scoped(scope, search).is_err() {
                    break;
                }
            }
            worker.solve();
            control.stopped.store(true, Ordering::Relaxed);
        });
        // Any of the threads may have solved it.
        match shared.table.get(worker.key()) {
            Some(entry) => Numbers::of(&entry),
            None => worker.evaluate(),
        }
    }
}
