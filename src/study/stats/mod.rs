//! What a slice is like: its values counted anew from a table.
//!
//! Counts are over all placements, mirror images counted separately: a position
//! counts for all its images, at the slot of the least one. What a table leaves
//! to the rules (see [`dont_care`](crate::dont_care)) is counted by them.

mod report;

use std::cmp::Reverse;
use std::fmt;
use std::ops::ControlFlow;

use super::find::mutual_zugzwang;
use super::scan::{Lot, Scan, outcome, value};
use crate::game::board::{Square, SquareSet};
use crate::game::position::Position;
use crate::game::rules::{BySide, Kind, Ruleset, Side};
use crate::game::value::{Plies, Wdl};
use crate::index::{IndexError, SliceIndex, Slot};
use crate::table::{Code, Metric, SideSummary, Source, Table, TableError, WIN_IN_1};

pub use report::{Bar, KingBar, SideCounts, SideDetails, SideReport, SliceReport};

/// The positions of a slice with one side to move, by value.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct SideStats {
    /// The side to move.
    pub to_move: Side,
    /// Every value that occurs: wins, the quickest first, then draws, then
    /// losses, the quickest first.
    pub values: Vec<ValueCount>,
    /// How many placements are mutual zugzwangs, mirror images counted separately, as
    /// [`mutual_zugzwang`] defines them: the same number for either side to move.
    /// `None` if undecided positions leave it open.
    pub mutual_zugzwangs: Option<u64>,
    /// The placements by the square that the king stands on, in square order.
    pub king: Vec<KingCount>,
}

/// The placements with the king on one square, mirror images counted separately.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct KingCount {
    /// The square.
    pub square: Square,
    /// Those that the side to move wins.
    pub wins: u64,
    /// Those that it neither wins nor loses.
    pub draws: u64,
    /// Those that it loses.
    pub losses: u64,
}

/// The positions of one value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ValueCount {
    /// The outcome for the side to move.
    pub wdl: Wdl,
    /// The distance to the end; `None` for draws, and in WDL tables.
    pub plies: Option<Plies>,
    /// How many placements have this value, mirror images counted separately.
    pub positions: u64,
    /// The first of them in index order, and so a canonical one.
    pub example: Position,
}

impl SideStats {
    /// All placements.
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
    let scan = Scan::new(rules, table)?;
    let metric = table.header().metric;
    let cells = Side::ALL.map(|side| {
        let largest = table.summary(side).largest_code(metric);
        usize::from(largest.max(WIN_IN_1)) + 1
    });
    let mut all = Counted::default();
    scan.run(
        &Side::ALL,
        |_, _| rules.places(Kind::King),
        |lot| Counted::of(lot, BySide(cells), rules),
        |counted| {
            all = std::mem::take(&mut all).join(counted);
            ControlFlow::Continue(())
        },
    )?;
    let Counted { tallies: BySide([attackers, defenders]), zugzwangs } = all;
    let stats = |tally: Tally, side| tally.stats(rules, &scan.index, metric, side, zugzwangs);
    Ok(BySide([stats(attackers, Side::Attackers), stats(defenders, Side::Defenders)]))
}

/// What has been counted of some rows.
#[derive(Default)]
struct Counted {
    tallies: BySide<Tally>,
    zugzwangs: Zugzwangs,
}

impl Counted {
    /// Counts codes below those of `cells`, as reading has found them to be.
    fn of(lot: &Lot, cells: BySide<usize>, rules: &Ruleset) -> Counted {
        let mut counted = Counted::default();
        for side in Side::ALL {
            let tally = &mut counted.tallies[side];
            tally.cells.resize(cells[side], None);
            let lanes = lot.codes[side].chunks_exact(lot.height());
            for ((lane, codes), weights) in (0..).zip(lanes).zip(lot.weights.chunks(lot.height())) {
                tally.add(codes, weights, lane, lot.rows.start);
            }
        }
        let codes = lot.codes[Side::Attackers].iter().zip(&lot.codes[Side::Defenders]);
        for ((&attackers, &defenders), &weight) in codes.zip(&lot.weights) {
            if weight > 0 {
                let [attackers, defenders] = [attackers, defenders].map(outcome);
                let found = mutual_zugzwang(rules.endless, attackers, defenders);
                counted.zugzwangs.add(found, u64::from(weight));
            }
        }
        counted
    }

    fn join(self, other: Counted) -> Counted {
        let BySide([attackers, defenders]) = self.tallies;
        let BySide([more_attackers, more_defenders]) = other.tallies;
        Counted {
            tallies: BySide([attackers.join(more_attackers), defenders.join(more_defenders)]),
            zugzwangs: self.zugzwangs.join(other.zugzwangs),
        }
    }
}

/// Placements that are mutual zugzwangs, and those of which nobody knows.
#[derive(Clone, Copy, Default)]
struct Zugzwangs {
    certain: u64,
    open: u64,
}

impl Zugzwangs {
    fn add(&mut self, found: Option<bool>, placements: u64) {
        match found {
            Some(true) => self.certain += placements,
            Some(false) => {}
            None => self.open += placements,
        }
    }

    fn join(self, other: Zugzwangs) -> Zugzwangs {
        Zugzwangs { certain: self.certain + other.certain, open: self.open + other.open }
    }

    /// How many there are; `None` if that cannot be known.
    fn number(self) -> Option<u64> {
        (self.open == 0).then_some(self.certain)
    }
}

/// The placements of one side to move.
#[derive(Default)]
struct Tally {
    /// By code: how many positions have it, and the first slot.
    cells: Vec<Option<(u64, Slot)>>,
    /// By the king's lane.
    lanes: Vec<Outcomes>,
}

/// How many are won, drawn and lost.
#[derive(Clone, Copy, Default)]
struct Outcomes([u64; 3]);

impl Outcomes {
    fn join(self, other: Outcomes) -> Outcomes {
        Outcomes(std::array::from_fn(|i| self.0[i] + other.0[i]))
    }

    fn without(self, fewer: Outcomes) -> Outcomes {
        Outcomes(std::array::from_fn(|i| self.0[i] - fewer.0[i]))
    }
}

impl Tally {
    /// Counts the codes of one lane, the next one.
    fn add(&mut self, codes: &[Code], weights: &[u8], lane: u16, first_row: u64) {
        let before = self.outcomes();
        for ((row, &code), &weight) in (first_row..).zip(codes).zip(weights) {
            if weight > 0 {
                let cell = &mut self.cells[usize::from(code)];
                let (positions, _) = cell.get_or_insert((0, Slot { lane, row }));
                *positions += u64::from(weight);
            }
        }
        self.lanes.push(self.outcomes().without(before));
    }

    /// What all cells come to: there are so few that a lane's share is found sooner as a
    /// difference of these than slot by slot.
    fn outcomes(&self) -> Outcomes {
        let mut outcomes = Outcomes::default();
        for (cell, code) in self.cells.iter().zip(0..) {
            let at = match outcome(code) {
                Wdl::Win => 0,
                Wdl::Draw => 1,
                Wdl::Loss => 2,
            };
            outcomes.0[at] += cell.map_or(0, |(positions, _)| positions);
        }
        outcomes
    }

    fn join(mut self, other: Tally) -> Tally {
        if self.cells.is_empty() {
            return other;
        }
        for (lane, other) in self.lanes.iter_mut().zip(other.lanes) {
            *lane = lane.join(other);
        }
        for (cell, other) in self.cells.iter_mut().zip(other.cells) {
            *cell = match (*cell, other) {
                (Some((count, slot)), Some((more, other))) => Some((count + more, slot.min(other))),
                (one, other) => one.or(other),
            };
        }
        self
    }

    fn stats(
        self,
        rules: &Ruleset,
        index: &SliceIndex,
        metric: Metric,
        to_move: Side,
        zugzwangs: Zugzwangs,
    ) -> SideStats {
        let king = self.king(rules, index);
        let counted = self.cells.into_iter().zip(0..);
        let mut values: Vec<ValueCount> = counted
            .filter_map(|(cell, code)| {
                let (positions, slot) = cell?;
                let (wdl, plies) = value(code, metric)?;
                let example = index.unrank(slot, to_move)?;
                Some(ValueCount { wdl, plies, positions, example })
            })
            .collect();
        values.sort_by_key(|value| (Reverse(value.wdl), value.plies));
        SideStats { to_move, values, mutual_zugzwangs: zugzwangs.number(), king }
    }

    /// The counts of each of the king's squares. A slot stands for all mirror images of a
    /// placement: what is counted on the squares that are images of each other belongs to
    /// each of them in equal parts.
    fn king(&self, rules: &Ruleset, index: &SliceIndex) -> Vec<KingCount> {
        let squares = index.lanes().squares();
        let of_square = |&square: &Square| {
            let images = rules.symmetries().iter().map(|s| s.apply(rules.board, square));
            let images: SquareSet = images.collect();
            let lanes = images.iter().filter_map(|image| index.lanes().lane(image));
            let counted = lanes.filter_map(|lane| self.lanes.get(usize::from(lane)));
            let sum = counted.fold(Outcomes::default(), |sum, &lane| sum.join(lane));
            let [wins, draws, losses] = sum.0.map(|count| count / images.len().max(1) as u64);
            KingCount { square, wins, draws, losses }
        };
        squares.iter().map(of_square).collect()
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
