//! `taflbase solve --check`.

use std::path::Path;
use std::time::Instant;

use serde::Serialize;
use taflbase::Tablebase;
use taflbase::proof::{CheckReport, ProvedValue, check};
use taflbase::rules::Side;

use super::POSITIONS;
use crate::cli::arguments::Threads;
use crate::cli::certificate;
use crate::cli::error::CliError;
use crate::cli::output::{Session, counted, grouped, win_caveat};

#[derive(Serialize)]
struct CheckJson<'a> {
    certificate: String,
    rules: &'a str,
    position: String,
    value: String,
    holders: Vec<&'static str>,
    positions: u64,
    by_rule: u64,
    by_table: u64,
    inner: u64,
    tables: usize,
    plies: Option<u64>,
    seconds: f64,
}

/// Checks the certificate in a file.
pub(super) fn run(
    rules: Option<&str>,
    threads: &Threads,
    path: &Path,
    session: &Session,
) -> Result<(), CliError> {
    let started = Instant::now();
    let name = match rules {
        Some(name) => name.to_owned(),
        None => certificate::rules_name(path, session, ["solve", "--check"])?,
    };
    let tables: Tablebase = session.open_to_probe(&name)?;
    let rules = tables.rules();
    let certificate = certificate::read(path, rules)?;
    let report = threads.run(|| check(&certificate, rules, &tables))?;
    let report = report.map_err(|error| certificate::refused(path, &error))?;
    let CheckReport { value, positions, by_rule, by_table, inner, tables, plies } = report;
    let position = certificate.position().to_text(rules);
    let holders: Vec<Side> = certificate.holders().into_iter().map(|(side, _)| side).collect();
    if session.json() {
        return session.json_line(&CheckJson {
            certificate: path.display().to_string(),
            rules: &rules.name,
            position,
            value: value.to_string(),
            holders: holders.iter().map(|side| side.name()).collect(),
            positions,
            by_rule,
            by_table,
            inner,
            tables,
            plies,
            seconds: started.elapsed().as_secs_f64(),
        });
    }
    let claim = match value {
        ProvedValue::Win(side) => format!("the {} win", side.name()),
        ProvedValue::Endless(endless) => {
            format!("neither side can force a win: {}", endless.name())
        }
        ProvedValue::Open => {
            let others: Vec<&str> = holders.iter().map(|side| side.other().name()).collect();
            format!("the {} cannot force a win", others.join(" and the "))
        }
    };
    let length = plies.map_or(String::new(), |plies| {
        let plies = counted(plies, ["ply", "plies"]);
        format!("after at most {plies} the winner can win at once or a table decides\n")
    });
    session.text(&format!(
        "the certificate holds: {} {position}: {claim}\n{}; moves decided by the rules {}, by {} {}, \
         inside the strategy {}\n{length}{}",
        rules.name,
        counted(positions, POSITIONS),
        grouped(by_rule),
        counted(tables, ["table", "tables"]),
        grouped(by_table),
        grouped(inner),
        win_caveat(rules, value.winner())
    ))
}
