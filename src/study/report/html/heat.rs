//! Maps of shares: squares coloured by how much the attackers win, with the percentage on them.

use crate::game::board::Board;
use crate::game::rules::{Ruleset, Side};
use crate::study::report::{Report, SideSection};
use crate::study::stats::KingBar;
use crate::system::numbers::grouped;

use super::markup::{Table, figure};
use super::svg::{Anchor, Chart};
use super::words::{percent, whole_percent};

/// The side of a square, unless there are too many of them.
const SIDE: f64 = 46.0;
/// The greatest width of all squares together.
const WIDTH: f64 = 440.0;
/// The margin with the names of rows and columns.
const MARGIN: f64 = 24.0;
/// The margin of the name of an axis.
const AXIS: f64 = 18.0;
/// The smallest side of a square with letters of full size.
const ROOMY: f64 = 34.0;

/// The colours of 0 and 1. Only lightness matters, so that they are told apart without colours.
const NONE: [f64; 3] = [253.0, 243.0, 232.0];
const ALL: [f64; 3] = [150.0, 54.0, 0.0];

/// Rows and columns of shares.
struct HeatMap {
    title: String,
    /// The names of the columns, from the left, and of the rows, from the top.
    columns: Vec<String>,
    rows: Vec<String>,
    /// The names of the axes.
    axes: Option<[&'static str; 2]>,
    /// Row by row; `None` where there is nothing to show.
    cells: Vec<Option<Cell>>,
}

struct Cell {
    share: f64,
    tip: String,
}

impl HeatMap {
    fn draw(&self) -> String {
        let side = (WIDTH / self.columns.len().max(1) as f64).min(SIDE);
        let axis = if self.axes.is_some() { AXIS } else { 0.0 };
        let left = axis + MARGIN;
        let (width, height) = (side * self.columns.len() as f64, side * self.rows.len() as f64);
        let mut chart = Chart::new(left + width + 2.0, height + MARGIN + axis, &*self.title);
        for (i, cell) in self.cells.iter().enumerate() {
            let x = left + side * (i % self.columns.len()) as f64;
            let y = side * (i / self.columns.len()) as f64;
            draw_cell(&mut chart, cell.as_ref(), [x, y, side - 1.0, side - 1.0]);
        }
        let middle = side / 2.0;
        for (i, name) in self.columns.iter().enumerate() {
            let at = (left + side * i as f64 + middle, height + 15.0);
            chart.text("", at, Anchor::Middle, name);
        }
        for (i, name) in self.rows.iter().enumerate() {
            let at = (left - 6.0, side * i as f64 + middle + 4.0);
            chart.text("", at, Anchor::End, name);
        }
        if let Some([across, down]) = self.axes {
            let at = (left + width / 2.0, height + MARGIN + axis - 5.0);
            chart.text("", at, Anchor::Middle, across);
            chart.upright((12.0, height / 2.0), down);
        }
        chart.finish()
    }
}

fn draw_cell(chart: &mut Chart, cell: Option<&Cell>, place: [f64; 4]) {
    let [x, y, side, _] = place;
    let Some(Cell { share, tip }) = cell else {
        chart.rect("none", place, "");
        return;
    };
    let colour = colour(*share);
    chart.cell(colour, place, tip);
    let ink = if luminance(colour) > 0.179 { "ink" } else { "paper" };
    let size = if side < ROOMY { " small" } else { "" };
    let at = (x + side / 2.0, y + side / 2.0 + 4.0);
    chart.text(&format!("{ink}{size}"), at, Anchor::Middle, &whole_percent(*share));
}

/// Returns the colour of a share.
fn colour(share: f64) -> [u8; 3] {
    std::array::from_fn(|i| (NONE[i] + share * (ALL[i] - NONE[i])).round() as u8)
}

/// Returns the relative luminance, as the Web Content Accessibility Guidelines 2.2 define it.
/// Black and white letters have the same contrast to a luminance of 0.179.
fn luminance(colour: [u8; 3]) -> f64 {
    let [red, green, blue] = colour.map(|channel| match f64::from(channel) / 255.0 {
        dark if dark <= 0.040_45 => dark / 12.92,
        light => ((light + 0.055) / 1.055).powf(2.4),
    });
    0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/// Draws how much the attackers win by the king's square; `None` if it is not known.
pub(super) fn of_king(
    report: &Report,
    rules: &Ruleset,
    side: &SideSection,
    to_move: Side,
) -> Option<String> {
    if side.king.is_empty() {
        return None;
    }
    let name = to_move.name();
    let (size, board) = (rules.board.size(), rules.board);
    let map = HeatMap {
        title: format!("Percentage that the attackers win by the king's square, {name} to move"),
        columns: (0..size).map(|file| char::from(b'a' + file as u8).to_string()).collect(),
        rows: (1..=size).rev().map(|rank| rank.to_string()).collect(),
        axes: None,
        cells: king_cells(board, side, to_move),
    };
    let caption = format!("The king's square, {name} to move: percentage that the attackers win.");
    Some(figure(&caption, &map.draw(), &king_table(report, side, to_move)))
}

fn king_cells(board: Board, side: &SideSection, to_move: Side) -> Vec<Option<Cell>> {
    let places = (0..board.size()).rev().flat_map(|rank| {
        (0..board.size()).map(move |file| board.name(board.at(file, rank)).to_string())
    });
    places
        .map(|square| {
            let [attackers, open, defenders] =
                by_winner(side.king.iter().find(|king| king.square == square)?, to_move);
            let all = attackers + open + defenders;
            let share = attackers as f64 / all.max(1) as f64;
            let tip = format!("{square}: {} of {}", percent(share), grouped(all));
            (all > 0).then_some(Cell { share, tip })
        })
        .collect()
}

/// Returns the placements that the attackers win, that neither side can force, and that the
/// defenders win.
fn by_winner(king: &KingBar, to_move: Side) -> [u64; 3] {
    let open = king.draw + king.undecided + king.endless;
    match to_move {
        Side::Attackers => [king.win, open, king.loss],
        Side::Defenders => [king.loss, open, king.win],
    }
}

fn king_table(report: &Report, side: &SideSection, to_move: Side) -> Table {
    let heads = ["king", Side::Attackers.name(), report.open_outcome(), Side::Defenders.name()];
    let mut table = Table::new(heads);
    for king in &side.king {
        table.numbers(king.square.clone(), by_winner(king, to_move));
    }
    table
}

/// Draws how much the attackers win, by the numbers of soldiers.
pub(super) fn of_balance(report: &Report, to_move: Side) -> String {
    let cells = report.balance.iter().filter(|cell| cell.to_move == to_move);
    let [attackers, defenders] = [
        cells.clone().map(|cell| cell.attackers).max().unwrap_or(1),
        cells.clone().map(|cell| cell.defenders).max().unwrap_or(0),
    ];
    let places = (0..=defenders).flat_map(|d| (1..=attackers).map(move |a| (d, a)));
    let shares = places.map(|(d, a)| {
        let found = cells.clone().find(|cell| (cell.defenders, cell.attackers) == (d, a))?;
        let share = found.shares.attackers_win;
        Some(Cell { share, tip: format!("K{d}v{a}: {}", percent(share)) })
    });
    let name = to_move.name();
    let map = HeatMap {
        title: format!("Percentage that the attackers win by material, {name} to move"),
        columns: (1..=attackers).map(|count| count.to_string()).collect(),
        rows: (0..=defenders).map(|count| count.to_string()).collect(),
        axes: Some(["attackers", "defenders"]),
        cells: shares.collect(),
    };
    let caption = format!(
        "{} to move: percentage that the attackers win. 0 means that they cannot win at all.",
        capitalized(name)
    );
    figure(&caption, &map.draw(), &balance_table(report, to_move))
}

fn balance_table(report: &Report, to_move: Side) -> Table {
    let mut table = Table::new([
        "slice",
        "attackers win",
        report.open_outcome(),
        "defenders win",
        "majority",
        "attackers can win",
    ]);
    for cell in report.balance.iter().filter(|cell| cell.to_move == to_move) {
        table.row([
            format!("K{}v{}", cell.defenders, cell.attackers),
            percent(cell.shares.attackers_win),
            percent(cell.shares.open()),
            percent(cell.shares.defenders_win),
            cell.majority.unwrap_or("none").to_owned(),
            if cell.attackers_can_win { "yes" } else { "no" }.to_owned(),
        ]);
    }
    table
}

/// Returns a word with a capital letter.
pub(super) fn capitalized(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentages_stand_out_on_every_colour() {
        let mut last = f64::INFINITY;
        for share in (0..=100).map(|percent| f64::from(percent) / 100.0) {
            let light = luminance(colour(share));
            let contrast =
                if light > 0.179 { (light + 0.05) / 0.05 } else { 1.05 / (light + 0.05) };
            // The guidelines ask for 4.5 in small letters.
            assert!(contrast > 4.5, "{share}: {contrast}");
            assert!(light < last, "{share} is not darker");
            last = light;
        }
    }
}
