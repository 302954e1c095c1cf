use taflbase::compare::{ChangeReport, CompareReport, Counts, PositionReport};
use taflbase::rules::Side;
use taflbase::value::Plies;

use crate::cli::output::{columns, counted, grouped, percent};

/// Formats the comparison of a slice with one side to move. `open` names what positions are that
/// neither side can force.
pub(super) fn comparison(report: &CompareReport, open: &[&str]) -> String {
    let CompareReport { rules, other_rules, slice, to_move, shared, .. } = report;
    let mut text = format!(
        "{slice}, {} to move, {rules} and {other_rules}: {} placements under both\n",
        to_move.name(),
        grouped(shared)
    );
    text += &counts(report, open);
    if !report.changes.is_empty() {
        text += &format!("\n{}", changes(report));
    }
    if let Some(PositionReport { position, category, dtw, other_dtw, .. }) =
        &report.greatest_difference
    {
        let difference = dtw.unwrap_or(0).abs_diff(other_dtw.unwrap_or(0));
        let difference = counted(difference, ["ply", "plies"]);
        let both = plies(*dtw, *other_dtw);
        text +=
            &format!("\ngreatest difference: {difference} ({category} in {both})  {position}\n");
    }
    if !report.most_changed.is_empty() {
        text += &format!("\nchange most\n{}", positions(&report.most_changed));
    }
    text
}

/// Formats the placements of each ruleset by outcome.
fn counts(report: &CompareReport, open: &[&str]) -> String {
    let CompareReport { rules, other_rules, .. } = report;
    let mut rows =
        vec![count_row(rules, &report.counts), count_row(other_rules, &report.other_counts)];
    for (rules, only) in [(rules, &report.only), (other_rules, &report.other_only)] {
        if only.positions > 0 {
            rows.push(count_row(&format!("only {rules}"), only));
        }
    }
    columns(1, &["rules", "placements", "win", &open.join(", "), "loss"], &rows)
}

fn count_row(name: &str, counts: &Counts) -> Vec<String> {
    let Counts { positions, win, loss, draw, undecided, endless, .. } = *counts;
    let numbers = [positions, win, draw + undecided + endless, loss].map(grouped);
    [&[name.to_owned()][..], &numbers].concat()
}

/// Formats the changes and the placements without one.
fn changes(report: &CompareReport) -> String {
    let mut rows: Vec<Vec<String>> = report.changes.iter().map(change_row).collect();
    let changed: u64 = report.changes.iter().map(|change| change.positions).sum();
    let unchanged = report.shared - changed;
    let share = unchanged as f64 / report.shared.max(1) as f64;
    rows.push(vec!["no change".to_owned(), grouped(unchanged), percent(share), String::new()]);
    let examples = report.changes.iter().map(|change| change.example.position.as_str());
    let header = ["change", "placements", "%", "plies"];
    beside(&columns(1, &header, &rows), ["first position"].into_iter().chain(examples))
}

fn change_row(change: &ChangeReport) -> Vec<String> {
    let ChangeReport { category, other_category, distance, positions, share, example, .. } = change;
    let name = match distance {
        Some(distance) => format!("{category}, {distance}"),
        None => format!("{category} to {other_category}"),
    };
    vec![name, grouped(positions), percent(*share), plies(example.dtw, example.other_dtw)]
}

/// Formats positions with their values.
fn positions(positions: &[PositionReport]) -> String {
    let rows: Vec<Vec<String>> = positions
        .iter()
        .map(|position| {
            let name = format!("{} to {}", position.category, position.other_category);
            vec![name, plies(position.dtw, position.other_dtw)]
        })
        .collect();
    let texts = positions.iter().map(|position| position.position.as_str());
    beside(&columns(1, &["change", "plies"], &rows), ["position"].into_iter().chain(texts))
}

/// Formats the plies of both rulesets: `3, 8`. A draw has none: `3, -`.
fn plies(dtw: Option<Plies>, other_dtw: Option<Plies>) -> String {
    if dtw.is_none() && other_dtw.is_none() {
        return String::new();
    }
    let cells = [dtw, other_dtw].map(|dtw| dtw.map_or("-".to_owned(), |plies| plies.to_string()));
    cells.join(", ")
}

/// Appends a left-aligned column to lines of equal width; lines without a cell stay.
fn beside<'a>(lines: &str, cells: impl Iterator<Item = &'a str>) -> String {
    let width = lines.lines().map(|line| line.chars().count()).max().unwrap_or(0);
    let cells = cells.map(Some).chain(std::iter::repeat(None));
    let joined = lines.lines().zip(cells).map(|(line, cell)| match cell {
        Some(cell) => format!("{line:<width$}  {cell}\n"),
        None => format!("{line}\n"),
    });
    joined.collect()
}

/// Formats the shares of several slices.
pub(super) fn summary(reports: &[CompareReport]) -> String {
    let Some(CompareReport { rules, other_rules, .. }) = reports.first() else {
        return String::new();
    };
    let rows: Vec<Vec<String>> = reports.iter().map(summary_row).collect();
    let [wins, other_wins] = [rules, other_rules].map(|rules| format!("{rules} %"));
    let header = [
        "slice",
        "to move",
        "placements",
        &wins,
        &other_wins,
        "other outcome %",
        "other distance %",
    ];
    "shares that the attackers win, and shares of the placements under both that change\n"
        .to_owned()
        + &columns(2, &header, &rows)
}

fn summary_row(report: &CompareReport) -> Vec<String> {
    let share = |part: u64, of: u64| percent(part as f64 / of.max(1) as f64);
    let attackers_win = |counts: &Counts| {
        let wins = match report.to_move {
            Side::Attackers => counts.win,
            Side::Defenders => counts.loss,
        };
        share(wins, counts.positions)
    };
    vec![
        report.slice.clone(),
        report.to_move.name().to_owned(),
        grouped(report.shared),
        attackers_win(&report.counts),
        attackers_win(&report.other_counts),
        share(report.changed_outcome, report.shared),
        report.changed_distance.map_or(String::new(), |changed| share(changed, report.shared)),
    ]
}
