//! The search: deeper and deeper from the position on the board, on all threads.

mod memory;
mod node;
mod oracle;
mod ordering;
mod quiescence;
mod root;
mod score;
mod shared;
mod table;
#[cfg(test)]
mod tests;
mod worker;

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::time::Instant;

use crate::history::Game;
use crate::moves::legal_moves;
use crate::rules::{Endless, Ruleset, Side};
use crate::tablebase::Tablebase;
use crate::value::Wdl;

use super::evaluate::{Evaluator, Weights};
use super::ground::Ground;
use super::state::State;
use super::{EngineError, EngineOptions, Iteration, Limits, Line, Score};

use memory::Memory;
use oracle::{Advice, Advised, Oracle};
use root::RootMove;
use shared::Shared;
use table::TranspositionTable;
use worker::Visit;

/// An engine's search, whatever the size of its board.
pub(super) trait Search: Send {
    /// See [`Engine::search`](super::Engine::search).
    fn search(
        &mut self,
        game: &Game,
        limits: &Limits,
        stop: &AtomicBool,
        report: &mut dyn FnMut(&Iteration),
    ) -> Result<Iteration, EngineError>;

    /// Forgets all earlier searches.
    fn clear(&mut self);
}

/// The search for a ruleset's board.
///
/// # Errors
/// If there is not the memory that it is to take.
pub(super) fn for_rules(
    rules: &Arc<Ruleset>,
    options: &EngineOptions,
) -> Result<Box<dyn Search>, EngineError> {
    Ok(match rules.board.area().div_ceil(64) {
        1 => Box::new(Searcher::<1>::new(rules, options)?),
        2 => Box::new(Searcher::<2>::new(rules, options)?),
        3 => Box::new(Searcher::<3>::new(rules, options)?),
        _ => Box::new(Searcher::<6>::new(rules, options)?),
    })
}

/// What is kept from one search to the next.
struct Searcher<const W: usize> {
    rules: Arc<Ruleset>,
    options: EngineOptions,
    ground: Ground<W>,
    evaluator: Evaluator,
    table: TranspositionTable,
    /// One for each thread.
    memories: Vec<Memory>,
    /// The side that the last search was for.
    root_side: Option<Side>,
}

impl<const W: usize> Searcher<W> {
    fn new(rules: &Arc<Ruleset>, options: &EngineOptions) -> Result<Searcher<W>, EngineError> {
        let weights = options.weights.clone().unwrap_or_else(|| Weights::of(rules));
        let memories = (0..options.threads.get()).map(|_| Memory::new(rules.board.area()));
        Ok(Searcher {
            rules: Arc::clone(rules),
            ground: Ground::new(rules),
            evaluator: Evaluator::new(rules, &weights),
            table: TranspositionTable::new(options.table_bytes)?,
            memories: memories.collect(),
            root_side: None,
            options: options.clone(),
        })
    }

    /// The game's positions that can come back, and the one on the board.
    fn history(&self, game: &Game) -> Vec<Visit> {
        let is_uncounted = game.moves().is_empty() && !game.rules().repetition_counts_start;
        let since = usize::from(is_uncounted);
        let positions = game.earlier_positions().chain([game.position()]);
        let key = |position| State::new(&self.ground, position).key;
        positions.map(|position| Visit { key: key(position), since }).collect()
    }

    /// What the threads have in common when they search the game's position.
    fn shared<'a>(
        &'a self,
        game: &'a Game,
        known: Option<Wdl>,
        limits: &Limits,
        began: Instant,
        stop: &'a AtomicBool,
    ) -> Shared<'a, W> {
        Shared {
            rules: game.rules(),
            ground: &self.ground,
            evaluator: &self.evaluator,
            table: &self.table,
            oracle: Oracle::new(self.options.tables.as_deref(), game),
            root: State::new(&self.ground, game.position()),
            known,
            history: self.history(game),
            returns: game.rules().repetition_occurrence as usize - 1,
            contempt: self
                .options
                .contempt
                .clamp(-EngineOptions::MOST_CONTEMPT, EngineOptions::MOST_CONTEMPT),
            plies_left: game.plies_left().map(|left| left as usize),
            limits: *limits,
            began,
            stop,
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
        limits: &Limits,
        stop: &AtomicBool,
        report: &mut dyn FnMut(&Iteration),
    ) -> Result<Iteration, EngineError> {
        let began = Instant::now();
        let tables = self.options.tables.as_deref();
        let advice = tables.and_then(|tables| oracle::advice(tables, game));
        if let (Some(tables), Some(advice)) = (tables, advice.as_ref().filter(|a| a.is_certain)) {
            let lines = certain(game, tables, advice, self.options.lines.get());
            let (nodes, table_hits) = (1, 1);
            let time = began.elapsed();
            let known = Iteration { depth: 1, selective_depth: 1, lines, nodes, table_hits, time };
            report(&known);
            return Ok(known);
        }
        let known = advice.as_ref().and_then(Advice::outcome).filter(|outcome| match outcome {
            Wdl::Draw => game.rules().endless == Endless::Draw,
            // With a history, or a last ply, it may come to a draw.
            Wdl::Win | Wdl::Loss => game.moves().is_empty() && game.plies_left().is_none(),
        });
        let moves = root_moves(game, advice);
        let lines = self.options.lines.get().min(moves.len());
        // Contempt is the root's side's: draws in the table are worth what they are to it.
        let side = game.position().to_move;
        if self.root_side.replace(side) != Some(side) && self.options.contempt != 0 {
            self.table.clear();
        }
        self.table.age();
        // The threads change theirs while they share the rest.
        let mut memories = std::mem::take(&mut self.memories);
        let shared = self.shared(game, known, limits, began, stop);
        let last = root::run(&shared, &mut memories, &moves, lines, report);
        self.memories = memories;
        Ok(last)
    }

    fn clear(&mut self) {
        self.table.clear();
        let area = self.rules.board.area();
        self.memories.iter_mut().for_each(|memory| *memory = Memory::new(area));
    }
}

/// What needs no search: the tables know the best move and how far the end is.
fn certain(game: &Game, tables: &Tablebase, advice: &Advice, lines: usize) -> Vec<Line> {
    let line = |advised: &Advised| {
        let Advised { played, .. } = *advised;
        let mut moves = vec![played];
        let after = game.position().after(&played);
        if let (Score::Win(_) | Score::Loss(_), None) = (advised.score(), played.ending) {
            moves.extend(tables.line(&after).unwrap_or_default());
        }
        Line { score: advised.score(), moves }
    };
    advice.moves.iter().take(lines).map(line).collect()
}

/// The moves that are searched: all of them, or those that keep what the tables promise.
fn root_moves(game: &Game, advice: Option<Advice>) -> Vec<RootMove> {
    let moves = match advice {
        Some(advice) => advice.moves.iter().map(|advised| advised.played).collect(),
        None => legal_moves(game.rules(), game.position()),
    };
    moves.iter().map(RootMove::new).collect()
}
