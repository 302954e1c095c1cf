use std::fmt;
use std::num::NonZeroUsize;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use crate::engine::state::{State, Step};
use crate::game::moves::Move;
use crate::game::position::{Position, PositionError};
use crate::game::rules::{BySide, Endless, Ruleset, Side};
use crate::tablebase::Tablebase;

use super::canonical::Canonical;
use super::certificate::{Certificate, Part, StrategyMove};
use super::closed_set::{Leaf, closed_set};
use super::extract::strategy;
use super::oracle::Oracle;
use super::search::{Control, Numbers, Shared, Worker};
use super::table::{Entry, ProofTable};

/// How a position is to be proved.
#[derive(Clone, Debug)]
pub struct ProofOptions<'a> {
    /// The sides whose win is in question.
    pub questions: Vec<Side>,
    /// Stop after that many expanded positions.
    pub max_nodes: Option<u64>,
    /// Stop after that much time.
    pub max_time: Option<Duration>,
    /// Memory for the table of proof numbers, in bytes.
    pub table_bytes: usize,
    /// Worker threads. With several, the order of the search varies from run to run.
    pub threads: NonZeroUsize,
    /// The tables to probe.
    pub tables: Option<&'a Tablebase>,
    /// The most men of the tables to probe.
    pub max_table_men: usize,
    /// Whether to take the winner's strategy from a proved win.
    pub certify: bool,
}

impl Default for ProofOptions<'_> {
    /// Both questions without limits, on one thread with 256 MiB and without tables.
    fn default() -> Self {
        ProofOptions {
            questions: vec![Side::Attackers, Side::Defenders],
            max_nodes: None,
            max_time: None,
            table_bytes: 256 << 20,
            threads: NonZeroUsize::MIN,
            tables: None,
            max_table_men: usize::MAX,
            certify: false,
        }
    }
}

/// What is known of one question: whether a side wins.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Answer {
    /// Not asked.
    #[default]
    Unasked,
    /// The side wins.
    Won,
    /// The side does not win: a closed set proves it.
    NotWon,
    /// Not decided within the limits.
    Open {
        /// The proof number: an estimate of the effort left to prove the win.
        proof: u32,
        /// The disproof number: an estimate of the effort left to disprove it.
        disproof: u32,
    },
}

/// The value of a position as far as it is proved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProvedValue {
    /// This side wins.
    Win(Side),
    /// Neither side can force a win: a draw, or undecided under rules by which it depends on the
    /// game's history.
    Endless(Endless),
    /// Not decided.
    Open,
}

impl fmt::Display for ProvedValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ProvedValue::Win(side) => side.name(),
            ProvedValue::Endless(endless) => endless.name(),
            ProvedValue::Open => "open",
        })
    }
}

/// The result of a search for a proof.
#[derive(Clone, Debug)]
pub struct Proof {
    /// The answers by the side whose win is in question.
    pub answers: BySide<Answer>,
    /// The value of endless play under the rules.
    pub endless: Endless,
    /// The number of expanded positions.
    pub nodes: u64,
    /// The time that the search took.
    pub time: Duration,
    /// The certificate of what is proved. A win has one only if it was asked for and its strategy
    /// could be taken from the table within the limits.
    pub certificate: Option<Certificate>,
}

impl Proof {
    /// Returns the value of the position.
    pub fn value(&self) -> ProvedValue {
        value(Side::ALL.map(|side| self.answers[side]), self.endless)
    }
}

/// Combines the answers for the attackers and for the defenders.
pub(super) fn value([attackers, defenders]: [Answer; 2], endless: Endless) -> ProvedValue {
    match (attackers, defenders) {
        (Answer::Won, _) => ProvedValue::Win(Side::Attackers),
        (_, Answer::Won) => ProvedValue::Win(Side::Defenders),
        (Answer::NotWon, Answer::NotWon) => ProvedValue::Endless(endless),
        _ => ProvedValue::Open,
    }
}

/// The state of a running search.
#[derive(Clone, Debug)]
pub struct ProofProgress {
    /// The side whose win is being searched.
    pub question: Side,
    /// The proof and disproof numbers of the root.
    pub numbers: [u32; 2],
    /// The number of expanded positions so far.
    pub nodes: u64,
    /// The time so far.
    pub time: Duration,
    /// The line on which the search works.
    pub line: Vec<Move>,
    /// The jobs of a search with a store.
    pub jobs: Option<JobCounts>,
}

/// The jobs of a search with a store.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct JobCounts {
    /// Jobs of the question that are done, by this process and by others.
    pub done: u64,
    /// Jobs that this process is working on.
    pub running: usize,
}

/// Why a search could not start.
#[derive(Debug)]
#[non_exhaustive]
pub enum ProofError {
    /// The position is not one of these rules, or the game is over.
    Position(PositionError),
    /// The tables are for other rules.
    OtherTables,
    /// The table of proof numbers cannot be allocated.
    Memory {
        /// Its size.
        bytes: usize,
    },
}

impl fmt::Display for ProofError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProofError::Position(error) => write!(f, "position: {error}"),
            ProofError::OtherTables => write!(f, "the tables are for other rules"),
            ProofError::Memory { bytes } => {
                write!(f, "cannot allocate {bytes} bytes for proof numbers; ask for less memory")
            }
        }
    }
}

impl std::error::Error for ProofError {}

impl From<PositionError> for ProofError {
    fn from(error: PositionError) -> ProofError {
        ProofError::Position(error)
    }
}

/// Searches for a proof of the position's value. `report` is called several times a second and
/// returns whether to go on.
///
/// # Errors
/// If the position is invalid or final, the tables are for other rules, or there is not enough
/// memory.
pub fn prove(
    rules: &Ruleset,
    position: &Position,
    options: &ProofOptions<'_>,
    report: &mut dyn FnMut(&ProofProgress) -> bool,
) -> Result<Proof, ProofError> {
    check_input(rules, position, options)?;
    match rules.board.area().div_ceil(64) {
        1 => prove_on::<1>(rules, position, options, report),
        2 => prove_on::<2>(rules, position, options, report),
        3 => prove_on::<3>(rules, position, options, report),
        _ => prove_on::<6>(rules, position, options, report),
    }
}

/// Checks that the position can be searched under these rules with the tables of the options.
pub(super) fn check_input(
    rules: &Ruleset,
    position: &Position,
    options: &ProofOptions<'_>,
) -> Result<(), ProofError> {
    position.check(rules)?;
    if options.tables.is_some_and(|tables| tables.rules().fingerprint() != rules.fingerprint()) {
        return Err(ProofError::OtherTables);
    }
    Ok(())
}

/// The answer to a question before a search.
const UNKNOWN: Answer = Answer::Open { proof: 1, disproof: 1 };
/// The nodes that both questions get at first; they double with every round.
const FIRST_BUDGET: u64 = 1000;
/// The rounds in which a closed set is sought before the search goes on.
const CLOSED_SET_ROUNDS: u32 = 30;
/// The nodes to find one lost result again.
const REPAIR_NODES: u64 = 20_000;
/// The nodes to prove or disprove the root again after a closed set that did not hold.
const ROUND_NODES: u64 = 300_000;
/// The stack of the thread that takes strategies from the table by recursion.
const EXTRACTION_STACK: usize = 1 << 30;

fn prove_on<const W: usize>(
    rules: &Ruleset,
    position: &Position,
    options: &ProofOptions<'_>,
    report: &mut dyn FnMut(&ProofProgress) -> bool,
) -> Result<Proof, ProofError> {
    let started = Instant::now();
    let shared: Shared<'_, W> = shared(rules, options)?;
    let control = Control::new(options.max_time.map(|time| started + time));
    let mut prover = Prover {
        root: State::new(&shared.board, position),
        shared: &shared,
        control: &control,
        rules,
        position,
        options,
        started,
        report,
        is_interrupted: false,
        parts: Vec::new(),
    };
    let answers = prover.answer_all();
    let (nodes, time) = (control.nodes.load(Ordering::Relaxed), started.elapsed());
    let parts = std::mem::take(&mut prover.parts);
    let certificate = (!parts.is_empty())
        .then(|| Certificate::new(rules, position, parts, options.tables, options.max_table_men));
    Ok(Proof { answers, endless: rules.endless, nodes, time, certificate })
}

/// Prepares what all searches with these options share.
pub(super) fn shared<'a, const W: usize>(
    rules: &Ruleset,
    options: &ProofOptions<'a>,
) -> Result<Shared<'a, W>, ProofError> {
    let bytes = options.table_bytes;
    let table = ProofTable::new(bytes).map_err(|_| ProofError::Memory { bytes })?;
    let oracle = Oracle::new(options.tables, options.max_table_men);
    Ok(Shared::new(rules, oracle, table, options.threads.get() > 1))
}

struct Prover<'a, 't, const W: usize> {
    shared: &'a Shared<'t, W>,
    control: &'a Control,
    root: State<W>,
    rules: &'a Ruleset,
    position: &'a Position,
    options: &'a ProofOptions<'a>,
    started: Instant,
    report: &'a mut dyn FnMut(&ProofProgress) -> bool,
    is_interrupted: bool,
    /// What is proved so far.
    parts: Vec<Part>,
}

impl<'a, 't, const W: usize> Prover<'a, 't, W> {
    /// Answers the questions in turns, with budgets that double.
    fn answer_all(&mut self) -> BySide<Answer> {
        let mut answers: BySide<Answer> = BySide::default();
        for &side in &self.options.questions {
            answers[side] = self.answer_at_once(side);
        }
        // The nodes after which a closed set is sought, of sides that do not win by the search.
        let mut refute_after: BySide<Option<u64>> = BySide::default();
        let mut budget = FIRST_BUDGET;
        loop {
            let nodes_before = self.nodes();
            for side in Side::ALL {
                let is_open = matches!(answers[side], Answer::Open { .. });
                if is_open && !self.is_over() && refute_after[side].is_none() {
                    answers[side] = self.answer(side, budget);
                    if answers[side] == Answer::NotWon {
                        answers[side] = UNKNOWN;
                        // A win of the other side makes a closed set unnecessary, so the other
                        // question first gets as many nodes as there were.
                        refute_after[side] = Some(2 * self.nodes());
                    }
                }
            }
            if let Some(winner) = Side::ALL.into_iter().find(|&side| answers[side] == Answer::Won) {
                answers[winner.other()] = Answer::NotWon;
                return answers;
            }
            for side in Side::ALL {
                let Some(nodes) = refute_after[side] else { continue };
                let other = side.other();
                let other_is_searched =
                    matches!(answers[other], Answer::Open { .. }) && refute_after[other].is_none();
                if other_is_searched && self.nodes() < nodes && !self.is_over() {
                    continue;
                }
                refute_after[side] = None;
                answers[side] = self.refute(side);
                if answers[side] == Answer::Won {
                    answers[other] = Answer::NotWon;
                    return answers;
                }
            }
            let is_open =
                Side::ALL.iter().any(|&side| matches!(answers[side], Answer::Open { .. }));
            // A round without a new node would repeat itself for ever.
            if !is_open || self.is_over() || self.nodes() == nodes_before {
                return answers;
            }
            budget = budget.saturating_mul(2);
        }
    }

    fn nodes(&self) -> u64 {
        self.control.nodes.load(Ordering::Relaxed)
    }

    fn is_over(&self) -> bool {
        self.is_interrupted
            || self.options.max_nodes.is_some_and(|max| self.nodes() >= max)
            || self.control.is_late()
    }

    /// Answers a question by the rules and the tables alone.
    fn answer_at_once(&mut self, side: Side) -> Answer {
        let worker = Worker::new(self.shared, self.control, side, self.root.clone());
        match worker.leaf(side, true) {
            Leaf::Held => {
                self.parts.push(Part::new(self.rules, side, true, Vec::new()));
                Answer::Won
            }
            Leaf::Lost => {
                self.parts.push(Part::new(self.rules, side.other(), false, Vec::new()));
                Answer::NotWon
            }
            Leaf::Inner => UNKNOWN,
        }
    }

    /// Asks whether a side wins, with that many nodes. `NotWon` may rest on repetitions.
    fn answer(&mut self, side: Side, budget: u64) -> Answer {
        let numbers = self.run(side, &self.root.clone(), budget);
        let answer = self.answer_of(side, numbers);
        if answer == Answer::Won {
            self.certify_win(side);
        }
        answer
    }

    /// The answer by the root's numbers. `NotWon` may be soft.
    fn answer_of(&self, side: Side, numbers: Numbers) -> Answer {
        match numbers.of_win(self.root.to_move == side) {
            [0, _] => Answer::Won,
            [_, 0] => Answer::NotWon,
            [proof, disproof] => Answer::Open { proof, disproof },
        }
    }

    /// Searches a state with all threads and returns its numbers.
    fn run(&mut self, side: Side, state: &State<W>, budget: u64) -> Numbers {
        let (shared, control) = (self.shared, self.control);
        let max_nodes = self.nodes().saturating_add(budget);
        let max_nodes = max_nodes.min(self.options.max_nodes.unwrap_or(u64::MAX));
        control.max_nodes.store(max_nodes, Ordering::Relaxed);
        control.stopped.store(self.is_over(), Ordering::Relaxed);
        let (rules, position, started) = (self.rules, self.position, self.started);
        let is_interrupted = &mut self.is_interrupted;
        let user_report = &mut *self.report;
        let mut report = || {
            let goes_on = user_report(&progress(rules, position, (shared, control), side, started));
            *is_interrupted |= !goes_on;
            goes_on
        };
        let mut worker = Worker::new(shared, control, side, state.clone());
        worker.report = Some(&mut report);
        std::thread::scope(|scope| {
            for _ in 1..self.options.threads.get() {
                scope.spawn(|| {
                    let numbers = Worker::new(shared, control, side, state.clone()).solve();
                    if numbers.is_solved() {
                        control.stopped.store(true, Ordering::Relaxed);
                    }
                });
            }
            worker.solve();
            control.stopped.store(true, Ordering::Relaxed);
        });
        // Whichever thread has solved it.
        match shared.table.get(worker.key()) {
            Some(entry) => Numbers::of(&entry),
            None => worker.evaluate(),
        }
    }

    /// Seeks a closed set in which the side does not win.
    fn refute(&mut self, side: Side) -> Answer {
        for _ in 0..CLOSED_SET_ROUNDS {
            let mut worker = Worker::new(self.shared, self.control, side, self.root.clone());
            let found = closed_set(&mut worker, |worker| {
                let numbers = self.repair(worker);
                worker.is_disproved(numbers)
            });
            if let Some(moves) = found {
                let unranked = moves.into_iter().map(|(position, step)| (position, step, 0));
                self.parts.push(part(self.rules, side.other(), false, unranked));
                return Answer::NotWon;
            }
            if self.is_over() {
                break;
            }
            let numbers = self.run(side, &self.root.clone(), ROUND_NODES);
            match self.answer_of(side, numbers) {
                Answer::NotWon => {}
                Answer::Won => {
                    self.certify_win(side);
                    return Answer::Won;
                }
                open => return open,
            }
        }
        UNKNOWN
    }

    /// Searches a worker's state, whose result has been lost from the table, on its own.
    fn repair(&mut self, worker: &Worker<'_, '_, W>) -> Numbers {
        let (side, state) = (worker.prover, worker.state.clone());
        self.run(side, &state, REPAIR_NODES)
    }

    /// Takes the winning strategy from the table.
    fn certify_win(&mut self, side: Side) {
        if !self.options.certify {
            return;
        }
        let (shared, control) = (self.shared, self.control);
        let (root, rules) = (self.root.clone(), self.rules);
        let moves = std::thread::scope(|scope| {
            let extract = move || {
                let mut worker = Worker::new(shared, control, side, root);
                strategy(&mut worker, |worker| {
                    let nodes = control.nodes.load(Ordering::Relaxed);
                    control.max_nodes.store(nodes + REPAIR_NODES, Ordering::Relaxed);
                    control.stopped.store(control.is_late(), Ordering::Relaxed);
                    let state = worker.state.clone();
                    let numbers = Worker::new(shared, control, side, state).solve();
                    worker.is_proved(numbers)
                })
            };
            // The recursion is as deep as the longest line.
            let thread = std::thread::Builder::new().stack_size(EXTRACTION_STACK);
            thread
                .spawn_scoped(scope, extract)
                .ok()?
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        });
        if let Some(moves) = moves {
            // The win is all that is to be proved: that the winner does not lose follows.
            self.parts = vec![part(rules, side, true, moves)];
        }
    }
}

/// What a job has found.
#[cfg(feature = "build")]
pub(super) struct JobAnswer<const W: usize> {
    /// `Won` and `NotWon` only with their parts.
    pub(super) answer: Answer,
    pub(super) parts: Vec<Part>,
    pub(super) nodes: u64,
    /// The moves that the rules and the tables do not decide, with the proof and the disproof
    /// number after them.
    pub(super) moves: Vec<(Step, [u32; 2])>,
    /// Whether the search found no win, but sought no closed set that would prove it.
    pub(super) lacks_closed_set: bool,
}

/// How many times its nodes a job may take to make a closed set.
#[cfg(feature = "build")]
const REFUTATION_FACTOR: u64 = 4;

/// Searches the answer to one question about a canonical position, with that many nodes. If the
/// search finds no win, a closed set is sought only if `seeks_closed_set`.
#[cfg(feature = "build")]
pub(super) fn answer_job<const W: usize>(
    (shared, rules): (&Shared<'_, W>, &Ruleset),
    (position, side): (&Canonical<W>, Side),
    (budget, seeks_closed_set): (u64, bool),
    (options, deadline): (&ProofOptions<'_>, Option<Instant>),
    report: &mut dyn FnMut(&ProofProgress) -> bool,
) -> JobAnswer<W> {
    let control = Control::new(deadline);
    let position = position.position(rules.id());
    let max_nodes = options.max_nodes.unwrap_or(u64::MAX);
    let options = ProofOptions {
        max_nodes: Some(max_nodes.min(budget.saturating_mul(REFUTATION_FACTOR))),
        threads: NonZeroUsize::MIN,
        certify: true,
        ..options.clone()
    };
    let mut prover = Prover {
        root: State::new(&shared.board, &position),
        shared,
        control: &control,
        rules,
        position: &position,
        options: &options,
        started: Instant::now(),
        report,
        is_interrupted: false,
        parts: Vec::new(),
    };
    let mut answer = prover.answer_at_once(side);
    if answer == UNKNOWN {
        answer = prover.answer(side, budget);
    }
    let is_unproved = answer == Answer::NotWon && prover.parts.is_empty();
    let lacks_closed_set = is_unproved && !seeks_closed_set;
    if is_unproved && seeks_closed_set {
        answer = prover.refute(side);
    }
    let mut moves = Vec::new();
    if prover.parts.is_empty() {
        let mut worker = Worker::new(shared, &control, side, prover.root.clone());
        let [proof, disproof] = worker.numbers_of_win();
        answer = Answer::Open { proof, disproof };
        if !lacks_closed_set {
            moves = worker.open_moves();
        }
    }
    let nodes = control.nodes.load(Ordering::Relaxed);
    JobAnswer { answer, parts: prover.parts, nodes, moves, lacks_closed_set }
}

#[cfg(feature = "build")]
impl<const W: usize> Worker<'_, '_, W> {
    /// The proof and the disproof number of the current state by the table or the evaluation.
    fn numbers_of_win(&mut self) -> [u32; 2] {
        let numbers = self.numbers(self.key());
        numbers.of_win(self.state.to_move == self.prover)
    }

    /// The moves that the rules and the tables do not decide, with the numbers after them.
    fn open_moves(&mut self) -> Vec<(Step, [u32; 2])> {
        let mut moves = Vec::new();
        for (step, after) in self.successors() {
            self.set(&after);
            if self.leaf(self.prover, true) == Leaf::Inner {
                moves.push((step, self.numbers_of_win()));
            }
        }
        moves
    }
}

/// Makes the part of a certificate from the holder's moves with their ranks.
pub(super) fn part<const W: usize>(
    rules: &Ruleset,
    holder: Side,
    wins: bool,
    moves: impl IntoIterator<Item = (Canonical<W>, Step, u32)>,
) -> Part {
    let moves = moves.into_iter().map(|(canonical, step, rank)| StrategyMove {
        position: canonical.position(rules.id()),
        from: step.from() as u16,
        to: step.to() as u16,
        rank,
    });
    Part::new(rules, holder, wins, moves.collect())
}

/// Describes a running search.
fn progress<const W: usize>(
    rules: &Ruleset,
    position: &Position,
    (shared, control): (&Shared<'_, W>, &Control),
    side: Side,
    started: Instant,
) -> ProofProgress {
    let entry = Entry::unpack(control.root.load(Ordering::Relaxed));
    ProofProgress {
        question: side,
        numbers: Numbers::of(&entry).of_win(position.to_move == side),
        nodes: control.nodes.load(Ordering::Relaxed),
        time: started.elapsed(),
        line: line(rules, position, shared, side, entry.step),
        jobs: None,
    }
}

/// Follows the most promising moves from the root.
fn line<const W: usize>(
    rules: &Ruleset,
    position: &Position,
    shared: &Shared<'_, W>,
    side: Side,
    first: Step,
) -> Vec<Move> {
    /// The longest line to show.
    const MAX_MOVES: usize = 12;
    let mut state = State::new(&shared.board, position);
    let mut step = first;
    let mut line = Vec::new();
    while line.len() < MAX_MOVES && step != Step::NONE {
        let Some(played) = state.full_move(rules, step) else { break };
        line.push(played);
        if played.ending.is_some() {
            break;
        }
        state.play(&shared.board, step);
        step = shared.stored(&state, side).map_or(Step::NONE, |entry| entry.step);
    }
    line
}
