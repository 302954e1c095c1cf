//! The search: iterative deepening on all threads.

mod candidate;
mod certainty;
mod move_history;
mod node;
mod oracle;
mod ordering;
mod path;
mod probing;
mod proof;
mod quiescence;
mod reporting;
mod root;
mod root_moves;
mod root_probe;
mod root_proofs;
mod score;
mod shared;
mod table;
#[cfg(test)]
mod tests;
mod threat;
mod worker;

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::time::{Duration, Instant};

use crate::game::history::Game;
use crate::game::position::Position;
use crate::game::rules::{Repetition, Ruleset, Side};

use super::bits::with_width;
use super::board_tables::BoardTables;
use super::error::EngineError;
use super::evaluate::Evaluator;
use super::evaluate::weights::Weights;
use super::iteration::{Iteration, Line, Score};
use super::limits::{Limits, SearchRequest};
use super::options::EngineOptions;
use super::state::{State, Step};

use certainty::wins_hold;
use move_history::MoveHistory;
use oracle::Oracle;
use path::PathEntry;
use root_moves::{RootMove, sort_unsearched};
use root_probe::{KnownValue, RootProbe};
use shared::{Deadline, Shared};
use table::{TranspositionTable, Validity};

/// A search on boards of any size.
pub(super) trait Search: Send {
    /// Searches the game's position; see [`Engine::search`](super::Engine::search).
    fn search(
        &mut self,
        game: &Game,
        request: &SearchRequest<'_>,
        stop: &AtomicBool,
        report: &mut dyn FnMut(&Iteration),
    ) -> Iteration;

    /// Forgets all earlier searches.
    fn clear(&mut self);
}

/// Creates the search for a ruleset's board.
///
/// # Errors
/// If the transposition table cannot be allocated.
pub(super) fn for_rules(
    rules: &Arc<Ruleset>,
    options: &EngineOptions,
) -> Result<Box<dyn Search>, EngineError> {
    Ok(with_width!(rules.board, W => Box::new(Searcher::<W>::new(rules, options)?)))
}

/// The state that persists between searches.
struct Searcher<const W: usize> {
    rules: Arc<Ruleset>,
    options: EngineOptions,
    board: BoardTables<W>,
    evaluator: Evaluator,
    table: TranspositionTable,
    /// One for each thread.
    move_histories: Vec<MoveHistory>,
    /// The side to move at the root of the last search.
    root_side: Option<Side>,
    /// The last position that a search has proved to be won, with the line.
    found_win: Option<(Position, Line)>,
}

impl<const W: usize> Searcher<W> {
    fn new(rules: &Arc<Ruleset>, options: &EngineOptions) -> Result<Searcher<W>, EngineError> {
        let weights = options.weights.clone().unwrap_or_else(|| Weights::of(rules));
        let move_histories =
            (0..options.threads.get()).map(|_| MoveHistory::new(rules.board.area()));
        Ok(Searcher {
            rules: Arc::clone(rules),
            board: BoardTables::new(rules),
            evaluator: Evaluator::new(rules, &weights),
            table: TranspositionTable::new(options.table_bytes)?,
            move_histories: move_histories.collect(),
            root_side: None,
            found_win: None,
            options: options.clone(),
        })
    }

    /// Returns the game's positions that can be repeated, and the current one.
    fn history(&self, game: &Game) -> Vec<PathEntry> {
        let is_uncounted = game.moves().is_empty() && !game.rules().repetition_counts_start;
        let since = usize::from(is_uncounted);
        let positions = game.earlier_positions().chain([game.position()]);
        positions
            .map(|position| PathEntry { key: State::new(&self.board, position).key, since })
            .collect()
    }

    /// Returns within how many plies the side to move wins by an earlier search of this game, and the
    /// next move of its line if the game followed it.
    fn expected_win(&self, game: &Game) -> Option<(usize, Option<Step>)> {
        let (won, line) = self.found_win.as_ref()?;
        let Score::Win(plies) = line.score else { return None };
        let mut turns = game.positions().iter().rev().step_by(2);
        let since = 2 * turns.position(|earlier| earlier == won)?;
        let left = usize::from(plies).checked_sub(since).filter(|&left| left > 0)?;
        let followed = line.moves.strip_prefix(&game.moves()[game.moves().len() - since..]);
        Some((left, followed.and_then(|rest| rest.first()).map(Step::of)))
    }

    /// Returns the state that the threads share in a search of the game's position.
    fn shared<'a>(
        &'a self,
        game: &'a Game,
        root_value: Option<KnownValue>,
        limits: &Limits,
        deadline: Deadline<'a>,
    ) -> Shared<'a, W> {
        let root = State::new(&self.board, game.position());
        let earlier = self.table.get(root.key, 0, &Validity::default());
        let (expected_win, expected_step) = self.expected_win(game).unzip();
        let last_ply = game.plies_left().map(|left| left as usize);
        Shared {
            rules: game.rules(),
            board: &self.board,
            evaluator: &self.evaluator,
            table: &self.table,
            oracle: Oracle::new(self.options.tables.as_deref(), game),
            root,
            root_value,
            expected_win,
            preferred: expected_step.flatten().or(earlier.map(|entry| entry.step)),
            validity: Validity {
                this_search_only: game.rules().repetition != Repetition::Allowed,
                last_ply,
            },
            history: self.history(game),
            wins_may_be_barred: !wins_hold(game.rules(), Side::Defenders),
            earlier_occurrences: game.rules().repetition_occurrence as usize - 1,
            contempt: self
                .options
                .contempt
                .clamp(-EngineOptions::MAX_CONTEMPT, EngineOptions::MAX_CONTEMPT),
            limits: *limits,
            deadline,
            finished: AtomicBool::new(false),
            is_single: self.options.threads == NonZeroUsize::MIN,
            nodes: AtomicU64::new(0),
            table_hits: AtomicU64::new(0),
        }
    }
}

impl<const W: usize> Search for Searcher<W> {
    fn search(
        &mut self,
        game: &Game,
        request: &SearchRequest<'_>,
        stop: &AtomicBool,
        report: &mut dyn FnMut(&Iteration),
    ) -> Iteration {
        let started = Instant::now();
        let deadline = Deadline { started, time: request.limits.time, stop };
        let moves = match request.root_moves {
            [] => game.playable_moves(),
            moves => moves.to_vec(),
        };
        let tables = self.options.tables.as_deref();
        let lines = request.lines.get().min(moves.len());
        let mut probe = tables.map_or(RootProbe::None, |tables| {
            root_probe::probe_root(tables, game, &moves, lines, deadline)
        });
        if let (RootProbe::None, Some(proofs)) = (&probe, &self.options.proofs) {
            probe = root_proofs::probe_root(&**proofs, game, &moves);
        }
        let is_ranked = matches!(probe, RootProbe::Moves { .. });
        let (mut moves, known): (Vec<RootMove>, _) = match probe {
            RootProbe::Lines(lines) => {
                let known = known_iteration(lines, started.elapsed());
                report(&known);
                return known;
            }
            RootProbe::Moves { moves, known } => {
                (moves.iter().map(|mv| RootMove::new(&mv.played, mv.proved())).collect(), known)
            }
            RootProbe::None => (moves.iter().map(|mv| RootMove::new(mv, None)).collect(), None),
        };
        // Contempt is relative to the root's side, so the scores of draws in the table are wrong
        // for the other side.
        let side = game.position().to_move;
        if self.root_side.replace(side) != Some(side) && self.options.contempt != 0 {
            self.table.clear();
        }
        self.table.new_search();
        // The threads modify the move histories while they share the rest.
        let mut move_histories = std::mem::take(&mut self.move_histories);
        let shared = self.shared(game, known, &request.limits, deadline);
        sort_unsearched(&mut moves, shared.preferred.filter(|_| !is_ranked));
        let last = root::run(&shared, &mut move_histories, &moves, lines.min(moves.len()), report);
        self.move_histories = move_histories;
        if let Some(line @ Line { score: Score::Win(_), .. }) = last.lines.first() {
            self.found_win = Some((*game.position(), line.clone()));
        }
        last
    }

    fn clear(&mut self) {
        self.table.clear();
        self.found_win = None;
        let area = self.rules.board.area();
        self.move_histories.iter_mut().for_each(|history| *history = MoveHistory::new(area));
    }
}

/// Returns the result for a position that the endgame tables or proofs solve without a search.
fn known_iteration(lines: Vec<Line>, time: Duration) -> Iteration {
    let (depth, nodes) = (1, 1);
    let is_proved = lines.iter().any(|line| line.score == Score::ProvedWin);
    Iteration {
        depth,
        is_complete: true,
        selective_depth: depth,
        lines,
        nodes,
        table_hits: if is_proved { 0 } else { nodes },
        time,
    }
}
