//! Closed sets: the proof that a side does not win.
//!
//! A disproof of the search may rest on repetitions, each on a line of its own, and prove
//! nothing together. A *closed set* does: positions without a win for the prover in one move,
//! in which every move of the prover leads back into the set, to a table position that the prover
//! does not win, or to a win of the other side, the *holder*, and the holder has such a move in
//! each of its positions. Whatever the prover plays, the game stays in the set.
//!
//! The set is made from the disproved positions below the root: those that do not hold are
//! deleted until all that are left do. If the root is deleted, the table forgets the deleted
//! positions, and another search may find others.

use std::collections::HashMap;

use crate::engine::state::{State, Step};
use crate::game::rules::Side;
use crate::game::value::Wdl;

use super::canonical::Canonical;
use super::lookahead::{Verdict, each_step, judge};
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
    /// Judges the current state by the rules and the tables alone. With `wins` the holder is to
    /// win, else not to lose.
    pub(super) fn leaf(&self, holder: Side, wins: bool) -> Leaf {
        if let Verdict::Won(winner) = judge(&self.shared.board, &self.state) {
            return if winner == holder { Leaf::Held } else { Leaf::Lost };
        }
        match self.probe() {
            None => Leaf::Inner,
            Some(Wdl::Draw) => {
                if wins {
                    Leaf::Lost
                } else {
                    Leaf::Held
                }
            }
            Some(wdl) if (wdl == Wdl::Win) == (self.state.to_move == holder) => Leaf::Held,
            Some(_) => Leaf::Lost,
        }
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

/// A position of a graph of disproved positions.
struct Vertex<const W: usize> {
    position: Canonical<W>,
    /// The moves to other vertices of the graph.
    moves: Vec<(Step, usize)>,
    /// The holder's move to a leaf that is held.
    held: Option<Step>,
    /// Whether the prover has a move that leads out of the set.
    is_broken: bool,
    is_deleted: bool,
}

/// The holder's move in each of its positions of a closed set.
pub(super) type Moves<const W: usize> = Vec<(Canonical<W>, Step)>;

/// The most positions of a graph.
const MAX_POSITIONS: usize = 4_000_000;

/// Tries to make a closed set with the root, the worker's current state, in which its prover does
/// not win. `search` is called for positions whose disproof has been lost from the table, and
/// returns whether they are disproved again.
pub(super) fn closed_set<const W: usize>(
    worker: &mut Worker<'_, '_, W>,
    mut search: impl FnMut(&mut Worker<'_, '_, W>) -> bool,
) -> Option<Moves<W>> {
    let root_state = worker.state.clone();
    let (root, _) = worker.shared.symmetries.canonical(&root_state);
    let mut graph = Graph { vertices: Vec::new(), numbers: HashMap::new() };
    graph.number(root);
    let mut next = 0;
    while next < graph.vertices.len() && graph.vertices.len() < MAX_POSITIONS {
        graph.expand(next, worker, &mut search);
        next += 1;
    }
    // What was not expanded does not hold.
    graph.vertices[next..].iter_mut().for_each(|vertex| vertex.is_broken = true);
    let holder = worker.prover.other();
    graph.delete_broken(holder);
    let is_closed = !graph.vertices[0].is_deleted;
    if !is_closed {
        for vertex in graph.vertices.iter().filter(|vertex| vertex.is_deleted) {
            worker.set(&vertex.position);
            worker.shared.table.forget(worker.key());
        }
    }
    worker.set_state(root_state);
    is_closed.then(|| graph.moves(holder))
}

struct Graph<const W: usize> {
    vertices: Vec<Vertex<W>>,
    numbers: HashMap<Canonical<W>, usize>,
}

impl<const W: usize> Graph<W> {
    /// Returns the number of a position's vertex, a new one if need be.
    fn number(&mut self, position: Canonical<W>) -> usize {
        *self.numbers.entry(position).or_insert_with(|| {
            self.vertices.push(Vertex {
                position,
                moves: Vec::new(),
                held: None,
                is_broken: false,
                is_deleted: false,
            });
            self.vertices.len() - 1
        })
    }

    fn expand(
        &mut self,
        number: usize,
        worker: &mut Worker<'_, '_, W>,
        search: &mut impl FnMut(&mut Worker<'_, '_, W>) -> bool,
    ) {
        let position = self.vertices[number].position;
        let holder = worker.prover.other();
        let is_holder = position.to_move == holder;
        worker.set(&position);
        let successors = worker.successors();
        let (mut moves, mut held, mut is_broken) = (Vec::new(), None, false);
        for (step, successor) in successors {
            worker.set(&successor);
            match worker.leaf(holder, false) {
                Leaf::Held => {
                    held = Some(step);
                    if is_holder {
                        break;
                    }
                }
                Leaf::Lost => is_broken |= !is_holder,
                Leaf::Inner => {
                    let numbers = worker.look_up();
                    let is_known = self.numbers.contains_key(&successor)
                        || worker.is_disproved(numbers)
                        || !is_holder && !worker.is_proved(numbers) && search(worker);
                    if is_known {
                        moves.push((step, self.number(successor)));
                    } else {
                        is_broken |= !is_holder;
                    }
                }
            }
        }
        let vertex = &mut self.vertices[number];
        if is_holder {
            vertex.held = held;
        }
        vertex.is_broken = is_broken;
        if !is_broken && vertex.held.is_none() {
            vertex.moves = moves;
        }
    }

    /// Deletes the positions that do not hold, with all that lose their hold by that.
    fn delete_broken(&mut self, holder: Side) {
        let mut parents = vec![Vec::new(); self.vertices.len()];
        let mut open_moves: Vec<usize> = Vec::with_capacity(self.vertices.len());
        let mut deleted = Vec::new();
        for (number, vertex) in self.vertices.iter().enumerate() {
            vertex.moves.iter().for_each(|&(_, child)| parents[child].push(number));
            open_moves.push(vertex.moves.len());
            let is_lost = vertex.position.to_move == holder
                && vertex.held.is_none()
                && vertex.moves.is_empty();
            if vertex.is_broken || is_lost {
                deleted.push(number);
            }
        }
        deleted.iter().for_each(|&number| self.vertices[number].is_deleted = true);
        while let Some(number) = deleted.pop() {
            for &parent in &parents[number] {
                open_moves[parent] -= 1;
                let vertex = &mut self.vertices[parent];
                let is_lost = vertex.position.to_move != holder || open_moves[parent] == 0;
                if is_lost && !vertex.is_deleted {
                    vertex.is_deleted = true;
                    deleted.push(parent);
                }
            }
        }
    }

    /// Returns the holder's moves in the positions that can be reached with them.
    fn moves(&self, holder: Side) -> Moves<W> {
        let mut moves = Vec::new();
        let mut is_reached = vec![false; self.vertices.len()];
        is_reached[0] = true;
        let mut open = vec![0];
        while let Some(number) = open.pop() {
            let vertex = &self.vertices[number];
            let next: Vec<(Step, usize)> = if vertex.position.to_move == holder {
                let kept = vertex.moves.iter().find(|(_, child)| !self.vertices[*child].is_deleted);
                let step = vertex.held.or(kept.map(|(step, _)| *step));
                moves.extend(step.map(|step| (vertex.position, step)));
                if vertex.held.is_some() { Vec::new() } else { kept.copied().into_iter().collect() }
            } else {
                vertex.moves.clone()
            };
            for (_, child) in next {
                if !std::mem::replace(&mut is_reached[child], true) {
                    open.push(child);
                }
            }
        }
        moves
    }
}
