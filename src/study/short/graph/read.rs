use std::collections::HashMap;

use super::{Edge, Graph, GraphError, GraphFault, distances};

/// Vertices that a graph has at most: a position has moves to fewer than twice as many.
const MAX_VERTICES: usize = 1 << 15;

/// An edge as the list has it.
struct ListedEdge {
    from: usize,
    to: usize,
    line: usize,
}

impl Graph {
    /// Reads an edge list: in each line two vertices, words of any letters, and perhaps the
    /// name of the edge's line. A word alone is a vertex that may have no edges. Empty lines
    /// and what follows a `#` are left out. With an exit, edges have no direction.
    ///
    /// # Errors
    /// If a line cannot be read, or the king's moves would not come to an end.
    pub fn parse(text: &str, exit: Option<&str>) -> Result<Graph, GraphError> {
        let (names, edges) = listed(text)?;
        let mut graph = Graph {
            ahead: vec![Vec::new(); names.len()],
            back: vec![Vec::new(); names.len()],
            level: vec![Vec::new(); names.len()],
            order: Vec::new(),
            edges: edges.len(),
            names,
        };
        let far = match exit {
            Some(exit) => Some(graph.distances_to_exit(&edges, exit)?),
            None => None,
        };
        for ListedEdge { from, to, line } in edges {
            match &far {
                Some(far) if far[from] == far[to] => {
                    graph.level[from].push(to);
                    graph.level[to].push(from);
                }
                Some(far) if far[from] < far[to] => graph.add(to, from, line),
                _ => graph.add(from, to, line),
            }
        }
        graph.order = graph.ordered()?;
        Ok(graph)
    }

    fn add(&mut self, from: usize, to: usize, line: usize) {
        self.ahead[from].push(Edge { to, line });
        self.back[to].push(Edge { to: from, line });
    }

    fn distances_to_exit(
        &self,
        edges: &[ListedEdge],
        exit: &str,
    ) -> Result<Vec<usize>, GraphError> {
        let mut neighbours = vec![Vec::new(); self.vertices()];
        for &ListedEdge { from, to, .. } in edges {
            neighbours[from].push(to);
            neighbours[to].push(from);
        }
        let neighbours = |vertex: usize| neighbours[vertex].iter().copied();
        let far = distances(self.vertices(), self.vertex(exit)?, neighbours);
        match far.iter().position(|&distance| distance == usize::MAX) {
            Some(vertex) => Err(GraphError::CutOff {
                vertex: self.names[vertex].clone(),
                exit: exit.to_owned(),
            }),
            None => Ok(far),
        }
    }

    /// The vertices, each behind those that the king goes to from there.
    fn ordered(&self) -> Result<Vec<usize>, GraphError> {
        let mut left: Vec<usize> = self.ahead.iter().map(Vec::len).collect();
        let mut order: Vec<usize> =
            (0..self.vertices()).filter(|&vertex| left[vertex] == 0).collect();
        let mut next = 0;
        while let Some(&vertex) = order.get(next) {
            next += 1;
            for edge in &self.back[vertex] {
                left[edge.to] -= 1;
                if left[edge.to] == 0 {
                    order.push(edge.to);
                }
            }
        }
        match left.iter().position(|&left| left > 0) {
            Some(vertex) => Err(GraphError::Circle(self.circle(vertex, &left))),
            None => Ok(order),
        }
    }

    /// A circle that is reached from a vertex: all that are left lead to one that is left.
    fn circle(&self, vertex: usize, left: &[usize]) -> Vec<String> {
        let mut way = vec![vertex];
        loop {
            let last = way[way.len() - 1];
            let next = self.ahead[last].iter().find(|edge| left[edge.to] > 0);
            let next = next.map_or(last, |edge| edge.to);
            let begin = way.iter().position(|&vertex| vertex == next);
            way.push(next);
            if let Some(begin) = begin {
                return way[begin..].iter().map(|&vertex| self.names[vertex].clone()).collect();
            }
        }
    }
}

/// The vertices and the edges; an edge without a name has a line for itself.
fn listed(text: &str) -> Result<(Vec<String>, Vec<ListedEdge>), GraphError> {
    let (mut vertices, mut lines, mut known) = (HashMap::new(), HashMap::new(), HashMap::new());
    let (mut names, mut edges) = (Vec::new(), Vec::new());
    for (number, line) in text.lines().enumerate() {
        let fault = |fault| GraphError::Line(number + 1, fault);
        let words = line.split('#').next().unwrap_or("").split_whitespace();
        let words: Vec<&str> = words.collect();
        let mut vertex = |name: &str| {
            *vertices.entry(name.to_owned()).or_insert_with(|| {
                names.push(name.to_owned());
                names.len() - 1
            })
        };
        match words[..] {
            [] => {}
            [alone] => {
                vertex(alone);
            }
            [from, to] | [from, to, _] => {
                if from == to {
                    return Err(fault(GraphFault::Loop(from.to_owned())));
                }
                let (from, to) = (vertex(from), vertex(to));
                if let Some(first) = known.insert((from, to, words.get(2).copied()), number + 1) {
                    return Err(fault(GraphFault::Twice { first }));
                }
                let fresh = lines.len();
                let line = words
                    .get(2)
                    .map_or_else(|| format!("{number}"), |line| format!("named {line}"));
                let line = *lines.entry(line).or_insert(fresh);
                edges.push(ListedEdge { from, to, line });
            }
            _ => return Err(fault(GraphFault::Words(words.len()))),
        }
        if names.len() > MAX_VERTICES {
            return Err(GraphError::TooMany(MAX_VERTICES));
        }
    }
    if names.is_empty() { Err(GraphError::Empty) } else { Ok((names, edges)) }
}
