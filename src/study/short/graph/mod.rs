//! The game on a graph: one interpretation of a generalization that the slides leave open.
//!
//! A graph is a list of edges, one per line: two vertices and an optional name of a *line*,
//! `e5 e4 west`. The king moves along an edge from its first vertex to its second, and slides on
//! along edges of the same line, unless the soldier is in the way; an edge without a name is a
//! single step. Edges must not form a cycle, so that his moves end. If an *exit* is given, edges
//! are undirected: he moves from the vertex farther from the exit to the nearer one.
//!
//! The soldier's rules generalize those of the board:
//!
//! - `nw`: along edges, as the king.
//! - `se`: backwards along edges, to vertices that the king can still reach; a soldier that he
//!   can no longer reach is out of play.
//! - `closer`: along edges in either direction, if that ends nearer to the king, in edges.
//!   Between two vertices equally far from the exit it may step, but the king may not.
//! - `stationary`: never; out of play as for `se`.
//!
//! The edges between neighbouring squares of a board, in the lines `north` and `west`, give the
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

/// A graph on which the king's moves end.
#[derive(Clone, Debug)]
pub struct Graph {
    names: Vec<String>,
    /// By vertex: the king's outgoing edges.
    ahead: Vec<Vec<Edge>>,
    /// By vertex: the king's incoming edges.
    back: Vec<Vec<Edge>>,
    /// By vertex: neighbours that are equally far from the exit; the king cannot move there.
    level: Vec<Vec<usize>>,
    /// All vertices in reverse topological order: each after those that the king moves to.
    order: Vec<usize>,
    edges: usize,
}

impl Graph {
    /// Returns the vertices' names, in the order of the list.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns the number of vertices.
    pub fn vertices(&self) -> usize {
        self.names.len()
    }

    /// Returns the number of edges.
    pub fn edges(&self) -> usize {
        self.edges
    }

    /// Returns the vertex with this name.
    ///
    /// # Errors
    /// If there is none.
    pub fn vertex(&self, name: &str) -> Result<usize, GraphError> {
        let found = self.names.iter().position(|known| known == name);
        found.ok_or_else(|| GraphError::UnknownVertex(name.to_owned()))
    }

    /// Returns the distance in edges to each vertex, without regard to direction; `usize::MAX`
    /// where there is no path.
    fn distances(&self, from: usize) -> Vec<usize> {
        distances(self.vertices(), from, |vertex| {
            let edges = self.ahead[vertex].iter().chain(&self.back[vertex]);
            edges.map(|edge| edge.to).chain(self.level[vertex].iter().copied())
        })
    }
}

/// Finds distances by breadth-first search.
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
