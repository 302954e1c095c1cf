//! Who wins how much of a slice, whoever is to move.

use std::iter::Sum;

use serde::Serialize;

use crate::game::rules::Side;

use super::SideCounts;
use super::report::is_zero;

/// Placements by winner.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Winners {
    /// Placements that the attackers win.
    pub attackers_win: u64,
    /// Draws; 0 unless endless play is a draw.
    pub draw: u64,
    /// Undecided positions; 0 unless endless play is undecided.
    pub undecided: u64,
    /// Positions that the attackers win by endless play; left out of JSON if there are none.
    #[serde(skip_serializing_if = "is_zero")]
    pub endless: u64,
    /// Placements that the defenders win.
    pub defenders_win: u64,
}

/// The share of each winner, from 0 to 1; all are 0 if there are no placements.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize)]
pub struct WinnerShares {
    /// The share that the attackers win.
    pub attackers_win: f64,
    /// The share of draws.
    pub draw: f64,
    /// The share of undecided positions.
    pub undecided: f64,
    /// The share that the attackers win by endless play; left out of JSON if it is 0.
    #[serde(skip_serializing_if = "is_zero_share")]
    pub endless: f64,
    /// The share that the defenders win.
    pub defenders_win: f64,
}

/// Placements by winner with their shares, in the form of the JSON output.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize)]
pub struct WinnerReport {
    /// All placements.
    pub positions: u64,
    /// Placements by winner.
    #[serde(flatten)]
    pub winners: Winners,
    /// The shares of these winners.
    pub shares: WinnerShares,
}

impl Winners {
    /// Returns the winners of the placements with one side to move.
    pub fn of(counts: &SideCounts) -> Winners {
        let SideCounts { win, loss, draw, undecided, endless, .. } = *counts;
        let (attackers_win, defenders_win) = match counts.to_move {
            Side::Attackers => (win, loss),
            Side::Defenders => (loss, win),
        };
        Winners { attackers_win, draw, undecided, endless, defenders_win }
    }

    /// Returns the number of placements. Like all sums of the counts of manifests, which may be
    /// damaged, it saturates.
    pub fn positions(&self) -> u64 {
        self.attackers_win.saturating_add(self.open()).saturating_add(self.defenders_win)
    }

    /// Returns the number of placements in which neither side can force a win.
    pub fn open(&self) -> u64 {
        self.draw.saturating_add(self.undecided).saturating_add(self.endless)
    }

    /// Returns the placements that a side wins.
    pub fn won_by(&self, side: Side) -> u64 {
        match side {
            Side::Attackers => self.attackers_win,
            Side::Defenders => self.defenders_win,
        }
    }

    /// Returns the shares.
    pub fn shares(&self) -> WinnerShares {
        let all = self.positions().max(1) as f64;
        WinnerShares {
            attackers_win: self.attackers_win as f64 / all,
            draw: self.draw as f64 / all,
            undecided: self.undecided as f64 / all,
            endless: self.endless as f64 / all,
            defenders_win: self.defenders_win as f64 / all,
        }
    }
}

/// Returns whether a share is left out of JSON.
fn is_zero_share(share: &f64) -> bool {
    *share == 0.0
}

impl Sum for Winners {
    fn sum<I: Iterator<Item = Winners>>(winners: I) -> Winners {
        winners.fold(Winners::default(), |sum, more| Winners {
            attackers_win: sum.attackers_win.saturating_add(more.attackers_win),
            draw: sum.draw.saturating_add(more.draw),
            undecided: sum.undecided.saturating_add(more.undecided),
            endless: sum.endless.saturating_add(more.endless),
            defenders_win: sum.defenders_win.saturating_add(more.defenders_win),
        })
    }
}

impl WinnerShares {
    /// Returns the share of placements in which neither side can force a win.
    pub fn open(&self) -> f64 {
        self.draw + self.undecided + self.endless
    }
}

impl From<Winners> for WinnerReport {
    fn from(winners: Winners) -> WinnerReport {
        WinnerReport { positions: winners.positions(), winners, shares: winners.shares() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::rules::Ruleset;
    use crate::table::{Metric, SideSummary};

    #[test]
    fn a_loss_of_the_side_to_move_is_a_win_of_the_other() {
        let rules = Ruleset::builtin("brandubh").unwrap();
        let summary =
            SideSummary { positions: 10, wins: 5, draws: 1, losses: 4, ..Default::default() };
        let [attackers, defenders] = Side::ALL
            .map(|side| Winners::of(&SideCounts::new(&rules, side, &summary, Metric::Wdl)));
        assert_eq!((attackers.attackers_win, attackers.defenders_win), (5, 4));
        assert_eq!((defenders.attackers_win, defenders.defenders_win), (4, 5));
        assert_eq!((attackers.won_by(Side::Attackers), attackers.won_by(Side::Defenders)), (5, 4));
        let both: Winners = [attackers, defenders].into_iter().sum();
        assert_eq!(both.positions(), 20);
        let shares = both.shares();
        assert_eq!((shares.attackers_win, shares.open(), shares.defenders_win), (0.45, 0.1, 0.45));
        assert_eq!(Winners::default().shares(), WinnerShares::default());
    }
}
