use taflbase::numbers::grouped;
use taflbase::report::{Report, Total};
use taflbase::stats::WinnerShares;

use crate::cli::output::{columns, percents, size};

/// Formats a report for the terminal.
pub(super) fn text(report: &Report) -> String {
    let mut rows: Vec<Vec<String>> = report
        .slices
        .iter()
        .map(|section| {
            let longest = section.longest.iter().map(|win| win.plies).max();
            let mut row = vec![section.slice.to_string(), grouped(section.winners.positions)];
            row.extend(percents(&section.winners.shares));
            row.push(or_none(longest));
            row.push(or_none(section.mutual_zugzwangs.map(grouped)));
            row.push(size(section.bytes));
            row
        })
        .collect();
    if report.slices.len() > 1 {
        rows.extend(report.men.iter().map(total_row));
        rows.push(total_row(&report.total));
    }
    let open = format!("{} %", report.open_outcome());
    let header = [
        "slice",
        "placements",
        "attackers win %",
        &open,
        "defenders win %",
        "longest win",
        "zugzwangs",
        "size",
    ];
    let mut text = format!("{}, with either side to move\n", report.rules);
    text += &columns(1, &header, &rows);
    text += &needed(report);
    for note in &report.notes {
        text += &format!("\n{note}\n");
    }
    text
}

fn total_row(total: &Total) -> Vec<String> {
    let name = total.men.map_or("total".to_owned(), |men| format!("{men} men"));
    let shares: &WinnerShares = &total.winners.shares;
    let mut row = vec![name, grouped(total.winners.positions)];
    row.extend(percents(shares));
    row.push(or_none(total.longest));
    row.push(or_none(total.mutual_zugzwangs.map(grouped)));
    row.push(size(total.bytes));
    row
}

fn or_none(value: Option<impl ToString>) -> String {
    value.map_or("-".to_owned(), |value| value.to_string())
}

/// Formats how many attackers are needed.
fn needed(report: &Report) -> String {
    let rows: Vec<Vec<String>> = report
        .needed
        .iter()
        .map(|needed| {
            let fewest = |count: Option<usize>| match count {
                Some(attackers) => attackers.to_string(),
                None => format!("more than {}", needed.attackers),
            };
            vec![
                needed.defenders.to_string(),
                needed.to_move.name().to_owned(),
                fewest(needed.to_win_any),
                fewest(needed.to_win_most),
            ]
        })
        .collect();
    let header = ["defenders", "to move", "attackers that can win", "that win most"];
    format!("\n{}", columns(2, &header, &rows))
}
