//! Tunes the engine's weights by playing games: `scripts/spsa.sh` runs it.
//!
//!     cargo run --release --example spsa -- RULES ROUNDS [WEIGHTS.toml] > weights.toml
//!
//! SPSA, simultaneous perturbation stochastic approximation (Spall, IEEE Trans. Aerosp. Electron.
//! Syst. 34, 1998): each round changes all weights at once, each up or down at random; the engine
//! with these weights plays the engine with the opposite changes; and all weights move towards
//! those of the winner. It needs only results, so that it works where a fit to outcomes does not:
//! on large boards most games are drawn, whatever the evaluations were.
//!
//! The weights of a piece on all squares change together, as do the start and end values of a
//! weight.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use taflbase::Ruleset;
use taflbase::arena::{Factory, Settings, Tournament};
use taflbase::engine::{Clock, Engine, EngineOptions, PlayerError, Weight, Weights};
use taflbase::random::SeededRng;
use taflbase::rules::Kind;

/// Pairs of games in a round.
const PAIRS: usize = 8;
const NODES: u64 = 1200;
const MAX_PLIES: usize = 200;
const BOOK_PLIES: u32 = 10;
/// The perturbation of a weight, relative to the weight.
const CHANGE: f64 = 0.25;
/// The minimum perturbation of a weight.
const MIN_CHANGE: f64 = 4.0;
/// The step of the first round, relative to the perturbation, if one side wins all games. The
/// step of the last round is a quarter of that.
const RATE: f64 = 0.4;
/// Rounds between two reports on standard error.
const REPORT_INTERVAL: u32 = 20;

/// A tuned parameter: one weight, or all weights of a kind of piece.
struct Parameter {
    target: Target,
    /// The size of its perturbation.
    change: f64,
    /// The sum of its steps.
    offset: f64,
}

/// The weights that a parameter changes.
enum Target {
    /// Those of a kind of piece on all squares.
    Pieces(Kind),
    /// The weight of a term.
    Term(usize),
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
    let mut parameters = parameters(&first);
    let mut random = SeededRng::new(1);
    for round in 0..rounds {
        let signs: Vec<f64> =
            parameters.iter().map(|_| if random.below(2) == 0 { 1.0 } else { -1.0 }).collect();
        let perturbed = [1.0, -1.0].map(|direction| {
            let offsets = parameters.iter().zip(&signs).map(|(parameter, sign)| {
                (parameter, parameter.offset + direction * sign * parameter.change)
            });
            with_offsets(&first, offsets)
        });
        let gain = gain(&rules, perturbed, u64::from(round))?;
        let rate = RATE * (1.0 - 0.75 * f64::from(round) / f64::from(rounds));
        for (parameter, sign) in parameters.iter_mut().zip(&signs) {
            parameter.offset += rate * gain * sign * parameter.change;
        }
        if (round + 1) % REPORT_INTERVAL == 0 {
            let offsets = parameters.iter().map(|parameter| format!("{:+.0}", parameter.offset));
            eprintln!("round {}: {}", round + 1, offsets.collect::<Vec<_>>().join(" "));
        }
    }
    let weights =
        with_offsets(&first, parameters.iter().map(|parameter| (parameter, parameter.offset)));
    println!("# Found by scripts/spsa.sh: {rounds} rounds of {} games.", 2 * PAIRS);
    print!("{}", weights.to_toml(&rules, std::slice::from_ref(&rules.name)));
    Ok(())
}

/// Returns the parameters for all weights except those that are zero.
fn parameters(weights: &Weights) -> Vec<Parameter> {
    let soldiers = [Kind::Attacker, Kind::Defender]
        .map(|kind| Parameter::new(Target::Pieces(kind), weights.places[kind][0]));
    let terms = (0..).zip(&weights.terms).filter(|(_, weight)| **weight != Weight::default());
    let terms = terms.map(|(i, weight)| Parameter::new(Target::Term(i), *weight));
    soldiers.into_iter().chain(terms).collect()
}

impl Parameter {
    fn new(target: Target, weight: Weight) -> Parameter {
        let change = (CHANGE * f64::from(weight.start.abs())).max(MIN_CHANGE);
        Parameter { target, change, offset: 0.0 }
    }
}

/// Returns the weights with the offsets of the parameters added.
fn with_offsets<'a>(
    first: &Weights,
    offsets: impl Iterator<Item = (&'a Parameter, f64)>,
) -> Weights {
    let mut weights = first.clone();
    for (parameter, offset) in offsets {
        let by = offset.round() as i32;
        match parameter.target {
            Target::Pieces(kind) => weights.places[kind].iter_mut().for_each(|it| add(it, by)),
            Target::Term(term) => add(&mut weights.terms[term], by),
        }
    }
    weights
}

fn add(weight: &mut Weight, by: i32) {
    weight.start += by;
    weight.end += by;
}

/// Plays a match; returns the difference between the players' shares of the points.
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
        let engine = Engine::new(Arc::clone(&rules), options)
            .map_err(|error| PlayerError::new("taflbase", error))?;
        Ok(Box::new(engine))
    })
}
