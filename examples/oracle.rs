//! Measures what tables are worth to the engine in endgames: the rate of table hits, their cost,
//! and the gain in Elo against the engine without tables.
//!
//!     cargo run --release --example oracle -- RULES SLICE [NODES [GAMES [TABLES]]]
//!
//! Games start from random placements of the slice, with either side to move, that a short
//! search does not decide. Without a folder of tables, those built into the library are used.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use taflbase::arena::Pairs;
use taflbase::engine::{Engine, EngineOptions, Limits, Score};
use taflbase::random::SeededRng;
use taflbase::rules::Side;
use taflbase::{Game, Position, Ruleset, Slice, Square, Tablebase};

type Failure = Box<dyn std::error::Error>;

/// Longer games are adjudicated as draws.
const MAX_PLIES: usize = 200;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let argument = |at: usize, default| arguments.get(at).map_or(default, String::as_str);
    let rules = Arc::new(Ruleset::load(argument(0, "brandubh"))?);
    let slice: Slice = argument(1, "K2v5").parse()?;
    let nodes: u64 = argument(2, "20000").parse()?;
    let games: usize = argument(3, "200").parse()?;
    let tables = match arguments.get(4) {
        Some(folder) => Tablebase::open(Ruleset::clone(&rules), Path::new(folder))?,
        None => Tablebase::new(Ruleset::clone(&rules)),
    };
    let mut with = engine(&rules, Some(Arc::new(tables)))?;
    let mut without = engine(&rules, None)?;
    let starts = starts(&rules, slice, games / 2, &mut without)?;
    rates(&rules, &starts, nodes, &mut with, &mut without)?;
    strength(&rules, &starts, nodes, &mut with, &mut without)
}

fn engine(rules: &Arc<Ruleset>, tables: Option<Arc<Tablebase>>) -> Result<Engine, Failure> {
    let options = EngineOptions { tables, table_bytes: 16 << 20, ..EngineOptions::new(rules) };
    Ok(Engine::new(Arc::clone(rules), options)?)
}

/// Draws placements of the slice in which neither side wins soon.
fn starts(
    rules: &Arc<Ruleset>,
    slice: Slice,
    count: usize,
    engine: &mut Engine,
) -> Result<Vec<Position>, Failure> {
    let mut random = SeededRng::new(1);
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
            to_move: Side::ALL[random.below(2)],
            rules: rules.id(),
        };
        // Illegal positions are drawn again.
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

/// Measures nodes per second, alternately with and without tables, and the rate of table hits.
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
    let [time_with, time_without] = times.map(|time| time.as_secs_f64());
    let [nodes_with, nodes_without] = searched.map(|nodes| nodes as f64);
    let (rate_with, rate_without) = (nodes_with / time_with, nodes_without / time_without);
    println!(
        "{} positions, {nodes} nodes each: tables answer {:.1} % of the nodes",
        starts.len(),
        100.0 * hits as f64 / nodes_with.max(1.0)
    );
    println!(
        "nodes per second: {:.2} M with tables, {:.2} M without ({:.0} %)",
        rate_with / 1e6,
        rate_without / 1e6,
        100.0 * rate_with / rate_without
    );
    let extra_per_node = 1.0 / rate_with - 1.0 / rate_without;
    println!("{:.2} µs per table hit", 1e6 * extra_per_node * nodes_with / hits.max(1) as f64);
    Ok(())
}

/// Plays two games from each position, with either side once, and prints the Elo difference.
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
            // So that games do not depend on those before.
            with.clear();
            without.clear();
            while game.outcome().is_none() && game.moves().len() < MAX_PLIES {
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
        "{} games, pairs with 0, ½, 1, 1½, 2 points with tables: {:?}; Elo {:+.0} ({low:+.0} to \
         {high:+.0})",
        2 * pairs.count(),
        pairs.0,
        elo.value
    );
    Ok(())
}
