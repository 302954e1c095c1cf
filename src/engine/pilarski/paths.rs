//! Paths of the king to a corner that the attackers cannot block: the paper's figures 5 to 7.

use crate::engine::bits::Bits;
use crate::engine::board_tables::BoardTables;
use crate::engine::generate::squares;
use crate::engine::state::{State, Step};
use crate::game::rules::{Kind, Side};

/// The edges of the board, each from both of its corners.
pub(super) struct Paths<const W: usize> {
    edges: Vec<Edge<W>>,
    /// By square, the edges that it lies on, and its distance from their corner.
    edges_of_square: Vec<Vec<(usize, usize)>>,
}

/// An edge, seen from one of its corners.
struct Edge<const W: usize> {
    squares: Bits<W>,
    /// By distance from the corner, the squares nearer to it.
    before: Vec<Bits<W>>,
    /// By distance from the corner, the lines that cross the edge nearer to it, except `last`.
    crossing: Vec<Bits<W>>,
    /// The line that crosses the edge next to the corner.
    last: Bits<W>,
}

impl<const W: usize> Paths<W> {
    pub(super) fn new(board: &BoardTables<W>) -> Paths<W> {
        let end = board.size - 1;
        let mut edges = Vec::new();
        let mut edges_of_square = vec![Vec::new(); board.size * board.size];
        for side in [0, end] {
            for corner in [0, end] {
                for is_file in [false, true] {
                    // The square at a distance from the corner along the edge, and from the
                    // edge towards the centre.
                    let at = |along: usize, inside: usize| {
                        let (along, inside) = (corner.abs_diff(along), side.abs_diff(inside));
                        if is_file { board.at(inside, along) } else { board.at(along, inside) }
                    };
                    for along in 0..board.size {
                        edges_of_square[at(along, 0)].push((edges.len(), along));
                    }
                    edges.push(Edge::new(board.size, at));
                }
            }
        }
        Paths { edges, edges_of_square }
    }

    /// Returns the king's moves to a goal or onto a path to one, with the defenders to move.
    pub(super) fn king_steps(
        &self,
        board: &BoardTables<W>,
        state: &State<W>,
    ) -> impl Iterator<Item = Step> {
        let targets = state.targets(board, Kind::King, state.king);
        let to = squares(board, state.king, targets)
            .filter(|&to| board.goals.contains(to) || self.wins_from(board, state, to));
        to.map(|to| Step::new(state.king, to))
    }

    /// Returns whether the king has a path to victory if it is to move.
    pub(super) fn has_path(&self, board: &BoardTables<W>, state: &State<W>) -> bool {
        self.king_steps(board, state).next().is_some()
    }

    /// Returns whether a king that moves to this square of an edge reaches a corner against any
    /// defence.
    fn wins_from(&self, board: &BoardTables<W>, state: &State<W>, to: usize) -> bool {
        let edges = &self.edges_of_square[to];
        if edges.is_empty() {
            return false;
        }
        let captured = state.captured(board, Side::Defenders, to);
        let attackers = state.soldiers[Side::Attackers].without(captured);
        let men = attackers | state.soldiers[Side::Defenders];
        edges.iter().any(|&(edge, distance)| self.edges[edge].is_path(distance, attackers, men))
    }
}

impl<const W: usize> Edge<W> {
    fn new(size: usize, at: impl Fn(usize, usize) -> usize) -> Edge<W> {
        let line = |along| set((0..size).map(|inside| at(along, inside)));
        Edge {
            squares: set((0..size).map(|along| at(along, 0))),
            before: (0..size).map(|end| set((0..end).map(|along| at(along, 0)))).collect(),
            crossing: (0..size)
                .map(|end| (2..end).fold(Bits::EMPTY, |lines, along| lines | line(along)))
                .collect(),
            last: line(1),
        }
    }

    /// Returns whether a king at this distance from the corner is certain to reach it, or the
    /// corner at the other end of the edge, with the attackers to move.
    fn is_path(&self, distance: usize, attackers: Bits<W>, men: Bits<W>) -> bool {
        /// The distance from which the king can capture a man beside the corner.
        const RUN_UP: usize = 3;
        // Figure 5, a clear edge: one move cannot block both directions.
        if !men.meets(&self.squares) {
            return true;
        }
        if men.meets(&self.before[distance]) || attackers.meets(&self.crossing[distance]) {
            return false;
        }
        // Figure 6, a safe edge: no attacker can come between.
        let last = if distance > 1 { (attackers & self.last).len() } else { 0 };
        // Figure 7: one attacker can, and is captured against the corner.
        last == 0 || last == 1 && distance >= RUN_UP
    }
}

fn set<const W: usize>(squares: impl Iterator<Item = usize>) -> Bits<W> {
    squares.fold(Bits::EMPTY, |set, square| set | Bits::one(square))
}
