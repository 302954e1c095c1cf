//! Whole games: the plan before their tables are built, and the answer after it.

use std::path::Path;

use serde::Serialize;
use taflbase::Tablebase;
use taflbase::build::{SlicePlan, SliceReport, available_disk};
use taflbase::position::Position;
use taflbase::rules::Side;
use taflbase::stats::SideCounts;
use taflbase::table::Metric;
use taflbase::tablebase::{LineAnswer, Probed};
use taflbase::value::Wdl;

use super::build::{count_cells, count_header, side_counts};
use super::calibration::CALIBRATION_SECONDS;
use super::error::CliError;
use super::line::numbered;
use super::output::{Session, columns, counted, grouped, size, win_caveat, winner};
use super::plan::{self, Processes};
use super::probe::words;

/// A build is refused if the free disk space is less than the estimated size of its tables divided
/// by this factor: estimates may be too high, but not that much.
const DISK_ESTIMATE_MARGIN: u64 = 2;

/// The value of a start position, and what the tables of its whole game contain.
#[derive(Serialize)]
struct StartAnswer<'a> {
    #[serde(flatten)]
    line: LineAnswer<'a>,
    /// The side that can force a win, or `draw`, `undecided` or `endless`, as `solve` writes it.
    value: &'a str,
    slice: String,
    sides: Vec<SideCounts>,
    slices: usize,
    placements: u64,
    bytes: u64,
}

/// Prints what building the whole game takes, with this memory for each process; nothing if its
/// tables exist.
///
/// # Errors
/// If a slice is too large for this version, or the disk has no room for the tables.
pub(super) fn announce(
    base: &Tablebase,
    plans: &[SlicePlan],
    processes: &Processes,
    memory_bytes: u64,
    session: &Session,
) -> Result<(), CliError> {
    if plans.iter().all(|plan| plan.present) {
        return Ok(());
    }
    let slice = Position::start(base.rules())?.slice();
    let too_large = plans.iter().filter(|plan| !plan.present && plan.size.is_none()).count();
    if too_large > 0 {
        return Err(CliError::Error(format!(
            "the whole game from {slice} is too large for this version, as are {too_large} of its {} \
             slices: build slices of fewer men, or search for a proof with `taflbase solve`",
            plans.len(),
        )));
    }
    let unfit = plan::unfit(base, plans, processes, memory_bytes)?;
    if !unfit.is_empty() {
        session.note(&format!("the whole game from {slice}: {}", unfit.trim_end()));
        // The build refuses them at once and says what they need.
        return Ok(());
    }
    let estimates = plan::estimate(base, plans, processes, CALIBRATION_SECONDS, session)?;
    let total = plan::total(&estimates).trim_end().replace('\n', "; ");
    session.note(&format!("the whole game from {slice}: {total}"));
    let free = available_disk(session.tables()).unwrap_or(u64::MAX);
    let bytes = plan::bytes_to_write(&estimates).unwrap_or(u64::MAX);
    check_room(bytes, free, session.tables())
}

/// Checks that tables of about this size fit into the free disk space of their folder.
fn check_room(bytes: u64, free: u64, folder: &Path) -> Result<(), CliError> {
    if bytes / DISK_ESTIMATE_MARGIN <= free {
        return Ok(());
    }
    Err(CliError::Error(format!(
        "the tables take about {} of disk, but only {} are free for {}: free some space, or name a \
         folder on another disk with --tables",
        size(bytes),
        size(free),
        folder.display()
    )))
}

/// Prints the value of the start position from the tables that a build has reported: all of its
/// whole game. WDL tables give no distance and no line.
pub(super) fn print(
    rules: &str,
    metric: Metric,
    reports: &[SliceReport],
    session: &Session,
) -> Result<(), CliError> {
    let base = session.open_to_build(rules)?;
    let start = Position::start(base.rules())?;
    let best_play = match metric {
        Metric::Dtw => {
            base.probe_dtw(&start).and_then(|value| Ok((Probed::from(value), base.line(&start)?)))
        }
        Metric::Wdl => base.probe_wdl(&start).map(|wdl| (Probed { wdl, plies: None }, Vec::new())),
    };
    let (value, moves) = best_play.map_err(|error| session.probe_error(&base, rules, error))?;
    let winner = winner(start.to_move, value.wdl);
    let own_report = reports.iter().filter(|report| report.slice == start.slice());
    let summaries = reports.iter().flat_map(|report| report.summaries.iter());
    let answer = StartAnswer {
        line: LineAnswer::new(&base, &start, value, &moves),
        value: winner.map_or(base.category(Wdl::Draw), Side::name),
        slice: start.slice().to_string(),
        sides: own_report
            .clone()
            .flat_map(|report| Side::ALL.map(|side| side_counts(base.rules(), report, side)))
            .collect(),
        slices: reports.len(),
        placements: summaries.map(|summary| summary.positions).sum(),
        bytes: reports.iter().flat_map(|report| &report.bytes).map(|&(_, bytes)| bytes).sum(),
    };
    if session.json() {
        return session.json_line(&answer);
    }
    let verdict = match winner {
        Some(side) => format!("The {} win", side.name()),
        None => "Neither side can force a win".to_owned(),
    };
    let StartAnswer { slice, slices, placements, bytes, line, .. } = &answer;
    let rows: Vec<Vec<String>> = own_report
        .flat_map(|report| Side::ALL.map(|side| count_cells(base.rules(), report, side)))
        .collect();
    session.text(&format!(
        "\n{verdict} from the start position, {slice}.\n{}{} to move: {}\n{}\n{}whole game: {}, {} \
         placements, {}\n",
        win_caveat(base.rules(), winner),
        line.to_move,
        words(&base, value),
        numbered(session, line, start.to_move),
        columns(2, &count_header(base.rules()), &rows),
        counted(*slices, ["slice", "slices"]),
        grouped(placements),
        size(*bytes),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_larger_than_the_disk_are_refused() {
        let checked = |bytes, free| check_room(bytes, free, Path::new("my/tables"));
        assert!(checked(20 << 30, 10 << 30).is_ok());
        let Err(CliError::Error(message)) = checked(21 << 30, 10 << 30) else { panic!("allowed") };
        for part in ["21.0 GiB of disk", "only 10.0 GiB are free for my/tables", "--tables"] {
            assert!(message.contains(part), "{message}");
        }
    }
}
