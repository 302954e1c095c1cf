//! Search in tables: positions of a slice by value, distance or pattern, the longest of them,
//! or a random sample.
//!
//! A [`Search`] scans one table for the positions that match a [`Query`]. A table stores one of
//! each set of mirror images: it matches if any of the images does, and [`Found::images`] is
//! their number. Memory use does not grow with the table; results do not depend on the number
//! of threads.
//!
//! ```
//! use std::ops::ControlFlow;
//! use taflbase::find::{Query, Search};
//! use taflbase::rules::{Ruleset, Side};
//! use taflbase::{Tablebase, Wdl};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let tables = Tablebase::new(Ruleset::load("brandubh")?);
//! let table = tables.best_table("K1v2".parse()?)?;
//! let query = Query {
//!     to_move: Some(Side::Attackers),
//!     wdl: Some(Wdl::Win),
//!     plies: Some(3..=9),
//!     ..Query::default()
//! };
//! let search = Search::new(tables.rules(), table, &query)?;
//! search.each(|found| {
//!     println!("{} {:?}", found.position.display(tables.rules()), found.value);
//!     ControlFlow::Continue(())
//! })?;
//! assert_eq!(search.count()?[Side::Attackers].placements, 104);
//! # Ok(())
//! # }
//! ```

mod answer;
mod error;
mod hits;
mod pattern;
mod search;

use std::ops::RangeInclusive;

use crate::game::position::Position;
use crate::game::rules::{Ruleset, Side};
use crate::game::value::{Plies, Wdl};
use crate::tablebase::Probed;

pub use super::zugzwang::mutual_zugzwang;
pub use answer::{CountAnswer, FoundAnswer, OtherSide};
pub use error::{FindError, PatternError};
pub use pattern::{Pattern, parse_squares};
pub use search::{Search, random};

/// The conditions that a position must meet, all of them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Query {
    /// The side to move. `None` means either side; among mutual zugzwangs it means the
    /// attackers, so that each is found once.
    pub to_move: Option<Side>,
    /// The outcome for the side to move.
    pub wdl: Option<Wdl>,
    /// The distance to the end of the game; draws have none.
    pub plies: Option<RangeInclusive<Plies>>,
    /// Find mutual zugzwangs only: see [`mutual_zugzwang`].
    pub zugzwang: bool,
    /// The contents of squares.
    pub pattern: Pattern,
}

impl Query {
    /// Returns the sides to move that can match.
    pub fn sides(&self) -> &'static [Side] {
        match self.to_move {
            Some(Side::Attackers) => &Side::ALL[..1],
            Some(Side::Defenders) => &Side::ALL[1..],
            None if self.zugzwang => &Side::ALL[..1],
            None => &Side::ALL,
        }
    }
}

/// A position that matches a query.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Found {
    /// The position, the canonical one of its mirror images.
    pub position: Position,
    /// Its value for the side to move.
    pub value: Probed,
    /// In searches for mutual zugzwangs, the value for the other side if it were to move.
    pub other: Option<Probed>,
    /// The number of mirror images that it stands for, itself included.
    pub images: usize,
}

/// The number of positions that match a query.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct FoundCount {
    /// Positions as tables store them, one for all mirror images.
    pub stored: u64,
    /// Placements of the pieces, mirror images counted separately.
    pub placements: u64,
}

/// Parses an outcome: `win`, `loss`, and `draw`, `undecided` or `endless`, whichever the rules have.
///
/// # Errors
/// If the rules have no outcome of this name.
pub fn parse_outcome(rules: &Ruleset, name: &str) -> Result<Wdl, FindError> {
    let open = rules.endless.name();
    match name {
        "win" => Ok(Wdl::Win),
        "loss" => Ok(Wdl::Loss),
        _ if name == open => Ok(Wdl::Draw),
        _ => Err(FindError::Outcome { name: name.to_owned(), open }),
    }
}

/// Parses distances: `21`, `9..21`, `9..` or `..21`; both ends are included.
///
/// # Errors
/// One line that says how to write them.
pub fn parse_plies(text: &str) -> Result<RangeInclusive<Plies>, String> {
    let range = match text.split_once("..") {
        Some((first, last)) => parse_bound(first, 0).zip(parse_bound(last, Plies::MAX)),
        None => text.trim().parse().ok().map(|plies| (plies, plies)),
    };
    match range {
        None => Err("write plies like 21, 9..21, 9.. or ..21".to_owned()),
        Some((first, last)) if first > last => Err(format!(
            "the range from {first} to {last} is empty: write the smaller number first"
        )),
        Some((first, last)) => Ok(first..=last),
    }
}

/// Parses one end of a range, which may be missing.
fn parse_bound(text: &str, default: Plies) -> Option<Plies> {
    match text.trim() {
        "" => Some(default),
        number => number.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plies_are_a_number_or_a_range() {
        for (text, plies) in
            [("21", 21..=21), ("9..21", 9..=21), ("9..", 9..=u16::MAX), ("..21", 0..=21)]
        {
            assert_eq!(parse_plies(text), Ok(plies), "{text}");
        }
        for wrong in ["", "x", "9-21", "1..x", "70000", "-1", "9..21..30"] {
            assert!(parse_plies(wrong).unwrap_err().contains("9..21"), "{wrong}");
        }
        assert!(parse_plies("21..9").unwrap_err().contains("from 21 to 9"));
    }
}
