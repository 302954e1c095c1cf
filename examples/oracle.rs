//! What tables are worth to the engine in endgames: how many of the positions that it
//! searches they answer, what that costs, and what it gains against itself without them.
//!
//!     cargo run --release --example oracle -- RULES SLICE [NODES [GAMES [TABLES]]]
//!
//! From random placements of the slice, with either side to move, that a short search
//! does not decide. Without a folder of tables, those of the library are asked.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use taflbase::arena::Pairs;
use taflbase::engine::{Engine, EngineOptions, Limits, Score};
use taflbase::rules::Side;
use taflbase::{Game, Position, Ruleset, Slice, Square, Tablebase};

type Failure = Box<dyn std::error::Error>;

/// Games that last longer are drawn.
const MOST_PLIES: usize = 200;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let argument = |at: usize| arguments.get(at).map(String::as_str);
    let rules = Arc::new(Ruleset::load(argument(0).unwrap_or("brandubh"))?);
    let slice: Slice = argument(1).unwrap_or("K2v5").parse()?;
    let nodes: u64 = argument(2).unwrap_or("20000").parse()?;
    let games: usize = argument(3).unwrap_or("200").parse()?;
    let tables = match argument(4) {
        Some(folder) => Tablebase::open(Ruleset::clone(&rules), Path::new(folder))?,
        None => Tablebase::new(Ruleset::clone(&rules)),
    };
    let engine = |tables| {
        let options = EngineOptions { tables, ..EngineOptions::new(&rules) };
        Engine::new(Arc::clone(&rules), EngineOptions { table_bytes: 16 << 20, ..options })
    };
    let mut with = engine(Some(Arc::new(tables)))?;
    let mut without = engine(None)?;
    let starts = starts(&rules, slice, games / 2, &mut without)?;
    rates(&rules, &starts, nodes, &mut with, &mut without)?;
    strength(&rules, &starts, nodes, &mut with, &mut without)
}

/// Placements of the slice in which neither side wins soon.
fn starts(
    rules: &Arc<Ruleset>,
    slice: Slice,
    count: usize,
    engine: &mut Engine,
) -> Result<Vec<Position>, Failure> {
    let mut random = fastrand::Rng::with_seed(1);
    let squares: Vec<Square> = rules.board.squares().collect();
    let mut starts = Vec::new();
    while starts.len() < count {
        let mut order = squares.clone();
        random.shuffle(&mut order);
        let mut next = order.into_iter();
        let position = Position {
            king: next.next().ok_or("no square")?,
            attackers: next.by_ref().take(slice.attackers).collect(),
            defenders: next.take(slice.defenders).collect(),
            to_move: if random.bool() { Side::Attackers } else { Side::Defenders },
            rules: rules.id(),
        };
        // What is no position is drawn anew.
        let Ok(game) = Game::from_position(Arc::clone(rules), position) else {
            continue;
        };
        if game.outcome().is_none() {
            let found = engine.search(&game, Limits::depth(5), &mut |_| {})?;
            if matches!(found.lines[0].score, Score::Estimate(_)) {
                starts.push(position);
            }
        }
    }
    Ok(starts)
}

/// Positions a second, by turns with tables and without, and what they answer.
fn rates(
    rules: &Arc<Ruleset>,
    starts: &[Position],
    nodes: u64,
    with: &mut Engine,
    without: &mut Engine,
) -> Result<(), Failure> {
    let limits = Limits::nodes(nodes);
    let mut times = [Duration::ZERO; 2];
    let (mut searched, mut hits) = ([0; 2], 0);
    for &start in starts {
        let game = Game::from_position(Arc::clone(rules), start)?;
        for (number, engine) in [&mut *with, &mut *without].into_iter().enumerate() {
            engine.clear();
            let began = Instant::now();
            let found = engine.search(&game, limits, &mut |_| {})?;
            times[number] += began.elapsed();
            searched[number] += found.nodes;
            hits += found.table_hits;
        }
    }
    let rate = |at: usize| searched[at] as f64 / times[at].as_secs_f64() / 1e6;
    let percent = |part: u64, all: u64| 100.0 * part as f64 / all.max(1) as f64;
    println!(
        "{} positions, {nodes} nodes each: tables answer {:.1} % of the nodes",
        starts.len(),
        percent(hits, searched[0])
    );
    println!(
        "nodes a second: {:.2} M with tables, {:.2} M without ({:.0} %)",
        rate(0),
        rate(1),
        100.0 * rate(0) / rate(1)
    );
    let more =
        times[0].as_secs_f64() / searched[0] as f64 - times[1].as_secs_f64() / searched[1] as f64;
    println!("{:.2} µs more for each answer", 1e6 * more * searched[0] as f64 / hits.max(1) as f64);
    Ok(())
}

/// Games from each position, either side once.
fn strength(
    rules: &Arc<Ruleset>,
    starts: &[Position],
    nodes: u64,
    with: &mut Engine,
    without: &mut Engine,
) -> Result<(), Failure> {
    let mut pairs = Pairs::default();
    for &start in starts {
        let mut halves = 0;
        for side in Side::ALL {
            let mut game = Game::from_position(Arc::clone(rules), start)?;
            with.clear();
            without.clear();
            while game.outcome().is_none() && game.moves().len() < MOST_PLIES {
                let mine = game.position().to_move == side;
                let engine = if mine { &mut *with } else { &mut *without };
                let played = engine.best_move(&game, &Limits::nodes(nodes))?;
                game.play(&played)?;
            }
            halves += match game.outcome().and_then(|outcome| outcome.winner) {
                Some(winner) if winner == side => 2,
                Some(_) => 0,
                None => 1,
            };
        }
        pairs.add(halves);
    }
    let Some(elo) = pairs.elo() else {
        return Ok(());
    };
    let (low, high) = elo.interval.unwrap_or((elo.value, elo.value));
    println!(
        "{} games, pairs with 0, ½, 1, 1½, 2 points with tables: {:?}; Elo {:+.0} ({low:+.0} to {high:+.0})",
        2 * pairs.count(),
        pairs.0,
        elo.value
    );
    Ok(())
}
