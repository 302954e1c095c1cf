//! The counts of one side in the form in which programs read them.

use serde::{Deserialize, Serialize};

use crate::game::rules::{BySide, Endless, Ruleset, Side};
use crate::game::slice::Slice;
use crate::game::value::{Plies, Wdl};
use crate::table::{Metric, SideSummary};
use crate::tablebase::Tablebase;

use super::{KingCount, SideStats, ValueCount};

/// Counts over all placements with one side to move, in the words that programs
/// read: of `taflbase stats`, and of manifests.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct SideCounts {
    /// `attackers` or `defenders`.
    pub to_move: String,
    /// All placements.
    pub positions: u64,
    /// Those that the side to move wins.
    pub win: u64,
    /// Those that it loses.
    pub loss: u64,
    /// Drawn ones; none where endless play is undecided.
    pub draw: u64,
    /// Undecided ones; none where endless play is a draw.
    pub undecided: u64,
    /// The longest win in plies; 0 if there is none, `None` if only the
    /// outcomes are known.
    pub max_win: Option<Plies>,
    /// The longest loss likewise.
    pub max_loss: Option<Plies>,
}

impl SideCounts {
    /// The counts of a side; longest wins only where distances are known.
    pub fn new(rules: &Ruleset, to_move: Side, summary: &SideSummary, metric: Metric) -> Self {
        let open = |endless| if rules.endless == endless { summary.draws } else { 0 };
        let longest = |plies| (metric == Metric::Dtw).then_some(plies);
        SideCounts {
            to_move: to_move.name().to_owned(),
            positions: summary.positions,
            win: summary.wins,
            loss: summary.losses,
            draw: open(Endless::Draw),
            undecided: open(Endless::Undecided),
            max_win: longest(summary.max_win),
            max_loss: longest(summary.max_loss),
        }
    }
}

/// What is known of the positions of a slice with one side to move, to be written
/// as JSON. Positions are texts.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct SideReport {
    /// The ruleset's name.
    pub rules: String,
    /// The slice, as `K1v2`.
    pub slice: String,
    /// Defending soldiers.
    pub defenders: usize,
    /// Attacking soldiers.
    pub attackers: usize,
    /// How many placements have which outcome.
    #[serde(flatten)]
    pub counts: SideCounts,
    /// The first position with the longest win.
    pub longest_win: Option<String>,
    /// The first position with the longest loss.
    pub longest_loss: Option<String>,
    /// How many placements are mutual zugzwangs: see [`SideStats::mutual_zugzwangs`].
    pub mutual_zugzwangs: Option<u64>,
    /// How many placements have each value: wins, the quickest first, then draws,
    /// then losses, the quickest first.
    pub histogram: Vec<Bar>,
}

/// The positions of one value.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct Bar {
    /// `win`, `draw`, `undecided` or `loss`.
    pub category: &'static str,
    /// Plies to the end of the game; `None` for draws, and for WDL tables.
    pub dtw: Option<Plies>,
    /// How many placements have this value.
    pub positions: u64,
    /// The first position of them in index order, where details are told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub example: Option<String>,
}

/// All that is known of a slice, to be written as JSON: for each side what `taflbase stats`
/// tells, with an example of each value, and the squares of the king.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct SliceReport {
    /// The ruleset's name.
    pub rules: String,
    /// The slice.
    pub slice: String,
    /// The attackers to move, and the defenders to move.
    pub sides: Vec<SideDetails>,
}

/// What is known of one side to move.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct SideDetails {
    /// The counts; every bar has an example.
    #[serde(flatten)]
    pub report: SideReport,
    /// Placements by the square of the king.
    pub king: Vec<KingBar>,
}

/// The placements with the king on one square.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct KingBar {
    /// The square.
    pub square: String,
    /// Those that the side to move wins.
    pub win: u64,
    /// Drawn ones.
    pub draw: u64,
    /// Undecided ones.
    pub undecided: u64,
    /// Those that it loses.
    pub loss: u64,
}

impl SliceReport {
    /// The report of what was counted from the table of that slice and metric in `base`.
    pub fn new(
        base: &Tablebase,
        slice: Slice,
        metric: Metric,
        counted: &BySide<SideStats>,
    ) -> SliceReport {
        let rules = base.rules();
        let details = |stats: &SideStats| {
            let mut report = stats.report(base, slice, metric);
            for (bar, value) in report.histogram.iter_mut().zip(&stats.values) {
                bar.example = Some(value.example.to_text(rules));
            }
            let king = stats.king.iter().map(|count| KingBar::new(rules, count)).collect();
            SideDetails { report, king }
        };
        SliceReport {
            rules: rules.name.clone(),
            slice: slice.to_string(),
            sides: counted.iter().map(details).collect(),
        }
    }
}

impl KingBar {
    fn new(rules: &Ruleset, count: &KingCount) -> KingBar {
        let KingCount { square, wins, draws, losses } = *count;
        let open = |endless| if rules.endless == endless { draws } else { 0 };
        KingBar {
            square: rules.board.name(square).to_string(),
            win: wins,
            draw: open(Endless::Draw),
            undecided: open(Endless::Undecided),
            loss: losses,
        }
    }
}

impl SideStats {
    /// The counts with their names, for the slice and metric of the table in `base`
    /// that they were counted from.
    pub fn report(&self, base: &Tablebase, slice: Slice, metric: Metric) -> SideReport {
        let rules = base.rules();
        let example = |wdl| self.longest(wdl).map(|value| value.example.to_text(rules));
        SideReport {
            rules: rules.name.clone(),
            slice: slice.to_string(),
            defenders: slice.defenders,
            attackers: slice.attackers,
            counts: SideCounts::new(rules, self.to_move, &self.summary(), metric),
            longest_win: example(Wdl::Win),
            longest_loss: example(Wdl::Loss),
            mutual_zugzwangs: self.mutual_zugzwangs,
            histogram: self.values.iter().map(|value| bar(base, value)).collect(),
        }
    }
}

fn bar(base: &Tablebase, value: &ValueCount) -> Bar {
    let ValueCount { wdl, plies, positions, .. } = *value;
    Bar { category: base.category(wdl), dtw: plies, positions, example: None }
}
