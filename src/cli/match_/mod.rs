mod report;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use taflbase::arena::{
    Factory, GameRecord, PlayerContext, PlayerId, Results, Settings, Sprt, Store, Tally,
    Tournament, factory,
};
use taflbase::engine::Clock;

use super::arguments::{MAX, on_interrupt, parse_number, parse_seconds};
use super::error::CliError;
use super::machine::threads;
use super::output::Session;

use report::{MatchJson, both, elo_text, report};

/// Play a match of two players over many games, and tell who is stronger
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(super) struct Args {
    /// A built-in ruleset, or a path to a ruleset file
    rules: String,
    /// The first player
    a: String,
    /// The second player
    b: String,
    #[command(flatten)]
    clock: MatchClock,
    /// How many games, two for each opening
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = parse_games)]
    games: usize,
    /// Stop when it is certain enough that A is stronger than B by no more than ELO0, or by
    /// at least ELO1
    #[arg(long, value_name = "ELO0,ELO1", allow_hyphen_values = true)]
    sprt: Option<Sprt>,
    /// How many games are played at a time [default: one for each core]
    #[arg(long, value_name = "N")]
    #[arg(value_parser = parse_number::<u16, 1, 1024>)]
    concurrency: Option<u16>,
    /// What openings and random movers depend on
    #[arg(long, value_name = "N", default_value_t = 0)]
    #[arg(value_parser = parse_number::<u64, 0, MAX>)]
    seed: u64,
    /// The plies of a random opening; 0: all games begin at the start
    #[arg(long, value_name = "N", default_value_t = 6)]
    #[arg(value_parser = parse_number::<u32, 0, 100>)]
    book_plies: u32,
    /// Games that last so many plies are drawn
    #[arg(long, value_name = "N", default_value_t = 400)]
    #[arg(value_parser = parse_number::<u32, 1, 100_000>)]
    max_plies: u32,
    /// Save the games in this file, and go on with those that are there
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(clap::Args)]
#[group(multiple = false)]
struct MatchClock {
    /// Positions that a player may search for a move [default: 10000, without another clock]
    #[arg(long, value_name = "N", value_parser = parse_number::<u64, 1, MAX>)]
    nodes: Option<u64>,
    /// Plies that a player may search
    #[arg(long, value_name = "N", value_parser = parse_number::<u32, 1, 1000>)]
    depth: Option<u32>,
    /// Time for each move
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    time: Option<Duration>,
    /// Time for a game, and what each move adds, like 5+2
    #[arg(long, value_name = "MINUTES+SECONDS", value_parser = parse_clock)]
    clock: Option<Clock>,
}

const HELP: &str = r#"A player is described by its kind and, behind a colon, by what there is to say of it:
  engine                  the engine, with the tables of this program
  engine:hash=64,threads=2,tables=none,name=new
                          MiB, threads, a folder of tables or none, what it is called
  engine:weights=mine.toml,contempt=50
                          a file of weights, how much less than nothing a draw is
  random, random:seed=7   any legal move
  greedy, heuristic, traditional, expanded, improved, combination
                          the players of Pilarski's paper, like combination:c=1,seed=7;
                          docs/pilarski.md tells their keys
  otep:COMMAND            a program that plays as OpenTafl's engines do

Games are played in pairs: both begin with the same random opening, and the players
have either side once. Openings differ from each other, and in none of them could
either side win by its next move. A player that gives no move, an illegal one, or one
too late (by more than 0.25 s), loses the game.

Elo is how much stronger A is than B, with the interval that holds it in 95 of 100
cases, by pairs; LOS is how likely A is the stronger one. With --sprt, pairs count in
their order up to the one that decides. With a clock of --nodes or --depth the results
depend on nothing but the arguments, not on --concurrency. Ctrl-C ends the match, and with
--output the same command goes on.

Examples:
  taflbase match brandubh engine random --games 20
  taflbase match tablut engine engine:tables=none --time 0.5 --sprt 0,20 --output games.jsonl
  taflbase match brandubh engine "otep:java -jar OpenTafl.jar --engine" --clock 5+2

JSON, one line; "elo" and what belongs to it are null where they cannot be known:
  {"rules":"brandubh","players":["engine","random"],"games":2,"a":{"attackers":{"wins":1,"draws":0,"losses":0,"faults":0},"defenders":{"wins":1,"draws":0,"losses":0,"faults":0}},"b":{"attackers":{"wins":0,"draws":0,"losses":1,"faults":0},"defenders":{"wins":0,"draws":0,"losses":1,"faults":0}},"mean_plies":24.5,"pairs":[0,0,0,0,1],"score":1.0,"variance":0.0,"elo":null,"elo_low":null,"elo_high":null,"normalised_elo":null,"los":null,"llr":null,"accepted":null,"complete":true}"#;

/// How often progress is told.
const REPORT_INTERVAL: Duration = Duration::from_secs(10);

/// `--clock`: `5+2`, minutes and seconds.
fn parse_clock(text: &str) -> Result<Clock, String> {
    let wrong = || "write minutes and seconds, like 5+2 or 0.5+0.1".to_owned();
    let (minutes, seconds) = text.split_once('+').ok_or_else(wrong)?;
    let minutes: f64 = minutes.parse().map_err(|_| wrong())?;
    let seconds: f64 = seconds.parse().map_err(|_| wrong())?;
    let time =
        |seconds: f64| Duration::try_from_secs_f64(seconds).ok().filter(|t| t.as_secs() < 1 << 20);
    match (time(60.0 * minutes), time(seconds)) {
        (Some(left), Some(increment)) if !left.is_zero() => Ok(Clock::Game { left, increment }),
        _ => Err(wrong()),
    }
}

fn parse_games(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(games) if games > 0 && games % 2 == 0 && games <= 10_000_000 => Ok(games),
        _ => Err("write an even number from 2 up: games are played in pairs".to_owned()),
    }
}

impl MatchClock {
    fn clock(&self) -> Clock {
        let MatchClock { nodes, depth, time, clock } = *self;
        let depth = depth.map(Clock::Depth);
        clock
            .or(time.map(Clock::PerMove))
            .or(depth)
            .unwrap_or(Clock::Nodes(nodes.unwrap_or(10_000)))
    }
}

/// Plays the match.
pub(super) fn run(args: &Args, session: &Session) -> Result<(), CliError> {
    let tables = session.open_to_probe(&args.rules)?;
    let rules = Arc::new(tables.rules().clone());
    let tables = Some(Arc::new(tables));
    let make = |who: PlayerId, text: &str| -> Result<Factory, CliError> {
        let (rules, tables) = (Arc::clone(&rules), tables.clone());
        // Two random movers do not play the same moves.
        let context = PlayerContext { rules, tables, seed: args.seed.wrapping_mul(2) + who as u64 };
        let made = factory(text, &context);
        made.map_err(|error| CliError::Error(format!("player {}, {text:?}: {error}", who.name())))
    };
    let tournament = Tournament {
        players: [make(PlayerId::A, &args.a)?, make(PlayerId::B, &args.b)?],
        settings: Settings {
            rules: Arc::clone(&rules),
            players: [args.a.clone(), args.b.clone()],
            clock: args.clock.clock(),
            seed: args.seed,
            book_plies: args.book_plies,
            max_plies: args.max_plies as usize,
        },
        pairs: args.games / 2,
        sprt: args.sprt,
        concurrency: threads(args.concurrency.map_or(0, usize::from)),
    };
    let store = match &args.output {
        Some(path) => Some(Store::open(path, &tournament.settings).map_err(CliError::new)?),
        None => None,
    };
    let stopped = Arc::new(AtomicBool::new(false));
    let set = Arc::clone(&stopped);
    on_interrupt(move || !set.swap(true, Ordering::Relaxed));
    let mut reporter = ProgressReporter { games: args.games, last: Instant::now() };
    let results = tournament.run(store, &stopped, &mut |game, results| {
        reporter.update(session, game, results);
    });
    let results = results.map_err(CliError::new)?;
    let standing = results.standing();
    if session.json() {
        session.json_line(&MatchJson::new(&rules.name, args, &results, &standing))?;
    } else {
        session.text(&report(args, &results, &standing))?;
    }
    if stopped.load(Ordering::Relaxed) && !results.is_complete() {
        let resume = if args.output.is_some() { "; the same command goes on" } else { "" };
        session.note(&format!("stopped{resume}"));
        return Err(CliError::Interrupted);
    }
    Ok(())
}

/// Tells standard error now and then how the match stands.
struct ProgressReporter {
    games: usize,
    last: Instant,
}

impl ProgressReporter {
    fn update(&mut self, session: &Session, game: &GameRecord, results: &Results) {
        if game.fault {
            let loser = game.winner.map_or("", |winner| winner.other().name());
            let (pair, reason) = (game.pair, &game.reason);
            session.note(&format!("pair {pair}: player {loser} loses by fault: {reason}"));
        }
        if self.last.elapsed() < REPORT_INTERVAL {
            return;
        }
        self.last = Instant::now();
        let standing = results.standing();
        let Tally { wins, draws, losses, .. } = both(&standing.a);
        let elo = standing.pairs.elo().filter(|elo| elo.value.is_finite());
        let elo = elo.map_or(String::new(), |elo| format!(", Elo {}", elo_text(elo)));
        let ratio = results.log_likelihood_ratio();
        let ratio = ratio.map_or(String::new(), |ratio| format!(", LLR {ratio:.2}"));
        let (done, all) = (standing.games(), self.games);
        session.note(&format!("{done} of {all} games: A +{wins} ={draws} -{losses}{elo}{ratio}"));
    }
}
