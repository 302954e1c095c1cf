//! Fits weights of evaluations: the engine's to the outcomes of games, or those of the proof search
//! to the positions that it solves. `scripts/tune.sh` and `scripts/tune-proofs.sh` play the games.
//!
//!     cargo run --release --example tune -- games RULES GAMES.jsonl… > weights.toml
//!     cargo run --release --example tune -- proofs RULES GAMES.jsonl… FOLDER

mod fit;
mod games;
mod proofs;

use std::sync::Arc;

use serde_json::Value;
use taflbase::notation::parse_move;
use taflbase::{Game, Ruleset};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [kind, name, rest @ ..] = &arguments[..] else {
        return Err("usage: tune games|proofs RULES FILES…".into());
    };
    let rules = Arc::new(Ruleset::load(name)?);
    match (&kind[..], rest) {
        ("games", files) => games::tune(&rules, &read(files)?),
        ("proofs", [files @ .., folder]) => proofs::tune(&rules, &read(files)?, folder.as_ref()),
        _ => Err("tune games or tune proofs?".into()),
    }
}

/// Reads the records of games that `match` has written. They are sorted, since games that are played
/// at once end in any order.
fn read(files: &[String]) -> Result<Vec<Value>, Box<dyn std::error::Error>> {
    let mut lines = Vec::new();
    for file in files {
        lines.extend(std::fs::read_to_string(file)?.lines().map(str::to_owned));
    }
    lines.sort_unstable();
    Ok(lines.iter().map(|line| serde_json::from_str(line)).collect::<Result<_, _>>()?)
}

/// Replays a game: calls `look` with the number of each move after the opening and the game before
/// it. Returns `None` if the record is not one of `match`.
fn replay(rules: &Arc<Ruleset>, record: &Value, mut look: impl FnMut(usize, &Game)) -> Option<()> {
    let mut game = Game::new(Arc::clone(rules)).ok()?;
    for text in record["opening"].as_array()? {
        let played = parse_move(rules, game.position(), text.as_str()?).ok()?;
        game.play(&played).ok()?;
    }
    for (at, text) in record["moves"].as_array()?.iter().enumerate() {
        look(at, &game);
        let played = parse_move(rules, game.position(), text.as_str()?).ok()?;
        game.play(&played).ok()?;
    }
    Some(())
}
