//! Generates the engine's tactical tests: positions from games, won in 1 to 4 moves.
//!
//!     for rules in $(taflbase rules); do
//!         cargo run --release --example suite -- $rules 40 > tests/data/suite/$rules.tsv
//!     done
//!
//! The engine plays itself from random openings, one side with far more nodes than the other so
//! that games are decisive. `tests/support/minimax`, which shares no code with the engine, tries
//! to prove the positions 1, 3, 5 and 7 plies before the end. Those proved to be won within 7
//! plies (5 on boards larger than 9x9) are kept, up to a quota for each side and distance. The
//! same arguments give the same positions until the engine plays other moves.

#[path = "../tests/support/minimax/mod.rs"]
mod minimax;

use std::collections::BTreeSet;
use std::sync::Arc;

use minimax::Minimax;
use taflbase::engine::{Engine, EngineOptions, Limits};
use taflbase::history::Outcome;
use taflbase::moves::legal_moves;
use taflbase::random::SeededRng;
use taflbase::rules::BySide;
use taflbase::{Game, Ruleset, Side};

/// Nodes per move of the two sides.
const NODES: [u64; 2] = [3000, 40];
/// Longer games are abandoned.
const MAX_PLIES: usize = 160;
/// The node limit of a proof.
const BUDGET: u64 = 300_000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().ok_or("which ruleset?")?;
    let games = arguments.next().map_or(Ok(40), |text| text.parse())?;
    let rules = Arc::new(Ruleset::load(&name)?);
    let (max_plies, quota) = if rules.board.size() > 9 { (5, 2) } else { (7, 5) };
    let mut suite = Suite::new(max_plies, quota);
    for seed in 0..games {
        if suite.is_full() {
            break;
        }
        suite.add_game(&game(&rules, seed)?);
    }
    println!("# Positions of games, in how many plies the side to move wins against any defence,");
    println!(
        "# and the first move if there is only one. Made by examples/suite.rs: {name} {games}"
    );
    suite.lines.iter().for_each(|(_, _, line)| println!("{line}"));
    Ok(())
}

/// Plays a game of the engine against itself.
fn game(rules: &Arc<Ruleset>, seed: u64) -> Result<Game, Box<dyn std::error::Error>> {
    let mut random = SeededRng::new(seed);
    let mut game = Game::new(Arc::clone(rules))?;
    for _ in 0..2 + random.below(8) {
        let moves = legal_moves(rules, game.position());
        let not_ending: Vec<_> = moves.iter().filter(|played| played.ending.is_none()).collect();
        game.play(random.choose(&not_ending).ok_or("a start without moves")?)?;
    }
    let options = EngineOptions { table_bytes: 1 << 20, tables: None, ..EngineOptions::new(rules) };
    let mut engine = Engine::new(Arc::clone(rules), options)?;
    while game.outcome().is_none() && game.moves().len() < MAX_PLIES {
        let nodes = NODES[(game.position().to_move as u64 + seed) as usize % 2];
        let best = engine.best_move(&game, &Limits::nodes(nodes))?;
        game.play(&best)?;
    }
    Ok(game)
}

/// The positions found so far.
struct Suite {
    max_plies: usize,
    quota: usize,
    /// Numbers of positions, by side and moves to the win.
    counts: BySide<Vec<usize>>,
    /// Lines of the file, with plies and side as the sort key.
    lines: BTreeSet<(usize, Side, String)>,
}

impl Suite {
    fn new(max_plies: usize, quota: usize) -> Suite {
        let counts = BySide::from_fn(|_| vec![0; max_plies / 2 + 1]);
        Suite { max_plies, quota, counts, lines: BTreeSet::new() }
    }

    fn is_full(&self) -> bool {
        self.counts.iter().flatten().all(|&count| count == self.quota)
    }

    /// Adds the won positions from the end of a game.
    fn add_game(&mut self, game: &Game) {
        let Some(Outcome { winner: Some(winner), .. }) = game.outcome() else {
            return;
        };
        let men_at_start = game.positions()[0].slice().men();
        let mut rest = game.clone();
        for _ in 0..=self.max_plies {
            let position = *rest.position();
            if position.to_move == winner && 2 * position.slice().men() >= men_at_start {
                // The suite stores positions only, so they are proved without the history.
                if let Ok(alone) = Game::from_position(Arc::clone(game.rules()), position) {
                    self.add(&alone);
                }
            }
            rest.undo();
        }
    }

    fn add(&mut self, game: &Game) {
        let (rules, position) = (game.rules(), game.position());
        let mut minimax = Minimax::new(BUDGET);
        if game.outcome().is_some() {
            return;
        }
        let Some(plies) = minimax.distance(game, self.max_plies) else {
            return;
        };
        if self.counts[position.to_move][plies / 2] == self.quota {
            return;
        }
        let moves = minimax.winning_moves(game, plies);
        let first = match moves[..] {
            [only] => only.display(rules.board).to_string(),
            _ => "-".to_owned(),
        };
        let line = format!("{}\t{plies}\t{first}", position.to_text(rules));
        if minimax.budget > 0 && self.lines.insert((plies, position.to_move, line)) {
            self.counts[position.to_move][plies / 2] += 1;
        }
    }
}
