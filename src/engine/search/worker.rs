//! A search thread: its position, the path to it, and its statistics.

use std::sync::atomic::Ordering;

use crate::engine::bits::Bits;
use crate::engine::state::{State, Step, Undo};
use crate::game::rules::{Kind, Repetition, Side};

use super::candidate::Candidate;
use super::move_history::MoveHistory;
use super::path::{MAX_PLY, PATH_INDEPENDENT, PathEntry};
use super::score::{BARRED, MAX_ESTIMATE, Points, is_decided, lost_in, won_in};
use super::shared::Shared;
use super::table::{Bound, Entry};

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
            let entry = if self.shared.wins_may_be_barred { self.estimated(entry) } else { entry };
            self.shared.table.put(self.state.key, self.ply(), entry);
        }
    }

    /// Returns an entry that holds on other paths, where a move by which the defenders win may be
    /// barred: their wins become estimates.
    #[cold]
    fn estimated(&self, entry: Entry) -> Entry {
        let winner = if entry.score > 0 { self.state.to_move } else { self.state.to_move.other() };
        if !is_decided(entry.score) || winner == Side::Attackers {
            return entry;
        }
        let bound = match entry.bound {
            Some(Bound::Exact | Bound::Lower) if entry.score > 0 => Some(Bound::Lower),
            Some(Bound::Exact | Bound::Upper) if entry.score < 0 => Some(Bound::Upper),
            _ => None,
        };
        Entry { score: entry.score.clamp(-MAX_ESTIMATE, MAX_ESTIMATE), bound, ..entry }
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

    /// Plays a move. If a fort, an encirclement, a repetition or the ply limit ends the game, or the
    /// move is barred, returns the score for the side that would move next.
    #[inline]
    pub(super) fn play(&mut self, step: Step) -> (Undo<W>, Option<Points>) {
        let undo = self.state.play(self.shared.board, step);
        self.shared.table.prefetch(self.state.key);
        let here = self.path.len();
        let since = if undo.captured.is_empty() { self.path[here - 1].since } else { here };
        self.path.push(PathEntry { key: self.state.key, since });
        self.steps.push(step);
        let ended = self.game_end(step);
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

    /// Returns the score for the side to move if the move just played ends the game without a
    /// capture of the king or his escape, or is barred.
    #[inline]
    fn game_end(&mut self, step: Step) -> Option<Points> {
        let rules = &self.shared.rules;
        let ply = self.ply();
        let repeated = match rules.repetition {
            Repetition::Allowed => None,
            Repetition::DefendersBarred => self.barred(step),
            Repetition::Draw | Repetition::MoverLoses | Repetition::DefendersLose => {
                self.repeated()
            }
        };
        if let Some(earlier) = repeated {
            self.depends_on = earlier;
            return Some(match (rules.repetition, self.state.to_move) {
                (Repetition::MoverLoses, _) => won_in(ply),
                (Repetition::DefendersLose, Side::Attackers) => won_in(ply),
                (Repetition::DefendersLose, Side::Defenders) => lost_in(ply),
                (Repetition::DefendersBarred, _) => BARRED,
                (Repetition::Draw | Repetition::Allowed, _) => self.shared.draw(ply),
            });
        }
        if self.state.region_winner(self.shared.board).is_some() {
            self.depends_on = PATH_INDEPENDENT;
            return Some(lost_in(ply));
        }
        if self.shared.validity.last_ply.is_some_and(|last| ply >= last) {
            // The ply limit counts from the start of the game.
            self.depends_on = 0;
            return Some(if self.can_move() { self.shared.draw(ply) } else { lost_in(ply) });
        }
        None
    }

    /// Returns whether the side to move has a legal move that is not barred.
    fn can_move(&mut self) -> bool {
        let board = self.shared.board;
        let can_be_barred = self.shared.rules.repetition == Repetition::DefendersBarred
            && self.state.to_move == Side::Defenders;
        if !can_be_barred {
            return self.state.has_step(board);
        }
        let last = self.path.len() - 1;
        self.state.steps(board).into_iter().any(|step| {
            let kind = self.state.mover_kind(step.from());
            self.restored(last, kind, step).is_none()
        })
    }

    /// Returns the index of the earliest occurrence that counts if the move just played brings back
    /// a board against the rules.
    #[cold]
    fn barred(&self, step: Step) -> Option<usize> {
        if self.state.to_move == Side::Defenders {
            return None;
        }
        let kind = if step.to() == self.state.king { Kind::King } else { Kind::Defender };
        self.restored(self.path.len() - 2, kind, step)
    }

    /// Returns the index of the earliest occurrence that counts of the board after a move, before
    /// its captures, from the position with index `from` on the path. The side to move does not
    /// count.
    fn restored(&self, from: usize, kind: Kind, step: Step) -> Option<usize> {
        let board = self.shared.board;
        let PathEntry { key, since } = self.path[from];
        let moved = key ^ board.key(kind, step.from()) ^ board.key(kind, step.to());
        // The sides alternate on the path.
        let side_keys = [0, board.side_key];
        let is_equal = |&at: &usize| self.path[at].key ^ side_keys[(from - at) % 2] == moved;
        (since..from).rev().filter(is_equal).nth(self.shared.earlier_occurrences - 1)
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

    /// Adds the moves that draw or win by repetition. Captures cannot repeat a position.
    pub(super) fn add_repetitions(&mut self, captures: Bits<W>) {
        let last = self.path.len() - 1;
        let since = self.path[last].since;
        let saves = match self.shared.rules.repetition {
            Repetition::Draw => true,
            Repetition::DefendersLose => self.state.to_move == Side::Attackers,
            Repetition::Allowed | Repetition::MoverLoses | Repetition::DefendersBarred => false,
        };
        if !saves || last < since + 3 {
            return;
        }
        let board = &self.shared.board;
        let key = self.state.key;
        // The positions that can be repeated.
        let window = &self.path[since..last];
        let candidates = &mut self.candidates;
        self.state.each_step(board, |step| {
            if self.state.is_capture(board, &captures, step) {
                return;
            }
            let kind = self.state.mover_kind(step.from());
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
