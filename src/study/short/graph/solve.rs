use crate::study::short::Soldier;

use super::walk::KingContext;
use super::{Graph, GraphError};

/// The Grundy values of all positions on a graph.
#[derive(Clone, Debug)]
pub struct SolvedGraph {
    vertices: usize,
    /// By the king's vertex and the soldier's; `None` where the soldier is out of play, or on
    /// the king's vertex.
    values: Vec<Option<u16>>,
}

impl SolvedGraph {
    /// Returns the memory use for this number of vertices.
    pub fn memory_bytes(vertices: usize) -> u64 {
        size_of::<Option<u16>>() as u64 * (vertices as u64).pow(2)
    }

    /// Returns the value with the king and the soldier on these vertices, by their indices in
    /// the list; `None` if the soldier is out of play, or on the king's vertex.
    ///
    /// # Panics
    /// If the graph has no such vertex.
    pub fn value(&self, king: usize, soldier: usize) -> Option<u16> {
        assert!(king < self.vertices && soldier < self.vertices, "no such vertex");
        self.values[king * self.vertices + soldier]
    }

    /// Returns all positions with the soldier in play, and their values: by the king's vertex,
    /// then by the soldier's.
    pub fn all(&self) -> impl Iterator<Item = ([usize; 2], u16)> + '_ {
        let values = self.values.iter().enumerate();
        values.filter_map(|(i, &value)| Some(([i / self.vertices, i % self.vertices], value?)))
    }
}

/// Computes the values of all positions. `go_on(done, total)` is called for each of the king's
/// vertices; return `false` to stop.
///
/// # Errors
/// If `go_on` returned `false`.
pub fn solve_graph(
    graph: &Graph,
    rule: Soldier,
    go_on: &dyn Fn(u64, u64) -> bool,
) -> Result<SolvedGraph, GraphError> {
    let vertices = graph.vertices();
    let mut solver = Solver {
        graph,
        rule,
        without_soldier: vec![0; vertices],
        solved: SolvedGraph { vertices, values: vec![None; vertices * vertices] },
        reached: MexSet { marks: vec![0; 2 * vertices + 1], current: 0 },
    };
    for (done, &king) in graph.order.iter().enumerate() {
        solver.solve(king);
        if !go_on(done as u64 + 1, vertices as u64) {
            return Err(GraphError::Stopped);
        }
    }
    Ok(solver.solved)
}

struct Solver<'a> {
    graph: &'a Graph,
    rule: Soldier,
    /// By the king's vertex: the value with the soldier out of play.
    without_soldier: Vec<u16>,
    solved: SolvedGraph,
    reached: MexSet,
}

impl Solver<'_> {
    /// Solves all positions with the king on a vertex; those with the king on the vertices that
    /// he moves to are solved already.
    fn solve(&mut self, king: usize) {
        let context = KingContext::new(self.graph, king);
        self.reached.clear();
        // With the soldier on the king's own vertex, it blocks no move.
        self.graph.king_moves(king, king, &mut |to| self.reached.insert(self.without_soldier[to]));
        self.without_soldier[king] = self.reached.mex();
        for soldier in self.graph.soldier_order(self.rule, &context) {
            let is_in_play = context.reachable[soldier] || !self.rule.leaves_play();
            if is_in_play && soldier != king {
                let value = self.value(king, soldier, &context);
                self.solved.values[king * self.solved.vertices + soldier] = Some(value);
            }
        }
    }

    fn value(&mut self, king: usize, soldier: usize, context: &KingContext) -> u16 {
        self.reached.clear();
        let mut is_over = true;
        self.graph.king_moves(king, soldier, &mut |to| {
            is_over = false;
            self.reached.insert(self.solved.value(to, soldier).unwrap_or(self.without_soldier[to]));
        });
        if is_over {
            return 0;
        }
        self.graph.soldier_moves(self.rule, [king, soldier], context, &mut |to| {
            self.reached.insert(self.solved.value(king, to).unwrap_or(0));
        });
        self.reached.mex()
    }
}

/// The values that moves from one position lead to.
struct MexSet {
    /// By value: the last generation that contains it. Counting generations avoids clearing.
    marks: Vec<u64>,
    current: u64,
}

impl MexSet {
    fn clear(&mut self) {
        self.current += 1;
    }

    fn insert(&mut self, value: u16) {
        self.marks[usize::from(value)] = self.current;
    }

    /// Returns the minimum excluded value.
    fn mex(&self) -> u16 {
        let missing = self.marks.iter().position(|&mark| mark != self.current);
        missing.unwrap_or(self.marks.len()) as u16
    }
}
