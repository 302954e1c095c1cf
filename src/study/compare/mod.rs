//! Comparison of rulesets: a slice under two rulesets, placement by placement.
//!
//! Both rulesets must have boards of the same size. Every placement of the first ruleset is
//! looked up in the second one's table. Counts are over all placements, mirror images counted
//! separately, also if the rulesets have different symmetries. A placement may exist under one
//! ruleset only, because a piece may not stand on one of the squares, or because the king has
//! reached a goal there; such placements are counted apart.
//!
//! Draws and undecided positions are the same outcome: neither side can force a win.
//!
//! ```
//! use taflbase::Tablebase;
//! use taflbase::compare::compare_slice;
//! use taflbase::rules::{Ruleset, Side};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let first = Tablebase::new(Ruleset::load("brandubh")?);
//! let second = Tablebase::new(Ruleset::load("brandubh-online")?);
//! let compared = compare_slice(&first, &second, "K0v2".parse()?, 1, |_, _| true)?;
//! let attackers = &compared[Side::Attackers];
//! assert_eq!((attackers.shared(), attackers.other_outcome()), (40_678, 64));
//! let most = &attackers.most_changed[0];
//! println!("{}: {:?}, {:?}", most.position.display(first.rules()), most.first, most.second);
//! # Ok(())
//! # }
//! ```

mod beside;
mod error;
mod lookup;
mod pair;
mod report;
mod tally;

use std::cmp::Ordering;

use crate::game::position::Position;
use crate::game::rules::{BySide, Side};
use crate::game::slice::Slice;
use crate::game::value::{Plies, Wdl};
use crate::tablebase::{Probed, Tablebase};

use pair::Pair;

pub use error::CompareError;
pub use report::{ChangeReport, CompareReport, Counts, PositionReport};

/// A slice with one side to move, under two rulesets.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct SideComparison {
    /// The side to move.
    pub to_move: Side,
    /// Whether both tables have distances.
    pub has_distances: bool,
    /// All placements of the first ruleset.
    pub first: OutcomeCounts,
    /// All placements of the second ruleset.
    pub second: OutcomeCounts,
    /// The placements that exist only under the first ruleset.
    pub only_first: OutcomeCounts,
    /// The placements that exist only under the second ruleset.
    pub only_second: OutcomeCounts,
    /// The placements that exist under both, by what becomes of their value; every kind that
    /// occurs, also those of unchanged values. Sorted by the outcomes, best for the side to
    /// move first, then by the change of the distance.
    pub changes: Vec<Change>,
    /// The position with the same outcome whose distances differ most; of several, the first
    /// in index order. `None` if no distances differ.
    pub greatest_difference: Option<ComparedPosition>,
    /// The positions that change most, most changed first: those that a side wins under one
    /// ruleset and loses under the other come before changes to or from a draw; among them the
    /// sum of both distances decides, fewest plies first, and then index order. A draw has no
    /// plies to add.
    pub most_changed: Vec<ComparedPosition>,
}

/// Numbers of placements by outcome for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct OutcomeCounts {
    /// Wins.
    pub wins: u64,
    /// Draws, or undecided positions.
    pub draws: u64,
    /// Losses.
    pub losses: u64,
}

/// The placements with the same change of their value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Change {
    /// The outcome under the first ruleset.
    pub first: Wdl,
    /// The outcome under the second ruleset.
    pub second: Wdl,
    /// Whether the second ruleset's distance is `Greater` or `Less` than the first's. `Equal`
    /// also if the outcomes differ, or if a table has no distances.
    pub distance: Ordering,
    /// The number of placements.
    pub placements: u64,
    /// The first of them in index order.
    pub example: ComparedPosition,
}

/// A position with its values under both rulesets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ComparedPosition {
    /// The position, under the first ruleset. It is canonical there, unless the second ruleset
    /// has fewer symmetries: then it is the first mirror image with these values.
    pub position: Position,
    /// The value under the first ruleset.
    pub first: Probed,
    /// The value under the second ruleset.
    pub second: Probed,
}

impl OutcomeCounts {
    /// Returns the number of placements.
    pub fn total(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    fn add(&mut self, wdl: Wdl, placements: u64) {
        *match wdl {
            Wdl::Win => &mut self.wins,
            Wdl::Draw => &mut self.draws,
            Wdl::Loss => &mut self.losses,
        } += placements;
    }

    fn plus(self, other: OutcomeCounts) -> OutcomeCounts {
        OutcomeCounts {
            wins: self.wins + other.wins,
            draws: self.draws + other.draws,
            losses: self.losses + other.losses,
        }
    }

    fn minus(self, other: OutcomeCounts) -> OutcomeCounts {
        OutcomeCounts {
            wins: self.wins.saturating_sub(other.wins),
            draws: self.draws.saturating_sub(other.draws),
            losses: self.losses.saturating_sub(other.losses),
        }
    }
}

impl Change {
    /// Returns whether the outcome differs.
    pub fn is_other_outcome(&self) -> bool {
        self.first != self.second
    }

    /// Returns whether the outcome is the same and the distance differs.
    pub fn is_other_distance(&self) -> bool {
        self.distance != Ordering::Equal
    }
}

impl ComparedPosition {
    /// Returns the difference of the distances in plies; `None` if the outcomes differ or there
    /// are no distances.
    pub fn difference(&self) -> Option<Plies> {
        match (self.first, self.second) {
            (first, second) if first.wdl == second.wdl => {
                Some(first.plies?.abs_diff(second.plies?))
            }
            _ => None,
        }
    }
}

impl SideComparison {
    /// Returns the number of placements that exist under both rulesets.
    pub fn shared(&self) -> u64 {
        self.count(|_| true)
    }

    /// Returns the number of placements with different outcomes.
    pub fn other_outcome(&self) -> u64 {
        self.count(Change::is_other_outcome)
    }

    /// Returns the number of placements with the same outcome and different distances.
    pub fn other_distance(&self) -> u64 {
        self.count(Change::is_other_distance)
    }

    fn count(&self, counts: impl Fn(&Change) -> bool) -> u64 {
        let changes = self.changes.iter().filter(|&change| counts(change));
        changes.map(|change| change.placements).sum()
    }
}

/// Compares a slice under two rulesets, by side to move, with up to `most` of the positions
/// that change most. Uses DTW tables where there are any, or else WDL tables.
///
/// Calls `go_on(done, rows)` regularly with the numbers of rows of the first table; it returns
/// `false` to stop. Runs on rayon's current threads. Blocks are read once, except in the
/// second table if the rulesets differ in their symmetries or in the squares open to soldiers:
/// its values are then probed, through its cache. Memory use does not grow with the tables.
///
/// # Errors
/// If the boards differ, a table is missing, of other rules or damaged, or if `go_on` returns
/// `false`.
pub fn compare_slice(
    first: &Tablebase,
    second: &Tablebase,
    slice: Slice,
    most: usize,
    go_on: impl FnMut(u64, u64) -> bool,
) -> Result<BySide<SideComparison>, CompareError> {
    let pair = Pair::new(first, second, slice, most)?;
    let BySide([attackers, defenders]) = match pair.has_same_rows() {
        true => pair.compare_beside(go_on)?,
        false => pair.compare_by_lookup(go_on)?,
    };
    Ok(BySide([pair.finish(Side::Attackers, attackers), pair.finish(Side::Defenders, defenders)]))
}
