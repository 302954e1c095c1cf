use std::fs;
use std::io::{self, Read};
use std::path::Path;
use std::time::Instant;

use serde::Serialize;
use taflbase::short::Soldier;
use taflbase::short::graph::{Graph, SolvedGraph, solve_graph};

use super::{Args, SMALLER, check_memory, counts_text};
use crate::cli::error::CliError;
use crate::cli::meter::Meter;
use crate::cli::output::{Session, columns, counted, is_standard, size, time};

#[derive(Serialize)]
struct GraphJson<'a> {
    vertices: usize,
    edges: usize,
    soldier: &'static str,
    p_positions: Vec<[&'a str; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    grundy: Option<Vec<u16>>,
}

/// Solves the game on a graph and lists the P-positions.
pub(super) fn run(
    args: &Args,
    file: &Path,
    rule: Soldier,
    session: &Session,
) -> Result<(), CliError> {
    let text = read(file).map_err(file_error(file))?;
    let graph = Graph::parse(&text, args.exit.as_deref()).map_err(file_error(file))?;
    let kings = args
        .king
        .iter()
        .map(|name| graph.vertex(name))
        .collect::<Result<Vec<usize>, _>>()
        .map_err(file_error(file))?;
    // Checked before solving: the system may kill a process that exhausts its memory.
    let needed = SolvedGraph::memory_bytes(graph.vertices());
    check_memory("the graph", needed, SMALLER)?;
    let (meter, begun) = (Meter::new("short tafl"), Instant::now());
    let solved =
        args.threads.run(|| solve_graph(&graph, rule, &|done, of| meter.update(done, of)))??;
    // Clears the progress bar before the results are printed.
    drop(meter);
    let wanted: Vec<([usize; 2], u16)> =
        solved.all().filter(|([king, _], _)| kings.is_empty() || kings.contains(king)).collect();
    let names = graph.names();
    let p_positions: Vec<[&str; 2]> = wanted
        .iter()
        .filter(|(_, value)| *value == 0)
        .map(|(position, _)| position.map(|vertex| &*names[vertex]))
        .collect();
    if session.json() {
        let grundy = args.grundy.then(|| wanted.iter().map(|(_, value)| *value).collect());
        let (vertices, edges, soldier) = (graph.vertices(), graph.edges(), rule.name());
        return session.json_line(&GraphJson { vertices, edges, soldier, p_positions, grundy });
    }
    let took = format!("{}, {} of memory", time(begun.elapsed()), size(needed));
    let counts = format!(
        "{}, {}, soldier {rule}: {}",
        counted(graph.vertices(), ["vertex", "vertices"]),
        counted(graph.edges(), ["edge", "edges"]),
        counts_text(wanted.len(), p_positions.len()),
    );
    let table = match args.grundy {
        true => {
            let rows = wanted.iter().map(|([king, soldier], value)| {
                vec![names[*king].clone(), names[*soldier].clone(), value.to_string()]
            });
            columns(2, &["king", "soldier", "value"], &rows.collect::<Vec<_>>())
        }
        false => {
            let rows = p_positions.iter().map(|names| names.map(str::to_owned).to_vec());
            columns(2, &["king", "soldier"], &rows.collect::<Vec<_>>())
        }
    };
    session.text(&format!("Short tafl on {counts}\nsolved in {took}\n\n{table}"))
}

fn read(file: &Path) -> io::Result<String> {
    if !is_standard(file) {
        return fs::read_to_string(file);
    }
    let mut text = String::new();
    io::stdin().read_to_string(&mut text)?;
    Ok(text)
}

/// Prefixes an error with the name of the file.
fn file_error<E: std::fmt::Display>(file: &Path) -> impl Fn(E) -> CliError {
    move |error| CliError::Error(format!("{}: {error}", file.display()))
}
