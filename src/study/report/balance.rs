//! How many attackers are needed against how many defenders.

use serde::Serialize;

use crate::game::rules::{Ruleset, Side};
use crate::study::stats::{WinnerShares, Winners};

use super::SliceSection;

/// How the sides stand with these numbers of soldiers and one side to move.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[non_exhaustive]
pub struct BalanceCell {
    /// Defending soldiers.
    pub defenders: usize,
    /// Attacking soldiers.
    pub attackers: usize,
    /// The side to move.
    pub to_move: Side,
    /// What more than half of the placements are: `attackers` or `defenders`, whoever wins them,
    /// `draw`, `undecided` or `endless`; `None` if there is no such majority.
    pub majority: Option<&'static str>,
    /// The share of each winner.
    pub shares: WinnerShares,
    /// Whether the attackers win any placement.
    pub attackers_can_win: bool,
}

/// The least number of attackers with which they win, against that number of defenders.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct Needed {
    /// Defending soldiers.
    pub defenders: usize,
    /// The side to move.
    pub to_move: Side,
    /// The fewest attackers that win some placement; `None` if none of the slices has enough.
    pub to_win_any: Option<usize>,
    /// The fewest attackers that win more than half of the placements; `None` if none of the
    /// slices has enough.
    pub to_win_most: Option<usize>,
    /// The most attackers in these slices.
    pub attackers: usize,
}

/// Returns a cell for each slice and side to move.
pub(super) fn cells(rules: &Ruleset, slices: &[SliceSection]) -> Vec<BalanceCell> {
    let pairs = slices.iter().flat_map(|section| Side::ALL.map(|to_move| (section, to_move)));
    pairs
        .map(|(section, to_move)| {
            let side = &section.sides[to_move];
            let shares = side.shares;
            let outcomes = [
                (Side::Attackers.name(), shares.attackers_win),
                (Side::Defenders.name(), shares.defenders_win),
                (rules.endless.name(), shares.open()),
            ];
            BalanceCell {
                defenders: section.defenders,
                attackers: section.attackers,
                to_move,
                majority: outcomes
                    .into_iter()
                    .find(|(_, share)| *share > 0.5)
                    .map(|(name, _)| name),
                shares,
                attackers_can_win: Winners::of(&side.counts).attackers_win > 0,
            }
        })
        .collect()
}

/// Finds the least numbers of attackers, for each number of defenders and side to move.
pub(super) fn needed(cells: &[BalanceCell]) -> Vec<Needed> {
    let most_defenders = cells.iter().map(|cell| cell.defenders).max();
    let rows = most_defenders.into_iter().flat_map(|most| 0..=most);
    rows.flat_map(|defenders| Side::ALL.map(|to_move| (defenders, to_move)))
        .filter_map(|(defenders, to_move)| {
            let row: Vec<&BalanceCell> = cells
                .iter()
                .filter(|cell| cell.defenders == defenders && cell.to_move == to_move)
                .collect();
            let least = |holds: fn(&BalanceCell) -> bool| {
                row.iter().filter(|cell| holds(cell)).map(|cell| cell.attackers).min()
            };
            Some(Needed {
                defenders,
                to_move,
                to_win_any: least(|cell| cell.attackers_can_win),
                to_win_most: least(|cell| cell.shares.attackers_win > 0.5),
                attackers: row.iter().map(|cell| cell.attackers).max()?,
            })
        })
        .collect()
}
