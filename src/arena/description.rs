//! Descriptions of players, like `engine:hash=16,name=new`.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::sync::Arc;

use crate::engine::{PlayerError, ProvedPositions};
use crate::game::rules::Ruleset;
use crate::tablebase::{ProbeError, Tablebase};

use super::contestant::Contestant;

/// Creates a player; called once for each thread that plays games.
pub type Factory = Box<dyn Fn() -> Result<Box<dyn Contestant>, PlayerError> + Send + Sync>;

/// The kinds of players.
const KINDS: &str = "engine, random, greedy, heuristic, traditional, expanded, improved, combination, otep, htp, \
     htp-tcp";

/// The context in which a player is created.
#[derive(Clone)]
pub struct PlayerContext {
    /// The rules of the games.
    pub rules: Arc<Ruleset>,
    /// The endgame tables of an engine whose description names none.
    pub tables: Option<Arc<Tablebase>>,
    /// The proved positions of an engine whose description does not turn them off.
    pub proofs: Option<Arc<dyn ProvedPositions>>,
    /// The random seed of a player whose description names none.
    pub seed: u64,
}

/// An error in a player's description.
#[derive(Debug)]
#[non_exhaustive]
pub enum DescriptionError {
    /// The kind of player is unknown.
    Kind(String),
    /// The kind of player has no such key.
    Key {
        /// The unknown key.
        key: String,
        /// The keys of this kind.
        known: &'static str,
    },
    /// A value is invalid for its key.
    Value {
        /// The key.
        key: &'static str,
        /// The invalid value.
        value: String,
        /// The valid values.
        right: String,
    },
    /// The weights file cannot be used.
    Weights {
        /// The file.
        path: String,
        /// The reason.
        reason: String,
    },
    /// The player does not support the rules.
    Rules(String),
    /// The tables cannot be opened.
    Tables(ProbeError),
}

impl fmt::Display for DescriptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DescriptionError::Kind(kind) => {
                write!(f, "there is no kind of player {kind:?}: the kinds are {KINDS}")
            }
            DescriptionError::Key { key, known } => {
                write!(f, "a player of this kind has no key {key:?}: its keys are {known}")
            }
            DescriptionError::Value { key, value, right } => {
                write!(f, "{key}={value}: write {right}")
            }
            DescriptionError::Rules(reason) => f.write_str(reason),
            DescriptionError::Weights { path, reason } => write!(f, "weights={path}: {reason}"),
            DescriptionError::Tables(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for DescriptionError {}

/// Splits `a=1,b=2` into pairs. A key without a value has an empty one.
pub(super) fn pairs(details: &str) -> impl Iterator<Item = (&str, &str)> {
    let parts = details.split(',').map(str::trim).filter(|part| !part.is_empty());
    parts.map(|part| part.split_once('=').unwrap_or((part, "")))
}

/// Parses a number within the range; `right` describes the valid values.
pub(super) fn parse_number<T: FromStr + PartialOrd>(
    key: &'static str,
    value: &str,
    range: RangeInclusive<T>,
    right: &str,
) -> Result<T, DescriptionError> {
    match value.parse() {
        Ok(number) if range.contains(&number) => Ok(number),
        _ => Err(invalid_value(key, value, right)),
    }
}

/// Parses a size in MiB, and returns it in bytes.
pub(super) fn parse_mebibytes(key: &'static str, value: &str) -> Result<usize, DescriptionError> {
    let mebibytes: usize = parse_number(key, value, 1..=1 << 20, "MiB from 1 to 1048576")?;
    Ok(mebibytes << 20)
}

pub(super) fn invalid_value(key: &'static str, value: &str, right: &str) -> DescriptionError {
    DescriptionError::Value { key, value: value.to_owned(), right: right.to_owned() }
}

pub(super) fn unknown_key(key: &str, known: &'static str) -> DescriptionError {
    DescriptionError::Key { key: key.to_owned(), known }
}
