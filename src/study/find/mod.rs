//! Search in tables: the positions of a slice that have a value, a distance or a pattern,
//! the longest of them, or some at random.
//!
//! A [`Query`] says what is looked for, a [`Search`] goes through one table for it. Of
//! a position and its mirror images there is one in the table: it is found if any of
//! its images fits, and [`Found::images`] tells how many there are. Memory does not
//! grow with the table; results do not depend on the number of threads.
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

mod error;
mod hits;
mod pattern;
mod search;

use std::ops::RangeInclusive;

use crate::game::position::Position;
use crate::game::rules::{Endless, Ruleset, Side};
use crate::game::value::{Plies, Wdl};
use crate::tablebase::Probed;

pub use error::{FindError, PatternError};
pub use pattern::{Pattern, parse_squares};
pub use search::{Search, random};

/// What positions are looked for: those of which all holds that is said here.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Query {
    /// The side to move; either of them if nothing is said, but of mutual zugzwangs the
    /// attackers, so that each is found once.
    pub to_move: Option<Side>,
    /// The outcome for the side to move.
    pub wdl: Option<Wdl>,
    /// The distance to the end of the game, which draws do not have.
    pub plies: Option<RangeInclusive<Plies>>,
    /// Whether only mutual zugzwangs are looked for: see [`mutual_zugzwang`].
    pub zugzwang: bool,
    /// What stands where.
    pub pattern: Pattern,
}

impl Query {
    /// The sides to move that are looked for.
    pub fn sides(&self) -> &'static [Side] {
        match self.to_move {
            Some(Side::Attackers) => &Side::ALL[..1],
            Some(Side::Defenders) => &Side::ALL[1..],
            None if self.zugzwang => &Side::ALL[..1],
            None => &Side::ALL,
        }
    }
}

/// A position that was looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Found {
    /// The position, the canonical one of its mirror images.
    pub position: Position,
    /// Its value for the side to move.
    pub value: Probed,
    /// For a mutual zugzwang, the value for the other side if that were to move.
    pub other: Option<Probed>,
    /// How many mirror images it stands for, itself among them.
    pub images: usize,
}

/// How many positions there are of what was looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct FoundCount {
    /// Positions as tables store them, one for all mirror images.
    pub stored: u64,
    /// Placements of the pieces: all the mirror images.
    pub placements: u64,
}

/// Whether a placement of pieces is a mutual zugzwang, by the outcome for the attackers
/// if they are to move and that for the defenders if they are.
///
/// It is one if each side does worse when it is to move than when the other side is. In
/// a game of two, what is worse for one side is better for the other, so that it is one
/// already if that holds for either side: both lose when they are to move, or one loses
/// and the other draws. Distances do not count.
///
/// `None` where undecided positions leave it open. Play from an undecided position is
/// won by one of the sides, and tables do not tell by which: only if a side wins when
/// it is to move, or both lose, is the answer certain.
pub fn mutual_zugzwang(endless: Endless, attackers: Wdl, defenders: Wdl) -> Option<bool> {
    match (attackers, defenders) {
        (Wdl::Win, _) | (_, Wdl::Win) => Some(false),
        (Wdl::Loss, Wdl::Loss) => Some(true),
        _ if endless == Endless::Undecided => None,
        (attackers, defenders) => Some(attackers < -defenders),
    }
}

/// The outcome that has this name under the rules: `win`, `loss`, and `draw` or
/// `undecided`, whichever they have.
///
/// # Errors
/// What the rules have instead.
pub fn parse_outcome(rules: &Ruleset, name: &str) -> Result<Wdl, FindError> {
    let open = rules.endless.name();
    match name {
        "win" => Ok(Wdl::Win),
        "loss" => Ok(Wdl::Loss),
        _ if name == open => Ok(Wdl::Draw),
        _ => Err(FindError::Outcome { name: name.to_owned(), open }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mutual_zugzwang_is_worse_for_both_to_move() {
        let all = [Wdl::Loss, Wdl::Draw, Wdl::Win];
        for (attackers, defenders) in all.into_iter().flat_map(|a| all.map(|d| (a, d))) {
            let worse_for_attackers = attackers < -defenders;
            let worse_for_defenders = defenders < -attackers;
            let both = worse_for_attackers && worse_for_defenders;
            assert_eq!(both, worse_for_attackers);
            assert_eq!(mutual_zugzwang(Endless::Draw, attackers, defenders), Some(both));
            // Whoever may win an undecided position, the answer must be the same.
            let ends = |wdl| if wdl == Wdl::Draw { vec![Wdl::Loss, Wdl::Win] } else { vec![wdl] };
            let mut answers: Vec<bool> = Vec::new();
            for one in ends(attackers) {
                answers.extend(ends(defenders).into_iter().map(|other| one < -other));
            }
            answers.dedup();
            let certain = (answers.len() == 1).then(|| answers[0]);
            let found = mutual_zugzwang(Endless::Undecided, attackers, defenders);
            assert_eq!(found, certain, "{attackers:?} {defenders:?}");
        }
    }
}
