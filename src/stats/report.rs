//! The counts of one side in the form in which programs read them.

use serde::Serialize;

use crate::Tablebase;
use crate::rules::Endless;
use crate::slice::Slice;
use crate::table::Metric;
use crate::value::{Plies, Wdl};

use super::{SideStats, ValueCount};

/// What is known of the positions of a slice with one side to move, to be written
/// as JSON. Positions are texts.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct SideReport {
    /// The ruleset's name.
    pub rules: String,
    /// The slice, as `K1v2`.
    pub slice: String,
    /// Defending soldiers.
    pub defenders: usize,
    /// Attacking soldiers.
    pub attackers: usize,
    /// `attackers` or `defenders`.
    pub to_move: &'static str,
    /// All positions, mirror images counted separately.
    pub positions: u64,
    /// Positions won by the side to move.
    pub win: u64,
    /// Positions lost.
    pub loss: u64,
    /// Positions drawn.
    pub draw: u64,
    /// Positions that the table cannot tell, where the rules have no draws.
    pub undecided: u64,
    /// The longest win in plies, 0 if there is none; `None` for WDL tables.
    pub max_win: Option<Plies>,
    /// The longest loss in plies, 0 if there is none; `None` for WDL tables.
    pub max_loss: Option<Plies>,
    /// The first position with the longest win.
    pub longest_win: Option<String>,
    /// The first position with the longest loss.
    pub longest_loss: Option<String>,
    /// How many positions have each value: wins, the quickest first, then draws,
    /// then losses, the quickest first.
    pub histogram: Vec<Bar>,
}

/// The positions of one value.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Bar {
    /// `win`, `draw`, `undecided` or `loss`.
    pub category: &'static str,
    /// Plies to the end of the game; `None` for draws, and for WDL tables.
    pub dtw: Option<Plies>,
    /// How many positions have this value.
    pub positions: u64,
}

impl SideStats {
    /// The counts with their names, for the slice and metric of the table in `base`
    /// that they were counted from.
    pub fn report(&self, base: &Tablebase, slice: Slice, metric: Metric) -> SideReport {
        let rules = base.rules();
        let draws = self.count(Wdl::Draw);
        let is_draw = rules.endless == Endless::Draw;
        let longest = |wdl| {
            (metric == Metric::Dtw).then(|| self.longest(wdl).and_then(|v| v.plies).unwrap_or(0))
        };
        let example = |wdl| self.longest(wdl).map(|value| value.example.to_text(rules));
        SideReport {
            rules: rules.name.clone(),
            slice: slice.to_string(),
            defenders: slice.defenders,
            attackers: slice.attackers,
            to_move: self.to_move.name(),
            positions: self.positions(),
            win: self.count(Wdl::Win),
            loss: self.count(Wdl::Loss),
            draw: if is_draw { draws } else { 0 },
            undecided: if is_draw { 0 } else { draws },
            max_win: longest(Wdl::Win),
            max_loss: longest(Wdl::Loss),
            longest_win: example(Wdl::Win),
            longest_loss: example(Wdl::Loss),
            histogram: self.values.iter().map(|value| bar(base, value)).collect(),
        }
    }
}

fn bar(base: &Tablebase, value: &ValueCount) -> Bar {
    Bar { category: base.category(value.wdl), dtw: value.plies, positions: value.positions }
}
