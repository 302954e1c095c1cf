use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use crate::engine::Limits;
use crate::engine::board_tables::BoardTables;
use crate::engine::evaluate::Evaluator;
use crate::engine::state::State;
use crate::game::rules::Ruleset;
use crate::game::value::Wdl;

use super::oracle::Oracle;
use super::score::Points;
use super::table::{TranspositionTable, Validity};
use super::worker::PathEntry;

/// What all threads of a search have in common.
pub(super) struct Shared<'a, const W: usize> {
    pub(super) rules: &'a Arc<Ruleset>,
    pub(super) board: &'a BoardTables<W>,
    pub(super) evaluator: &'a Evaluator,
    pub(super) table: &'a TranspositionTable,
    pub(super) oracle: Oracle<'a>,
    pub(super) root: State<W>,
    /// What the root is worth by the tables, if they know it: a win or a draw.
    pub(super) root_wdl: Option<Wdl>,
    /// What of the transposition table holds for this game.
    pub(super) validity: Validity,
    /// The game's positions up to the root.
    pub(super) history: Vec<PathEntry>,
    /// How many earlier occurrences of a position end the game.
    pub(super) earlier_occurrences: usize,
    /// How much less than nothing a draw is to the side to move at the root.
    pub(super) contempt: Points,
    pub(super) limits: Limits,
    pub(super) started: Instant,
    /// Set by whoever wants an answer now.
    pub(super) stop: &'a AtomicBool,
    /// Set when the first thread is through.
    pub(super) finished: AtomicBool,
    /// One thread alone: its own count of positions is exact.
    pub(super) is_single: bool,
    /// Positions of all threads, but for the last few of each.
    pub(super) nodes: AtomicU64,
    /// Those of them that the tables have answered.
    pub(super) table_hits: AtomicU64,
}

impl<const W: usize> Shared<'_, W> {
    /// A draw, so many plies from the root.
    #[inline]
    pub(super) fn draw(&self, ply: usize) -> Points {
        if ply.is_multiple_of(2) { -self.contempt } else { self.contempt }
    }

    /// The helpers have nothing more to do.
    pub(super) fn finish(&self) {
        self.finished.store(true, Ordering::Relaxed);
    }

    /// Whether somebody has stopped the search, or a limit is reached.
    pub(super) fn is_over(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
            || self.finished.load(Ordering::Relaxed)
            || self.limits.time.is_some_and(|most| self.started.elapsed() >= most)
            || !self.is_single
                && self.limits.nodes.is_some_and(|most| self.nodes.load(Ordering::Relaxed) >= most)
    }
}
