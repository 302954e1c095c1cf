//! What a report says of one slice.

use serde::Serialize;

use crate::game::rules::{BySide, Side};
use crate::game::slice::Slice;
use crate::game::value::{Plies, Wdl};
use crate::study::manifest::SliceEntry;
use crate::study::stats::{
    Bar, KingBar, SideCounts, SideDetails, SideStats, SliceReport, WinnerReport, WinnerShares,
    Winners,
};
use crate::table::Metric;
use crate::tablebase::{ProbeError, Tablebase};

/// The part of a report about one slice.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[non_exhaustive]
pub struct SliceSection {
    /// The slice.
    #[serde(serialize_with = "crate::study::manifest::slice_text::serialize")]
    pub slice: Slice,
    /// Defending soldiers.
    pub defenders: usize,
    /// Attacking soldiers.
    pub attackers: usize,
    /// All men, the king included.
    pub men: usize,
    /// Placements by winner, with either side to move.
    #[serde(flatten)]
    pub winners: WinnerReport,
    /// The number of files: WDL, DTW or both.
    pub files: usize,
    /// The size of the files.
    pub bytes: u64,
    /// The number of mutual zugzwangs; `None` if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mutual_zugzwangs: Option<u64>,
    /// The longest win of each side that wins at all, with either side to move; empty without
    /// distances.
    pub longest: Vec<LongestWin>,
    /// The attackers to move, then the defenders to move.
    pub sides: BySide<SideSection>,
}

/// The part of a report about one slice with one side to move.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[non_exhaustive]
pub struct SideSection {
    /// The counts.
    #[serde(flatten)]
    pub counts: SideCounts,
    /// The share of each winner.
    pub shares: WinnerShares,
    /// Placements by value, as in [`SideReport`](crate::stats::SideReport); empty if unknown.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub histogram: Vec<Bar>,
    /// Placements by the king's square; empty if unknown.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub king: Vec<KingBar>,
}

/// The longest win of a side in a slice.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct LongestWin {
    /// The side that wins.
    pub winner: Side,
    /// The side to move.
    pub to_move: Side,
    /// Plies to the end of the game.
    pub plies: Plies,
    /// The first position with that distance.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<String>,
    /// The moves of best play to the end; `None` if tables are missing on the way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moves: Option<Vec<String>>,
}

impl SliceSection {
    /// Creates the section of a slice from the statistics counted from its table: its DTW table,
    /// or the WDL table if there is no other.
    ///
    /// # Errors
    /// If a table cannot be read. A missing one on the way of a longest win is no error.
    pub fn counted(
        base: &Tablebase,
        slice: Slice,
        counted: &BySide<SideStats>,
    ) -> Result<SliceSection, ProbeError> {
        let metric = base.best_table(slice)?.header().metric;
        let details = SliceReport::new(base, slice, metric, counted).sides;
        let zugzwangs = counted[Side::Attackers].mutual_zugzwangs;
        let mut sizes = Vec::new();
        for metric in Metric::ALL {
            match base.table(slice, metric) {
                Ok(table) => sizes.push(table.size_bytes()),
                Err(ProbeError::MissingTable { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        let mut sides = details.into_iter().map(SideSection::detailed);
        // A report of a slice has both sides.
        let both = BySide::from_fn(|_| sides.next().unwrap_or_else(|| unreachable!("two sides")));
        let mut section = SliceSection::new(slice, both, &sizes);
        section.mutual_zugzwangs = zugzwangs;
        for longest in &mut section.longest {
            let wdl = if longest.winner == longest.to_move { Wdl::Win } else { Wdl::Loss };
            if let Some(value) = counted[longest.to_move].longest(wdl) {
                longest.position = Some(value.example.to_text(base.rules()));
                longest.moves = match base.line(&value.example) {
                    Ok(line) => {
                        let board = base.rules().board;
                        Some(line.iter().map(|played| played.display(board).to_string()).collect())
                    }
                    Err(ProbeError::MissingTable { .. }) => None,
                    Err(error) => return Err(error),
                };
            }
        }
        Ok(section)
    }

    /// Creates the section of a slice from its entry in a manifest.
    pub fn listed(entry: &SliceEntry) -> SliceSection {
        let sides = BySide::from_fn(|side| SideSection::listed(entry.sides[side].clone()));
        let sizes: Vec<u64> = entry.files.iter().map(|file| file.bytes).collect();
        SliceSection::new(entry.slice, sides, &sizes)
    }

    fn new(slice: Slice, sides: BySide<SideSection>, sizes: &[u64]) -> SliceSection {
        let winners: Winners = sides.iter().map(|side| Winners::of(&side.counts)).sum();
        SliceSection {
            slice,
            defenders: slice.defenders,
            attackers: slice.attackers,
            men: slice.men(),
            winners: winners.into(),
            files: sizes.len(),
            bytes: sizes.iter().copied().fold(0, u64::saturating_add),
            mutual_zugzwangs: None,
            longest: Side::ALL.into_iter().filter_map(|winner| longest(winner, &sides)).collect(),
            sides,
        }
    }

    /// Returns whether the distances are known.
    pub(super) fn has_distances(&self) -> bool {
        self.sides.iter().all(|side| side.counts.max_win.is_some())
    }

    /// Returns whether a longest win has a position without moves.
    pub(super) fn lacks_line(&self) -> bool {
        self.longest.iter().any(|win| win.position.is_some() && win.moves.is_none())
    }

    /// Returns the longest win of the slice.
    pub(super) fn longest_win(&self) -> Option<&LongestWin> {
        self.longest.iter().max_by_key(|win| win.plies)
    }
}

/// Returns the longest win of a side with either side to move, without its position.
fn longest(winner: Side, sides: &BySide<SideSection>) -> Option<LongestWin> {
    let known = Side::ALL.into_iter().filter_map(|to_move| {
        let counts = &sides[to_move].counts;
        let plies = if winner == to_move { counts.max_win? } else { counts.max_loss? };
        // A side that cannot move has lost in 0 plies: the longest loss is 0 also without any.
        let is_won = Winners::of(counts).won_by(winner) > 0;
        is_won.then_some(LongestWin { winner, to_move, plies, position: None, moves: None })
    });
    known.max_by_key(|win| win.plies)
}

impl SideSection {
    fn listed(counts: SideCounts) -> SideSection {
        let shares = Winners::of(&counts).shares();
        SideSection { counts, shares, histogram: Vec::new(), king: Vec::new() }
    }

    fn detailed(details: SideDetails) -> SideSection {
        let SideDetails { report, king } = details;
        SideSection { histogram: report.histogram, king, ..SideSection::listed(report.counts) }
    }
}
