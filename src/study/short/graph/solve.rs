use crate::study::short::Soldier;

use super::walk::KingContext;
use super::{Graph, GraphError};

/// The Grundy values of all positions on a graph.
#[derive(Clone, Debug)]
pub struct SolvedGraph {
    vertices: usize,
    /// By the king's vertex and the soldier's; `None` where the soldier is out of play, or on
    /// the king's.
    values: Vec<Option<u16>>,
}

impl SolvedGraph {
    /// The memory that it takes to find the values on so many vertices.
    pub fn memory_bytes(vertices: usize) -> u64 {
        size_of::<Option<u16>>() as u64 * (vertices as u64).pow(2)
    }

    /// The value with the king and the soldier on these vertices, by their numbers in the
    /// list; none if the soldier is out of play, or on the king's vertex.
    ///
    /// # Panics
    /// If the graph has not so many vertices.
    pub fn value(&self, king: usize, soldier: usize) -> Option<u16> {
        assert!(king < self.vertices && soldier < self.vertices, "no such vertex");
        self.values[king * self.vertices + soldier]
    }

    /// All positions with the soldier in play, and their values: by the king's vertex, then
    /// by the soldier's.
    pub fn all(&self) -> impl Iterator<Item = ([usize; 2], u16)> + '_ {
        let values = self.values.iter().enumerate();
        values.filter_map(|(i, &value)| Some(([i / self.vertices, i % self.vertices], value?)))
    }
}

/// Finds the values of all positions. `go_on` is told now and then how many of the king's
/// vertices of how many are done, and whether to go on is its answer.
///
/// # Errors
/// If `go_on` does not want to.
pub fn solve_graph(
    graph: &Graph,
    rule: Soldier,
    go_on: &dyn Fn(u64, u64) -> bool,
) -> Result<SolvedGraph, GraphError> {
    let vertices = graph.vertices();
    let mut solver = Solver {
        graph,
        rule,
        alone: vec![0; vertices],
        solved: SolvedGraph { vertices, values: vec![None; vertices * vertices] },
        seen: MexSet { marks: vec![0; 2 * vertices + 1], current: 0 },
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
    alone: Vec<u16>,
    solved: SolvedGraph,
    seen: MexSet,
}

impl Solver<'_> {
    /// All positions with the king there; those that he goes to are known.
    fn solve(&mut self, king: usize) {
        let around = KingContext::new(self.graph, king);
        self.seen.begin();
        // Nobody is in his way: he is not on the way himself.
        self.graph.king_moves(king, king, &mut |to| self.seen.see(self.alone[to]));
        self.alone[king] = self.seen.least_missing();
        for soldier in self.graph.soldier_order(self.rule, &around) {
            let is_in_play = around.reached[soldier] || !self.rule.leaves_play();
            if is_in_play && soldier != king {
                let value = self.value(king, soldier, &around);
                self.solved.values[king * self.solved.vertices + soldier] = Some(value);
            }
        }
    }

    fn value(&mut self, king: usize, soldier: usize, around: &KingContext) -> u16 {
        self.seen.begin();
        let mut is_over = true;
        self.graph.king_moves(king, soldier, &mut |to| {
            is_over = false;
            self.seen.see(self.solved.value(to, soldier).unwrap_or(self.alone[to]));
        });
        if is_over {
            return 0;
        }
        self.graph.soldier_moves(self.rule, [king, soldier], around, &mut |to| {
            self.seen.see(self.solved.value(king, to).unwrap_or(0));
        });
        self.seen.least_missing()
    }
}

/// The values that moves from one position lead to.
struct MexSet {
    /// By value: the number of the position that last saw it.
    marks: Vec<u64>,
    current: u64,
}

impl MexSet {
    fn begin(&mut self) {
        self.current += 1;
    }

    fn see(&mut self, value: u16) {
        self.marks[usize::from(value)] = self.current;
    }

    fn least_missing(&self) -> u16 {
        let missing = self.marks.iter().position(|&mark| mark != self.current);
        missing.unwrap_or(self.marks.len()) as u16
    }
}
