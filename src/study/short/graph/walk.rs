use crate::study::short::Soldier;

use super::{Edge, Graph};

/// What depends on the king's vertex alone.
pub(super) struct KingContext {
    /// By vertex: whether he may reach it, his own included.
    pub reached: Vec<bool>,
    /// By vertex: how many edges it is away.
    pub distances: Vec<usize>,
}

impl KingContext {
    pub(super) fn new(graph: &Graph, king: usize) -> KingContext {
        let mut reached = vec![false; graph.vertices()];
        reached[king] = true;
        // Those behind come first.
        for &vertex in graph.order.iter().rev().filter(|&&vertex| vertex != king) {
            reached[vertex] = graph.back[vertex].iter().any(|edge| reached[edge.to]);
        }
        KingContext { reached, distances: graph.distances(king) }
    }
}

impl Graph {
    /// The vertices to which the king moves, some perhaps more than once.
    pub(super) fn king_moves(&self, king: usize, soldier: usize, visit: &mut impl FnMut(usize)) {
        slide(&self.ahead, king, soldier, visit);
    }

    /// The vertices to which the soldier moves, likewise.
    pub(super) fn soldier_moves(
        &self,
        rule: Soldier,
        [king, soldier]: [usize; 2],
        around: &KingContext,
        visit: &mut impl FnMut(usize),
    ) {
        match rule {
            Soldier::Stationary => {}
            Soldier::NorthWest => slide(&self.ahead, soldier, king, visit),
            Soldier::SouthEast => slide(&self.back, soldier, king, &mut |vertex| {
                if around.reached[vertex] {
                    visit(vertex);
                }
            }),
            Soldier::Closer => {
                let mut nearer = |vertex: usize| {
                    if vertex != king && around.distances[vertex] < around.distances[soldier] {
                        visit(vertex);
                    }
                };
                slide(&self.ahead, soldier, king, &mut nearer);
                slide(&self.back, soldier, king, &mut nearer);
                self.level[soldier].iter().copied().for_each(nearer);
            }
        }
    }

    /// The vertices of the soldier, each behind those to which it moves.
    pub(super) fn soldier_order(&self, rule: Soldier, around: &KingContext) -> Vec<usize> {
        let mut order = self.order.clone();
        match rule {
            Soldier::SouthEast => order.reverse(),
            Soldier::Closer => order.sort_by_key(|&vertex| around.distances[vertex]),
            Soldier::NorthWest | Soldier::Stationary => {}
        }
        order
    }
}

/// Visits all vertices that a piece comes to along edges of one line, with the other piece
/// on a vertex that it does not enter. Edges lead in no circle.
fn slide(edges: &[Vec<Edge>], from: usize, closed: usize, visit: &mut impl FnMut(usize)) {
    let mut ways: Vec<Edge> = edges[from].clone();
    while let Some(Edge { to, line }) = ways.pop() {
        if to != closed {
            visit(to);
            ways.extend(edges[to].iter().filter(|edge| edge.line == line));
        }
    }
}
