//! Closed sets: the proof that a side does not win.
//!
//! A disproof of the search may rest on repetitions. Each holds on a line of its own, and together
//! they prove nothing. A *closed set* does: a set of positions that the prover cannot leave, and
//! in which it never wins. In each position with the prover to move, every move leads back into
//! the set or to a position that is decided for the other side, the *holder* (a win by the rules,
//! or a table value that is no win of the prover). In each position with the holder to move, one
//! such move is known.
//!
//! The set is made from the disproved positions below the root, with all moves of the holder to such
//! positions: those that do not hold are deleted until all that are left do. (A set with one move of
//! the holder in each position would be smaller, but was not found for several drawn starts.) If the
//! root is deleted, the table forgets the deleted positions: another search may disprove the root in
//! another way.

use std::collections::HashMap;

use crate::engine::state::Step;
use crate::game::rules::Side;
use crate::proof::canonical::Canonical;
use crate::proof::search::Worker;
use crate::proof::walk::Leaf;

use super::two_questions::Prover;

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
    /// The graph would have too many positions, however long the search takes.
    TooLarge,
}

/// Seeks a closed set with the prover's root in which this side does not win, until the prover's node
/// count reaches `limit`.
pub(super) fn closed_set<const W: usize>(
    prover: &mut Prover<'_, '_, W>,
    side: Side,
    limit: u64,
) -> ClosedSet<W> {
    let worker = prover.worker(side);
    let root = worker.canonical();
    let mut graph = Graph { worker, prover, limit, vertices: Vec::new(), ids: HashMap::new() };
    graph.id(root);
    if let Err(end) = graph.grow() {
        return end;
    }
    graph.delete_broken();
    if graph.vertices[ROOT].is_deleted {
        graph.forget_deleted();
        return ClosedSet::Broken;
    }
    ClosedSet::Found(graph.moves())
}

/// The number of a position in a graph.
type VertexId = usize;

const ROOT: VertexId = 0;

/// A position of a graph of disproved positions.
struct Vertex<const W: usize> {
    position: Canonical<W>,
    /// The moves to other positions of the graph.
    moves: Vec<(Step, VertexId)>,
    /// The holder's move to a position that is decided for it.
    held: Option<Step>,
    /// Whether the prover has a move that leads out of the set.
    is_broken: bool,
    is_deleted: bool,
}

struct Graph<'g, 'a, 't, const W: usize> {
    worker: Worker<'a, 't, W>,
    prover: &'g mut Prover<'a, 't, W>,
    /// The node count at which the attempt ends.
    limit: u64,
    vertices: Vec<Vertex<W>>,
    ids: HashMap<Canonical<W>, VertexId>,
}

impl<const W: usize> Graph<'_, '_, '_, W> {
    /// Returns the number of a position, a new one if need be.
    fn id(&mut self, position: Canonical<W>) -> VertexId {
        *self.ids.entry(position).or_insert_with(|| {
            let moves = Vec::new();
            let new = Vertex { position, moves, held: None, is_broken: false, is_deleted: false };
            self.vertices.push(new);
            self.vertices.len() - 1
        })
    }

    fn holder_is_to_move(&self, vertex: &Vertex<W>) -> bool {
        vertex.position.to_move != self.worker.prover
    }

    /// Expands all positions. The error is the end of the search if there are too many, or the limits
    /// are reached before.
    fn grow(&mut self) -> Result<(), ClosedSet<W>> {
        let mut next = ROOT;
        while next < self.vertices.len() {
            if self.vertices.len() >= self.prover.max_positions {
                return Err(ClosedSet::TooLarge);
            }
            if !self.prover.count_vertex(self.worker.prover, self.limit) {
                return Err(ClosedSet::Unfinished);
            }
            self.expand(next);
            next += 1;
        }
        Ok(())
    }

    fn expand(&mut self, id: VertexId) {
        let holder = self.worker.prover.other();
        let is_holder = self.holder_is_to_move(&self.vertices[id]);
        self.worker.set(&self.vertices[id].position);
        let (mut moves, mut held, mut is_broken) = (Vec::new(), None, false);
        for (step, after) in self.worker.successors() {
            let undo = self.worker.play(step);
            let leaf = self.worker.leaf(holder, false);
            let is_known = leaf == Leaf::Inner && self.is_disproved(&after, is_holder);
            self.worker.take_back(step, undo);
            if leaf == Leaf::Held {
                if is_holder {
                    held = Some(step);
                    break;
                }
            } else if is_known {
                moves.push((step, self.id(after)));
            } else {
                is_broken |= !is_holder;
            }
        }
        let vertex = &mut self.vertices[id];
        (vertex.held, vertex.is_broken) = (held, is_broken);
        if !is_broken && held.is_none() {
            vertex.moves = moves;
        }
    }

    /// Returns whether the worker's state, this position, may belong to the set. All moves of the
    /// prover must lead to such positions, so one that the table has lost is searched again after
    /// them.
    fn is_disproved(&mut self, position: &Canonical<W>, is_holders_move: bool) -> bool {
        if self.ids.contains_key(position) {
            return true;
        }
        let mut numbers = self.worker.look_up();
        if !numbers.is_solved() && !is_holders_move {
            self.prover.search_vertex(&self.worker, self.limit);
            numbers = self.worker.look_up();
        }
        self.worker.is_disproved(numbers)
    }

    /// Deletes the positions that do not hold, with all that lose their hold by that.
    fn delete_broken(&mut self) {
        let mut parents = vec![Vec::new(); self.vertices.len()];
        let mut moves_left: Vec<usize> = Vec::with_capacity(self.vertices.len());
        let mut deleted = Vec::new();
        for (id, vertex) in self.vertices.iter().enumerate() {
            vertex.moves.iter().for_each(|&(_, after)| parents[after].push(id));
            moves_left.push(vertex.moves.len());
            let is_lost =
                self.holder_is_to_move(vertex) && vertex.held.is_none() && vertex.moves.is_empty();
            if vertex.is_broken || is_lost {
                deleted.push(id);
            }
        }
        deleted.iter().for_each(|&id| self.vertices[id].is_deleted = true);
        while let Some(id) = deleted.pop() {
            for &parent in &parents[id] {
                moves_left[parent] -= 1;
                let is_holder = self.holder_is_to_move(&self.vertices[parent]);
                let is_lost = !is_holder || moves_left[parent] == 0;
                let vertex = &mut self.vertices[parent];
                if is_lost && !vertex.is_deleted {
                    vertex.is_deleted = true;
                    deleted.push(parent);
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
            let vertex = &self.vertices[id];
            let mut next: &[(Step, VertexId)] = &vertex.moves;
            if self.holder_is_to_move(vertex) {
                let kept = next.iter().position(|&(_, after)| !self.vertices[after].is_deleted);
                next = kept.map_or(&[], |at| &next[at..=at]);
                let step = vertex.held.or(next.first().map(|&(step, _)| step));
                moves.extend(step.map(|step| (vertex.position, step)));
            }
            for &(_, after) in next {
                if !std::mem::replace(&mut is_reached[after], true) {
                    open.push(after);
                }
            }
        }
        moves
    }

    /// Removes the deleted positions from the table.
    fn forget_deleted(&mut self) {
        for vertex in self.vertices.iter().filter(|vertex| vertex.is_deleted) {
            self.worker.set(&vertex.position);
            self.worker.shared.table.take(self.worker.key());
        }
    }
}
