//! Uses the engine as a library: searches the start of a game for two seconds, prints each
//! iteration, and plays the best move.
//!
//!     cargo run --release --example search -- ashton

use std::sync::Arc;
use std::time::Duration;

use taflbase::engine::{Engine, EngineOptions, Limits};
use taflbase::{Game, Ruleset};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let name = std::env::args().nth(1).unwrap_or_else(|| "brandubh".to_owned());
    let rules = Arc::new(Ruleset::load(&name)?);
    let mut game = Game::new(Arc::clone(&rules))?;
    let mut engine = Engine::new(Arc::clone(&rules), EngineOptions::new(&rules))?;
    let limits = Limits::time(Duration::from_secs(2));
    let found = engine.search(&game, limits, &mut |iteration| {
        let line = &iteration.lines[0];
        let moves: Vec<String> =
            line.moves.iter().map(|played| played.display(rules.board).to_string()).collect();
        let speed = iteration.nodes_per_second() / 1e6;
        println!(
            "depth {:2}  {:>9}  {:9} nodes  {speed:.1} M/s  {}",
            iteration.depth,
            line.score.to_string(),
            iteration.nodes,
            moves.join(" ")
        );
    })?;
    let best = found.lines[0].moves[0];
    game.play(&best)?;
    println!("{}\n{}", best.display(rules.board), game.position().display(&rules));
    Ok(())
}
