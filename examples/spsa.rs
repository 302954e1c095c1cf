//! Moves the engine's weights towards what wins games: `scripts/spsa.sh` runs it.
//!
//!     cargo run --release --example spsa -- RULES ROUNDS [WEIGHTS.toml] > weights.toml
//!
//! Simultaneous perturbation (Spall, IEEE Trans. Aerosp. Electron. Syst. 34, 1998): in
//! each round all weights are changed at once, each up or down by chance; the engine with
//! these plays the engine with the opposite changes; and all weights go the way of the
//! better one. It asks for nothing but results, so that it serves where a fit to outcomes
//! does not: games of large boards are mostly drawn, whatever the estimates were.
//!
//! What a man is worth is one weight for all squares here, and what a weight is at the
//! start and at the end of a game is changed by the same.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use fastrand::Rng;
use taflbase::Ruleset;
use taflbase::arena::{Factory, Settings, Tournament};
use taflbase::engine::{Clock, Engine, EngineError, EngineOptions, PlayerError, Weight, Weights};
use taflbase::rules::Kind;

/// Pairs of games in a round.
const PAIRS: usize = 8;
const NODES: u64 = 1200;
const MAX_PLIES: usize = 200;
const BOOK_PLIES: u32 = 10;
/// What a weight is changed by in a round: so much of itself, but no less than that.
const CHANGE: f64 = 0.25;
const LEAST_CHANGE: f64 = 4.0;
/// How far weights go in the first round, as a share of the change, if one side wins
/// everything; in the last round it is a quarter of that.
const RATE: f64 = 0.4;
/// How often the weights are printed to standard error.
const TOLD_EVERY: u32 = 20;

/// A weight that is changed, and what it is changed by.
struct Knob {
    /// Of a kind on all squares, or of a term.
    place: Result<Kind, usize>,
    change: f64,
    moved: f64,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().ok_or("which ruleset?")?;
    let rounds: u32 = arguments.next().ok_or("how many rounds?")?.parse()?;
    let rules = Arc::new(Ruleset::load(&name)?);
    let first = match arguments.next() {
        Some(file) => Weights::from_toml(&std::fs::read_to_string(file)?, &rules)?,
        None => Weights::of(&rules),
    };
    let mut knobs = knobs(&first);
    let mut random = Rng::with_seed(1);
    for round in 0..rounds {
        let signs: Vec<f64> =
            knobs.iter().map(|_| if random.bool() { 1.0 } else { -1.0 }).collect();
        let changed = |way: f64| {
            let moves = knobs.iter().zip(&signs);
            turned(&first, moves.map(|(knob, sign)| (knob, knob.moved + way * sign * knob.change)))
        };
        let gain = gain(&rules, [changed(1.0), changed(-1.0)], u64::from(round))?;
        let rate = RATE * (1.0 - 0.75 * f64::from(round) / f64::from(rounds));
        for (knob, sign) in knobs.iter_mut().zip(&signs) {
            knob.moved += rate * gain * sign * knob.change;
        }
        if (round + 1) % TOLD_EVERY == 0 {
            let moved = knobs.iter().map(|knob| format!("{:+.0}", knob.moved));
            eprintln!("round {}: {}", round + 1, moved.collect::<Vec<_>>().join(" "));
        }
    }
    let weights = turned(&first, knobs.iter().map(|knob| (knob, knob.moved)));
    println!("# Found by scripts/spsa.sh: {rounds} rounds of {} games.", 2 * PAIRS);
    print!("{}", weights.to_toml(&rules, std::slice::from_ref(&rules.name)));
    Ok(())
}

/// All weights but those that are nothing.
fn knobs(weights: &Weights) -> Vec<Knob> {
    let knob = |place, weight: Weight| {
        let change = (CHANGE * f64::from(weight.start.abs())).max(LEAST_CHANGE);
        Knob { place, change, moved: 0.0 }
    };
    let soldiers = [Kind::Attacker, Kind::Defender];
    let soldiers = soldiers.map(|kind| knob(Ok(kind), weights.places[kind][0]));
    let terms = weights.terms.iter().enumerate();
    let terms = terms.filter(|(_, weight)| **weight != Weight::default());
    soldiers.into_iter().chain(terms.map(|(i, weight)| knob(Err(i), *weight))).collect()
}

/// The weights with so much added to some.
fn turned<'a>(first: &Weights, moves: impl Iterator<Item = (&'a Knob, f64)>) -> Weights {
    let mut weights = first.clone();
    for (knob, by) in moves {
        let by = by.round() as i32;
        let add = |weight: &mut Weight| {
            *weight = Weight { start: weight.start + by, end: weight.end + by };
        };
        match knob.place {
            Ok(kind) => weights.places[kind].iter_mut().for_each(add),
            Err(term) => add(&mut weights.terms[term]),
        }
    }
    weights
}

/// What the first ones win more than the second ones, as a share of the games.
fn gain(
    rules: &Arc<Ruleset>,
    weights: [Weights; 2],
    seed: u64,
) -> Result<f64, Box<dyn std::error::Error>> {
    let tournament = Tournament {
        players: weights.map(|weights| player(rules, weights)),
        settings: Settings {
            rules: Arc::clone(rules),
            players: ["up".to_owned(), "down".to_owned()],
            clock: Clock::Nodes(NODES),
            seed,
            book_plies: BOOK_PLIES,
            max_plies: MAX_PLIES,
        },
        pairs: PAIRS,
        sprt: None,
        concurrency: std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN),
    };
    let results = tournament.run(None, &AtomicBool::new(false), &mut |_, _| {})?;
    let score = results.standing().pairs.score().ok_or("no games")?;
    Ok(2.0 * score - 1.0)
}

fn player(rules: &Arc<Ruleset>, weights: Weights) -> Factory {
    let rules = Arc::clone(rules);
    Box::new(move || {
        let options = EngineOptions {
            threads: NonZeroUsize::MIN,
            table_bytes: 4 << 20,
            tables: None,
            weights: Some(weights.clone()),
            ..EngineOptions::new(&rules)
        };
        let engine = Engine::new(Arc::clone(&rules), options);
        let failed = |error: EngineError| PlayerError {
            player: "taflbase".to_owned(),
            reason: error.to_string(),
        };
        Ok(Box::new(engine.map_err(failed)?))
    })
}
