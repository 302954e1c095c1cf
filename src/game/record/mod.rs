//! Game records in OpenTafl's notation (`.otg` files).
//!
//! ```text
//! [date:2026.11.22]
//! [attackers:Grim]
//! [result:?]
//! [rules:dim:7 surf:n ks:c cenh:T start:/3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3/]
//!
//! 1. d1-c1 d3-c3
//! [the first move|the answer to it]
//! 2. g4-g5
//! ```
//!
//! Tags come first, then the turns, each with a move of the side that begins and one of the other.
//! A comment belongs to the turn before it, with a part for each move. In records of other
//! programs, variations (`2a.1.1a. …`) are skipped, as are signs after a threatening move; `---`
//! is a resignation.
//!
//! The rules are a rules record (see [`Ruleset::from_otn`]). Where a rules record cannot express
//! them, the tag `taflbase-rules` names the ruleset and takes precedence. Without a rules record,
//! the tag `position` gives the starting position, unless it is the ruleset's own.

mod error;
mod read;
mod write;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::game::history::{Game, Outcome};
use crate::game::rules::{Ruleset, Side};

pub use error::{RecordError, RecordFault};

/// A game with its tags, result and comments.
#[derive(Clone, Debug)]
pub struct Record {
    /// Tags with their values, in order, without those of the rules, the start and the result.
    pub tags: Vec<(String, String)>,
    /// The game.
    pub game: Game,
    /// The result.
    pub result: GameResult,
    /// Comments on moves, by their number from 0.
    pub comments: BTreeMap<usize, String>,
}

/// A record as far as it could be read.
pub(in crate::game) struct PartialRecord {
    pub(in crate::game) record: Record,
    /// The first fault, after which no move is read.
    pub(in crate::game) fault: Option<RecordError>,
}

/// The result of a game, by its rules or otherwise.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum GameResult {
    /// This side has won.
    Won(Side),
    /// A draw.
    Drawn,
    /// Unfinished or unknown.
    Open,
}

impl From<Option<Outcome>> for GameResult {
    fn from(outcome: Option<Outcome>) -> GameResult {
        match outcome {
            Some(Outcome { winner: Some(winner), .. }) => GameResult::Won(winner),
            Some(Outcome { winner: None, .. }) => GameResult::Drawn,
            None => GameResult::Open,
        }
    }
}

/// The value of the result tag for each result.
const RESULTS: [(&str, GameResult); 4] = [
    ("1", GameResult::Won(Side::Attackers)),
    ("0", GameResult::Drawn),
    ("-1", GameResult::Won(Side::Defenders)),
    ("?", GameResult::Open),
];

/// Tags derived from the game itself.
const DERIVED_TAGS: [&str; 4] = ["result", "rules", RULESET_TAG, "position"];

/// The tag that names a built-in ruleset.
const RULESET_TAG: &str = "taflbase-rules";

impl Record {
    /// Creates a record of a game, without further tags.
    pub fn new(game: Game) -> Record {
        let result = game.outcome().into();
        Record { tags: Vec::new(), game, result, comments: BTreeMap::new() }
    }

    /// Parses a record, with the rules that it gives.
    ///
    /// # Errors
    /// If the text is not a record, its rules are unknown, or a move cannot be played.
    pub fn parse(text: &str) -> Result<Record, RecordError> {
        read::record(text, None, usize::MAX)
    }

    /// Parses a record of a game under `rules`, whatever rules it gives.
    ///
    /// # Errors
    /// As [`parse`](Record::parse).
    pub fn parse_with(text: &str, rules: Arc<Ruleset>) -> Result<Record, RecordError> {
        read::record(text, Some(rules), usize::MAX)
    }

    /// Parses a record of at most `max_moves` moves, under `rules` or else under those that it
    /// gives. The time for a move grows with the game, so limit records of unknown origin.
    ///
    /// # Errors
    /// As [`parse`](Record::parse), and if there are more moves; the rest is not read then.
    pub fn parse_limited(
        text: &str,
        rules: Option<Arc<Ruleset>>,
        max_moves: usize,
    ) -> Result<Record, RecordError> {
        read::record(text, rules, max_moves)
    }

    /// Returns the ruleset that a record names, of this program's own.
    ///
    /// # Errors
    /// If the tags cannot be read.
    pub fn ruleset_name(text: &str) -> Result<Option<String>, RecordError> {
        read::ruleset_name(text)
    }

    /// Parses a record of a game under `rules` as far as it can be read.
    ///
    /// # Errors
    /// If the tags cannot be read, or the starting position is not legal.
    pub(in crate::game) fn parse_partially(
        text: &str,
        rules: Arc<Ruleset>,
    ) -> Result<PartialRecord, RecordError> {
        read::partial_record(text, Some(rules), usize::MAX)
    }

    /// Returns the value of a tag.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Writes the record. Brackets inside a tag or a comment become round.
    pub fn to_text(&self) -> String {
        write::text(self)
    }
}
