//! Ways of the king to a corner that the attackers cannot close, as the paper's figures 5
//! to 7 show them.

use crate::engine::bits::Bits;
use crate::engine::board_tables::BoardTables;
use crate::engine::generate::squares;
use crate::engine::state::{State, Step};
use crate::game::rules::{Kind, Side};

/// The edges of the board, each from both of its corners.
pub(super) struct Paths<const W: usize> {
    edges: Vec<Edge<W>>,
    /// Of each square, the edges that it lies on, and how far from their corner.
    edges_of_square: Vec<Vec<(usize, usize)>>,
}

/// An edge, from one of its corners on.
struct Edge<const W: usize> {
    all: Bits<W>,
    /// For each distance from the corner the squares that are nearer to it.
    before: Vec<Bits<W>>,
    /// For each distance the lines that cross the edge nearer to the corner, without the
    /// last one, that next to the corner's.
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
                    // The square so far from the corner along the edge, and so far inside.
                    let at = |along: usize, inside: usize| {
                        let along = corner.abs_diff(along);
                        let inside = side.abs_diff(inside);
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

    /// The king's moves that bring him to a goal, or on a path to one, when the defenders
    /// are to move.
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

    /// Whether the king has a path to victory, if he is to move.
    pub(super) fn has_path(&self, board: &BoardTables<W>, state: &State<W>) -> bool {
        self.king_steps(board, state).next().is_some()
    }

    /// Whether a king who goes to that square of an edge gets from there to a corner
    /// whatever the attackers play.
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
        let set = |squares: &mut dyn Iterator<Item = usize>| {
            let mut set = Bits::EMPTY;
            squares.for_each(|square| set.insert(square));
            set
        };
        let line = |along: usize| set(&mut (0..size).map(|inside| at(along, inside)));
        Edge {
            all: set(&mut (0..size).map(|along| at(along, 0))),
            before: (0..size).map(|end| set(&mut (0..end).map(|along| at(along, 0)))).collect(),
            crossing: (0..size)
                .map(|end| (2..end).fold(Bits::EMPTY, |lines, along| lines | line(along)))
                .collect(),
            last: line(1),
        }
    }

    /// Whether a king at that distance from the corner, the attackers to move, is certain
    /// of it, or of the corner at the edge's other end.
    fn is_path(&self, distance: usize, attackers: Bits<W>, men: Bits<W>) -> bool {
        /// From here he can go next to a man beside the corner and capture it.
        const RUN_UP: usize = 3;
        // Figure 5, a clear edge: one move cannot close both ways.
        if !men.meets(&self.all) {
            return true;
        }
        if men.meets(&self.before[distance]) || attackers.meets(&self.crossing[distance]) {
            return false;
        }
        // Figure 6, a safe edge: nobody can come between.
        let last = if distance > 1 { (attackers & self.last).len() } else { 0 };
        // Figure 7: one can, and is captured against the corner.
        last == 0 || last == 1 && distance >= RUN_UP
    }
}
