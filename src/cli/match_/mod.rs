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

use super::arguments::{MAX, kept_file, parse_clock, parse_number, parse_seconds};
use super::engine_args::proved_positions;
use super::error::CliError;
use super::interrupt::on_interrupt;
use super::machine::threads;
use super::output::{Session, counted};

use report::{MatchJson, both, elo_text, report};

/// Play a match of two players and report the difference in Elo
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(super) struct Args {
    /// A built-in ruleset, or a path to a ruleset file
    rules: String,
    /// First player
    a: String,
    /// Second player
    b: String,
    #[command(flatten)]
    clock: MatchClock,
    /// Play N games, two from each opening
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = parse_games)]
    games: usize,
    /// Stop when a sequential test decides that A is at most ELO0 or at least ELO1 stronger
    #[arg(long, value_name = "ELO0,ELO1", allow_hyphen_values = true)]
    sprt: Option<Sprt>,
    /// Play N games at a time [default: one per core]
    #[arg(long, value_name = "N")]
    #[arg(value_parser = parse_number::<u16, 1, 1024>)]
    concurrency: Option<u16>,
    /// Use this random seed for openings and random players
    #[arg(long, value_name = "N", default_value_t = 0)]
    #[arg(value_parser = parse_number::<u64, 0, MAX>)]
    seed: u64,
    /// Begin with N random plies; 0: play from the start position
    #[arg(long, value_name = "N", default_value_t = 6)]
    #[arg(value_parser = parse_number::<u32, 0, 100>)]
    book_plies: u32,
    /// Adjudicate a draw after N plies
    #[arg(long, value_name = "N", default_value_t = 400)]
    #[arg(value_parser = parse_number::<u32, 1, 100_000>)]
    max_plies: u32,
    /// Save the games in this file, and resume the match that it contains
    #[arg(long, value_name = "FILE", value_parser = kept_file())]
    output: Option<PathBuf>,
}

#[derive(clap::Args)]
#[group(multiple = false)]
struct MatchClock {
    /// Search N positions per move [default: 10000, unless another limit is given]
    #[arg(long, value_name = "N", value_parser = parse_number::<u64, 1, MAX>)]
    nodes: Option<u64>,
    /// Search N plies deep
    #[arg(long, value_name = "N", value_parser = parse_number::<u32, 1, 1000>)]
    depth: Option<u32>,
    /// Think this long per move
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    time: Option<Duration>,
    /// Play with a game clock and an increment per move, like 5+2
    #[arg(long, value_name = "MINUTES+SECONDS", value_parser = parse_clock)]
    clock: Option<Clock>,
}

const HELP: &str = r#"A player is a kind, optionally followed by a colon and its settings:
  engine                  the engine, with the tables and proofs of this program
  engine:hash=64,threads=2,tables=none,proofs=none,name=new
                          MiB, threads, a folder of tables or none, whether to play
                          without --proofs, a name
  engine:weights=mine.toml,contempt=50
                          a file of weights, the penalty of a draw
  random, random:seed=7   a random legal move
  greedy, heuristic, traditional, expanded, improved, combination
                          the players of Pilarski's paper, like combination:c=1,seed=7;
                          docs/pilarski.md lists their settings
  otep:COMMAND            a program that speaks the protocol of OpenTafl's engines
  htp:COMMAND             a program that speaks the hnefatafl text protocol
  htp-tcp:COMMAND         one that connects to port 49152 of this machine to play

Games are played in pairs from the same random opening with sides reversed. Openings
differ from each other, and leave neither side a win in one move. A player forfeits the
game if it returns no move or an illegal one, or exceeds its time by more than 0.25 s.

Elo is the strength of A relative to B, with its 95 % confidence interval, computed from
pairs; LOS is the likelihood that A is stronger. --sprt takes the pairs in order, up to
the one that decides. With --nodes or --depth the results depend only on the arguments,
not on --concurrency. Ctrl-C stops the match; with --output the same command resumes it.

Examples:
  taflbase match brandubh engine random --games 20
  taflbase match tablut engine engine:tables=none --time 0.5 --sprt 0,20 --output games.jsonl
  taflbase match brandubh engine "otep:java -jar OpenTafl.jar --engine" --clock 5+2
  taflbase match copenhagen engine "htp-tcp:hnefatafl-text-protocol --host 127.0.0.1 --ai basic"

JSON, one line; "elo" and the values derived from it are null if they are undefined:
  {"rules":"brandubh","players":["engine","random"],"games":2,"a":{"attackers":{"wins":1,"draws":0,"losses":0,"faults":0},"defenders":{"wins":1,"draws":0,"losses":0,"faults":0}},"b":{"attackers":{"wins":0,"draws":0,"losses":1,"faults":0},"defenders":{"wins":0,"draws":0,"losses":1,"faults":0}},"mean_plies":24.5,"pairs":[0,0,0,0,1],"score":1.0,"variance":0.0,"elo":null,"elo_low":null,"elo_high":null,"normalised_elo":null,"los":null,"llr":null,"accepted":null,"complete":true}"#;

/// The interval between progress reports.
const REPORT_INTERVAL: Duration = Duration::from_secs(10);

fn parse_games(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(games) if games > 0 && games % 2 == 0 && games <= 10_000_000 => Ok(games),
        _ => Err("write an even number from 2 up: games are played in pairs".to_owned()),
    }
}

impl MatchClock {
    fn clock(&self) -> Clock {
        let MatchClock { nodes, depth, time, clock } = *self;
        clock
            .or(time.map(Clock::PerMove))
            .or(depth.map(Clock::Depth))
            .unwrap_or(Clock::Nodes(nodes.unwrap_or(10_000)))
    }
}

/// Makes the factory of a player from its description.
fn player(who: PlayerId, described: &str, context: &PlayerContext) -> Result<Factory, CliError> {
    // Different seeds, so that two random players differ.
    let seed = context.seed.wrapping_mul(2) + who as u64;
    factory(described, &PlayerContext { seed, ..context.clone() })
        .map_err(|error| CliError::Error(format!("player {}, {described:?}: {error}", who.name())))
}

/// Plays the match.
pub(super) fn run(args: &Args, session: &Session) -> Result<(), CliError> {
    let (plies, opening) = (args.max_plies, args.book_plies);
    if plies <= opening {
        return Err(CliError::Error(format!(
            "--max-plies {plies} ends every game with its opening of {}: use at least {}",
            counted(opening, ["ply", "plies"]),
            opening + 1
        )));
    }
    let base = session.open_to_probe(&args.rules)?;
    let rules = Arc::new(base.rules().clone());
    let tables = Arc::new(base);
    let proofs = session.open_proofs(&tables)?.as_ref().map(proved_positions);
    let context =
        PlayerContext { rules: Arc::clone(&rules), tables: Some(tables), proofs, seed: args.seed };
    let tournament = Tournament {
        players: [player(PlayerId::A, &args.a, &context)?, player(PlayerId::B, &args.b, &context)?],
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
    let results = tournament
        .run(store, &stopped, &mut |game, results| reporter.update(session, game, results))
        .map_err(CliError::new)?;
    let standing = results.standing();
    if session.json() {
        session.json_line(&MatchJson::new(&rules.name, args, &results, &standing))?;
    } else {
        session.text(&report(args, &results, &standing))?;
    }
    if stopped.load(Ordering::Relaxed) && !results.is_complete() {
        let resume = args.output.is_some().then_some("the same command resumes it");
        return Err(CliError::Interrupted(resume));
    }
    Ok(())
}

/// Reports the state of the match on standard error periodically.
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
        let elo = match standing.pairs.elo() {
            Some(elo) if elo.value.is_finite() => format!(", Elo {}", elo_text(elo)),
            _ => String::new(),
        };
        let ratio = match results.log_likelihood_ratio() {
            Some(ratio) => format!(", LLR {ratio:.2}"),
            None => String::new(),
        };
        let (done, all) = (standing.games(), counted(self.games, ["game", "games"]));
        session.note(&format!("{done} of {all}: A +{wins} ={draws} -{losses}{elo}{ratio}"));
    }
}
