//! How positions, bytes and time grow with the men.

use crate::study::report::{GrowthRow, Report};

use super::markup::{Table, figure};
use super::svg::{Anchor, Chart, Scale, draw_values, round_step};
use super::words::{bytes, count, span};

const WIDTH: f64 = 480.0;
const HEIGHT: f64 = 250.0;
/// The left, top, width and height of the area of the curve.
const AREA: [f64; 4] = [58.0, 18.0, 400.0, 182.0];

/// A value that grows.
struct Quantity {
    name: &'static str,
    unit: &'static str,
    of: fn(&GrowthRow) -> Option<f64>,
    format: fn(f64) -> String,
    /// Whether it is not measured even for tables that exist.
    is_estimate: bool,
}

const QUANTITIES: [Quantity; 3] = [
    Quantity {
        name: "Positions, with mirror images and either side to move",
        unit: "positions",
        of: |row| Some(row.positions),
        format: count,
        is_estimate: false,
    },
    Quantity {
        name: "Size of the files",
        unit: "bytes",
        of: |row| Some(row.bytes),
        format: bytes,
        is_estimate: false,
    },
    Quantity {
        name: "Time of one core to build the tables, estimated for this machine",
        unit: "seconds",
        of: |row| row.core_seconds,
        format: span,
        is_estimate: true,
    },
];

/// Draws a curve for each quantity that is known.
pub(super) fn charts(report: &Report) -> String {
    QUANTITIES.iter().filter_map(|quantity| chart(quantity, &report.growth)).collect()
}

fn chart(quantity: &Quantity, rows: &[GrowthRow]) -> Option<String> {
    let known: Vec<(&GrowthRow, f64)> =
        rows.iter().filter_map(|row| Some((row, (quantity.of)(row)?))).collect();
    let (first, last) = (known.first()?.0.men, known.last()?.0.men);
    let scale = Scale::log(known.iter().map(|&(_, value)| value));
    let [left, top, width, height] = AREA;
    let mut chart = Chart::new(WIDTH, HEIGHT, format!("{} by the number of men", quantity.name));
    draw_values(&mut chart, &scale, AREA);
    let step = (width - 16.0) / (last - first).max(1) as f64;
    let across = |men: usize| left + 8.0 + (men - first) as f64 * step;
    let at =
        |row: &GrowthRow, value: f64| (across(row.men), top + height * (1.0 - scale.place(value)));
    let built = known.iter().take_while(|(row, _)| !row.is_estimate).count();
    let points: Vec<(f64, f64)> = known.iter().map(|&(row, value)| at(row, value)).collect();
    chart.line("curve", &points[..built]);
    chart.line("curve estimate", &points[built.saturating_sub(1)..]);
    for (&(row, value), &point) in known.iter().zip(&points) {
        let class = if row.is_estimate { "estimate" } else { "built" };
        chart.dot(class, point, &format!("{} men: {}", row.men, (quantity.format)(value)));
    }
    let mut labelled: Vec<usize> = vec![built.saturating_sub(1), known.len() - 1];
    labelled.dedup();
    for i in labelled {
        let ((x, y), text) = (points[i], (quantity.format)(known[i].1));
        // Left of the dot the curve is lower.
        chart.text("strong", (x - 8.0, y - 4.0), anchor(x), &text);
    }
    chart.line("axis", &[(left, top + height), (left + width, top + height)]);
    let mark = round_step((last - first) as f64 / 12.0) as usize;
    for men in (first..=last).step_by(mark) {
        chart.text("", (across(men), top + height + 16.0), Anchor::Middle, &men.to_string());
    }
    chart.text("", (left + width / 2.0, HEIGHT - 10.0), Anchor::Middle, "men, the king included");
    chart.upright((12.0, top + height / 2.0), &format!("{}, logarithmic", quantity.unit));
    Some(figure(&format!("{}.", quantity.name), &chart.finish(), &table(quantity, &known)))
}

/// Returns the side of a dot that has room for a label.
fn anchor(x: f64) -> Anchor {
    if x < AREA[0] + 90.0 { Anchor::Start } else { Anchor::End }
}

fn table(quantity: &Quantity, known: &[(&GrowthRow, f64)]) -> Table {
    let mut table = Table::new(["men", "slices built", quantity.unit]);
    for &(row, value) in known {
        let slices = match row.slices {
            Some(slices) => format!("{} of {slices}", row.built),
            None => row.built.to_string(),
        };
        let sign = if row.is_estimate || quantity.is_estimate { "≈ " } else { "" };
        table.row([row.men.to_string(), slices, format!("{sign}{}", (quantity.format)(value))]);
    }
    table
}
