use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::engine::board_tables::BoardTables;
use crate::engine::evaluate::Evaluator;
use crate::engine::limits::Limits;
use crate::engine::state::{State, Step};
use crate::game::rules::Ruleset;

use super::oracle::Oracle;
use super::path::PathEntry;
use super::root_probe::KnownValue;
use super::score::Points;
use super::table::{TranspositionTable, Validity};

/// The time at which a search must end, or its being stopped.
#[derive(Clone, Copy)]
pub(super) struct Deadline<'a> {
    pub(super) started: Instant,
    /// The maximum time since then.
    pub(super) time: Option<Duration>,
    /// Set to stop the search from outside.
    pub(super) stop: &'a AtomicBool,
}

impl Deadline<'_> {
    /// Returns whether the search was stopped or its time is up.
    pub(super) fn is_over(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
            || self.time.is_some_and(|most| self.started.elapsed() >= most)
    }
}

/// The state shared by all threads of a search.
pub(super) struct Shared<'a, const W: usize> {
    pub(super) rules: &'a Arc<Ruleset>,
    pub(super) board: &'a BoardTables<W>,
    pub(super) evaluator: &'a Evaluator,
    pub(super) table: &'a TranspositionTable,
    pub(super) oracle: Oracle<'a>,
    pub(super) root: State<W>,
    /// The value of the root, if tables or proofs know it but leave the choice of the move.
    pub(super) root_value: Option<KnownValue>,
    /// The plies within which the side to move wins by an earlier search.
    pub(super) expected_win: Option<usize>,
    /// The move that an earlier search preferred.
    pub(super) preferred: Option<Step>,
    /// The entries of the transposition table that hold for this game.
    pub(super) validity: Validity,
    /// The game's positions up to the root.
    pub(super) history: Vec<PathEntry>,
    /// The number of earlier occurrences of a position that end the game.
    pub(super) earlier_occurrences: usize,
    /// Whether a win of the defenders may be barred on another path.
    pub(super) wins_may_be_barred: bool,
    /// The penalty for a draw to the side to move at the root.
    pub(super) contempt: Points,
    pub(super) limits: Limits,
    pub(super) deadline: Deadline<'a>,
    /// Set when the first thread has finished.
    pub(super) finished: AtomicBool,
    /// Whether there is only one thread, whose own node count is exact.
    pub(super) is_single: bool,
    /// The nodes of all threads, except for the last few of each.
    pub(super) nodes: AtomicU64,
    /// The nodes whose score came from the endgame tables.
    pub(super) table_hits: AtomicU64,
}

impl<const W: usize> Shared<'_, W> {
    /// Returns the score of a draw at this ply from the root.
    #[inline]
    pub(super) fn draw(&self, ply: usize) -> Points {
        if ply.is_multiple_of(2) { -self.contempt } else { self.contempt }
    }

    /// Stops the helpers.
    pub(super) fn finish(&self) {
        self.finished.store(true, Ordering::Relaxed);
    }

    /// Returns whether the search was stopped or has reached a limit.
    pub(super) fn is_over(&self) -> bool {
        self.deadline.is_over()
            || self.finished.load(Ordering::Relaxed)
            || !self.is_single
                && self.limits.nodes.is_some_and(|most| self.nodes.load(Ordering::Relaxed) >= most)
    }
}
