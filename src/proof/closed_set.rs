//! Closed sets: the proof that a side does not win.
//!
//! A disproof of the search may rest on repetitions. Each holds on a line of its own, and together
//! they prove nothing. A *closed set* does: a set of positions that the prover cannot leave, and
//! in which it never wins. In each position with the prover to move, every move leads back into
//! the set or to a position that is decided for the other side, the *holder* (a win by the rules,
//! or a table value that is no win of the prover). In each position with the holder to move, one
//! such move is known.
//!
//! The set grows from the root, with one move of the holder in each of its positions. A position
//! that does not hold is broken, and with it every position of the prover before it; the holder
//! tries another move. If the root breaks, the table forgets the broken positions: another search
//! may disprove the root in another way.

use std::collections::HashMap;

use crate::engine::state::{State, Step};
use crate::game::rules::Side;
use crate::game::value::Wdl;

use super::canonical::Canonical;
use super::lookahead::{Judgement, each_step, judge};
use super::search::Worker;

/// How a position ends the strategy, by what a checker sees at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Leaf {
    /// Decided for the holder: a win by the rules, or a table value that suffices.
    Held,
    /// Decided against the holder.
    Lost,
    /// To be expanded.
    Inner,
}

impl<const W: usize> Worker<'_, '_, W> {
    /// Judges the current state by the rules and the tables alone. If `wins`, the holder is to
    /// win; otherwise it is only not to lose.
    pub(super) fn leaf(&self, holder: Side, wins: bool) -> Leaf {
        let is_held = match judge(&self.shared.board, &self.state) {
            Judgement::Won(winner) => winner == holder,
            _ => match self.probe() {
                None => return Leaf::Inner,
                Some(Wdl::Draw) => !wins,
                Some(wdl) => (wdl == Wdl::Win) == (self.state.to_move == holder),
            },
        };
        if is_held { Leaf::Held } else { Leaf::Lost }
    }

    /// Sets the state to a canonical position.
    pub(super) fn set(&mut self, position: &Canonical<W>) {
        let position = position.position(self.shared.rules);
        self.set_state(State::new(&self.shared.board, &position));
    }

    /// Returns the moves of the current state, one for each canonical position after it.
    pub(super) fn successors(&mut self) -> Vec<(Step, Canonical<W>)> {
        let board = &self.shared.board;
        let mut steps = Vec::new();
        each_step(board, &self.state, judge(board, &self.state), |step| steps.push(step));
        let mut successors: Vec<(Step, Canonical<W>)> = Vec::with_capacity(steps.len());
        for step in steps {
            let undo = self.state.play(board, step);
            let (canonical, _) = self.shared.symmetries.canonical(&self.state);
            self.state.take_back(board, step, undo);
            if successors.iter().all(|(_, other)| *other != canonical) {
                successors.push((step, canonical));
            }
        }
        successors
    }
}

/// The holder's move in each of its positions of a closed set.
pub(super) type Moves<const W: usize> = Vec<(Canonical<W>, Step)>;

/// The end of a search for a closed set.
pub(super) enum ClosedSet<const W: usize> {
    /// The holder's moves.
    Found(Moves<W>),
    /// The root does not hold.
    Broken,
    /// The limits were reached before.
    Unfinished,
}

/// What the search for a closed set needs of its caller.
pub(super) trait Helper<const W: usize> {
    /// Counts an expanded position. Returns whether another one may be expanded.
    fn count(&mut self) -> bool;

    /// Searches the worker's state, whose result is not in the table, and returns whether the
    /// prover's win is disproved.
    fn disproves(&mut self, worker: &Worker<'_, '_, W>) -> bool;
}

/// Seeks a closed set with the worker's current state in which the worker's side does not win.
pub(super) fn closed_set<const W: usize>(
    worker: &mut Worker<'_, '_, W>,
    helper: &mut impl Helper<W>,
) -> ClosedSet<W> {
    let root_state = worker.state.clone();
    let (root, _) = worker.shared.symmetries.canonical(&root_state);
    let mut growth =
        Growth { worker, helper, vertices: Vec::new(), ids: HashMap::new(), open: Vec::new() };
    growth.id(root);
    let is_finished = growth.grow();
    let is_broken = matches!(growth.vertices[ROOT].hold, Hold::Broken);
    let found = if is_broken {
        ClosedSet::Broken
    } else if is_finished {
        ClosedSet::Found(growth.moves())
    } else {
        ClosedSet::Unfinished
    };
    growth.forget_broken();
    worker.set_state(root_state);
    found
}

/// The number of a position in the growing set.
type VertexId = usize;

const ROOT: VertexId = 0;
/// The most positions of a set, which limits its memory.
const MAX_POSITIONS: usize = 4_000_000;

struct Vertex<const W: usize> {
    position: Canonical<W>,
    hold: Hold,
    /// The positions whose hold rests, or once rested, on this one.
    parents: Vec<VertexId>,
    /// With the holder to move, the moves that are left to try, the best one last; `None` before
    /// the position is expanded.
    untried: Option<Vec<(Step, Canonical<W>)>>,
}

/// Why a position holds.
#[derive(Clone)]
enum Hold {
    /// Not known yet.
    Pending,
    /// By the holder's move to this position, or to one that is decided.
    Move(Step, Option<VertexId>),
    /// The prover's moves lead to these positions, besides those that are decided.
    Replies(Vec<VertexId>),
    /// It does not hold.
    Broken,
}

/// The growth of a set.
struct Growth<'g, 'a, 't, const W: usize, H> {
    worker: &'g mut Worker<'a, 't, W>,
    helper: &'g mut H,
    vertices: Vec<Vertex<W>>,
    ids: HashMap<Canonical<W>, VertexId>,
    /// Positions to expand; some may no longer be pending, or needed.
    open: Vec<VertexId>,
}

impl<const W: usize, H: Helper<W>> Growth<'_, '_, '_, W, H> {
    /// Returns the number of a position, a new one if need be, and expands it later.
    fn id(&mut self, position: Canonical<W>) -> VertexId {
        let id = *self.ids.entry(position).or_insert_with(|| {
            let (hold, parents) = (Hold::Pending, Vec::new());
            self.vertices.push(Vertex { position, hold, parents, untried: None });
            self.vertices.len() - 1
        });
        if matches!(self.vertices[id].hold, Hold::Pending) {
            self.open.push(id);
        }
        id
    }

    /// Expands positions until all that are needed hold, or the root breaks. Returns false if the
    /// limits were reached before.
    fn grow(&mut self) -> bool {
        while let Some(id) = self.open.pop() {
            let is_pending = matches!(self.vertices[id].hold, Hold::Pending);
            if !is_pending || !self.is_needed(id) {
                continue;
            }
            let Vertex { position, untried, .. } = &self.vertices[id];
            let position = *position;
            // To try another move is no new expansion.
            let is_new = untried.is_none();
            if is_new && (self.vertices.len() >= MAX_POSITIONS || !self.helper.count()) {
                return false;
            }
            let hold = match position.to_move == self.worker.prover {
                true => self.replies(&position),
                false => self.holding_move(id, &position),
            };
            let Some(hold) = hold else {
                self.break_from(id);
                continue;
            };
            let next: &[VertexId] = match &hold {
                Hold::Replies(replies) => replies,
                Hold::Move(_, Some(after)) => std::slice::from_ref(after),
                _ => &[],
            };
            next.iter().for_each(|&after| self.vertices[after].parents.push(id));
            self.vertices[id].hold = hold;
        }
        true
    }

    /// Returns whether the hold of another position rests on this one.
    fn is_needed(&self, id: VertexId) -> bool {
        id == ROOT
            || self.vertices[id].parents.iter().any(|&parent| match self.vertices[parent].hold {
                Hold::Move(_, after) => after == Some(id),
                Hold::Replies(_) => true,
                Hold::Pending | Hold::Broken => false,
            })
    }

    /// Returns the hold of a position with the prover to move; `None` if it can leave the set.
    fn replies(&mut self, position: &Canonical<W>) -> Option<Hold> {
        self.worker.set(position);
        let holder = self.worker.prover.other();
        let mut replies = Vec::new();
        for (step, after) in self.worker.successors() {
            match self.ids.get(&after).map(|&id| &self.vertices[id].hold) {
                Some(Hold::Broken) => return None,
                Some(_) => replies.push(self.id(after)),
                None => {
                    let undo = self.worker.play(step);
                    let leaf = self.worker.leaf(holder, false);
                    let holds = leaf == Leaf::Held || leaf == Leaf::Inner && self.is_disproved();
                    self.worker.take_back(step, undo);
                    if !holds {
                        return None;
                    }
                    if leaf == Leaf::Inner {
                        replies.push(self.id(after));
                    }
                }
            }
        }
        Some(Hold::Replies(replies))
    }

    /// Returns whether the worker's state is disproved, if need be by another search.
    fn is_disproved(&mut self) -> bool {
        let numbers = self.worker.look_up();
        self.worker.is_disproved(numbers)
            || !self.worker.is_proved(numbers) && self.helper.disproves(self.worker)
    }

    /// Returns the hold of a position with the holder to move; `None` if no move is left to try.
    fn holding_move(&mut self, id: VertexId, position: &Canonical<W>) -> Option<Hold> {
        let mut untried = match self.vertices[id].untried.take() {
            Some(untried) => untried,
            None => match self.holding_moves(position) {
                Ok(untried) => untried,
                Err(step) => return Some(Hold::Move(step, None)),
            },
        };
        let hold = |after: &Canonical<W>| self.ids.get(after).map(|&id| &self.vertices[id].hold);
        untried.retain(|(_, after)| !matches!(hold(after), Some(Hold::Broken)));
        // A move back into the set lets it grow the least.
        let back = untried.iter().rposition(|(_, after)| hold(after).is_some());
        let chosen = back.map(|at| untried.remove(at)).or_else(|| untried.pop());
        self.vertices[id].untried = Some(untried);
        let (step, after) = chosen?;
        Some(Hold::Move(step, Some(self.id(after))))
    }

    /// Returns the holder's moves to disproved positions, that of the table last. The error is a
    /// move to a position that is decided for the holder.
    fn holding_moves(
        &mut self,
        position: &Canonical<W>,
    ) -> Result<Vec<(Step, Canonical<W>)>, Step> {
        self.worker.set(position);
        let holder = self.worker.prover.other();
        let stored = self.worker.solving_step(&self.worker.state);
        let mut moves = Vec::new();
        for (step, after) in self.worker.successors() {
            let undo = self.worker.play(step);
            let leaf = self.worker.leaf(holder, false);
            let is_disproved = leaf == Leaf::Inner && {
                let numbers = self.worker.look_up();
                self.worker.is_disproved(numbers)
            };
            self.worker.take_back(step, undo);
            if leaf == Leaf::Held {
                return Err(step);
            }
            if is_disproved || leaf == Leaf::Inner && self.ids.contains_key(&after) {
                moves.push((step, after));
            }
        }
        moves.sort_by_key(|&(step, _)| Some(step) == stored);
        Ok(moves)
    }

    /// Breaks a position and all of the prover's before it; the holder's choose again.
    fn break_from(&mut self, first: VertexId) {
        let mut breaking = vec![first];
        while let Some(id) = breaking.pop() {
            self.vertices[id].hold = Hold::Broken;
            for parent in std::mem::take(&mut self.vertices[id].parents) {
                match self.vertices[parent].hold {
                    Hold::Replies(_) => breaking.push(parent),
                    Hold::Move(_, after) if after == Some(id) => {
                        self.vertices[parent].hold = Hold::Pending;
                        self.open.push(parent);
                    }
                    _ => {}
                }
            }
        }
    }

    /// Returns the holder's moves in the positions that can be reached with them.
    fn moves(&self) -> Moves<W> {
        let mut moves = Vec::new();
        let mut is_reached = vec![false; self.vertices.len()];
        is_reached[ROOT] = true;
        let mut open = vec![ROOT];
        while let Some(id) = open.pop() {
            let Vertex { position, hold, .. } = &self.vertices[id];
            let next: &[VertexId] = match hold {
                Hold::Replies(replies) => replies,
                Hold::Move(step, after) => {
                    moves.push((*position, *step));
                    after.as_slice()
                }
                Hold::Pending | Hold::Broken => &[],
            };
            for &after in next {
                if !std::mem::replace(&mut is_reached[after], true) {
                    open.push(after);
                }
            }
        }
        moves
    }

    /// Removes the broken positions from the table.
    fn forget_broken(&mut self) {
        for vertex in self.vertices.iter().filter(|vertex| matches!(vertex.hold, Hold::Broken)) {
            self.worker.set(&vertex.position);
            self.worker.shared.table.forget(self.worker.key());
        }
    }
}
