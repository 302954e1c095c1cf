//! The counts of one side in the form in which programs read them.

use serde::{Deserialize, Serialize};

use crate::Tablebase;
use crate::rules::{Endless, Ruleset, Side};
use crate::slice::Slice;
use crate::table::{Metric, SideSummary};
use crate::value::{Plies, Wdl};

use super::{SideStats, ValueCount};

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
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct Bar {
    /// `win`, `draw`, `undecided` or `loss`.
    pub category: &'static str,
    /// Plies to the end of the game; `None` for draws, and for WDL tables.
    pub dtw: Option<Plies>,
    /// How many placements have this value.
    pub positions: u64,
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
    Bar { category: base.category(value.wdl), dtw: value.plies, positions: value.positions }
}
