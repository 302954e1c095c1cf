//! A search thread: its position, the path to it, and its statistics.

use std::sync::atomic::Ordering;

use crate::engine::bits::Bits;
use crate::engine::state::{State, Step, Undo};
use crate::game::rules::Repetition;

use super::candidate::Candidate;
use super::move_history::MoveHistory;
use super::path::{MAX_PLY, PATH_INDEPENDENT, PathEntry};
use super::score::{Points, is_decided, lost_in, won_in};
use super::shared::Shared;
use super::table::Entry;

/// A search thread.
pub(super) struct Worker<'a, const W: usize> {
    pub(super) shared: &'a Shared<'a, W>,
    pub(super) move_history: &'a mut MoveHistory,
    pub(super) state: State<W>,
    /// The positions of the game and of the current line.
    pub(super) path: Vec<PathEntry>,
    /// The moves of the current line; [`Step::NONE`] for a null move.
    pub(super) steps: Vec<Step>,
    /// The number of null moves in the current line.
    null_moves: u32,
    /// A stack of the moves of all nodes of the current line.
    pub(super) candidates: Vec<Candidate>,
    /// The triangular PV table: the best line from each ply on.
    pub(super) pv: Vec<Vec<Step>>,
    pub(super) nodes: u64,
    pub(super) table_hits: u64,
    /// The table hits not yet added to the shared count.
    pub(super) unreported_table_hits: u64,
    pub(super) selective_depth: usize,
    pub(super) stopped: bool,
    /// The number of nodes after which this thread stops.
    pub(super) max_nodes: u64,
    /// Whether a line is being completed, so that the limits of the search do not apply.
    pub(super) is_completing: bool,
    /// The index on the path of the earliest position that the last score depends on because of
    /// a repetition; [`PATH_INDEPENDENT`] if there is none. Reached by another path, the node may
    /// have another score.
    pub(super) depends_on: usize,
    /// The depth of this iteration, which bounds extensions.
    pub(super) root_depth: i32,
}

impl<'a, const W: usize> Worker<'a, W> {
    pub(super) fn new(
        shared: &'a Shared<'a, W>,
        move_history: &'a mut MoveHistory,
    ) -> Worker<'a, W> {
        let mut path = shared.history.clone();
        path.reserve(MAX_PLY + 1);
        Worker {
            shared,
            move_history,
            state: shared.root.clone(),
            path,
            steps: Vec::with_capacity(MAX_PLY + 1),
            null_moves: 0,
            candidates: Vec::with_capacity(MAX_PLY * 64),
            pv: (0..=MAX_PLY).map(|_| Vec::with_capacity(MAX_PLY)).collect(),
            nodes: 0,
            table_hits: 0,
            unreported_table_hits: 0,
            selective_depth: 0,
            stopped: false,
            max_nodes: shared.limits.nodes.filter(|_| shared.is_single).unwrap_or(u64::MAX),
            is_completing: false,
            depends_on: PATH_INDEPENDENT,
            root_depth: 0,
        }
    }

    /// Enters a node; returns its score if there is nothing to search, or the search is stopped.
    #[inline]
    pub(super) fn enter(&mut self, ply: usize) -> Option<Points> {
        self.count_node(ply);
        self.pv[ply].clear();
        self.depends_on = PATH_INDEPENDENT;
        if self.stopped {
            return Some(0);
        }
        if self.state.winning_step(self.shared.board).is_some() {
            return Some(won_in(ply + 1));
        }
        (ply >= MAX_PLY - 1).then(|| self.estimate())
    }

    /// Probes the transposition table.
    #[inline]
    pub(super) fn probe_table(&self, ply: usize) -> Option<Entry> {
        self.shared.table.get(self.state.key, ply, &self.shared.validity)
    }

    /// Stores an entry for the node, unless its score depends on the path. After a null move no
    /// position of the game can be repeated, but on other paths it can, so decided scores are not
    /// stored there either.
    #[inline]
    pub(super) fn store(&self, entry: Entry) {
        let ignores_past =
            self.null_moves > 0 && self.shared.validity.this_search_only && is_decided(entry.score);
        if self.depends_on == PATH_INDEPENDENT && !ignores_past {
            self.shared.table.put(self.state.key, self.ply(), entry);
        }
    }

    /// Sets the dependence of the node's score: `earlier`, or none if that is this node or a later
    /// one. A win because the other side must repeat always depends on the path: by another path
    /// the winner may be the side that has to repeat.
    #[inline]
    pub(super) fn set_dependence(&mut self, earlier: usize, score: Points) {
        let here = self.path.len() - 1;
        let is_by_repetition =
            self.shared.rules.repetition == Repetition::MoverLoses && is_decided(score);
        self.depends_on =
            if earlier < here || is_by_repetition { earlier } else { PATH_INDEPENDENT };
    }

    /// Counts a node, and checks the limits now and then.
    #[inline]
    fn count_node(&mut self, ply: usize) {
        /// The number of nodes between two checks of the clock. It is small because each node may
        /// be the first to touch a large page of the table, which the system takes a millisecond
        /// or more to zero.
        const INTERVAL: u64 = 1 << 5;
        self.nodes += 1;
        self.selective_depth = self.selective_depth.max(ply);
        if self.nodes.is_multiple_of(INTERVAL) && !self.is_completing {
            self.shared.nodes.fetch_add(INTERVAL, Ordering::Relaxed);
            self.shared.table_hits.fetch_add(self.unreported_table_hits, Ordering::Relaxed);
            self.unreported_table_hits = 0;
            self.stopped |= self.shared.is_over();
        }
        if self.nodes >= self.max_nodes {
            self.stopped = true;
        }
    }

    /// Plays a move. If a repetition or the ply limit ends the game, returns the score for the side
    /// that would move next.
    #[inline]
    pub(super) fn play(&mut self, step: Step) -> (Undo<W>, Option<Points>) {
        let undo = self.state.play(self.shared.board, step);
        self.shared.table.prefetch(self.state.key);
        let here = self.path.len();
        let since = if undo.captured.is_empty() { self.path[here - 1].since } else { here };
        self.path.push(PathEntry { key: self.state.key, since });
        self.steps.push(step);
        let ended = self.game_end();
        if ended.is_some() {
            let ply = self.ply();
            self.pv[ply].clear();
        }
        (undo, ended)
    }

    #[inline]
    pub(super) fn take_back(&mut self, step: Step, undo: Undo<W>) {
        self.state.take_back(self.shared.board, step, undo);
        self.path.pop();
        self.steps.pop();
    }

    /// Passes the turn to the other side.
    pub(super) fn make_null_move(&mut self) {
        self.null_moves += 1;
        self.state.pass(self.shared.board);
        // Positions after a null move are not positions of the game, so they repeat none.
        self.path.push(PathEntry { key: self.state.key, since: self.path.len() });
        self.steps.push(Step::NONE);
    }

    /// Takes back a null move.
    pub(super) fn undo_null_move(&mut self) {
        self.null_moves -= 1;
        self.state.pass(self.shared.board);
        self.path.pop();
        self.steps.pop();
    }

    /// Returns the distance from the root in plies.
    pub(super) fn ply(&self) -> usize {
        self.steps.len()
    }

    /// Returns the score for the side to move if a repetition or the ply limit ends the game.
    #[inline]
    fn game_end(&mut self) -> Option<Points> {
        let rules = &self.shared.rules;
        let ply = self.ply();
        if rules.repetition != Repetition::Allowed
            && let Some(earlier) = self.repeated()
        {
            self.depends_on = earlier;
            return Some(match rules.repetition {
                Repetition::MoverLoses => won_in(ply),
                Repetition::Draw | Repetition::Allowed => self.shared.draw(ply),
                // The engine refuses these rules.
                Repetition::DefendersLose | Repetition::DefendersBarred => self.shared.draw(ply),
            });
        }
        if self.shared.validity.last_ply.is_some_and(|last| ply >= last) {
            // The ply limit counts from the start of the game.
            self.depends_on = 0;
            let can_move = self.state.has_step(self.shared.board);
            return Some(if can_move { self.shared.draw(ply) } else { lost_in(ply) });
        }
        None
    }

    /// Returns the index of the earliest occurrence that counts if the last position of the path
    /// ends the game by repetition.
    #[inline]
    fn repeated(&self) -> Option<usize> {
        let last = self.path.len() - 1;
        let PathEntry { key, since } = self.path[last];
        // Positions with the same side to move, from the nearest that can be equal: four plies
        // back.
        let mut earlier = (since..last).rev().skip(3).step_by(2);
        let mut equal = earlier.by_ref().filter(|&at| self.path[at].key == key);
        equal.nth(self.shared.earlier_occurrences - 1)
    }

    /// Adds the moves that draw by repetition. Captures cannot repeat a position.
    pub(super) fn add_repetitions(&mut self, captures: Bits<W>) {
        let last = self.path.len() - 1;
        let since = self.path[last].since;
        if self.shared.rules.repetition != Repetition::Draw || last < since + 3 {
            return;
        }
        let board = &self.shared.board;
        let key = self.state.key;
        // The positions that can be repeated.
        let window = &self.path[since..last];
        let candidates = &mut self.candidates;
        self.state.each_step(board, |step| {
            if captures.contains(step.to()) {
                return;
            }
            let kind = self.state.kind(step.from());
            let change = board.key(kind, step.from()) ^ board.key(kind, step.to());
            let after = key ^ change ^ board.side_key;
            // Only those with the other side to move are compared.
            let again = window.iter().rev().skip(2).step_by(2);
            if again.filter(|visit| visit.key == after).count() >= self.shared.earlier_occurrences {
                candidates.push(Candidate { step, priority: 0 });
            }
        });
    }

    /// Sets the best line from this ply on: this move, followed by the best line from the next
    /// ply.
    #[inline]
    pub(super) fn update_pv(&mut self, ply: usize, step: Step) {
        let (here, there) = self.pv.split_at_mut(ply + 1);
        let line = &mut here[ply];
        line.clear();
        line.push(step);
        line.extend_from_slice(&there[0]);
    }
}
