//! The kinds of players, and how they are described.

use std::fmt;
use std::num::NonZeroUsize;
use std::ops::RangeInclusive;
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;

use crate::engine::{Engine, EngineOptions, PlayerError, Weights};
use crate::game::rules::Ruleset;
use crate::protocol::otep::ExternalPlayer;
use crate::tablebase::{ProbeError, Tablebase};

use super::contestant::{Contestant, EnginePlayer, RandomMover};
use super::pilarski;

/// Makes a player, one for each thread that games are played in.
pub type Factory = Box<dyn Fn() -> Result<Box<dyn Contestant>, PlayerError> + Send + Sync>;

/// The keys of an engine's description.
const ENGINE_KEYS: &str = "hash (MiB), threads, tables (none or a folder), weights (a file), contempt (hundredths of a soldier), name";
/// The keys of a random mover's description.
const RANDOM_KEYS: &str = "seed, name";

/// What players are made for.
#[derive(Clone)]
pub struct PlayerContext {
    /// The rules of the games.
    pub rules: Arc<Ruleset>,
    /// The tables of an engine that is not given others.
    pub tables: Option<Arc<Tablebase>>,
    /// What chance depends on, where a description does not say so.
    pub seed: u64,
}

/// Why a description gives no player.
#[derive(Debug)]
#[non_exhaustive]
pub enum DescriptionError {
    /// There is no such kind of player.
    Kind(String),
    /// That kind has no such key.
    Key {
        /// What is written.
        key: String,
        /// The keys that there are.
        known: &'static str,
    },
    /// A value that is none for its key.
    Value {
        /// The key.
        key: &'static str,
        /// What is written.
        value: String,
        /// What would be right.
        right: String,
    },
    /// Its weights cannot be used.
    Weights {
        /// The file.
        path: String,
        /// Why not.
        reason: String,
    },
    /// It cannot play these rules.
    Rules(String),
    /// Its tables cannot be opened.
    Tables(ProbeError),
}

/// The kinds of players, as descriptions begin.
fn kinds() -> String {
    ["engine", "random"]
        .into_iter()
        .chain(pilarski::KINDS)
        .chain(["otep"])
        .collect::<Vec<_>>()
        .join(", ")
}

impl fmt::Display for DescriptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DescriptionError::Kind(kind) => {
                write!(f, "there is no kind of player {kind:?}: there are {}", kinds())
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

/// What makes the players of that description: a kind, and behind a colon what there is
/// to say, like `engine:hash=16,tables=none,name=new`.
///
/// # Errors
/// If there is no such kind of player, or it cannot be made like that.
pub fn factory(text: &str, context: &PlayerContext) -> Result<Factory, DescriptionError> {
    let (kind, details) = text.split_once(':').unwrap_or((text, ""));
    match kind.trim() {
        "engine" => engine(text, details, context),
        "random" => random(text, details, context),
        "otep" => Ok(otep(details, context)),
        other => pilarski::factory(text, other, details, context)
            .unwrap_or_else(|| Err(DescriptionError::Kind(other.to_owned()))),
    }
}

fn engine(text: &str, details: &str, context: &PlayerContext) -> Result<Factory, DescriptionError> {
    let mut name = text.to_owned();
    let mut options = EngineOptions { table_bytes: 16 << 20, ..EngineOptions::new(&context.rules) };
    options.tables.clone_from(&context.tables);
    for (key, value) in pairs(details) {
        match key {
            "hash" => {
                let megabytes = number("hash", value, 1..=1 << 20, "MiB from 1 to 1048576")?;
                options.table_bytes = (megabytes as usize) << 20;
            }
            "threads" => {
                let threads = number("threads", value, 1..=1024, "a number from 1 to 1024")?;
                options.threads = NonZeroUsize::new(threads as usize).unwrap_or(options.threads);
            }
            "tables" if value == "none" => options.tables = None,
            "tables" => {
                let tables = Tablebase::open(Ruleset::clone(&context.rules), Path::new(value));
                options.tables = Some(Arc::new(tables.map_err(DescriptionError::Tables)?));
            }
            "weights" => options.weights = Some(weights(value, &context.rules)?),
            "contempt" => {
                let most = EngineOptions::MAX_CONTEMPT;
                let right = format!("a number from -{most} to {most}");
                options.contempt = number("contempt", value, -most..=most, &right)?;
            }
            "name" => value.clone_into(&mut name),
            _ => return Err(unknown(key, ENGINE_KEYS)),
        }
    }
    let rules = Arc::clone(&context.rules);
    Ok(Box::new(move || {
        let engine = Engine::new(Arc::clone(&rules), options.clone());
        let engine = engine
            .map_err(|error| PlayerError { player: name.clone(), reason: error.to_string() })?;
        Ok(Box::new(EnginePlayer { name: name.clone(), engine, last: None }))
    }))
}

fn weights(path: &str, rules: &Ruleset) -> Result<Weights, DescriptionError> {
    let unusable = |reason: String| DescriptionError::Weights { path: path.to_owned(), reason };
    let text = std::fs::read_to_string(path).map_err(|error| unusable(error.to_string()))?;
    Weights::from_toml(&text, rules).map_err(|error| unusable(error.to_string()))
}

fn random(text: &str, details: &str, context: &PlayerContext) -> Result<Factory, DescriptionError> {
    let (mut name, mut seed) = (text.to_owned(), context.seed);
    for (key, value) in pairs(details) {
        match key {
            "seed" => seed = number("seed", value, 0..=u64::MAX, "a number from 0 up")?,
            "name" => value.clone_into(&mut name),
            _ => return Err(unknown(key, RANDOM_KEYS)),
        }
    }
    Ok(Box::new(move || Ok(Box::new(RandomMover { name: name.clone(), seed, game_number: 0 }))))
}

/// A program that speaks OpenTafl's protocol, by its command line.
fn otep(command: &str, context: &PlayerContext) -> Factory {
    let (command, rules) = (command.to_owned(), Arc::clone(&context.rules));
    Box::new(move || {
        let named = |error| PlayerError { player: format!("otep:{command}"), ..error };
        Ok(Box::new(ExternalPlayer::start(&command, Arc::clone(&rules)).map_err(named)?))
    })
}

/// `a=1,b=2`; a key without a value has an empty one.
pub(super) fn pairs(details: &str) -> impl Iterator<Item = (&str, &str)> {
    let parts = details.split(',').map(str::trim).filter(|part| !part.is_empty());
    parts.map(|part| part.split_once('=').unwrap_or((part, "")))
}

pub(super) fn number<T: FromStr + PartialOrd>(
    key: &'static str,
    value: &str,
    range: RangeInclusive<T>,
    right: &str,
) -> Result<T, DescriptionError> {
    let number = value.parse().ok().filter(|number| range.contains(number));
    number.ok_or_else(|| wrong(key, value, right))
}

/// A value that is none for its key, and what would be right.
pub(super) fn wrong(key: &'static str, value: &str, right: &str) -> DescriptionError {
    DescriptionError::Value { key, value: value.to_owned(), right: right.to_owned() }
}

pub(super) fn unknown(key: &str, known: &'static str) -> DescriptionError {
    DescriptionError::Key { key: key.to_owned(), known }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(text: &str) -> Result<String, String> {
        let rules = Arc::new(Ruleset::builtin("brandubh").unwrap());
        let context = PlayerContext { rules, tables: None, seed: 0 };
        let factory = factory(text, &context).map_err(|error| error.to_string())?;
        Ok(factory().unwrap().name())
    }

    #[test]
    fn descriptions_are_read() {
        for (text, name) in [
            ("engine", "engine"),
            ("engine:hash=1,threads=2,tables=none,name=new", "new"),
            ("engine: hash=1 , name=spaced", "spaced"),
            ("random:seed=3", "random:seed=3"),
            ("random:name=dice", "dice"),
        ] {
            assert_eq!(made(text).as_deref(), Ok(name));
        }
    }

    #[test]
    fn what_is_unknown_is_refused_with_what_there_is() {
        for (text, words) in [
            ("", ["\"\"", "engine, random, greedy"]),
            ("chess", ["\"chess\"", "combination, otep"]),
            ("engine:hsh=1", ["\"hsh\"", "hash (MiB)"]),
            ("engine:hash=0", ["hash=0", "1 to"]),
            ("engine:hash", ["hash=:", "1 to"]),
            ("engine:threads=x", ["threads=x", "1 to 1024"]),
            ("engine:tables=/no/where", ["/no/where", "no such folder"]),
            ("random:hash=1", ["\"hash\"", "seed, name"]),
        ] {
            let error = made(text).unwrap_err();
            assert!(words.iter().all(|word| error.contains(word)), "{text}: {error}");
        }
    }
}
