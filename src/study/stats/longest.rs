//! The longest wins of a slice.

use serde::{Deserialize, Serialize};

use super::{SideCounts, SideStats, Winners};
use crate::game::position::Position;
use crate::game::rules::{BySide, Side};
use crate::game::value::{Plies, Wdl};

/// The longest win of a side in a slice, in reports and manifests.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct LongestWin {
    /// The side that wins.
    pub winner: Side,
    /// The side to move.
    pub to_move: Side,
    /// Plies to the end of the game.
    pub plies: Plies,
    /// A position with that distance, the first in index order if it was counted from a table;
    /// `None` if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<String>,
    /// The moves of best play to the end; `None` if unknown, as in manifests, or if tables are
    /// missing on the way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moves: Option<Vec<String>>,
}

impl LongestWin {
    /// Returns the longest win of each side that wins at all, without positions, from the
    /// counts with either side to move; nothing without distances.
    pub(in crate::study) fn of_counts<'a>(
        counts: impl Iterator<Item = &'a SideCounts> + Clone,
    ) -> Vec<LongestWin> {
        let of_winner = |winner: Side| {
            let known =
                Side::ALL.into_iter().zip(counts.clone()).filter_map(|(to_move, counts)| {
                    let plies = if winner == to_move { counts.max_win? } else { counts.max_loss? };
                    // A side that cannot move has lost in 0 plies: the longest loss is 0 also
                    // without any.
                    let is_won = Winners::of(counts).won_by(winner) > 0;
                    is_won.then_some(LongestWin {
                        winner,
                        to_move,
                        plies,
                        position: None,
                        moves: None,
                    })
                });
            known.max_by_key(|win| win.plies)
        };
        Side::ALL.into_iter().filter_map(of_winner).collect()
    }

    /// Returns the position that counting found: the first in index order.
    pub(in crate::study) fn example(&self, counted: &BySide<SideStats>) -> Option<Position> {
        let wdl = if self.winner == self.to_move { Wdl::Win } else { Wdl::Loss };
        counted[self.to_move].longest(wdl).map(|value| value.example)
    }

    /// Returns whether both are wins of the same side, with the same side to move and distance.
    pub(in crate::study) fn has_value_of(&self, other: &LongestWin) -> bool {
        (self.winner, self.to_move, self.plies) == (other.winner, other.to_move, other.plies)
    }
}
