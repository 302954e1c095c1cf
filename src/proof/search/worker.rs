//! A thread of the search and the line that it is searching.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use crate::engine::Engine;
use crate::engine::state::{State, Step, Undo};
use crate::game::rules::Side;
use crate::proof::hashes::{Hashes, Key};
use crate::proof::table::{Entry, INFINITE};

use super::numbers::{HARD, Numbers};
use super::shared::{Control, Shared};

/// The time between two reports of progress.
pub(in crate::proof) const REPORT_EVERY: Duration = Duration::from_millis(250);
/// The limits are checked once in this many nodes.
const INTERVAL: u64 = 1 << 6;

/// A move of an expanded position.
#[derive(Clone, Copy)]
pub(super) struct Child {
    pub(super) step: Step,
    /// The key of the position after it.
    pub(super) key: Key,
    pub(super) numbers: Numbers,
}

/// What is needed to take back a worker's move.
#[derive(Clone, Copy)]
pub(in crate::proof) struct WorkerUndo<const W: usize> {
    undo: Undo<W>,
    hashes: Hashes,
}

/// Positions at this ply count as repetitions of the root.
pub(super) const MAX_PLY: u32 = 400;

/// Slots for the positions of the line: a power of two, several times [`MAX_PLY`].
const PATH_SLOTS: usize = 1 << 12;

/// A thread of the search.
pub(in crate::proof) struct Worker<'a, 't, const W: usize> {
    pub(in crate::proof) shared: &'a Shared<'t, W>,
    pub(super) control: &'a Control,
    /// The side whose win is to be proved or disproved.
    pub(in crate::proof) prover: Side,
    pub(in crate::proof) state: State<W>,
    /// The hashes of the state.
    pub(super) hashes: Hashes,
    /// The positions of the line in a hash table with open addressing: [`Key::check`] and ply + 1;
    /// 0 marks a free slot.
    pub(super) path: Vec<(u64, u32)>,
    /// The keys of the positions of the line, by ply.
    pub(super) line: Vec<Key>,
    /// The ply of the first position of the line that another thread was seen to have solved, which
    /// this thread returns to; [`u32::MAX`] if there is none.
    pub(super) solved_ply: u32,
    /// By ply, the best move of the last position there.
    pub(super) killers: Vec<Step>,
    /// A stack of the moves of all positions on the line.
    pub(super) children: Vec<Child>,
    pub(super) steps: Vec<Step>,
    pub(super) nodes: u64,
    pub(super) is_stopped: bool,
    /// Called several times a second if set; returns whether to go on.
    pub(in crate::proof) report: Option<&'a mut (dyn FnMut() -> bool + 'a)>,
    /// When the last report was made.
    reported: Instant,
    /// The engine that advises this thread, created when it is first asked.
    pub(super) adviser: Option<Engine>,
}

impl<'a, 't, const W: usize> Worker<'a, 't, W> {
    pub(in crate::proof) fn new(
        shared: &'a Shared<'t, W>,
        control: &'a Control,
        prover: Side,
        root: State<W>,
    ) -> Self {
        let path = vec![(0, 0); PATH_SLOTS];
        let (children, steps) = (Vec::with_capacity(1 << 14), Vec::with_capacity(256));
        Worker {
            shared,
            control,
            prover,
            hashes: shared.keys.hashes(&root),
            state: root,
            path,
            line: Vec::new(),
            solved_ply: u32::MAX,
            killers: vec![Step::NONE; MAX_PLY as usize],
            children,
            steps,
            nodes: 0,
            is_stopped: false,
            report: None,
            reported: Instant::now(),
            adviser: None,
        }
    }

    /// Searches the position until it is solved or the search stops, and returns its numbers.
    pub(in crate::proof) fn solve(&mut self) -> Numbers {
        let root = self.key();
        let mut numbers = self.numbers(root);
        while !numbers.is_solved() && !self.is_stopped {
            numbers = self.expand(root, INFINITE - 1, INFINITE - 1, 0);
            if numbers.phi.max(numbers.delta) >= INFINITE - 1 {
                break;
            }
        }
        self.control.nodes.fetch_add(self.nodes % INTERVAL, Ordering::Relaxed);
        self.nodes = 0;
        numbers
    }

    /// Sets the current state.
    pub(in crate::proof) fn set_state(&mut self, state: State<W>) {
        self.hashes = self.shared.keys.hashes(&state);
        self.state = state;
    }

    #[inline]
    pub(in crate::proof) fn play(&mut self, step: Step) -> WorkerUndo<W> {
        let Shared { keys, board, .. } = self.shared;
        let hashes = self.hashes;
        let moved = keys.after(&hashes, self.state.mover_kind(step.from()), step);
        let undo = self.state.play(board, step);
        // The side to move is now the one that has lost the captured men.
        self.hashes = keys.without(moved, self.state.to_move, undo.captured);
        WorkerUndo { undo, hashes }
    }

    #[inline]
    pub(in crate::proof) fn take_back(&mut self, step: Step, undo: WorkerUndo<W>) {
        self.state.take_back(&self.shared.board, step, undo.undo);
        self.hashes = undo.hashes;
    }

    /// Returns the key of the current state.
    #[inline]
    pub(in crate::proof) fn key(&self) -> Key {
        self.hashes.key(self.prover)
    }

    /// Returns the numbers that the table has for a position.
    #[inline]
    pub(super) fn known(&self, key: Key) -> Option<Numbers> {
        let table = &self.shared.table;
        if let Some(entry) = table.get(key) {
            return Some(Numbers::of(&entry));
        }
        table.estimate(key).map(|[phi, delta]| Numbers { phi, delta, rest: HARD })
    }

    /// Returns the numbers of the current state, whose key is `key`, from the table. If it has none,
    /// the static evaluation is used and stored.
    #[inline]
    pub(in crate::proof) fn numbers(&mut self, key: Key) -> Numbers {
        self.known(key).unwrap_or_else(|| {
            let numbers = self.evaluate();
            self.shared.table.put_estimate(key, [numbers.phi, numbers.delta]);
            numbers
        })
    }

    /// Returns the numbers of the current state from the table if they are solved, otherwise from the
    /// static evaluation.
    pub(in crate::proof) fn look_up(&mut self) -> Numbers {
        match self.shared.table.get(self.key()) {
            Some(entry) if entry.is_solved() => Numbers::of(&entry),
            _ => self.evaluate(),
        }
    }

    /// Returns whether these numbers of the current state prove the prover's win.
    pub(in crate::proof) fn is_proved(&self, numbers: Numbers) -> bool {
        let [proof, _] = numbers.of_win(self.state.to_move == self.prover);
        proof == 0
    }

    /// Returns whether these numbers of the current state disprove the prover's win.
    pub(in crate::proof) fn is_disproved(&self, numbers: Numbers) -> bool {
        let [_, disproof] = numbers.of_win(self.state.to_move == self.prover);
        disproof == 0
    }

    #[inline]
    pub(super) fn path_slot(&self, check: u64) -> usize {
        let mut slot = check as usize % PATH_SLOTS;
        while self.path[slot].1 != 0 && self.path[slot].0 != check {
            slot = (slot + 1) % PATH_SLOTS;
        }
        slot
    }

    /// Returns the ply of a position of the line.
    #[inline]
    pub(super) fn path_ply(&self, key: Key) -> Option<u32> {
        self.path[self.path_slot(key.check)].1.checked_sub(1)
    }

    /// Counts a node, and from time to time checks the limits and reports.
    pub(super) fn count_node(&mut self) {
        self.nodes += 1;
        if self.nodes.is_multiple_of(INTERVAL) {
            self.control.nodes.fetch_add(INTERVAL, Ordering::Relaxed);
            self.check_limits();
        }
    }

    /// Checks the limits and what other threads have solved, and reports if it is time to.
    pub(super) fn check_limits(&mut self) {
        let control = self.control;
        let nodes = control.nodes.load(Ordering::Relaxed);
        let is_over = nodes >= control.max_nodes.load(Ordering::Relaxed) || control.is_late();
        let is_interrupted = match &mut self.report {
            Some(report) if self.reported.elapsed() >= REPORT_EVERY => {
                self.reported = Instant::now();
                !report()
            }
            _ => false,
        };
        if is_over || is_interrupted {
            control.stopped.store(true, Ordering::Relaxed);
        }
        self.is_stopped |= control.stopped.load(Ordering::Relaxed);
        if self.shared.is_parallel {
            let solved = self.line.iter().position(|&key| self.solved_by_another(key).is_some());
            self.solved_ply = solved.map_or(u32::MAX, |ply| ply as u32);
        }
    }

    /// Returns whether the search of the current state is over, or that of a position above it.
    pub(super) fn is_leaving(&self) -> bool {
        self.is_stopped || self.solved_ply != u32::MAX
    }

    /// Returns the result of a position of the line if another thread has solved it meanwhile: this
    /// one has not, or it would have left the position.
    #[inline]
    pub(super) fn solved_by_another(&self, key: Key) -> Option<Numbers> {
        let entry = self.shared.table.get(key).filter(|_| self.shared.is_parallel)?;
        entry.is_solved().then(|| Numbers::of(&entry))
    }

    #[inline]
    pub(super) fn busy(&self, key: Key) -> &AtomicU32 {
        &self.shared.busy[key.check as usize % self.shared.busy.len()]
    }

    /// Returns the most work of an earlier visit of a position: see [`Entry::work`].
    #[inline]
    pub(super) fn work_at(&self, key: Key) -> u32 {
        self.shared.table.get(key).map_or(0, |entry| entry.work)
    }

    /// Returns the work since there were that many nodes.
    #[inline]
    pub(super) fn work_since(&self, nodes_before: u64) -> u32 {
        (1 + self.nodes - nodes_before).ilog2()
    }

    /// Stores the result of a node. A proved win also shows that the other side does not win.
    pub(super) fn store(&self, key: Key, numbers: Numbers, step: Step, nodes_before: u64) {
        let Shared { table, symmetries, .. } = self.shared;
        let is_solved = numbers.is_solved();
        let is_soft = is_solved && !numbers.is_hard();
        let work = self.work_since(nodes_before).max(self.work_at(key));
        let step = match step {
            Step::NONE => step,
            step => symmetries.step_image(step, self.hashes.symmetry()),
        };
        let entry = Entry { phi: numbers.phi, delta: numbers.delta, step, is_soft, work };
        let is_won = (numbers.phi == 0) == (self.state.to_move == self.prover);
        if is_solved && !is_soft && is_won {
            table.put(self.hashes.key(self.prover.other()), entry);
        }
        // Last, so that the other entry cannot replace it.
        table.put(key, entry);
    }
}
