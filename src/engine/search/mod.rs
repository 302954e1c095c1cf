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
mod worker;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::time::Instant;

use crate::history::Game;
use crate::moves::legal_moves;
use crate::rules::Ruleset;
use crate::tablebase::Tablebase;

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
pub(super) fn for_rules(rules: &Arc<Ruleset>, options: &EngineOptions) -> Box<dyn Search> {
    match rules.board.area().div_ceil(64) {
        1 => Box::new(Searcher::<1>::new(rules, options)),
        2 => Box::new(Searcher::<2>::new(rules, options)),
        3 => Box::new(Searcher::<3>::new(rules, options)),
        _ => Box::new(Searcher::<6>::new(rules, options)),
    }
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
}

impl<const W: usize> Searcher<W> {
    fn new(rules: &Arc<Ruleset>, options: &EngineOptions) -> Searcher<W> {
        let weights = options.weights.clone().unwrap_or_else(|| Weights::of(rules));
        let memories = (0..options.threads.get()).map(|_| Memory::new(rules.board.area()));
        Searcher {
            rules: Arc::clone(rules),
            ground: Ground::new(rules),
            evaluator: Evaluator::new(rules, &weights),
            table: TranspositionTable::new(options.table_bytes),
            memories: memories.collect(),
            options: options.clone(),
        }
    }

    /// The game's positions, as the search goes through them.
    fn history(&self, game: &Game) -> Vec<Visit> {
        let counted = u32::from(!self.rules.repetition_counts_start);
        let mut reversible = 0;
        let positions = game.positions().iter().enumerate();
        let visits = positions.map(|(number, position)| {
            let played = number.checked_sub(1).map(|last| &game.moves()[last]);
            reversible = match played {
                None => 0,
                Some(played) if !played.captured.is_empty() => 0,
                Some(_) => reversible + 1,
            };
            // The start is as far back as one can look, unless it does not count.
            let key = State::new(&self.ground, position).key;
            let from_start = number as u32;
            let reversible = if reversible == from_start {
                reversible.saturating_sub(counted)
            } else {
                reversible
            };
            Visit { key, reversible }
        });
        visits.collect()
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
        let root = State::new(&self.ground, game.position());
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
        let moves = root_moves(game, advice);
        let plies_left = game.plies_left().map(|left| left as usize);
        let history = self.history(game);
        self.table.age();
        let shared = Shared {
            rules: game.rules(),
            ground: &self.ground,
            evaluator: &self.evaluator,
            table: &self.table,
            oracle: Oracle::new(tables, game),
            root,
            history,
            returns: self.rules.repetition_occurrence as usize - 1,
            plies_left,
            limits: *limits,
            began,
            stop,
            finished: AtomicBool::new(false),
            is_single: self.memories.len() == 1,
            nodes: AtomicU64::new(0),
            table_hits: AtomicU64::new(0),
        };
        let lines = self.options.lines.get().min(moves.len());
        Ok(root::run(&shared, &mut self.memories, &moves, lines, report))
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
