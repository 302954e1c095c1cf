//! Descriptions of Pilarski's players.

use std::sync::Arc;

use crate::engine::pilarski::{
    Definitions, Heuristic, Method, MonteCarlo, PilarskiPlayer, Reward, Visits,
};
use crate::engine::{Clock, PlayerError, Stopper};

use super::contestant::Contestant;
use super::description::{
    DescriptionError, Factory, PlayerContext, invalid_value, pairs, parse_mebibytes, parse_number,
    unknown_key,
};

const GREEDY_KEYS: &str = "seed, name";
const HEURISTIC_KEYS: &str = "paths (taken or scored), centre (five or throne), seed, name";
const MONTE_CARLO_KEYS: &str = "depth (plies), counted (playout or simulation), c (a number), \
     reward (wins or difference), log (parent or children), definitions (never, defenders or \
     always), turn (mover or either), memory (MiB), seed, name";

/// Returns the factory for one of Pilarski's players; `None` if the kind is another one.
pub(super) fn factory(
    text: &str,
    kind: &str,
    details: &str,
    context: &PlayerContext,
) -> Option<Result<Factory, DescriptionError>> {
    let method = match kind {
        "greedy" => Method::Greedy,
        "heuristic" => Method::Heuristic(Heuristic::default()),
        "traditional" => Method::MonteCarlo(MonteCarlo::traditional()),
        "expanded" => Method::MonteCarlo(MonteCarlo::expanded()),
        "improved" => Method::MonteCarlo(MonteCarlo::improved()),
        "combination" => Method::MonteCarlo(MonteCarlo::combination()),
        _ => return None,
    };
    Some(make_factory(text, method, details, context))
}

fn make_factory(
    text: &str,
    mut method: Method,
    details: &str,
    context: &PlayerContext,
) -> Result<Factory, DescriptionError> {
    let (mut name, mut seed) = (text.to_owned(), context.seed);
    for (key, value) in pairs(details) {
        match (key, &mut method) {
            ("seed", _) => seed = parse_number("seed", value, 0..=u64::MAX, "a number from 0 up")?,
            ("name", _) => value.clone_into(&mut name),
            (_, Method::Heuristic(heuristic)) => set_heuristic(heuristic, key, value)?,
            (_, Method::MonteCarlo(search)) => set_search(search, key, value)?,
            _ => return Err(unknown_key(key, GREEDY_KEYS)),
        }
    }
    let (text, rules) = (text.to_owned(), Arc::clone(&context.rules));
    let make = move || PilarskiPlayer::new(name.clone(), Arc::clone(&rules), method.clone(), seed);
    // Report an error now instead of when the match begins.
    make().map_err(|error| DescriptionError::Rules(error.to_string()))?;
    Ok(Box::new(move || {
        let player = make().map_err(|error| PlayerError::new(&text, error))?;
        Ok(Box::new(player))
    }))
}

fn set_heuristic(
    heuristic: &mut Heuristic,
    key: &str,
    value: &str,
) -> Result<(), DescriptionError> {
    match key {
        "paths" => {
            heuristic.takes_paths = one_of("paths", value, [("taken", true), ("scored", false)])?
        }
        "centre" => {
            heuristic.throne_only = one_of("centre", value, [("throne", true), ("five", false)])?
        }
        _ => return Err(unknown_key(key, HEURISTIC_KEYS)),
    }
    Ok(())
}

fn set_search(search: &mut MonteCarlo, key: &str, value: &str) -> Result<(), DescriptionError> {
    match key {
        "depth" => {
            search.depth = parse_number("depth", value, 1..=1000, "plies from 1 to 1000")?;
        }
        "counted" => {
            search.whole = one_of("counted", value, [("playout", false), ("simulation", true)])?;
        }
        "c" => {
            search.exploration = parse_number("c", value, 0.0..=100.0, "a number from 0 to 100")?;
        }
        "reward" => {
            let rewards = [("wins", Reward::Wins), ("difference", Reward::Difference)];
            search.reward = one_of("reward", value, rewards)?;
        }
        "log" => {
            let visits = [("parent", Visits::Parent), ("children", Visits::Children)];
            search.visits = one_of("log", value, visits)?;
        }
        "definitions" => {
            let definitions = [
                ("never", Definitions::Never),
                ("defenders", Definitions::Defenders),
                ("always", Definitions::Always),
            ];
            search.definitions = one_of("definitions", value, definitions)?;
        }
        "turn" => {
            search.whoever_moves = one_of("turn", value, [("mover", false), ("either", true)])?;
        }
        "memory" => search.memory = parse_mebibytes("memory", value)?,
        _ => return Err(unknown_key(key, MONTE_CARLO_KEYS)),
    }
    Ok(())
}

/// Returns the meaning of a word.
fn one_of<T, const N: usize>(
    key: &'static str,
    value: &str,
    words: [(&'static str, T); N],
) -> Result<T, DescriptionError> {
    let known = words.each_ref().map(|(word, _)| *word).join(" or ");
    let found = words.into_iter().find(|(word, _)| *word == value);
    found.map(|(_, meant)| meant).ok_or_else(|| invalid_value(key, value, &known))
}

impl Contestant for PilarskiPlayer {
    fn stopper(&self) -> Option<Stopper> {
        Some(PilarskiPlayer::stopper(self))
    }

    fn check_clock(&self, clock: Clock) -> Result<(), PlayerError> {
        PilarskiPlayer::check_clock(self, clock)
    }

    fn set_game_number(&mut self, number: u64) {
        PilarskiPlayer::set_game_number(self, number);
    }
}
