//! Results of searches as JSON, for the program and the explorer.

use serde::Serialize;

use super::{Found, FoundCount};
use crate::game::rules::Side;
use crate::game::slice::Slice;
use crate::game::value::Plies;
use crate::tablebase::Tablebase;

/// A position that was found, as `taflbase find --json` prints it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct FoundAnswer {
    /// The ruleset's name.
    pub rules: String,
    /// Its slice.
    pub slice: String,
    /// The position.
    pub position: String,
    /// `attackers` or `defenders`.
    pub to_move: &'static str,
    /// The value for the side to move.
    pub category: &'static str,
    /// Plies to the end of the game.
    pub dtw: Option<Plies>,
    /// The number of its mirror images, itself included.
    pub images: usize,
    /// The value for the other side if it were to move, in searches for mutual zugzwangs.
    #[serde(flatten)]
    pub other: Option<OtherSide>,
}

/// The value with the other side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct OtherSide {
    /// The value for that side.
    pub other_category: &'static str,
    /// Plies to the end of the game.
    pub other_dtw: Option<Plies>,
}

impl FoundAnswer {
    /// Creates the answer of a position that was found in these tables.
    pub fn new(base: &Tablebase, found: &Found) -> FoundAnswer {
        FoundAnswer {
            rules: base.rules().name.clone(),
            slice: found.position.slice().to_string(),
            position: found.position.to_text(base.rules()),
            to_move: found.position.to_move.name(),
            category: base.category(found.value.wdl),
            dtw: found.value.plies,
            images: found.images,
            other: found.other.map(|other| OtherSide {
                other_category: base.category(other.wdl),
                other_dtw: other.plies,
            }),
        }
    }
}

/// The number of positions of a slice that match, as `taflbase find --count --json` prints it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct CountAnswer {
    /// The ruleset's name.
    pub rules: String,
    /// The slice.
    pub slice: String,
    /// `attackers` or `defenders`.
    pub to_move: &'static str,
    /// Positions as tables store them, one for all mirror images.
    pub stored: u64,
    /// Placements of the pieces, mirror images counted separately.
    pub placements: u64,
}

impl CountAnswer {
    /// Creates the answer of a count in these tables.
    pub fn new(base: &Tablebase, slice: Slice, to_move: Side, count: FoundCount) -> CountAnswer {
        let FoundCount { stored, placements } = count;
        let (rules, slice) = (base.rules().name.clone(), slice.to_string());
        CountAnswer { rules, slice, to_move: to_move.name(), stored, placements }
    }
}
