//! Histograms of distances.

use crate::game::rules::Side;
use crate::game::value::Plies;
use crate::study::report::SideSection;
use crate::study::stats::Bar;
use crate::system::numbers::grouped;

use super::markup::{Table, figure};
use super::svg::{Anchor, Chart, Scale, draw_values, round_step};
use super::words::{percent, plies};

const WIDTH: f64 = 480.0;
const HEIGHT: f64 = 230.0;
/// The left, top, width and height of the area of the bars.
const AREA: [f64; 4] = [58.0, 10.0, 414.0, 170.0];
/// The widest bar.
const BAR: f64 = 18.0;

/// Draws the distances with one side to move; `None` if there are none.
pub(super) fn of_side(side: &SideSection, to_move: Side) -> Option<String> {
    let bars: Vec<(&Bar, Plies)> =
        side.histogram.iter().filter_map(|bar| Some((bar, bar.dtw?))).collect();
    let longest = bars.iter().map(|&(_, plies)| plies).max()?;
    let scale = Scale::of_counts(bars.iter().map(|(bar, _)| bar.positions));
    let title = format!("Placements by plies to the end, with the {} to move", to_move.name());
    let mut chart = Chart::new(WIDTH, HEIGHT, title);
    let [left, top, width, height] = AREA;
    draw_values(&mut chart, &scale, AREA);
    let step = width / f64::from(longest + 1);
    for &(bar, distance) in &bars {
        let winner = if bar.category == "win" { to_move } else { to_move.other() };
        let tall = height * scale.place(bar.positions as f64);
        let wide = (0.84 * step).min(BAR);
        let x = left + step * (f64::from(distance) + 0.5) - wide / 2.0;
        let tip = format!(
            "{} win in {}: {} placements",
            winner.name(),
            plies(distance),
            grouped(bar.positions)
        );
        chart.rect(winner.name(), [x, top + height - tall, wide, tall], &tip);
    }
    chart.line("axis", &[(left, top + height), (left + width, top + height)]);
    let mark = round_step(f64::from(longest) / 10.0) as usize;
    for distance in (0..=longest).step_by(mark) {
        let x = left + step * (f64::from(distance) + 0.5);
        chart.text("", (x, top + height + 16.0), Anchor::Middle, &distance.to_string());
    }
    let middle = left + width / 2.0;
    chart.text("", (middle, HEIGHT - 12.0), Anchor::Middle, "plies to the end of the game");
    let unit = if scale.is_log() { "placements, logarithmic" } else { "placements" };
    chart.upright((12.0, top + height / 2.0), unit);
    Some(figure(&caption(side, to_move), &chart.finish(), &table(side)))
}

fn caption(side: &SideSection, to_move: Side) -> String {
    let open = side.shares.open();
    let rest = match open > 0.0 {
        true => format!(" Not shown: {} in which neither side can force a win.", percent(open)),
        false => String::new(),
    };
    format!(
        "Distances, {} to move. They win in an odd number of plies and lose in an even one.{rest}",
        to_move.name()
    )
}

fn table(side: &SideSection) -> Table {
    let mut table = Table::new(["value", "plies", "placements", "share"]);
    for bar in &side.histogram {
        let share = bar.positions as f64 / side.counts.positions.max(1) as f64;
        table.row([
            bar.category.to_owned(),
            bar.dtw.map_or(String::new(), |plies| plies.to_string()),
            grouped(bar.positions),
            percent(share),
        ]);
    }
    table
}
