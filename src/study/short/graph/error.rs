use std::fmt;

/// The reason why a game on a graph cannot be read or solved.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum GraphError {
    /// A line of the list, by its number from 1, is invalid.
    Line(usize, GraphFault),
    /// The list has no vertices.
    Empty,
    /// The graph has more than this many vertices.
    TooMany(usize),
    /// The edges form a cycle through these vertices; the last one is the first again.
    Circle(Vec<String>),
    /// No edge has a vertex of this name.
    UnknownVertex(String),
    /// No path leads from a vertex to the exit.
    CutOff {
        /// The vertex.
        vertex: String,
        /// The exit.
        exit: String,
    },
    /// The progress callback returned `false`.
    Stopped,
}

/// The reason why a line of an edge list is invalid.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum GraphFault {
    /// The line has this many words, more than two vertices and a line's name.
    Words(usize),
    /// The edge leads from a vertex to itself.
    Loop(String),
    /// An earlier line has the same edge.
    Twice {
        /// The number of the earlier line.
        first: usize,
    },
}

impl fmt::Display for GraphError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GraphError::Line(line, fault) => write!(f, "line {line}: {fault}"),
            GraphError::Empty => {
                f.write_str("there are no vertices: write one edge per line, as in `a b`")
            }
            GraphError::TooMany(most) => write!(f, "there are more than {most} vertices"),
            GraphError::Circle(names) => write!(
                f,
                "the edges form a cycle, {}, but the king's moves must end: remove an edge, or \
                 name an exit",
                names.join(" to "),
            ),
            GraphError::UnknownVertex(name) => {
                write!(f, "there is no vertex {name:?}: no edge names it")
            }
            GraphError::CutOff { vertex, exit } => {
                write!(f, "there is no path from {vertex:?} to the exit {exit:?}")
            }
            GraphError::Stopped => f.write_str("stopped"),
        }
    }
}

impl fmt::Display for GraphFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GraphFault::Words(words) => write!(
                f,
                "there are {words} words: write two vertices and, if pieces slide along several \
                 edges, the line's name"
            ),
            GraphFault::Loop(name) => {
                write!(f, "the edge from {name:?} to itself is a loop: write two vertices")
            }
            GraphFault::Twice { first } => write!(f, "line {first} has the same edge"),
        }
    }
}

impl std::error::Error for GraphError {}
