use std::fmt;

/// Why there is no game on a graph.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum GraphError {
    /// A line of the list, by its number from 1, is wrong.
    Line(usize, GraphFault),
    /// The list has no edges and no vertices.
    Empty,
    /// More vertices than there are numbers for.
    TooMany(usize),
    /// Edges that lead from these vertices to the next, and from the last to the first.
    Circle(Vec<String>),
    /// A vertex that no edge names.
    UnknownVertex(String),
    /// A vertex from which there is no way to the exit.
    CutOff {
        /// The vertex.
        vertex: String,
        /// The exit.
        exit: String,
    },
    /// Whoever was told of the progress wanted no more.
    Stopped,
}

/// What is wrong with a line of an edge list.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum GraphFault {
    /// More words than two vertices and a line.
    Words(usize),
    /// An edge from a vertex to itself.
    Loop(String),
    /// An edge that an earlier line has.
    Twice {
        /// The earlier line.
        first: usize,
    },
}

impl fmt::Display for GraphError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GraphError::Line(line, fault) => write!(f, "line {line}: {fault}"),
            GraphError::Empty => {
                f.write_str("there are no vertices: write an edge a line, like `a b`")
            }
            GraphError::TooMany(most) => write!(f, "there are more than {most} vertices"),
            GraphError::Circle(names) => write!(
                f,
                "the edges lead in a circle, {}: the king's moves must come to an end; with an \
                 exit he goes nearer to it",
                names.join(" to "),
            ),
            GraphError::UnknownVertex(name) => {
                write!(f, "there is no vertex {name:?}: no edge names it")
            }
            GraphError::CutOff { vertex, exit } => {
                write!(f, "there is no way from {vertex:?} to the exit {exit:?}")
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
                "there are {words} words: write two vertices and, if edges are slid along, the \
                 line's name"
            ),
            GraphFault::Loop(name) => {
                write!(f, "the edge from {name:?} to itself is a loop: write two vertices")
            }
            GraphFault::Twice { first } => write!(f, "the edge is there already, in line {first}"),
        }
    }
}

impl std::error::Error for GraphError {}
