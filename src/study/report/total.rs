//! Totals over slices.

use serde::Serialize;

use crate::game::value::Plies;
use crate::study::stats::{WinnerReport, Winners};

use super::SliceSection;

/// Totals over some slices, with either side to move.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[non_exhaustive]
pub struct Total {
    /// The number of men; `None` for a total over several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub men: Option<usize>,
    /// The number of slices.
    pub slices: usize,
    /// Placements by winner.
    #[serde(flatten)]
    pub winners: WinnerReport,
    /// The longest win in plies; `None` if no distances are known.
    pub longest: Option<Plies>,
    /// The number of mutual zugzwangs; `None` if it is unknown for any slice.
    pub mutual_zugzwangs: Option<u64>,
    /// The size of the files.
    pub bytes: u64,
}

impl Total {
    /// Sums over these slices.
    pub(super) fn of(slices: &[SliceSection]) -> Total {
        let winners: Winners = slices.iter().map(|section| section.winners.winners).sum();
        let longest = slices.iter().filter_map(|section| section.longest_win());
        Total {
            men: None,
            slices: slices.len(),
            winners: winners.into(),
            longest: longest.map(|win| win.plies).max(),
            mutual_zugzwangs: slices.iter().map(|section| section.mutual_zugzwangs).sum(),
            bytes: slices.iter().map(|section| section.bytes).fold(0, u64::saturating_add),
        }
    }

    /// Sums over the slices with each number of men; the slices are sorted.
    pub(super) fn by_men(slices: &[SliceSection]) -> Vec<Total> {
        let groups = slices.chunk_by(|one, next| one.men == next.men);
        groups
            .map(|group| Total {
                men: group.first().map(|section| section.men),
                ..Total::of(group)
            })
            .collect()
    }
}
