//! `bench --engine`: the speed of the search and a signature of its results.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::Serialize;
use taflbase::engine::{Engine, EngineOptions, Limits};
use taflbase::position::Position;
use taflbase::rules::Ruleset;
use taflbase::{Game, Tablebase};

use super::print;
use crate::cli::error::CliError;
use crate::cli::machine::core_time;
use crate::cli::output::{Session, grouped};

/// Rulesets, positions (empty: the start position) and depths: openings and middlegames on all
/// board sizes, and an endgame that uses the tables.
const SET: &[(&str, &str, u32)] = &[
    ("brandubh", "", 12),
    ("brandubh", "/7/3t3/t6/1t1K1T1/6T/2t2t1/3t3/ a", 14),
    ("brandubh", "/3t3/2T4/6T/2K1t2/t1t4/3t3/3t3/ a", 14),
    ("ashton", "", 9),
    ("ashton", "/4t4/1t7/1T3tT2/2T5t/t1TK2t2/3T1t2t/2Tt5/4t4/1t1tt4/ d", 9),
    ("ashton", "/4t4/9/3t5/6T1t/9/2tTKtt2/4t4/4t1T2/t8/ d", 11),
    ("tablut", "/2t1tt3/4t4/2T2T3/1t1t2t2/t1t5t/t6K1/T3t4/9/4t1t2/ a", 9),
    ("berkeley", "/3t2t2/5t3/4t2T1/tT4T2/ttTT2t1t/t2TKt3/4t4/T3t4/3t5/ a", 9),
    ("large-hnefatafl", "", 7),
    ("alea-evangelii", "", 5),
];

/// The result and cost of a search.
#[derive(Serialize)]
struct SearchBenchmark {
    rules: &'static str,
    position: String,
    men: usize,
    depth: u32,
    best: String,
    nodes: u64,
    table_hits: u64,
    /// CPU seconds of the single search thread.
    core_seconds: f64,
    nodes_per_core_second: u64,
}

/// Searches and prints position by position.
pub(super) fn run(session: &Session) -> Result<(), CliError> {
    let mut signature = blake3::Hasher::new();
    let mut rows = Vec::new();
    for &(rules, position, depth) in SET {
        let found = search(rules, position, depth)?;
        signature.update(found.best.as_bytes());
        signature.update(&found.nodes.to_le_bytes());
        if session.json() {
            session.json_line(&found)?;
        }
        rows.push(vec![
            rules.to_owned(),
            found.men.to_string(),
            depth.to_string(),
            found.best,
            grouped(found.nodes),
            format!("{:.1} %", 100.0 * found.table_hits as f64 / found.nodes as f64),
            format!("{:.2} M", found.nodes_per_core_second as f64 / 1e6),
        ]);
    }
    let header = ["ruleset", "men", "depth", "best", "nodes", "in tables", "nodes/s"];
    print(session, &header, &rows, &signature)
}

/// Searches one position in one thread, with the embedded tables.
fn search(name: &'static str, text: &str, depth: u32) -> Result<SearchBenchmark, CliError> {
    let rules = Arc::new(Ruleset::load(name)?);
    let start = match text {
        "" => Position::start(&rules),
        board => Position::parse(board, &rules),
    }
    .map_err(CliError::new)?;
    let game = Game::from_position(Arc::clone(&rules), start).map_err(CliError::new)?;
    let tables = Arc::new(Tablebase::new(Ruleset::clone(&rules)));
    let options = EngineOptions { tables: Some(tables), ..EngineOptions::new(&rules) };
    let mut engine = Engine::new(Arc::clone(&rules), options)?;
    let (core, began) = (core_time(), Instant::now());
    let found = engine.search(&game, Limits::depth(depth), &mut |_| {})?;
    let spent = match (core, core_time()) {
        (Some(before), Some(after)) => after.saturating_sub(before),
        _ => began.elapsed(),
    };
    let seconds = spent.max(Duration::from_micros(1)).as_secs_f64();
    Ok(SearchBenchmark {
        rules: name,
        position: start.to_text(&rules),
        men: start.slice().men(),
        depth,
        best: found.lines[0].moves[0].display(rules.board).to_string(),
        nodes: found.nodes,
        table_hits: found.table_hits,
        core_seconds: (seconds * 1e3).round() / 1e3,
        nodes_per_core_second: (found.nodes as f64 / seconds) as u64,
    })
}
