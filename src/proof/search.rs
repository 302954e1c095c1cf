//! Depth-first proof-number search (df-pn).
//!
//! Proof numbers are kept from the side of the mover (Nagai, "Df-pn algorithm for searching
//! AND/OR trees and its applications", 2002): `phi` is the effort until the mover reaches its aim,
//! which is the win for the prover and its prevention for the other side; `delta` is the effort
//! until the mover fails. A move is entered until its numbers exceed those of the second best
//! move by a quarter (the 1 + ε trick of Pawlewicz and Lew, 2007), and `delta` of a node is the
//! largest `phi` of its moves plus the number of other open ones (weak proof numbers, Ueda and
//! others, 2008), since transpositions would be counted many times in a sum.
//!
//! **Repetition.** A win never rests on the path: it is built from proved wins alone. A position
//! that repeats an earlier one of the line counts as not won; what rests on such a repetition
//! above the node is *soft*. Soft results steer the search and claim nothing; see
//! [`closed_set`](super::closed_set).

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::engine::board_tables::BoardTables;
use crate::engine::evaluate::Evaluator;
use crate::engine::evaluate::weights::Weights;
use crate::engine::state::{State, Step, Undo};
use crate::game::rules::{RulesId, Ruleset, Side};

use super::canonical::Symmetries;
use super::hashes::{HashKeys, Hashes, Key};
use super::lookahead::{each_step, judge};
use super::oracle::Oracle;
use super::table::{Entry, INFINITE, MAX_ESTIMATE, ProofTable};

/// What all searches share that run at once or one after the other.
pub(super) struct Shared<'a, const W: usize> {
    pub(super) board: BoardTables<W>,
    pub(super) rules: RulesId,
    pub(super) evaluator: Evaluator,
    pub(super) oracle: Oracle<'a>,
    pub(super) symmetries: Symmetries<W>,
    pub(super) keys: HashKeys,
    pub(super) table: ProofTable,
    /// By hash of a position, how many threads are at work below it. Their moves look more
    /// expensive, so that threads spread (virtual proof numbers).
    pub(super) busy: Vec<AtomicU32>,
    /// Whether several threads use the table.
    pub(super) is_parallel: bool,
}

/// The limits and the state of one search, for all its threads.
pub(super) struct Control {
    pub(super) nodes: AtomicU64,
    /// The node count at which the search stops.
    pub(super) max_nodes: AtomicU64,
    pub(super) deadline: Option<Instant>,
    /// Stops all threads: the limits are reached, the root is solved, or the user has interrupted.
    pub(super) stopped: AtomicBool,
    /// The numbers of the root and its most promising move so far, packed.
    pub(super) root: AtomicU64,
}

/// The proof numbers of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Numbers {
    pub(super) phi: u32,
    pub(super) delta: u32,
    /// The ply of the highest position on the line that the result rests on by a repetition;
    /// [`HARD`] if there is none.
    rest: u32,
}

/// A result that rests on no repetition.
const HARD: u32 = u32::MAX;
/// Deeper positions count as repetitions of the root.
const MAX_PLY: u32 = 400;
/// The time between two reports of progress.
const REPORT_EVERY: Duration = Duration::from_millis(250);
/// Nodes between two looks at the limits.
const INTERVAL: u64 = 1 << 6;

impl Numbers {
    /// The mover has reached its aim.
    pub(super) const SUCCESS: Numbers = Numbers { phi: 0, delta: INFINITE, rest: HARD };
    /// Not looked up yet.
    const UNKNOWN: Numbers = Numbers { phi: 0, delta: 0, rest: HARD };
    /// The mover has failed.
    pub(super) const FAILURE: Numbers = Numbers { phi: INFINITE, delta: 0, rest: HARD };

    pub(super) fn of(entry: &Entry) -> Numbers {
        let rest = if entry.is_soft { 0 } else { HARD };
        Numbers { phi: entry.phi, delta: entry.delta, rest }
    }

    /// The numbers of a leaf, limited to what the table stores of leaves.
    pub(super) fn estimated(phi: u32, delta: u32) -> Numbers {
        Numbers { phi: phi.min(MAX_ESTIMATE), delta: delta.min(MAX_ESTIMATE), rest: HARD }
    }

    /// Whether the result rests on no repetition.
    pub(super) fn is_hard(&self) -> bool {
        self.rest == HARD
    }

    pub(super) fn decided(is_success: bool) -> Numbers {
        if is_success { Numbers::SUCCESS } else { Numbers::FAILURE }
    }

    pub(super) fn is_solved(&self) -> bool {
        self.phi == 0 || self.delta == 0
    }

    /// Returns the proof and the disproof number of the prover's win, given whether the mover is
    /// the prover.
    pub(super) fn of_win(&self, mover_proves: bool) -> [u32; 2] {
        if mover_proves { [self.phi, self.delta] } else { [self.delta, self.phi] }
    }
}

impl Control {
    pub(super) fn new(deadline: Option<Instant>) -> Control {
        Control {
            nodes: AtomicU64::new(0),
            max_nodes: AtomicU64::new(0),
            deadline,
            stopped: AtomicBool::new(false),
            root: AtomicU64::new(0),
        }
    }

    /// Returns whether the time is up.
    pub(super) fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

/// Counters of busy positions, hashed.
const BUSY_COUNTERS: usize = 1 << 16;

impl<'a, const W: usize> Shared<'a, W> {
    /// Prepares searches under these rules.
    pub(super) fn new(
        rules: &Ruleset,
        oracle: Oracle<'a>,
        table: ProofTable,
        is_parallel: bool,
    ) -> Self {
        Shared {
            board: BoardTables::new(rules),
            rules: rules.id(),
            evaluator: Evaluator::new(rules, &Weights::of(rules)),
            oracle,
            symmetries: Symmetries::new(rules),
            keys: HashKeys::new(rules),
            table,
            busy: (0..BUSY_COUNTERS).map(|_| Default::default()).collect(),
            is_parallel,
        }
    }

    /// Returns the entry of a state in the search for this side's win, with its move in the state's
    /// own orientation.
    pub(super) fn stored(&self, state: &State<W>, prover: Side) -> Option<Entry> {
        let hashes = self.keys.hashes(state);
        let entry = self.table.get(hashes.key(prover))?;
        let step = match entry.step {
            Step::NONE => Step::NONE,
            step => self.symmetries.step_preimage(step, hashes.symmetry()),
        };
        Some(Entry { step, ..entry })
    }
}

/// The worth of results that certificates prove, as a logarithm of nodes.
#[cfg(feature = "build")]
const CERTIFIED_WORK: u32 = 6;

#[cfg(feature = "build")]
impl<const W: usize> Shared<'_, W> {
    /// Adds what a certificate proves of a state to the table: that the holder wins, or else does
    /// not lose. `step` is the move of the side to move.
    pub(super) fn put_proved(&self, state: &State<W>, holder: Side, wins: bool, step: Step) {
        let hashes = self.keys.hashes(state);
        let step = match step {
            Step::NONE => Step::NONE,
            step => self.symmetries.step_image(step, hashes.symmetry()),
        };
        let Numbers { phi, delta, .. } = Numbers::decided(state.to_move == holder);
        let entry = Entry { phi, delta, step, is_soft: false, work: CERTIFIED_WORK };
        for prover in Side::ALL.into_iter().filter(|&prover| wins || prover != holder) {
            let key = hashes.key(prover);
            let is_known = |old: Entry| old.is_solved() && !old.is_soft;
            if !self.table.get(key).is_some_and(is_known) {
                self.table.put(key, entry);
            }
        }
    }
}

/// A move of an expanded position.
#[derive(Clone, Copy)]
pub(super) struct Child {
    pub(super) step: Step,
    /// The key of the position after it.
    key: Key,
    pub(super) numbers: Numbers,
}

/// What is needed to take back a worker's move.
#[derive(Clone, Copy)]
pub(super) struct WorkerUndo<const W: usize> {
    undo: Undo<W>,
    hashes: Hashes,
}

/// Slots of the positions on the line; a power of two, several times [`MAX_PLY`].
const PATH_SLOTS: usize = 1 << 12;

/// A thread of the search.
pub(super) struct Worker<'a, 't, const W: usize> {
    pub(super) shared: &'a Shared<'t, W>,
    control: &'a Control,
    /// The side whose win is in question.
    pub(super) prover: Side,
    pub(super) state: State<W>,
    /// The hashes of the state.
    hashes: Hashes,
    /// The positions on the line by their hash, open addressing: check and ply + 1.
    path: Vec<(u64, u32)>,
    /// A stack of the moves of all positions on the line.
    pub(super) children: Vec<Child>,
    steps: Vec<Step>,
    pub(super) nodes: u64,
    is_stopped: bool,
    /// Called now and then by the first thread; returns whether to go on.
    pub(super) report: Option<&'a mut (dyn FnMut() -> bool + 'a)>,
    reported: Instant,
}

impl<'a, 't, const W: usize> Worker<'a, 't, W> {
    pub(super) fn new(
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
            children,
            steps,
            nodes: 0,
            is_stopped: false,
            report: None,
            reported: Instant::now(),
        }
    }

    /// Searches the position until it is solved or the search stops, and returns its numbers.
    pub(super) fn solve(&mut self) -> Numbers {
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

    /// Moves on to another state.
    pub(super) fn set_state(&mut self, state: State<W>) {
        self.hashes = self.shared.keys.hashes(&state);
        self.state = state;
    }

    #[inline]
    pub(super) fn play(&mut self, step: Step) -> WorkerUndo<W> {
        let Shared { keys, board, .. } = self.shared;
        let hashes = self.hashes;
        let moved = keys.after(&hashes, self.state.kind(step.from()), step);
        let undo = self.state.play(board, step);
        // The side to move is now the one that has lost the captured men.
        self.hashes = keys.without(moved, self.state.to_move, undo.captured);
        WorkerUndo { undo, hashes }
    }

    #[inline]
    pub(super) fn take_back(&mut self, step: Step, undo: WorkerUndo<W>) {
        self.state.take_back(&self.shared.board, step, undo.undo);
        self.hashes = undo.hashes;
    }

    /// The key of the current state.
    #[inline]
    pub(super) fn key(&self) -> Key {
        self.hashes.key(self.prover)
    }

    /// Returns what the table has under this key.
    #[inline]
    fn known(&self, key: Key) -> Option<Numbers> {
        let table = &self.shared.table;
        if let Some(entry) = table.get(key) {
            return Some(Numbers::of(&entry));
        }
        table.estimate(key).map(|[phi, delta]| Numbers { phi, delta, rest: HARD })
    }

    /// Returns the numbers of the current state, which has this key, from the table or else by the
    /// static evaluation, which is then stored.
    #[inline]
    pub(super) fn numbers(&mut self, key: Key) -> Numbers {
        self.known(key).unwrap_or_else(|| {
            let numbers = self.evaluate();
            self.shared.table.put_estimate(key, [numbers.phi, numbers.delta]);
            numbers
        })
    }

    /// Returns what the table or the static evaluation says of the current state.
    pub(super) fn look_up(&mut self) -> Numbers {
        match self.shared.table.get(self.key()) {
            Some(entry) if entry.is_solved() => Numbers::of(&entry),
            _ => self.evaluate(),
        }
    }

    /// Whether the prover's win is proved by these numbers of the current state.
    pub(super) fn is_proved(&self, numbers: Numbers) -> bool {
        let [proof, _] = numbers.of_win(self.state.to_move == self.prover);
        proof == 0
    }

    /// Whether these numbers of the current state say that the prover does not win.
    pub(super) fn is_disproved(&self, numbers: Numbers) -> bool {
        let [_, disproof] = numbers.of_win(self.state.to_move == self.prover);
        disproof == 0
    }

    #[inline]
    fn path_slot(&self, check: u64) -> usize {
        let mut slot = check as usize % PATH_SLOTS;
        while self.path[slot].1 != 0 && self.path[slot].0 != check {
            slot = (slot + 1) % PATH_SLOTS;
        }
        slot
    }

    /// Returns the ply at which the position is on the line.
    #[inline]
    pub(super) fn path_ply(&self, key: Key) -> Option<u32> {
        self.path[self.path_slot(key.check)].1.checked_sub(1)
    }

    /// Counts a node, and looks at the limits now and then.
    fn count_node(&mut self) {
        self.nodes += 1;
        let control = self.control;
        if self.nodes.is_multiple_of(INTERVAL) {
            let nodes = control.nodes.fetch_add(INTERVAL, Ordering::Relaxed) + INTERVAL;
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
        }
    }

    #[inline]
    fn busy(&self, key: Key) -> &AtomicU32 {
        &self.shared.busy[key.check as usize % self.shared.busy.len()]
    }

    /// Expands the current state until its numbers reach the limits, or the search stops.
    fn expand(&mut self, key: Key, max_phi: u32, max_delta: u32, ply: u32) -> Numbers {
        self.count_node();
        let before = self.nodes;
        let first = self.children.len();
        let slot = self.path_slot(key.check);
        self.path[slot] = (key.check, ply + 1);
        self.busy(key).fetch_add(1, Ordering::Relaxed);
        self.add_children(first);
        let (mut numbers, step) = self.search_children(first, max_phi, max_delta, ply);
        self.children.truncate(first);
        self.busy(key).fetch_sub(1, Ordering::Relaxed);
        self.path[slot] = (0, 0);
        // What rests on this position or below rests on nothing above.
        if numbers.rest >= ply {
            numbers.rest = HARD;
        }
        self.store(key, numbers, step, before);
        numbers
    }

    /// Adds the moves of the current state with their numbers. If one of them reaches the mover's
    /// aim, it is the only one.
    fn add_children(&mut self, first: usize) {
        self.add_moves(first);
        let mover_proves = self.state.to_move == self.prover;
        // What is known already may make all evaluations unnecessary.
        for at in first..self.children.len() {
            let key = self.children[at].key;
            let known = match self.path_ply(key) {
                // Not a win of the prover: the other side has what it wants.
                Some(ply) => Some(Numbers { rest: ply, ..Numbers::decided(mover_proves) }),
                None => self.known(key),
            };
            if self.add_numbers(first, at, known.unwrap_or(Numbers::UNKNOWN)) {
                return;
            }
        }
        for at in first..self.children.len() {
            let Child { step, key, numbers } = self.children[at];
            if numbers != Numbers::UNKNOWN {
                continue;
            }
            let undo = self.state.play(&self.shared.board, step);
            let found = self.evaluate();
            self.state.take_back(&self.shared.board, step, undo);
            self.shared.table.put_estimate(key, [found.phi, found.delta]);
            if self.add_numbers(first, at, found) {
                return;
            }
        }
    }

    /// Sets the numbers of a move. If it reaches the mover's aim, removes all others and returns
    /// true.
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
        // A set of some bits of the keys, which tells most new positions from the earlier ones.
        let mut seen = [0_u64; 4];
        for &step in &steps {
            let hashes = if captures.contains(step.to()) {
                let undo = self.play(step);
                let hashes = self.hashes;
                self.take_back(step, undo);
                hashes
            } else {
                keys.after(&self.hashes, self.state.kind(step.from()), step)
            };
            let key = hashes.key(self.prover);
            let (word, bit) = (key.check as usize >> 6 & 3, 1 << (key.check & 63));
            let is_new = seen[word] & bit == 0
                || self.children[first..].iter().all(|child| child.key != key);
            if is_new {
                seen[word] |= bit;
                table.prefetch(key);
                self.children.push(Child { step, key, numbers: Numbers::UNKNOWN });
            }
        }
        self.steps = steps;
    }

    /// Returns the numbers of the current state from those of its moves, with the best one, after
    /// searching them as far as the limits allow.
    fn search_children(
        &mut self,
        first: usize,
        max_phi: u32,
        max_delta: u32,
        ply: u32,
    ) -> (Numbers, Step) {
        let mover_proves = self.state.to_move == self.prover;
        loop {
            let choice = match self.choose(first, max_phi) {
                Ok(choice) => choice,
                Err((success, step)) => {
                    // A win of the prover does not rest on the path.
                    let is_won = (success.phi == 0) == mover_proves;
                    let rest = if is_won { HARD } else { success.rest };
                    return (Numbers { rest, ..success }, step);
                }
            };
            let Choice { best, phi, second, delta, open, phi_of_best, .. } = choice;
            let step = self.children[best].step;
            if ply == 0 {
                let entry = Entry { phi, delta, step, is_soft: false, work: 0 };
                self.control.root.store(entry.pack(), Ordering::Relaxed);
            }
            if phi >= max_phi || delta >= max_delta || self.is_stopped {
                let numbers = Numbers { phi: phi.max(1), delta: delta.max(1), rest: HARD };
                return (numbers, step);
            }
            debug_assert!(phi_of_best <= delta);
            let child_max_phi = max_delta.saturating_sub(open - 1).min(INFINITE - 1);
            let child_max_delta =
                max_phi.min(second.saturating_add(second / 4 + 1)).min(INFINITE - 1);
            let numbers = self.visit(best, child_max_phi, child_max_delta, ply + 1);
            self.children[best].numbers = numbers;
            if !mover_proves && numbers.phi == 0 && numbers.is_hard() && !self.is_stopped {
                self.simulate_siblings(first, best);
            }
        }
    }

    /// Searches the move `at`, or takes what another thread has found there in the meantime.
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

    /// Chooses the most promising move, or returns the result if the position is solved. Moves that
    /// exceed the limit are chosen last, since they would come back at once.
    fn choose(&self, first: usize, max_phi: u32) -> Result<Choice, (Numbers, Step)> {
        let mut choice = Choice {
            best: usize::MAX,
            phi: INFINITE,
            busy_phi: INFINITE,
            second: INFINITE,
            delta: 0,
            open: 0,
            phi_of_best: INFINITE,
        };
        let mut success: Option<(u32, Step)> = None;
        let mut rest = HARD;
        let mut max_child_phi = 0;
        for (at, child) in (first..).zip(&self.children[first..]) {
            let Numbers { phi, delta, rest: child_rest } = child.numbers;
            if delta == 0 {
                // The result that rests on the least.
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
            let busy = match self.shared.is_parallel {
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

    /// Stores the result of a node. A proved win answers the other side's question too.
    pub(super) fn store(&self, key: Key, numbers: Numbers, step: Step, nodes_before: u64) {
        let Shared { table, symmetries, .. } = self.shared;
        let is_solved = numbers.is_solved();
        let is_soft = is_solved && !numbers.is_hard();
        let old_work = table.get(key).map_or(0, |entry| entry.work);
        let work = (1 + self.nodes - nodes_before).ilog2().max(old_work);
        let step = match step {
            Step::NONE => step,
            step => symmetries.step_image(step, self.hashes.symmetry()),
        };
        let entry = Entry { phi: numbers.phi, delta: numbers.delta, step, is_soft, work };
        table.put(key, entry);
        let is_won = (numbers.phi == 0) == (self.state.to_move == self.prover);
        if is_solved && !is_soft && is_won {
            table.put(self.hashes.key(self.prover.other()), entry);
        }
    }
}

/// The most promising move of a position.
struct Choice {
    best: usize,
    /// The least `delta` of the moves.
    phi: u32,
    /// The same with the surcharge for moves at which other threads are at work.
    busy_phi: u32,
    /// The second least `delta`, with the surcharge.
    second: u32,
    delta: u32,
    /// The number of moves that are not solved.
    open: u32,
    phi_of_best: u32,
}
