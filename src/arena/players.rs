//! The kinds of players.

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;

use crate::engine::{Engine, EngineOptions, PlayerError, Weights};
use crate::game::rules::Ruleset;
use crate::protocol::htp::{ENGINE_PORT, HtpPlayer, Link};
use crate::protocol::otep::ExternalPlayer;
use crate::tablebase::Tablebase;

use super::contestant::{Contestant, EnginePlayer, RandomMover};
use super::description::{
    DescriptionError, Factory, PlayerContext, invalid_value, pairs, parse_mebibytes, parse_number,
    unknown_key,
};
use super::pilarski;

/// The keys of an engine's description.
const ENGINE_KEYS: &str = "hash (MiB), threads, tables (none or a folder), proofs (none), \
     weights (a file), contempt (hundredths of a soldier), name";
/// The keys of a random mover's description.
const RANDOM_KEYS: &str = "seed, name";

/// Returns the factory for a description: a kind, optionally with a colon and options, like
/// `engine:hash=16,tables=none,name=new`.
///
/// # Errors
/// If the kind or an option is unknown or invalid.
pub fn factory(text: &str, context: &PlayerContext) -> Result<Factory, DescriptionError> {
    let (kind, details) = text.split_once(':').unwrap_or((text, ""));
    match kind.trim() {
        "engine" => engine(text, details, context),
        "random" => random(text, details, context),
        "otep" => Ok(otep(text, details, context)),
        "htp" => Ok(htp(text, details, Link::Pipes, context)),
        "htp-tcp" => Ok(htp(text, details, Link::Socket(ENGINE_PORT), context)),
        other => pilarski::factory(text, other, details, context)
            .unwrap_or_else(|| Err(DescriptionError::Kind(other.to_owned()))),
    }
}

fn engine(text: &str, details: &str, context: &PlayerContext) -> Result<Factory, DescriptionError> {
    let mut name = text.to_owned();
    let mut options = EngineOptions { table_bytes: 16 << 20, ..EngineOptions::new(&context.rules) };
    options.tables.clone_from(&context.tables);
    options.proofs.clone_from(&context.proofs);
    for (key, value) in pairs(details) {
        match key {
            "hash" => {
                options.table_bytes = parse_mebibytes("hash", value)?;
            }
            "threads" => {
                let count = parse_number("threads", value, 1..=1024, "a number from 1 to 1024")?;
                options.threads = NonZeroUsize::new(count).unwrap_or(options.threads);
            }
            "tables" if value == "none" => options.tables = None,
            "tables" => {
                let tables = Tablebase::open(Ruleset::clone(&context.rules), Path::new(value));
                options.tables = Some(Arc::new(tables.map_err(DescriptionError::Tables)?));
            }
            "proofs" if value == "none" => options.proofs = None,
            "proofs" => return Err(invalid_value("proofs", value, "none, or leave it out")),
            "weights" => options.weights = Some(weights(value, &context.rules)?),
            "contempt" => {
                let max = EngineOptions::MAX_CONTEMPT;
                let right = format!("a number from -{max} to {max}");
                options.contempt = parse_number("contempt", value, -max..=max, &right)?;
            }
            "name" => value.clone_into(&mut name),
            _ => return Err(unknown_key(key, ENGINE_KEYS)),
        }
    }
    let rules = Arc::clone(&context.rules);
    Ok(Box::new(move || {
        let engine = Engine::new(Arc::clone(&rules), options.clone())
            .map_err(|error| PlayerError::new(&name, error))?;
        Ok(Box::new(EnginePlayer { name: name.clone(), engine, score: None }))
    }))
}

/// Reads a weights file.
fn weights(path: &str, rules: &Ruleset) -> Result<Weights, DescriptionError> {
    let text = std::fs::read_to_string(path).map_err(|error| weights_error(path, &error))?;
    Weights::from_toml(&text, rules).map_err(|error| weights_error(path, &error))
}

fn weights_error(path: &str, error: &dyn std::error::Error) -> DescriptionError {
    DescriptionError::Weights { path: path.to_owned(), reason: error.to_string() }
}

fn random(text: &str, details: &str, context: &PlayerContext) -> Result<Factory, DescriptionError> {
    let (mut name, mut seed) = (text.to_owned(), context.seed);
    for (key, value) in pairs(details) {
        match key {
            "seed" => seed = parse_number("seed", value, 0..=u64::MAX, "a number from 0 up")?,
            "name" => value.clone_into(&mut name),
            _ => return Err(unknown_key(key, RANDOM_KEYS)),
        }
    }
    Ok(Box::new(move || Ok(Box::new(RandomMover { name: name.clone(), seed, game_number: 0 }))))
}

/// Returns the factory for a program that speaks OpenTafl's protocol, given its command line.
fn otep(text: &str, command: &str, context: &PlayerContext) -> Factory {
    let (command, rules) = (command.to_owned(), Arc::clone(&context.rules));
    external(text, move || ExternalPlayer::start(&command, Arc::clone(&rules)))
}

/// Returns the factory for a program that speaks the hnefatafl text protocol, given its command
/// line.
fn htp(text: &str, command: &str, link: Link, context: &PlayerContext) -> Factory {
    let (command, rules) = (command.to_owned(), Arc::clone(&context.rules));
    external(text, move || HtpPlayer::start(&command, link, &rules))
}

/// Returns the factory for another program, which `start` starts. Errors then name the description.
fn external<P: Contestant + 'static>(
    text: &str,
    start: impl Fn() -> Result<P, PlayerError> + Send + Sync + 'static,
) -> Factory {
    let player = text.to_owned();
    Box::new(move || {
        let program = start().map_err(|error| PlayerError { player: player.clone(), ..error })?;
        Ok(Box::new(program))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(text: &str) -> Result<String, String> {
        let rules = Arc::new(Ruleset::builtin("brandubh").unwrap());
        let context = PlayerContext { rules, tables: None, proofs: None, seed: 0 };
        let make = factory(text, &context).map_err(|error| error.to_string())?;
        Ok(make().unwrap().name())
    }

    #[test]
    fn descriptions_are_read() {
        for (text, name) in [
            ("engine", "engine"),
            ("engine:hash=1,threads=2,tables=none,proofs=none,name=new", "new"),
            ("engine: hash=1 , name=spaced", "spaced"),
            ("random:seed=3", "random:seed=3"),
            ("random:name=dice", "dice"),
        ] {
            assert_eq!(made(text).as_deref(), Ok(name));
        }
    }

    #[test]
    fn unknown_kinds_and_keys_are_refused_with_the_known_ones() {
        for (text, words) in [
            ("", ["\"\"", "engine, random, greedy"]),
            ("chess", ["\"chess\"", "combination, otep"]),
            ("engine:hsh=1", ["\"hsh\"", "hash (MiB)"]),
            ("engine:hash=0", ["hash=0", "1 to"]),
            ("engine:hash", ["hash=:", "1 to"]),
            ("engine:threads=x", ["threads=x", "1 to 1024"]),
            ("engine:proofs=a.cert", ["proofs=a.cert", "none"]),
            ("engine:tables=/no/where", ["/no/where", "no such table folder"]),
            ("random:hash=1", ["\"hash\"", "seed, name"]),
        ] {
            let error = made(text).unwrap_err();
            assert!(words.iter().all(|word| error.contains(word)), "{text}: {error}");
        }
    }
}
