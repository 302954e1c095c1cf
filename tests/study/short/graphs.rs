//! Games on graphs: boards as graphs, and arbitrary graphs compared with the rules as stated.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use proptest::prelude::*;
use taflbase::short::graph::{Graph, GraphError, GraphFault, solve_graph};
use taflbase::short::{Cell, Soldier};

use super::{board, valued};

/// Returns a board's edges, from the south and east to the north and west.
fn board_edges(size: &str) -> String {
    let mut edges = String::new();
    for Cell { row, column } in board(size).cells() {
        edges.push_str(&format!("{row},{column} # a vertex\n"));
        if row > 0 {
            edges.push_str(&format!("{row},{column} {},{column} north\n", row - 1));
        }
        if column > 0 {
            edges.push_str(&format!("{row},{column} {row},{} west\n", column - 1));
        }
    }
    edges
}

#[test]
fn a_board_as_a_graph_is_the_board() {
    for (size, exit) in [("5x6", None), ("6x5", Some("0,0")), ("1x1", None)] {
        let graph = Graph::parse(&board_edges(size), exit).unwrap();
        let vertex = |cell: Cell| graph.vertex(&cell.to_string()).unwrap();
        for rule in Soldier::ALL {
            let on_board = valued(size, rule);
            let on_graph = solve_graph(&graph, rule, &|_, _| true).unwrap();
            assert_eq!(on_graph.all().count() as u64, on_board.positions());
            for (king, soldier) in on_board.all() {
                let value = on_board.value(king, soldier);
                let found = on_graph.value(vertex(king), vertex(soldier));
                assert_eq!(found, Some(value), "{size} {rule} {king} {soldier}");
            }
        }
    }
}

/// An edge: two vertices, and a line, or 0 for none.
type Edge = (usize, usize, usize);

/// The game on a small graph, with every lookup edge by edge.
struct Rules {
    vertices: usize,
    edges: Vec<Edge>,
    /// Edges that only soldiers may use.
    level: Vec<(usize, usize)>,
    rule: Soldier,
    known: BTreeMap<(usize, Option<usize>), u16>,
}

impl Rules {
    /// Returns where edges of one line lead, all in one direction.
    fn slides(&self, from: usize, closed: Option<usize>, is_back: bool) -> BTreeSet<usize> {
        let turned = |&(from, to, line): &Edge| match is_back {
            true => (to, from, line),
            false => (from, to, line),
        };
        let edges: Vec<Edge> = self.edges.iter().map(turned).collect();
        let mut all = BTreeSet::new();
        for &(first, to, line) in edges.iter().filter(|edge| edge.0 == from) {
            assert_eq!(first, from);
            let mut on_line = BTreeSet::from([to]);
            on_line.retain(|&vertex| Some(vertex) != closed);
            // A pass may add a vertex, so there are as many passes as edges.
            for _ in 0..if line == 0 { 0 } else { edges.len() } {
                for &(before, after, other) in &edges {
                    if other == line && on_line.contains(&before) && Some(after) != closed {
                        on_line.insert(after);
                    }
                }
            }
            all.append(&mut on_line);
        }
        all
    }

    fn reaches(&self, from: usize, to: usize) -> bool {
        let next = self.edges.iter().filter(|edge| edge.0 == from);
        from == to || next.into_iter().any(|edge| self.reaches(edge.1, to))
    }

    /// Returns the distance, by the Floyd-Warshall algorithm.
    fn distance(&self, from: usize, to: usize) -> usize {
        let far = 1000;
        let mut distances = vec![vec![far; self.vertices]; self.vertices];
        let level = self.level.iter().map(|&(a, b)| (a, b, 0));
        for (a, b, _) in self.edges.iter().copied().chain(level) {
            (distances[a][b], distances[b][a]) = (1, 1);
        }
        for by in 0..self.vertices {
            distances[by][by] = 0;
            for a in 0..self.vertices {
                for b in 0..self.vertices {
                    distances[a][b] = distances[a][b].min(distances[a][by] + distances[by][b]);
                }
            }
        }
        distances[from][to]
    }

    fn in_play(&self, king: usize, soldier: Option<usize>) -> Option<usize> {
        soldier.filter(|&soldier| !self.rule.leaves_play() || self.reaches(king, soldier))
    }

    fn soldier_moves(&self, king: usize, soldier: usize) -> BTreeSet<usize> {
        let slides = |is_back| self.slides(soldier, Some(king), is_back);
        match self.rule {
            Soldier::Stationary => BTreeSet::new(),
            Soldier::NorthWest => slides(false),
            Soldier::SouthEast => {
                slides(true).into_iter().filter(|&to| self.reaches(king, to)).collect()
            }
            Soldier::Closer => {
                let mut all = &slides(true) | &slides(false);
                for &(a, b) in &self.level {
                    all.extend([(a, b), (b, a)].iter().filter(|way| way.0 == soldier).map(|w| w.1));
                }
                let here = self.distance(king, soldier);
                all.into_iter().filter(|&to| to != king && self.distance(king, to) < here).collect()
            }
        }
    }

    fn value(&mut self, king: usize, soldier: Option<usize>) -> u16 {
        if let Some(&value) = self.known.get(&(king, soldier)) {
            return value;
        }
        let mut seen = BTreeSet::new();
        for to in self.slides(king, soldier, false) {
            let soldier = self.in_play(to, soldier);
            seen.insert(self.value(to, soldier));
        }
        if let (false, Some(from)) = (seen.is_empty(), soldier) {
            for to in self.soldier_moves(king, from) {
                seen.insert(self.value(king, Some(to)));
            }
        }
        let value = (0..).find(|value| !seen.contains(value)).unwrap();
        self.known.insert((king, soldier), value);
        value
    }
}

/// Compares all positions of a graph.
fn compare(text: &str, exit: Option<&str>, rules: &mut Rules) {
    let graph = Graph::parse(text, exit).unwrap();
    let solved = solve_graph(&graph, rules.rule, &|_, _| true).unwrap();
    for king in 0..rules.vertices {
        for soldier in (0..rules.vertices).filter(|&soldier| soldier != king) {
            let in_play = rules.in_play(king, Some(soldier));
            let value = in_play.map(|soldier| rules.value(king, Some(soldier)));
            let [k, s] = [king, soldier].map(|vertex| graph.vertex(&vertex.to_string()).unwrap());
            let context = format!("{} {king} {soldier} of\n{text}", rules.rule);
            assert_eq!(solved.value(k, s), value, "{context}");
        }
    }
}

/// Formats a graph with all vertices and these edges.
fn written(vertices: usize, edges: &[Edge]) -> String {
    let vertices = (0..vertices).map(|vertex| format!("{vertex}\n"));
    let edges = edges.iter().map(|&(from, to, line)| match line {
        0 => format!("{from} {to}\n"),
        line => format!("{from} {to} line{line}\n"),
    });
    vertices.chain(edges).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn graphs_have_the_values_of_the_rules(
        vertices in 1..8_usize,
        edges in prop::collection::btree_set((0..8_usize, 0..8_usize, 0..3_usize), 0..16),
        rule in 0..4_usize,
    ) {
        let edges = edges.into_iter().filter(|&(from, to, _)| to < from && from < vertices);
        let edges: Vec<Edge> = edges.collect();
        let rule = Soldier::ALL[rule];
        let text = written(vertices, &edges);
        let mut rules = Rules { vertices, edges, level: Vec::new(), rule, known: BTreeMap::new() };
        compare(&text, None, &mut rules);
    }

    #[test]
    fn graphs_with_an_exit_have_the_values_of_the_rules(
        edges in prop::collection::btree_map((0..7_usize, 0..7_usize), 0..3_usize, 0..14),
        rule in 0..4_usize,
    ) {
        // A path joins all vertices to the exit.
        let mut joined: HashMap<(usize, usize), usize> = (1..7).map(|v| ((v, v - 1), 0)).collect();
        joined.extend(edges.into_iter().filter(|((a, b), _)| a > b));
        let mut edges: Vec<Edge> = joined.into_iter().map(|((a, b), line)| (a, b, line)).collect();
        edges.sort_unstable();
        let all: Vec<Edge> = edges.iter().map(|&(a, b, _)| (a, b, 0)).collect();
        let known = BTreeMap::new();
        let rule = Soldier::ALL[rule];
        let plain = Rules { vertices: 7, edges: all, level: Vec::new(), rule, known };
        let far: Vec<usize> = (0..7).map(|vertex| plain.distance(vertex, 3)).collect();
        let text = written(7, &edges);
        let level = edges.iter().filter(|edge| far[edge.0] == far[edge.1]);
        let level = level.map(|&(a, b, _)| (a, b)).collect();
        let nearer = edges.iter().filter(|edge| far[edge.0] != far[edge.1]);
        let nearer = nearer.map(|&(a, b, line)| match far[a] > far[b] {
            true => (a, b, line),
            false => (b, a, line),
        });
        let edges = nearer.collect();
        let mut rules = Rules { vertices: 7, edges, level, rule, known: BTreeMap::new() };
        compare(&text, Some("3"), &mut rules);
    }
}

#[test]
fn invalid_graphs_are_refused() {
    let refusal = |text: &str, exit| Graph::parse(text, exit).expect_err(text);
    assert_eq!(refusal("", None), GraphError::Empty);
    assert_eq!(refusal("# nothing\n\n", None), GraphError::Empty);
    let a_loop = GraphError::Line(2, GraphFault::Loop("b".to_owned()));
    assert_eq!(refusal("a b\nb b\n", None), a_loop);
    assert_eq!(refusal("a b\nb b\n", Some("a")), a_loop);
    assert_eq!(refusal("a b c d", None), GraphError::Line(1, GraphFault::Words(4)));
    let twice = GraphError::Line(3, GraphFault::Twice { first: 1 });
    assert_eq!(refusal("a b x\na b y\na b x", None), twice);
    let circle = refusal("d a\na b\nb c\nc a\nc e\n", None).to_string();
    assert!(
        ["a to b to c to a", "b to c to a to b", "c to a to b to c"]
            .iter()
            .any(|way| circle.contains(way)),
        "{circle}"
    );
    let unknown = refusal("a b", Some("x")).to_string();
    assert!(unknown.contains("no vertex \"x\""), "{unknown}");
    let cut_off = refusal("a b\nc d", Some("a")).to_string();
    assert!(cut_off.contains("from \"c\" to the exit \"a\""), "{cut_off}");
    let names: String = (0..=1 << 15).map(|vertex| format!("{vertex}\n")).collect();
    assert_eq!(refusal(&names, None), GraphError::TooMany(1 << 15));
    let graph = Graph::parse("a b\nb c", None).unwrap();
    assert_eq!(
        solve_graph(&graph, Soldier::Closer, &|_, _| false).unwrap_err(),
        GraphError::Stopped
    );
    // With an exit, a cycle is allowed.
    assert!(Graph::parse("a b\nb c\nc a\n", Some("a")).is_ok());
}
