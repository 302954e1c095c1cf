use crate::study::short::Soldier;

use super::{Edge, Graph};

/// Data that depends on the king's vertex only.
pub(super) struct KingContext {
    /// By vertex: whether he can reach it; includes his own.
    pub reachable: Vec<bool>,
    /// By vertex: the distance from him in edges.
    pub distances: Vec<usize>,
}

impl KingContext {
    pub(super) fn new(graph: &Graph, king: usize) -> KingContext {
        let mut reachable = vec![false; graph.vertices()];
        reachable[king] = true;
        // In topological order, predecessors come first.
        for &vertex in graph.order.iter().rev().filter(|&&vertex| vertex != king) {
            reachable[vertex] = graph.back[vertex].iter().any(|edge| reachable[edge.to]);
        }
        KingContext { reachable, distances: graph.distances(king) }
    }
}

impl Graph {
    /// Visits the vertices that the king can move to, some possibly more than once.
    pub(super) fn king_moves(&self, king: usize, soldier: usize, visit: &mut impl FnMut(usize)) {
        slide(&self.ahead, king, soldier, visit);
    }

    /// Visits the vertices that the soldier can move to, some possibly more than once.
    pub(super) fn soldier_moves(
        &self,
        rule: Soldier,
        [king, soldier]: [usize; 2],
        context: &KingContext,
        visit: &mut impl FnMut(usize),
    ) {
        match rule {
            Soldier::Stationary => {}
            Soldier::NorthWest => slide(&self.ahead, soldier, king, visit),
            Soldier::SouthEast => slide(&self.back, soldier, king, &mut |vertex| {
                if context.reachable[vertex] {
                    visit(vertex);
                }
            }),
            Soldier::Closer => {
                let distances = &context.distances;
                let visit_nearer = &mut |vertex: usize| {
                    if vertex != king && distances[vertex] < distances[soldier] {
                        visit(vertex);
                    }
                };
                slide(&self.ahead, soldier, king, visit_nearer);
                slide(&self.back, soldier, king, visit_nearer);
                self.level[soldier].iter().copied().for_each(visit_nearer);
            }
        }
    }

    /// Returns the soldier's vertices, each after those that it can move to.
    pub(super) fn soldier_order(&self, rule: Soldier, context: &KingContext) -> Vec<usize> {
        let mut order = self.order.clone();
        match rule {
            Soldier::SouthEast => order.reverse(),
            Soldier::Closer => order.sort_by_key(|&vertex| context.distances[vertex]),
            Soldier::NorthWest | Soldier::Stationary => {}
        }
        order
    }
}

/// Visits all vertices that a piece can slide to along edges of one line, with the other piece
/// on the vertex `closed`. Edges form no cycle.
fn slide(edges: &[Vec<Edge>], from: usize, closed: usize, visit: &mut impl FnMut(usize)) {
    let mut open: Vec<Edge> = edges[from].clone();
    while let Some(Edge { to, line }) = open.pop() {
        if to != closed {
            visit(to);
            open.extend(edges[to].iter().filter(|edge| edge.line == line));
        }
    }
}
