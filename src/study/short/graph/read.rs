use std::collections::HashMap;

use super::{Edge, Graph, GraphError, GraphFault, distances};

/// The maximum number of vertices: a position has fewer than twice as many moves, so that
/// Grundy values fit in 16 bits.
const MAX_VERTICES: usize = 1 << 15;

/// An edge of the list.
struct ListedEdge {
    from: usize,
    to: usize,
    line: usize,
}

impl Graph {
    /// Parses an edge list: each line has two vertices, which are words of any letters, and an
    /// optional name of the edge's line. A single word is a vertex, for those without edges.
    /// Empty lines and comments after `#` are ignored. With an exit, edges are undirected.
    ///
    /// # Errors
    /// If a line is invalid, or the king's moves would not end.
    pub fn parse(text: &str, exit: Option<&str>) -> Result<Graph, GraphError> {
        let (names, edges) = parse_edges(text)?;
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
        graph.order = graph.topological_order()?;
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
        let far = distances(self.vertices(), self.vertex(exit)?, |vertex| {
            neighbours[vertex].iter().copied()
        });
        match far.iter().position(|&distance| distance == usize::MAX) {
            Some(vertex) => Err(GraphError::CutOff {
                vertex: self.names[vertex].clone(),
                exit: exit.to_owned(),
            }),
            None => Ok(far),
        }
    }

    /// Returns the vertices, each after those that the king moves to (Kahn's algorithm).
    fn topological_order(&self) -> Result<Vec<usize>, GraphError> {
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
            Some(vertex) => Err(GraphError::Circle(self.cycle(vertex, &left))),
            None => Ok(order),
        }
    }

    /// Returns a cycle that is reached from a vertex: every vertex that is left has an edge to
    /// another one.
    fn cycle(&self, vertex: usize, left: &[usize]) -> Vec<String> {
        let mut path = vec![vertex];
        loop {
            let last = path[path.len() - 1];
            let edge = self.ahead[last].iter().find(|edge| left[edge.to] > 0);
            let next = edge.map_or(last, |edge| edge.to);
            let begin = path.iter().position(|&vertex| vertex == next);
            path.push(next);
            if let Some(begin) = begin {
                return path[begin..].iter().map(|&vertex| self.names[vertex].clone()).collect();
            }
        }
    }
}

/// The vertices and edges of a list that is being parsed.
#[derive(Default)]
struct EdgeList<'a> {
    names: Vec<String>,
    edges: Vec<ListedEdge>,
    /// Vertices by name.
    vertices: HashMap<&'a str, usize>,
    /// Lines by name; an edge without a name has a line of its own.
    lines: HashMap<String, usize>,
    /// The number, from 1, of the text line that has an edge.
    first_seen: HashMap<(usize, usize, Option<&'a str>), usize>,
}

impl<'a> EdgeList<'a> {
    /// Returns the vertex with this name, which is new if it is not in the list yet.
    fn vertex(&mut self, name: &'a str) -> usize {
        *self.vertices.entry(name).or_insert_with(|| {
            self.names.push(name.to_owned());
            self.names.len() - 1
        })
    }

    /// Adds the line of the text with this number, from 1.
    fn add(&mut self, number: usize, text: &'a str) -> Result<(), GraphFault> {
        let words: Vec<&str> = text.split('#').next().unwrap_or("").split_whitespace().collect();
        match words[..] {
            [] => {}
            [alone] => {
                self.vertex(alone);
            }
            [first, second] | [first, second, _] => {
                if first == second {
                    return Err(GraphFault::Loop(first.to_owned()));
                }
                let (from, to) = (self.vertex(first), self.vertex(second));
                let name = words.get(2).copied();
                if let Some(first) = self.first_seen.insert((from, to, name), number) {
                    return Err(GraphFault::Twice { first });
                }
                let key = name.map_or_else(|| number.to_string(), |name| format!("named {name}"));
                let fresh = self.lines.len();
                let line = *self.lines.entry(key).or_insert(fresh);
                self.edges.push(ListedEdge { from, to, line });
            }
            _ => return Err(GraphFault::Words(words.len())),
        }
        Ok(())
    }
}

/// Parses the vertices' names and the edges.
fn parse_edges(text: &str) -> Result<(Vec<String>, Vec<ListedEdge>), GraphError> {
    let mut list = EdgeList::default();
    for (number, line) in (1..).zip(text.lines()) {
        list.add(number, line).map_err(|fault| GraphError::Line(number, fault))?;
        if list.names.len() > MAX_VERTICES {
            return Err(GraphError::TooMany(MAX_VERTICES));
        }
    }
    if list.names.is_empty() { Err(GraphError::Empty) } else { Ok((list.names, list.edges)) }
}
