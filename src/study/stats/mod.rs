//! What a slice is like: its values counted anew from a table.
//!
//! Counts are over all placements, mirror images counted separately: a position
//! counts for all its images, at the slot of the least one. What a table leaves
//! to the rules (see [`dont_care`](crate::dont_care)) is counted by them.

mod report;
mod weights;

use std::cmp::Reverse;
use std::fmt;

use rayon::prelude::*;

use crate::index::{IndexError, SliceIndex, Slot};
use crate::position::Position;
use crate::rules::{BySide, Ruleset, Side};
use crate::table::{
    Code, Metric, SideSummary, Source, Table, TableError, WIN_IN_1, dtw_value, wdl_value,
};
use crate::value::{Plies, Wdl};

pub use report::{Bar, SideCounts, SideReport};
use weights::Weights;

/// The positions of a slice with one side to move, by value.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct SideStats {
    /// The side to move.
    pub to_move: Side,
    /// Every value that occurs: wins, the quickest first, then draws, then
    /// losses, the quickest first.
    pub values: Vec<ValueCount>,
}

/// The positions of one value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ValueCount {
    /// The outcome for the side to move.
    pub wdl: Wdl,
    /// The distance to the end; `None` for draws, and in WDL tables.
    pub plies: Option<Plies>,
    /// How many positions have this value, mirror images counted separately.
    pub positions: u64,
    /// The first of them in index order, and so a canonical one.
    pub example: Position,
}

impl SideStats {
    /// All positions.
    pub fn positions(&self) -> u64 {
        self.values.iter().map(|value| value.positions).sum()
    }

    /// The positions of one outcome.
    pub fn count(&self, wdl: Wdl) -> u64 {
        let values = self.values.iter().filter(|value| value.wdl == wdl);
        values.map(|value| value.positions).sum()
    }

    /// The counts and the longest distances, as a table has them.
    pub fn summary(&self) -> SideSummary {
        let longest = |wdl| self.longest(wdl).and_then(|value| value.plies).unwrap_or(0);
        SideSummary {
            positions: self.positions(),
            wins: self.count(Wdl::Win),
            draws: self.count(Wdl::Draw),
            losses: self.count(Wdl::Loss),
            max_win: longest(Wdl::Win),
            max_loss: longest(Wdl::Loss),
        }
    }

    /// The positions of that outcome that take the longest; `None` if there are
    /// none or the table is one of WDL.
    pub fn longest(&self, wdl: Wdl) -> Option<&ValueCount> {
        let values = self.values.iter().filter(|value| value.wdl == wdl);
        values.filter(|value| value.plies.is_some()).max_by_key(|value| value.plies)
    }
}

/// Counts the values of a table, by side to move. Works on rayon's current
/// threads; reads and unpacks every block once.
///
/// # Errors
/// If the table is not one of these rules, or a block is damaged.
pub fn count_values<S: Source + Sync>(
    rules: &Ruleset,
    table: &Table<S>,
) -> Result<BySide<SideStats>, StatsError> {
    let header = table.header();
    let index = SliceIndex::new(rules, header.slice).map_err(StatsError::Index)?;
    let same_grid =
        (header.grid.lanes(), header.grid.rows()) == (index.lanes().count(), index.rows());
    if header.fingerprint != rules.fingerprint() || !same_grid {
        return Err(StatsError::WrongRules);
    }
    let height = header.grid.shape().rows_per_block;
    let BySide([attackers, defenders]) = (0..index.rows().div_ceil(height))
        .into_par_iter()
        .map(|group| {
            let rows = group * height..((group + 1) * height).min(index.rows());
            tally(table, &Weights::new(rules, &index, rows))
        })
        .try_reduce(Default::default, |BySide([a, d]), BySide([more_a, more_d])| {
            Ok(BySide([a.join(more_a), d.join(more_d)]))
        })?;
    Ok(BySide([
        attackers.stats(&index, header.metric, Side::Attackers),
        defenders.stats(&index, header.metric, Side::Defenders),
    ]))
}

/// Counts some rows, those of one block of every lane, by side to move.
fn tally<S: Source>(table: &Table<S>, weights: &Weights) -> Result<BySide<Tally>, StatsError> {
    let header = table.header();
    let (grid, rows) = (header.grid, weights.rows());
    let mut tallies = BySide::<Tally>::default();
    let mut values = Vec::new();
    for (side, tally) in Side::ALL.into_iter().zip(tallies.iter_mut()) {
        let largest = table.summary(side).largest_code(header.metric);
        tally.0.resize(usize::from(largest.max(WIN_IN_1)) + 1, None);
        let mut lane = 0;
        while let Some((block, _)) = grid.locate(side, lane, rows.start) {
            table.read_block(block, &mut values)?;
            for codes in values.chunks_exact(weights.height()) {
                tally.add(codes, weights.of_lane(side, lane), lane as u16, rows.start);
                lane += 1;
            }
        }
    }
    Ok(tallies)
}

/// By code: how many positions have it, and the first slot.
#[derive(Default)]
struct Tally(Vec<Option<(u64, Slot)>>);

impl Tally {
    /// Counts the codes of one lane.
    fn add(
        &mut self,
        codes: &[Code],
        weights: impl Iterator<Item = (u8, bool)>,
        lane: u16,
        first_row: u64,
    ) {
        for ((row, &code), (weight, decided)) in (first_row..).zip(codes).zip(weights) {
            if weight == 0 {
                continue;
            }
            let code = if decided { WIN_IN_1 } else { code };
            // Reading a block has compared its codes with the largest.
            let cell = &mut self.0[usize::from(code)];
            let (positions, _) = cell.get_or_insert((0, Slot { lane, row }));
            *positions += u64::from(weight);
        }
    }

    fn join(mut self, other: Tally) -> Tally {
        if self.0.is_empty() {
            return other;
        }
        for (cell, other) in self.0.iter_mut().zip(other.0) {
            *cell = match (*cell, other) {
                (Some((count, slot)), Some((more, other))) => Some((count + more, slot.min(other))),
                (one, other) => one.or(other),
            };
        }
        self
    }

    fn stats(self, index: &SliceIndex, metric: Metric, to_move: Side) -> SideStats {
        let counted = self.0.into_iter().zip(0..);
        let mut values: Vec<ValueCount> = counted
            .filter_map(|(cell, code)| {
                let (positions, slot) = cell?;
                let (wdl, plies) = match metric {
                    Metric::Wdl => (wdl_value(code)?, None),
                    Metric::Dtw => dtw_value(code).map(|value| (value.wdl(), value.plies()))?,
                };
                let example = index.unrank(slot, to_move)?;
                Some(ValueCount { wdl, plies, positions, example })
            })
            .collect();
        values.sort_by_key(|value| (Reverse(value.wdl), value.plies));
        SideStats { to_move, values }
    }
}

/// Why the values of a table cannot be counted.
#[derive(Debug)]
#[non_exhaustive]
pub enum StatsError {
    /// The slice cannot be indexed.
    Index(IndexError),
    /// The table is one of other rules.
    WrongRules,
    /// The table cannot be read.
    Table(TableError),
}

impl fmt::Display for StatsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StatsError::Index(error) => error.fmt(f),
            StatsError::WrongRules => f.write_str("the table was made for other rules"),
            StatsError::Table(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for StatsError {}

impl From<TableError> for StatsError {
    fn from(error: TableError) -> StatsError {
        StatsError::Table(error)
    }
}
