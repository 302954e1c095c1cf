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
//! Tags come first, then the turns, each with a move of the side that begins and one of
//! the other. A comment belongs to the turn before it, and has a part for each move.
//! Other programs' records may have variations, `2a.1.1a. …`, which are passed over, signs
//! behind a move that threatens, and `---` where a side resigns.
//!
//! The rules are a rules record (see [`Ruleset::from_otn`]). Where one cannot say all of
//! them, the tag `taflbase-rules` names the ruleset, and counts for more. If there is no
//! rules record at all, `position` says where the game begins, unless it is at the
//! ruleset's start.

mod error;
mod read;
mod write;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::game::history::{Game, Outcome};
use crate::game::rules::{Ruleset, Side};

pub use error::{RecordError, RecordFault};

/// A game with what is told about it.
#[derive(Clone, Debug)]
pub struct Record {
    /// Tags with their values, in their order, but for those that speak of the rules, the
    /// start and the result.
    pub tags: Vec<(String, String)>,
    /// The game.
    pub game: Game,
    /// How it has ended.
    pub result: GameResult,
    /// Comments on moves, by their number from 0.
    pub comments: BTreeMap<usize, String>,
}

/// How a game has ended, by its rules or otherwise.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum GameResult {
    /// This side has won.
    Won(Side),
    /// A draw.
    Drawn,
    /// Nobody says.
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

/// The word of the result tag for each result.
const RESULTS: [(&str, GameResult); 4] = [
    ("1", GameResult::Won(Side::Attackers)),
    ("0", GameResult::Drawn),
    ("-1", GameResult::Won(Side::Defenders)),
    ("?", GameResult::Open),
];

/// Tags that are made of the game itself.
const OWN_TAGS: [&str; 4] = ["result", "rules", OWN_RULES, "position"];

/// The tag that names a ruleset of this library.
const OWN_RULES: &str = "taflbase-rules";

impl Record {
    /// A game's record, without any tags of its own.
    pub fn new(game: Game) -> Record {
        let result = game.outcome().into();
        Record { tags: Vec::new(), game, result, comments: BTreeMap::new() }
    }

    /// Reads a record with the rules that it tells.
    ///
    /// # Errors
    /// If the text is no record, or its rules are not known, or a move cannot be played.
    pub fn parse(text: &str) -> Result<Record, RecordError> {
        read::record(text, None)
    }

    /// Reads a record of a game of these rules, whatever it tells of them.
    ///
    /// # Errors
    /// As [`parse`](Record::parse).
    pub fn parse_with(text: &str, rules: Arc<Ruleset>) -> Result<Record, RecordError> {
        read::record(text, Some(rules))
    }

    /// The value of a tag.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The record as a text. Brackets, which would end a tag or a comment, become round.
    pub fn to_text(&self) -> String {
        write::text(self)
    }
}
