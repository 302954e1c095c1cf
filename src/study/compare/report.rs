//! Comparisons in the form of the JSON output.

use std::cmp::Ordering;

use serde::Serialize;

use super::{Change, ComparedPosition, OutcomeCounts, SideComparison};
use crate::game::rules::{Ruleset, Side};
use crate::game::slice::Slice;
use crate::game::value::Plies;
use crate::study::stats::{OpenCounts, is_zero, open_counts};
use crate::tablebase::Tablebase;

/// A slice with one side to move under two rulesets, as `taflbase compare` prints it in JSON.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[non_exhaustive]
pub struct CompareReport {
    /// The first ruleset's name.
    pub rules: String,
    /// The second ruleset's name.
    pub other_rules: String,
    /// The slice, as `K1v2`.
    pub slice: String,
    /// Defending soldiers.
    pub defenders: usize,
    /// Attacking soldiers.
    pub attackers: usize,
    /// The side to move.
    pub to_move: Side,
    /// All placements of the first ruleset.
    pub counts: Counts,
    /// All placements of the second ruleset.
    pub other_counts: Counts,
    /// The placements that exist only under the first ruleset.
    pub only: Counts,
    /// The placements that exist only under the second ruleset.
    pub other_only: Counts,
    /// The placements that exist under both.
    pub shared: u64,
    /// Those with different outcomes.
    pub changed_outcome: u64,
    /// Those with the same outcome and different distances; `None` if a table has no distances.
    pub changed_distance: Option<u64>,
    /// The shared placements whose value changes, by the change.
    pub changes: Vec<ChangeReport>,
    /// See [`SideComparison::greatest_difference`].
    pub greatest_difference: Option<PositionReport>,
    /// See [`SideComparison::most_changed`].
    pub most_changed: Vec<PositionReport>,
}

/// Numbers of placements.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct Counts {
    /// All of them.
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
    #[serde(skip_serializing_if = "is_zero")]
    pub endless: u64,
}

/// The placements with the same change of their value.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[non_exhaustive]
pub struct ChangeReport {
    /// The outcome under the first ruleset: `win`, `draw`, `undecided`, `endless` or `loss`.
    pub category: &'static str,
    /// The outcome under the second ruleset.
    pub other_category: &'static str,
    /// `longer` or `shorter` under the second ruleset, if the outcome is the same.
    pub distance: Option<&'static str>,
    /// The number of placements.
    pub positions: u64,
    /// Their share of the placements that exist under both.
    pub share: f64,
    /// The first of them in index order.
    pub example: PositionReport,
}

/// A position with its values under both rulesets.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct PositionReport {
    /// The position.
    pub position: String,
    /// The outcome under the first ruleset.
    pub category: &'static str,
    /// Plies to the end of the game; `None` for draws, and for WDL tables.
    pub dtw: Option<Plies>,
    /// The outcome under the second ruleset.
    pub other_category: &'static str,
    /// Plies to the end of the game under the second ruleset.
    pub other_dtw: Option<Plies>,
}

impl Counts {
    fn new(rules: &Ruleset, counts: OutcomeCounts) -> Counts {
        let OpenCounts { draw, undecided, endless } = open_counts(rules, counts.draws);
        let (positions, win, loss) = (counts.total(), counts.wins, counts.losses);
        Counts { positions, win, loss, draw, undecided, endless }
    }
}

impl SideComparison {
    /// Creates the report of this comparison of a slice under the rulesets of two tablebases.
    pub fn report(&self, first: &Tablebase, second: &Tablebase, slice: Slice) -> CompareReport {
        let [rules, other_rules] = [first.rules(), second.rules()];
        let shared = self.shared();
        let changes = self.changes.iter().filter(|change| {
            change.is_other_distance()
                || first.category(change.first) != second.category(change.second)
        });
        let position = |compared: &ComparedPosition| position(first, second, compared);
        CompareReport {
            rules: rules.name.clone(),
            other_rules: other_rules.name.clone(),
            slice: slice.to_string(),
            defenders: slice.defenders,
            attackers: slice.attackers,
            to_move: self.to_move,
            counts: Counts::new(rules, self.first),
            other_counts: Counts::new(other_rules, self.second),
            only: Counts::new(rules, self.only_first),
            other_only: Counts::new(other_rules, self.only_second),
            shared,
            changed_outcome: self.other_outcome(),
            changed_distance: self.has_distances.then(|| self.other_distance()),
            changes: changes.map(|change| change_report(first, second, change, shared)).collect(),
            greatest_difference: self.greatest_difference.as_ref().map(position),
            most_changed: self.most_changed.iter().map(position).collect(),
        }
    }
}

fn change_report(
    first: &Tablebase,
    second: &Tablebase,
    change: &Change,
    shared: u64,
) -> ChangeReport {
    ChangeReport {
        category: first.category(change.first),
        other_category: second.category(change.second),
        distance: match change.distance {
            Ordering::Less => Some("shorter"),
            Ordering::Equal => None,
            Ordering::Greater => Some("longer"),
        },
        positions: change.placements,
        share: change.placements as f64 / shared.max(1) as f64,
        example: position(first, second, &change.example),
    }
}

fn position(first: &Tablebase, second: &Tablebase, compared: &ComparedPosition) -> PositionReport {
    PositionReport {
        position: compared.position.to_text(first.rules()),
        category: first.category(compared.first.wdl),
        dtw: compared.first.plies,
        other_category: second.category(compared.second.wdl),
        other_dtw: compared.second.plies,
    }
}
