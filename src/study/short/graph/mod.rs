//! The game on a graph: what the slides leave open, in one reading.
//!
//! A graph is a list of edges, one a line: two vertices and perhaps the name of a *line*,
//! `e5 e4 west`. The king goes along an edge from its first vertex to its second, and
//! slides on along edges of the same line as far as he likes, unless the soldier is in the
//! way; an edge without a name is a step for itself. Edges must not lead in a circle, so
//! that his moves come to an end. If an *exit* is named, edges have no direction of their
//! own: he goes from the vertex farther from the exit to the nearer one.
//!
//! The soldier's rules are those of the board, with its words taken for any graph:
//!
//! - `nw`: along edges, as the king.
//! - `se`: back along edges, to vertices that the king may yet reach; a soldier that he can
//!   no longer reach is out of play.
//! - `closer`: along edges or back, if that ends nearer to the king, distances being counted
//!   in edges. Between two vertices equally far from the exit it may step, and he may not.
//! - `stationary`: not at all; out of play as for `se`.
//!
//! A board whose edges are its neighbours, with the lines `north` and `west`, gives the
//! game on the board.

mod error;
mod read;
mod solve;
mod walk;

use std::collections::VecDeque;

pub use error::{GraphError, GraphFault};
pub use solve::{SolvedGraph, solve_graph};

/// An edge as seen from one of its vertices.
#[derive(Clone, Copy, Debug)]
struct Edge {
    to: usize,
    line: usize,
}

/// A graph on which the king's moves come to an end.
#[derive(Clone, Debug)]
pub struct Graph {
    names: Vec<String>,
    /// By vertex: the edges along which the king goes.
    ahead: Vec<Vec<Edge>>,
    /// By vertex: the edges along which he comes.
    back: Vec<Vec<Edge>>,
    /// By vertex: those at the other end of edges along which he does not go.
    level: Vec<Vec<usize>>,
    /// All vertices, each behind those that the king goes to from there.
    order: Vec<usize>,
    edges: usize,
}

impl Graph {
    /// The vertices' names, in the order of the list.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// How many vertices there are.
    pub fn vertices(&self) -> usize {
        self.names.len()
    }

    /// How many edges there are.
    pub fn edges(&self) -> usize {
        self.edges
    }

    /// The vertex of that name.
    ///
    /// # Errors
    /// If there is none.
    pub fn vertex(&self, name: &str) -> Result<usize, GraphError> {
        let found = self.names.iter().position(|known| known == name);
        found.ok_or_else(|| GraphError::UnknownVertex(name.to_owned()))
    }

    /// How many edges are between two vertices, by vertex; the greatest number where there
    /// is no way.
    fn distances(&self, from: usize) -> Vec<usize> {
        let neighbours = |vertex: usize| {
            let edges = self.ahead[vertex].iter().chain(&self.back[vertex]);
            edges.map(|edge| edge.to).chain(self.level[vertex].iter().copied())
        };
        distances(self.vertices(), from, neighbours)
    }
}

fn distances<I: Iterator<Item = usize>>(
    vertices: usize,
    from: usize,
    neighbours: impl Fn(usize) -> I,
) -> Vec<usize> {
    let mut distances = vec![usize::MAX; vertices];
    distances[from] = 0;
    let mut queue = VecDeque::from([from]);
    while let Some(vertex) = queue.pop_front() {
        for neighbour in neighbours(vertex) {
            if distances[neighbour] == usize::MAX {
                distances[neighbour] = distances[vertex] + 1;
                queue.push_back(neighbour);
            }
        }
    }
    distances
}
