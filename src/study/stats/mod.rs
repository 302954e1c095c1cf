//! Statistics of a slice, counted from its table.
//!
//! Counts are over all placements, mirror images counted separately: a stored position counts
//! for all its images. Positions that the table leaves to the rules (see
//! [`dont_care`](crate::dont_care)) are counted with the value that the rules give them.

mod longest;
mod report;
mod winners;

use std::cmp::Reverse;
use std::ops::ControlFlow;

use super::scan::{Scan, ScannedRows, outcome};
use super::zugzwang::mutual_zugzwang;
use crate::game::board::{Square, SquareSet};
use crate::game::position::Position;
use crate::game::rules::{BySide, Kind, Ruleset, Side};
use crate::game::value::{Plies, Wdl};
use crate::index::Slot;
use crate::table::{Code, SideSummary, Table, TableFile};
use crate::tablebase::Probed;

pub use super::scan::StatsError;
pub use longest::LongestWin;
pub use report::{Bar, KingBar, SideCounts, SideDetails, SideReport, SliceReport};
pub(super) use report::{OpenCounts, is_zero, open_counts};
pub use winners::{WinnerReport, WinnerShares, Winners};

/// The positions of a slice with one side to move, by value.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct SideStats {
    /// The side to move.
    pub to_move: Side,
    /// Every value that occurs: wins, quickest first, then draws, then losses, quickest
    /// first.
    pub values: Vec<ValueCount>,
    /// The number of mutual zugzwangs (see [`mutual_zugzwang`](crate::find::mutual_zugzwang)),
    /// mirror images counted separately: the same for either side to move. `None` if undecided
    /// positions leave it open.
    pub mutual_zugzwangs: Option<u64>,
    /// Placements by the king's square, in square order.
    pub king: Vec<KingCount>,
}

/// The placements with the king on one square, mirror images counted separately.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct KingCount {
    /// The square.
    pub square: Square,
    /// Wins for the side to move.
    pub wins: u64,
    /// Draws, or undecided positions.
    pub draws: u64,
    /// Losses for the side to move.
    pub losses: u64,
}

/// The positions of one value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ValueCount {
    /// The outcome for the side to move.
    pub wdl: Wdl,
    /// The distance to the end of the game; `None` for draws, and in WDL tables.
    pub plies: Option<Plies>,
    /// The number of placements with this value, mirror images counted separately.
    pub positions: u64,
    /// The first of them in index order, which is canonical.
    pub example: Position,
}

impl SideStats {
    /// Returns the number of placements.
    pub fn positions(&self) -> u64 {
        self.values.iter().map(|value| value.positions).sum()
    }

    /// Returns the number of placements with this outcome.
    pub fn count(&self, wdl: Wdl) -> u64 {
        let values = self.values.iter().filter(|value| value.wdl == wdl);
        values.map(|value| value.positions).sum()
    }

    /// Returns the counts and the longest distances, as a table stores them.
    pub fn summary(&self) -> SideSummary {
        SideSummary {
            positions: self.positions(),
            wins: self.count(Wdl::Win),
            draws: self.count(Wdl::Draw),
            losses: self.count(Wdl::Loss),
            max_win: self.max_plies(Wdl::Win),
            max_loss: self.max_plies(Wdl::Loss),
        }
    }

    fn max_plies(&self, wdl: Wdl) -> Plies {
        self.longest(wdl).and_then(|value| value.plies).unwrap_or(0)
    }

    /// Returns the count for the longest distance with this outcome; `None` if there is none,
    /// or the table has no distances.
    pub fn longest(&self, wdl: Wdl) -> Option<&ValueCount> {
        let values = self.values.iter().filter(|value| value.wdl == wdl);
        values.filter(|value| value.plies.is_some()).max_by_key(|value| value.plies)
    }
}

/// Counts the values of a table, by side to move. Runs on rayon's current threads; reads and
/// unpacks every block once.
///
/// # Errors
/// If the table was made for other rules, or a block is damaged.
pub fn count_values(
    rules: &Ruleset,
    table: &Table<TableFile>,
) -> Result<BySide<SideStats>, StatsError> {
    count_values_while(rules, table, &mut |_, _| true)
}

/// Counts as [`count_values`] does, and calls `go_on(done, of)` regularly with the number of rows
/// done and of all rows, on the calling thread.
///
/// # Errors
/// As [`count_values`]; [`StatsError::Stopped`] if `go_on` returns `false`.
pub fn count_values_while(
    rules: &Ruleset,
    table: &Table<TableFile>,
    go_on: &mut dyn FnMut(u64, u64) -> bool,
) -> Result<BySide<SideStats>, StatsError> {
    let scan = Scan::new(rules, table)?;
    let codes = BySide::from_fn(|side| usize::from(scan.largest_code(side)) + 1);
    let mut all = PartialCounts::default();
    let (mut done, mut is_stopped) = (0, false);
    scan.run(
        &Side::ALL,
        &|_, _| rules.places(Kind::King),
        |rows| (rows.height() as u64, PartialCounts::of(rows, codes, rules)),
        |(rows, counts)| {
            all = std::mem::take(&mut all).join(counts);
            done += rows;
            is_stopped = !go_on(done, scan.index.rows());
            if is_stopped { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        },
    )?;
    if is_stopped {
        return Err(StatsError::Stopped);
    }
    let PartialCounts { sides: BySide([attackers, defenders]), zugzwangs } = all;
    Ok(BySide([
        attackers.stats(&scan, Side::Attackers, zugzwangs),
        defenders.stats(&scan, Side::Defenders, zugzwangs),
    ]))
}

/// The counts of some rows.
#[derive(Default)]
struct PartialCounts {
    sides: BySide<CodeCounts>,
    zugzwangs: Zugzwangs,
}

impl PartialCounts {
    /// Counts the rows; all codes are below `codes`.
    fn of(rows: &ScannedRows, codes: BySide<usize>, rules: &Ruleset) -> PartialCounts {
        let mut counts = PartialCounts::default();
        let height = rows.height();
        for side in Side::ALL {
            let of_side = &mut counts.sides[side];
            of_side.by_code.resize(codes[side], None);
            let lanes = rows.codes[side].chunks_exact(height);
            for ((lane, lane_codes), multiplicities) in
                (0..).zip(lanes).zip(rows.multiplicities.chunks(height))
            {
                of_side.add(lane_codes, multiplicities, lane, rows.rows.start);
            }
        }
        let pairs = rows.codes[Side::Attackers].iter().zip(&rows.codes[Side::Defenders]);
        for ((&attackers, &defenders), &multiplicity) in pairs.zip(&rows.multiplicities) {
            if multiplicity > 0 {
                let found = mutual_zugzwang(rules.endless, outcome(attackers), outcome(defenders));
                counts.zugzwangs.add(found, u64::from(multiplicity));
            }
        }
        counts
    }

    fn join(self, other: PartialCounts) -> PartialCounts {
        let BySide([attackers, defenders]) = self.sides;
        let BySide([more_attackers, more_defenders]) = other.sides;
        PartialCounts {
            sides: BySide([attackers.join(more_attackers), defenders.join(more_defenders)]),
            zugzwangs: self.zugzwangs.join(other.zugzwangs),
        }
    }
}

/// Placements that are mutual zugzwangs, and placements that may be.
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

    /// Returns the number of mutual zugzwangs; `None` if undecided positions leave it open.
    fn number(self) -> Option<u64> {
        (self.open == 0).then_some(self.certain)
    }
}

/// Counts of the placements of one side to move.
#[derive(Default)]
struct CodeCounts {
    /// By code: the number of placements, and the first slot.
    by_code: Vec<Option<(u64, Slot)>>,
    /// By the king's lane.
    by_lane: Vec<Outcomes>,
}

/// Numbers of wins, draws and losses.
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

impl CodeCounts {
    /// Counts the codes of the next lane.
    fn add(&mut self, codes: &[Code], multiplicities: &[u8], lane: u16, first_row: u64) {
        let before = self.outcomes();
        for ((row, &code), &multiplicity) in (first_row..).zip(codes).zip(multiplicities) {
            if multiplicity > 0 {
                let count = &mut self.by_code[usize::from(code)];
                let (positions, _) = count.get_or_insert((0, Slot { lane, row }));
                *positions += u64::from(multiplicity);
            }
        }
        self.by_lane.push(self.outcomes().without(before));
    }

    /// Sums all counts by outcome. There are few codes, so taking a lane's outcomes as a
    /// difference of these sums is faster than counting them slot by slot.
    fn outcomes(&self) -> Outcomes {
        let mut outcomes = Outcomes::default();
        for (count, code) in self.by_code.iter().zip(0..) {
            let at = match outcome(code) {
                Wdl::Win => 0,
                Wdl::Draw => 1,
                Wdl::Loss => 2,
            };
            outcomes.0[at] += count.map_or(0, |(positions, _)| positions);
        }
        outcomes
    }

    fn join(mut self, other: CodeCounts) -> CodeCounts {
        if self.by_code.is_empty() {
            return other;
        }
        for (lane, other) in self.by_lane.iter_mut().zip(other.by_lane) {
            *lane = lane.join(other);
        }
        for (count, other) in self.by_code.iter_mut().zip(other.by_code) {
            *count = match (*count, other) {
                (Some((count, slot)), Some((more, other))) => Some((count + more, slot.min(other))),
                (one, other) => one.or(other),
            };
        }
        self
    }

    fn stats(self, scan: &Scan<'_>, to_move: Side, zugzwangs: Zugzwangs) -> SideStats {
        let squares = scan.index.lanes().squares();
        let king = squares.iter().map(|&square| self.king_count(scan, square)).collect();
        let by_code = self.by_code.into_iter().zip(0..);
        let mut values: Vec<ValueCount> = by_code
            .filter_map(|(count, code)| {
                let (positions, slot) = count?;
                let Probed { wdl, plies } = scan.value(code)?;
                let example = scan.index.unrank(slot, to_move)?;
                Some(ValueCount { wdl, plies, positions, example })
            })
            .collect();
        values.sort_by_key(|value| (Reverse(value.wdl), value.plies));
        SideStats { to_move, values, mutual_zugzwangs: zugzwangs.number(), king }
    }

    /// Returns the counts with the king on a square. A slot stands for all mirror images of a
    /// placement, so the counts of squares that are images of each other are added up and
    /// divided equally among them.
    fn king_count(&self, scan: &Scan<'_>, square: Square) -> KingCount {
        let Scan { rules, index, .. } = scan;
        let images: SquareSet =
            rules.symmetries().iter().map(|s| s.apply(rules.board, square)).collect();
        let lanes = images.iter().filter_map(|image| index.lanes().lane(image));
        let outcomes = lanes.filter_map(|lane| self.by_lane.get(usize::from(lane)));
        let sum = outcomes.fold(Outcomes::default(), |sum, &lane| sum.join(lane));
        let [wins, draws, losses] = sum.0.map(|count| count / images.len().max(1) as u64);
        KingCount { square, wins, draws, losses }
    }
}
