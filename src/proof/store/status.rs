//! The status of a store, read without writing to it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::engine::bits::with_width;
use crate::engine::state::{State, Step};
use crate::game::moves::Move;
use crate::game::position::Position;
use crate::game::rules::{BySide, Ruleset, Side};
use crate::proof::answer::Answer;
use crate::proof::canonical::Canonical;
use crate::proof::closed_set::Leaf;
use crate::proof::prover::{ProofError, ProofOptions, shared};
use crate::proof::search::{Control, Shared, Worker};
use crate::system::filesystem::SystemFiles;
use crate::tablebase::Tablebase;

use super::choice::played_line;
use super::claims::{ClaimedJob, claimed};
use super::contents::Contents;
use super::error::StoreError;
use super::folder::Folder;
use super::tree::{NOT_WON, Tree, Values, WON};

/// The status of a store with respect to a position.
#[derive(Clone, Debug)]
pub struct StoreStatus {
    /// By the side whose win is in question.
    pub questions: BySide<QuestionStatus>,
    /// The number of certificates in use.
    pub certificates: usize,
    /// The size of the store on disk, in bytes.
    pub bytes: u64,
}

/// The status of one question.
#[derive(Clone, Debug, Default)]
pub struct QuestionStatus {
    /// The answer by the results; `Unasked` if there are none.
    pub answer: Answer,
    /// Finished jobs of this question, including those for other positions.
    pub jobs: u64,
    /// Positions of the tree without a finished job.
    pub open: u64,
    /// Claimed jobs, which workers are running.
    pub claimed: u64,
    /// The nodes of the finished jobs.
    pub nodes: u64,
    /// The sum of their times.
    pub time: Duration,
    /// The moves of the position, the most promising ones first.
    pub moves: Vec<MoveStatus>,
    /// The line to the next job.
    pub line: Vec<Move>,
}

/// The status of a move.
#[derive(Clone, Copy, Debug)]
pub struct MoveStatus {
    /// The move.
    pub played: Move,
    /// The answer to the same question after the move.
    pub answer: Answer,
}

/// Returns the path of the ruleset's file in a store.
///
/// # Errors
/// If the folder is not a store.
pub fn rules_file(folder: &Path) -> Result<PathBuf, StoreError> {
    let folder = Folder { files: Arc::new(SystemFiles), root: folder.to_owned() };
    folder.read_rules()?;
    Ok(folder.rules_path())
}

/// Returns the ruleset of a store.
///
/// # Errors
/// If the folder is not a store.
pub fn store_rules(folder: &Path) -> Result<Ruleset, StoreError> {
    Folder { files: Arc::new(SystemFiles), root: folder.to_owned() }.read_rules()
}

/// Returns the status of a store with respect to a position. `notice` is called as in
/// [`StoreOptions`](super::StoreOptions). Other processes may work in the store at the same time.
///
/// # Errors
/// If the folder is not a store for the tables' rules or cannot be read, or the position is invalid.
pub fn status(
    folder: &Path,
    tables: &Tablebase,
    position: &Position,
    notice: &(dyn Fn(&str) + Sync),
) -> Result<StoreStatus, StoreError> {
    let rules = tables.rules();
    position.check(rules).map_err(ProofError::from)?;
    let folder = Folder::open(Arc::new(SystemFiles), folder, rules)?;
    with_width!(rules.board, W => status_on::<W>(folder, tables, position, notice))
}

fn status_on<const W: usize>(
    folder: Folder,
    tables: &Tablebase,
    position: &Position,
    notice: &(dyn Fn(&str) + Sync),
) -> Result<StoreStatus, StoreError> {
    let rules = tables.rules();
    let options = ProofOptions { tables: Some(tables), table_bytes: 0, ..ProofOptions::default() };
    let shared: Shared<'_, W> = shared(rules, &options)?;
    let jobs = claimed(&folder)?;
    let bytes = folder.disk_bytes()?;
    let mut contents = Contents::read(folder, (rules, &shared), tables, notice)?;
    let control = Control::new(None::<Instant>);
    let state = State::new(&shared.board, position);
    let mut questions = BySide::from_fn(|side| {
        let mut worker = Worker::new(&shared, &control, side, state.clone());
        question(&mut contents, &mut worker, rules, position, &jobs)
    });
    for side in Side::ALL {
        if questions[side].answer == Answer::Won {
            questions[side.other()].answer = Answer::NotWon;
        }
    }
    Ok(StoreStatus { questions, certificates: contents.certificates.len(), bytes })
}

fn question<const W: usize>(
    contents: &mut Contents<'_, '_, W>,
    worker: &mut Worker<'_, '_, W>,
    rules: &Ruleset,
    position: &Position,
    jobs: &[ClaimedJob],
) -> QuestionStatus {
    let side = worker.prover;
    let root = worker.canonical();
    let is_asked = contents.trees[side].find(&root).is_some();
    let id = contents.trees[side].id(root);
    let (values, _) = contents.next_job(worker, id);
    let tree = &contents.trees[side];
    let answer = answer(values.of(id));
    let is_open = matches!(answer, Answer::Open { .. });
    let line = tree.line(id, &values);
    let line: Vec<Canonical<W>> = line.iter().map(|&id| tree.node(id).position).collect();
    // A position that jobs have only reached has no results of its own, but its moves may have some.
    let moves = moves(tree, &tree.all_values(&[id]), worker, rules, position);
    QuestionStatus {
        answer: if is_open && !is_asked { Answer::Unasked } else { answer },
        jobs: tree.jobs,
        open: if is_open && is_asked { tree.open(&values) } else { 0 },
        claimed: jobs.iter().filter(|job| job.side == side).count() as u64,
        nodes: tree.job_nodes,
        time: Duration::from_millis(contents.millis[side]),
        moves: if is_asked { moves } else { Vec::new() },
        line: if is_open { played_line(worker, rules, position, &line) } else { Vec::new() },
    }
}

/// Returns the moves of the position, the most promising ones for their mover first.
fn moves<const W: usize>(
    tree: &Tree<W>,
    values: &Values,
    worker: &mut Worker<'_, '_, W>,
    rules: &Ruleset,
    position: &Position,
) -> Vec<MoveStatus> {
    let side = worker.prover;
    let state = State::new(&worker.shared.board, position);
    worker.set_state(state.clone());
    let mut moves: Vec<(u32, Step, Answer)> = Vec::new();
    for (step, after) in worker.successors() {
        worker.set(&after);
        let numbers = match (worker.leaf(side, true), tree.find(&after)) {
            (Leaf::Held, _) => Some(WON),
            (Leaf::Lost, _) => Some(NOT_WON),
            (Leaf::Inner, Some(id)) => Some(values.of(id)),
            (Leaf::Inner, None) => None,
        };
        let aim = usize::from(position.to_move != side);
        let effort = numbers.map_or(u32::MAX, |numbers| numbers[aim]);
        moves.push((effort, step, numbers.map_or(Answer::Unasked, answer)));
    }
    moves.sort_by_key(|&(effort, _, _)| effort);
    let moves = moves.into_iter().filter_map(|(_, step, answer)| {
        Some(MoveStatus { played: state.full_move(rules, step)?, answer })
    });
    moves.collect()
}

fn answer(numbers: [u32; 2]) -> Answer {
    match numbers {
        WON => Answer::Won,
        NOT_WON => Answer::NotWon,
        [proof, disproof] => Answer::Open { proof, disproof },
    }
}
