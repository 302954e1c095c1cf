//! Who wins: a stacked bar for each slice.

use crate::game::rules::Side;
use crate::study::report::{Report, SideSection, SliceSection};
use crate::study::stats::Winners;

use super::markup::Table;
use super::svg::{Anchor, Chart};
use super::words::percent;

const WIDTH: f64 = 480.0;
/// The left end and the width of the bars; the names of slices stand left of them.
const BARS: (f64, f64) = (58.0, 222.0);
/// The right ends of the columns of numbers.
const COLUMNS: [f64; 3] = [340.0, 404.0, 478.0];
const ROW: f64 = 18.0;
const BAR: f64 = 12.0;
const HEADING: f64 = 22.0;

/// Draws the shares of all slices with one side to move.
pub(super) fn chart(report: &Report, to_move: Side) -> String {
    let groups = report.slices.chunk_by(|one, next| one.men == next.men);
    let height = HEADING * (1 + report.men.len()) as f64 + ROW * report.slices.len() as f64;
    let title = format!("Who wins, by slice, with the {} to move", to_move.name());
    let mut chart = Chart::new(WIDTH, height, title);
    for (column, name) in COLUMNS.into_iter().zip(names(report)) {
        chart.text("strong", (column, 14.0), Anchor::End, name);
    }
    let mut y = HEADING;
    for group in groups {
        chart.text("strong", (0.0, y + 15.0), Anchor::Start, &format!("{} men", group[0].men));
        y += HEADING;
        for section in group {
            bar(&mut chart, section, &section.sides[to_move], y);
            y += ROW;
        }
    }
    chart.finish()
}

fn bar(chart: &mut Chart, section: &SliceSection, side: &SideSection, y: f64) {
    let baseline = y + BAR - 1.0;
    chart.text("", (BARS.0 - 6.0, baseline), Anchor::End, &section.slice.to_string());
    let shares = [side.shares.attackers_win, side.shares.open(), side.shares.defenders_win];
    let mut x = BARS.0;
    for ((class, share), column) in
        ["attackers", "open", "defenders"].into_iter().zip(shares).zip(COLUMNS)
    {
        let width = share * BARS.1;
        if width > 0.0 {
            chart.rect(class, [x, y, width, BAR], &percent(share));
        }
        x += width;
        chart.text("", (column, baseline), Anchor::End, &percent(share));
    }
}

/// Returns the names of the three outcomes.
fn names(report: &Report) -> [&'static str; 3] {
    [Side::Attackers.name(), report.open_outcome(), Side::Defenders.name()]
}

/// Lists the counts with one side to move.
pub(super) fn table(report: &Report, to_move: Side) -> Table {
    let [attackers, open, defenders] = names(report);
    let mut table = Table::new(["slice", "placements", attackers, open, defenders]);
    for section in &report.slices {
        let winners = Winners::of(&section.sides[to_move].counts);
        let counts =
            [winners.positions(), winners.attackers_win, winners.open(), winners.defenders_win];
        table.numbers(section.slice.to_string(), counts);
    }
    table
}
