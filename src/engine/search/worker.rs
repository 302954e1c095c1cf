//! One thread of a search: its position, the way there, and what it remembers.

use std::sync::atomic::Ordering;

use crate::game::rules::Repetition;

use super::move_history::MoveHistory;
use super::score::{Points, is_decided, lost_in, won_in};
use super::shared::Shared;
use super::table::Entry;
use crate::engine::bits::Bits;
use crate::engine::state::{State, Step, Undo};

/// No line is longer.
pub(super) const MAX_PLY: usize = 128;

/// A score that is the same whatever was played before.
pub(super) const PATH_INDEPENDENT: usize = usize::MAX;

/// Where the scores of a position's moves rest; see [`Worker::depends_on`].
pub(super) struct PathDependence {
    best: usize,
    any: usize,
}

impl PathDependence {
    pub(super) const NONE: PathDependence =
        PathDependence { best: PATH_INDEPENDENT, any: PATH_INDEPENDENT };

    /// One more move's score rests on `earlier`.
    #[inline]
    pub(super) fn add(&mut self, earlier: usize, is_best: bool) {
        self.any = self.any.min(earlier);
        if is_best {
            self.best = earlier;
        }
    }

    /// Where the position's score rests: on the best move's, or on all of them if it is
    /// lost, because each has to lose.
    #[inline]
    pub(super) fn of(&self, score: Points) -> usize {
        if score < 0 && is_decided(score) { self.any } else { self.best }
    }
}

/// A position on the way from the start of the game.
#[derive(Clone, Copy)]
pub(super) struct PathEntry {
    pub(super) key: u64,
    /// The first position of the way that can be equal: the one after the last capture,
    /// or the start, or the one after a start that does not count.
    pub(super) since: usize,
}

/// A move with what it promises.
#[derive(Clone, Copy)]
pub(super) struct Candidate {
    pub(super) step: Step,
    pub(super) priority: i32,
}

pub(super) struct Worker<'a, const W: usize> {
    pub(super) shared: &'a Shared<'a, W>,
    pub(super) move_history: &'a mut MoveHistory,
    pub(super) state: State<W>,
    /// All positions of the game and of the line that is looked at.
    pub(super) path: Vec<PathEntry>,
    /// The moves of the line that is looked at; [`Step::NONE`] for a pass.
    pub(super) steps: Vec<Step>,
    /// Passes in the line that is looked at.
    null_moves: u32,
    /// The moves of all nodes of the line, one node's after the other's.
    pub(super) candidates: Vec<Candidate>,
    /// The best line from each ply on.
    pub(super) pv: Vec<Vec<Step>>,
    pub(super) nodes: u64,
    pub(super) table_hits: u64,
    /// Those of them that the other threads have not been told of.
    pub(super) unreported_table_hits: u64,
    pub(super) selective_depth: usize,
    pub(super) stopped: bool,
    /// Positions after which this thread stops, whatever the others do.
    pub(super) max_nodes: u64,
    /// A line is being completed: the limits of the search do not count.
    pub(super) is_completing: bool,
    /// Where on the path the position is that the last score rests upon, because it came
    /// back: before that, the score would be another one. [`PATH_INDEPENDENT`] if it rests upon
    /// none.
    pub(super) depends_on: usize,
    /// The depth of this iteration: extensions stay in proportion to it.
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

    /// Enters a position; its score if there is nothing to search, or no time to.
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

    /// What earlier searches and this one have left of the position.
    #[inline]
    pub(super) fn probe_table(&self, ply: usize) -> Option<Entry> {
        self.shared.table.get(self.state.key, ply, &self.shared.validity)
    }

    /// Keeps what was found of the position for others who get here, unless it rests on
    /// the way to it: who comes another way may find something else. After a pass no
    /// position of the game comes back, on other ways one may.
    #[inline]
    pub(super) fn store(&self, entry: Entry) {
        let ignores_past =
            self.null_moves > 0 && self.shared.validity.this_search_only && is_decided(entry.score);
        if self.depends_on == PATH_INDEPENDENT && !ignores_past {
            self.shared.table.put(self.state.key, self.ply(), entry);
        }
    }

    /// The position's score rests on `earlier`: on nothing if that lies between here and
    /// the end of the line. A win because the other side must repeat is another matter:
    /// on another way here the winner may be the one who repeats.
    #[inline]
    pub(super) fn set_dependence(&mut self, earlier: usize, score: Points) {
        let here = self.path.len() - 1;
        let is_by_repetition =
            self.shared.rules.repetition == Repetition::MoverLoses && is_decided(score);
        self.depends_on =
            if earlier < here || is_by_repetition { earlier } else { PATH_INDEPENDENT };
    }

    /// Counts a position, and sees whether the search has to end.
    #[inline]
    fn count_node(&mut self, ply: usize) {
        /// Positions between two looks at the clock. Each may be the first in a large page of
        /// the table, which the system takes a millisecond or more to fill with zeros.
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

    /// Plays a move. If the game is over with that, by repetition or its last ply, the
    /// score for the side that would move next.
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

    /// Lets the other side move.
    pub(super) fn make_null_move(&mut self) {
        self.null_moves += 1;
        self.state.pass(self.shared.board);
        // What follows a pass is no position of the game: nothing comes back.
        self.path.push(PathEntry { key: self.state.key, since: self.path.len() });
        self.steps.push(Step::NONE);
    }

    /// Takes a pass back.
    pub(super) fn undo_null_move(&mut self) {
        self.null_moves -= 1;
        self.state.pass(self.shared.board);
        self.path.pop();
        self.steps.pop();
    }

    /// Plies from the root.
    pub(super) fn ply(&self) -> usize {
        self.steps.len()
    }

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
            });
        }
        if self.shared.validity.last_ply.is_some_and(|last| ply >= last) {
            // It counts from the start.
            self.depends_on = 0;
            let can_move = self.state.has_step(self.shared.board);
            return Some(if can_move { self.shared.draw(ply) } else { lost_in(ply) });
        }
        None
    }

    /// If the position at the end of the path has come back as often as counts, where the
    /// earliest of those that are needed for that is.
    #[inline]
    fn repeated(&self) -> Option<usize> {
        let last = self.path.len() - 1;
        let PathEntry { key, since } = self.path[last];
        // Those with the same side to move, beginning with the nearest that can be equal.
        let mut earlier = (since..last).rev().skip(3).step_by(2);
        let mut equal = earlier.by_ref().filter(|&at| self.path[at].key == key);
        equal.nth(self.shared.earlier_occurrences - 1)
    }

    /// Adds the moves that would bring an earlier position back for a draw; what captures
    /// brings none back.
    pub(super) fn add_repetitions(&mut self, captures: Bits<W>) {
        let last = self.path.len() - 1;
        let since = self.path[last].since;
        if self.shared.rules.repetition != Repetition::Draw || last < since + 3 {
            return;
        }
        let board = &self.shared.board;
        let key = self.state.key;
        // The positions with the other side to move that can come back.
        let window = &self.path[since..last];
        let candidates = &mut self.candidates;
        self.state.each_step(board, |step| {
            if captures.contains(step.to()) {
                return;
            }
            let kind = self.state.kind(step.from());
            let change = board.key(kind, step.from()) ^ board.key(kind, step.to());
            let after = key ^ change ^ board.side_key;
            let again = window.iter().rev().skip(2).step_by(2);
            if again.filter(|visit| visit.key == after).count() >= self.shared.earlier_occurrences {
                candidates.push(Candidate { step, priority: 0 });
            }
        });
    }

    /// The best line from this ply on begins with this move and goes on as the next
    /// ply's.
    #[inline]
    pub(super) fn update_pv(&mut self, ply: usize, step: Step) {
        let (here, there) = self.pv.split_at_mut(ply + 1);
        let line = &mut here[ply];
        line.clear();
        line.push(step);
        line.extend_from_slice(&there[0]);
    }
}
