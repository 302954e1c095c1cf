//! The solver implements whatever a ruleset file states: compared with rules of the tests' own,
//! which parse the file themselves.

mod moves;
mod traps;
mod values;

use std::fs;

use crate::inventions::Invention;
use crate::reference::{Custom, Event};
use taflbase::rules::Ruleset;

/// A ruleset as the library and the reference have parsed it, and its text.
struct Both {
    rules: Ruleset,
    game: Custom,
    text: String,
}

impl Both {
    fn read(text: String) -> Both {
        let rules = Ruleset::from_toml(&text, "text").unwrap_or_else(|e| panic!("{e}\n{text}"));
        Both { rules, game: Custom::parse(&text), text }
    }

    /// Invents a ruleset from a seed.
    fn invented(size: u8, seed: u64) -> Both {
        Both::read(Invention::new(size, seed).text())
    }

    /// Invents one with rules of present games.
    fn modern(size: u8, seed: u64) -> Both {
        Both::read(Invention::new(size, seed).modern_text())
    }

    /// Reads all files of a folder of the source.
    fn all_in(folder: &str) -> Vec<Both> {
        let folder = format!("{}/{folder}", env!("CARGO_MANIFEST_DIR"));
        let mut paths: Vec<_> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        paths.iter().map(|path| Both::read(fs::read_to_string(path).unwrap())).collect()
    }
}

/// Runs a check; if it fails, prints the ruleset.
fn checked(both: Both, check: impl FnOnce(&Both)) -> Both {
    let run = std::panic::AssertUnwindSafe(|| check(&both));
    if let Err(panic) = std::panic::catch_unwind(run) {
        eprintln!("{}", both.text);
        std::panic::resume_unwind(panic);
    }
    both
}

/// Asserts that each event occurred at least this often in these games together: rules that
/// never applied were not tested.
fn assert_seen(all: &[Both], least: u64) {
    assert_all_seen(&Event::ALL, all, least);
}

/// The same for these events.
fn assert_all_seen(events: &[Event], all: &[Both], least: u64) {
    let sum = |event| all.iter().map(|both| both.game.seen(event)).sum();
    let seen: Vec<(Event, u64)> = events.iter().map(|&e| (e, sum(e))).collect();
    assert!(seen.iter().all(|&(_, times)| times >= least), "{seen:?}");
}
