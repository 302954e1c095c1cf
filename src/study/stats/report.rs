//! Statistics in the form of the JSON output.

use serde::{Deserialize, Serialize};

use crate::game::rules::{BySide, Endless, Ruleset, Side};
use crate::game::slice::Slice;
use crate::game::value::{Plies, Wdl};
use crate::table::{Metric, SideSummary};
use crate::tablebase::Tablebase;

use super::{KingCount, SideStats, ValueCount};

/// Counts over all placements with one side to move, as `taflbase stats` and manifests write
/// them.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct SideCounts {
    /// The side to move.
    pub to_move: Side,
    /// All placements.
    pub positions: u64,
    /// Wins for the side to move.
    pub win: u64,
    /// Losses for the side to move.
    pub loss: u64,
    /// Draws; 0 unless endless play is a draw.
    pub draw: u64,
    /// Undecided positions; 0 unless endless play is undecided.
    pub undecided: u64,
    /// Positions that the attackers win by endless play; left out of JSON if there are none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub endless: u64,
    /// The longest win in plies; 0 if there is none, `None` for WDL tables.
    pub max_win: Option<Plies>,
    /// The longest loss in plies; 0 if there is none, `None` for WDL tables.
    pub max_loss: Option<Plies>,
}

impl SideCounts {
    /// Creates the counts of a side from the summary of a table with that metric.
    pub fn new(rules: &Ruleset, to_move: Side, summary: &SideSummary, metric: Metric) -> Self {
        let OpenCounts { draw, undecided, endless } = open_counts(rules, summary.draws);
        let has_distances = metric == Metric::Dtw;
        SideCounts {
            to_move,
            positions: summary.positions,
            win: summary.wins,
            loss: summary.losses,
            draw,
            undecided,
            endless,
            max_win: has_distances.then_some(summary.max_win),
            max_loss: has_distances.then_some(summary.max_loss),
        }
    }
}

/// Positions in which neither side can force a win, by what the rules make of endless play.
#[derive(Clone, Copy, Default)]
pub(in crate::study) struct OpenCounts {
    pub draw: u64,
    pub undecided: u64,
    pub endless: u64,
}

/// Returns the count of such positions as what they are under the rules.
pub(in crate::study) fn open_counts(rules: &Ruleset, open: u64) -> OpenCounts {
    let mut counts = OpenCounts::default();
    match rules.endless {
        Endless::Draw => counts.draw = open,
        Endless::Undecided => counts.undecided = open,
        Endless::Attackers => counts.endless = open,
    }
    counts
}

/// Returns whether a count is left out of JSON.
pub(in crate::study) fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// Statistics of a slice with one side to move, as `taflbase stats` prints them in JSON.
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
    /// Placements by outcome.
    #[serde(flatten)]
    pub counts: SideCounts,
    /// The first position with the longest win.
    pub longest_win: Option<String>,
    /// The first position with the longest loss.
    pub longest_loss: Option<String>,
    /// The number of mutual zugzwangs: see [`SideStats::mutual_zugzwangs`].
    pub mutual_zugzwangs: Option<u64>,
    /// Placements by value: wins, quickest first, then draws, then losses, quickest first.
    pub histogram: Vec<Bar>,
}

/// The positions of one value.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct Bar {
    /// `win`, `draw`, `undecided`, `endless` or `loss`.
    pub category: &'static str,
    /// Plies to the end of the game; `None` for draws, and for WDL tables.
    pub dtw: Option<Plies>,
    /// The number of placements with this value.
    pub positions: u64,
    /// The first of them in index order; only in a [`SliceReport`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub example: Option<String>,
}

/// Statistics of a slice in JSON: for each side those of `taflbase stats`, with an example of
/// each value, and the counts by the king's square.
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

/// The statistics with one side to move.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct SideDetails {
    /// The counts; every bar has an example.
    #[serde(flatten)]
    pub report: SideReport,
    /// Placements by the king's square.
    pub king: Vec<KingBar>,
}

/// The placements with the king on one square.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct KingBar {
    /// The square.
    pub square: String,
    /// Wins for the side to move.
    pub win: u64,
    /// Draws; 0 unless endless play is a draw.
    pub draw: u64,
    /// Undecided positions; 0 unless endless play is undecided.
    pub undecided: u64,
    /// Positions that the attackers win by endless play; left out of JSON if there are none.
    #[serde(skip_serializing_if = "is_zero")]
    pub endless: u64,
    /// Losses for the side to move.
    pub loss: u64,
}

impl SliceReport {
    /// Creates the report of the statistics counted from the table of this slice and metric in
    /// `base`.
    pub fn new(
        base: &Tablebase,
        slice: Slice,
        metric: Metric,
        counted: &BySide<SideStats>,
    ) -> SliceReport {
        SliceReport {
            rules: base.rules().name.clone(),
            slice: slice.to_string(),
            sides: counted
                .iter()
                .map(|stats| SideDetails::new(base, slice, metric, stats))
                .collect(),
        }
    }
}

impl SideDetails {
    pub(in crate::study) fn new(
        base: &Tablebase,
        slice: Slice,
        metric: Metric,
        stats: &SideStats,
    ) -> SideDetails {
        let mut report = stats.report(base, slice, metric);
        for (bar, value) in report.histogram.iter_mut().zip(&stats.values) {
            bar.example = Some(value.example.to_text(base.rules()));
        }
        let king = stats.king.iter().map(|count| KingBar::new(base.rules(), count)).collect();
        SideDetails { report, king }
    }
}

impl KingBar {
    fn new(rules: &Ruleset, count: &KingCount) -> KingBar {
        let KingCount { square, wins, draws, losses } = *count;
        let OpenCounts { draw, undecided, endless } = open_counts(rules, draws);
        KingBar {
            square: rules.board.name(square).to_string(),
            win: wins,
            draw,
            undecided,
            endless,
            loss: losses,
        }
    }
}

impl SideStats {
    /// Creates the report of these statistics, which were counted from the table of this slice
    /// and metric in `base`.
    pub fn report(&self, base: &Tablebase, slice: Slice, metric: Metric) -> SideReport {
        let rules = base.rules();
        SideReport {
            rules: rules.name.clone(),
            slice: slice.to_string(),
            defenders: slice.defenders,
            attackers: slice.attackers,
            counts: SideCounts::new(rules, self.to_move, &self.summary(), metric),
            longest_win: self.longest_example(rules, Wdl::Win),
            longest_loss: self.longest_example(rules, Wdl::Loss),
            mutual_zugzwangs: self.mutual_zugzwangs,
            histogram: self.values.iter().map(|value| bar(base, value)).collect(),
        }
    }

    fn longest_example(&self, rules: &Ruleset, wdl: Wdl) -> Option<String> {
        self.longest(wdl).map(|value| value.example.to_text(rules))
    }
}

fn bar(base: &Tablebase, value: &ValueCount) -> Bar {
    let ValueCount { wdl, plies, positions, .. } = *value;
    Bar { category: base.category(wdl), dtw: plies, positions, example: None }
}
