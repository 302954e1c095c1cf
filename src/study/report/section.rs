//! What a report says of one slice.

use serde::Serialize;

use crate::game::rules::{BySide, Side};
use crate::game::slice::Slice;
use crate::study::manifest::SliceEntry;
use crate::study::stats::{
    Bar, KingBar, LongestWin, SideCounts, SideDetails, SideStats, WinnerReport, WinnerShares,
    Winners,
};
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
        let tables = base.tables_of(slice)?;
        let sizes: Vec<u64> = tables.iter().map(|table| table.size_bytes()).collect();
        let sides = BySide::from_fn(|side| {
            SideSection::detailed(SideDetails::new(base, slice, metric, &counted[side]))
        });
        let mut section = SliceSection::new(slice, sides, &sizes);
        section.mutual_zugzwangs = counted[Side::Attackers].mutual_zugzwangs;
        for longest in &mut section.longest {
            if let Some(example) = longest.example(counted) {
                longest.position = Some(example.to_text(base.rules()));
                longest.moves = match base.line(&example) {
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
        let mut section = SliceSection::new(entry.slice, sides, &sizes);
        for longest in &mut section.longest {
            let mut known = entry.longest.iter().filter(|win| win.has_value_of(longest));
            longest.position = known.find_map(|win| win.position.clone());
        }
        section
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
            longest: LongestWin::of_counts(sides.iter().map(|side| &side.counts)),
            sides,
        }
    }

    /// Returns whether the distances are known.
    pub(super) fn has_distances(&self) -> bool {
        self.sides.iter().all(|side| side.counts.max_win.is_some())
    }

    /// Returns whether a longest win has no position.
    pub(super) fn lacks_position(&self) -> bool {
        self.longest.iter().any(|win| win.position.is_none())
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
