use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use taflbase::engine::{Engine, Iteration};
use taflbase::history::Game;
use taflbase::moves::Move;
use taflbase::protocol::challenge::message::Turn;
use taflbase::protocol::challenge::{
    ChallengeError, End, Event, PlayerConfig, colour, connect, play, port,
};
use taflbase::rules::Side;

use super::arguments::parse_seconds;
use super::engine_args::EngineArgs;
use super::error::CliError;
use super::output::{Session, grouped, time};

/// The ruleset that the server plays.
const RULES: &str = "ashton-server";
/// The other player may come late, and think long.
const MIN_PATIENCE: Duration = Duration::from_secs(600);

/// Play one game with the server of the Bologna Tablut Challenge
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(super) struct Args {
    /// Whom to play: white are the defenders
    #[arg(value_enum, ignore_case = true)]
    colour: Colour,
    /// Where the server is
    #[arg(long, value_name = "NAME", default_value = "localhost")]
    host: String,
    /// Where it listens [default: 5800 for white, 5801 for black]
    #[arg(long, value_name = "N")]
    port: Option<u16>,
    /// What the server allows for a move
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = parse_seconds)]
    time: Duration,
    /// What the server is told to call us
    #[arg(long, value_name = "NAME", default_value = "taflbase")]
    name: String,
    /// Try for so long to connect while the server is not there yet
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    retry: Option<Duration>,
    /// Give up when the server says nothing for so long; the other player may come late
    /// [default: 600, or three times --time if that is more]
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    patience: Option<Duration>,
    #[command(flatten)]
    engine: EngineArgs,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Colour {
    White,
    Black,
}

const HELP: &str = r#"The rules are those of `taflbase rules ashton-server`, with their tables. The server
looks for an answer once a second: of --time, a second and a half are kept back, or of
short times three quarters. It does not think while the other side does.

A game whose connection is lost cannot be taken up again: who has left has lost. Moves
are told on standard error while the game goes on; its end is the result: WHITEWIN,
BLACKWIN or DRAW, also after an illegal move, which loses. A server that ends without one
has seen a time-out, or what it cannot read; then the status is 2.

Examples:
  taflbase challenge white --time 60
  taflbase challenge black --host 192.168.1.5 --time 60 --name Hnefi --retry 300

JSON, one line; "position" is the last one (here after two moves):
  {"rules":"ashton-server","colour":"white","result":"WHITEWIN","won":true,"moves":["e3-f3","b5-b7"],"position":"/3ttt3/4t4/5T3/t3T3t/t1TTKTTtt/t3T3t/1t2T4/4t4/3ttt3/ d"}"#;

#[derive(Serialize)]
struct GameJson<'a> {
    rules: &'a str,
    colour: &'static str,
    result: Turn,
    won: bool,
    moves: Vec<String>,
    position: Option<String>,
}

/// Plays a game from its start to its end.
pub(super) fn run(args: &Args, session: &Session) -> Result<(), CliError> {
    let tables = session.open_to_probe(RULES)?;
    let rules = Arc::new(tables.rules().clone());
    let options = args.engine.options(&Arc::new(tables));
    let side = match args.colour {
        Colour::White => Side::Defenders,
        Colour::Black => Side::Attackers,
    };
    let config = PlayerConfig { name: args.name.clone(), side, time: args.time };
    // The engine takes its memory before the clock runs.
    let mut engine = Engine::new(Arc::clone(&rules), options)?;
    let patience = args.patience.unwrap_or(MIN_PATIENCE.max(3 * args.time));
    let port = args.port.unwrap_or(port(side));
    let refused = |error| challenge_error(args, patience, &error);
    let connected = connect(&args.host, port, args.retry.unwrap_or_default(), patience);
    let mut stream = connected.map_err(refused)?;
    session.note(&format!("connected to {}:{port} as {}", args.host, colour(side)));
    let mut tell = |event: Event<'_>| match event_message(&event) {
        Message::Move(line) => drop(writeln!(io::stderr(), "{line}")),
        Message::Warning(warning) => session.note(warning),
    };
    let end = play(&mut stream, &rules, &mut engine, &config, &mut tell).map_err(refused)?;
    report(side, &end, session)
}

/// An error, with what to do about it.
fn challenge_error(args: &Args, patience: Duration, error: &ChallengeError) -> CliError {
    match error {
        ChallengeError::Connect { .. } if args.retry.is_none() => {
            CliError::Error(format!("{error}; start the server first, or wait with --retry 60"))
        }
        ChallengeError::TimedOut => {
            CliError::Error(format!("{error}: --patience is {} s", patience.as_secs_f64()))
        }
        error => CliError::new(error),
    }
}

/// What standard error is told of an event.
enum Message {
    Move(String),
    Warning(&'static str),
}

fn event_message(event: &Event<'_>) -> Message {
    match event {
        Event::Joined => Message::Warning("the server's game begins in the middle"),
        Event::OutOfSync => Message::Warning(
            "no legal move leads to the server's board: going on from there, without what was \
             before",
        ),
        Event::NoMove => {
            Message::Warning("there is no legal move: the server will end the game by its clock")
        }
        Event::OpponentMoved(game, played) => {
            Message::Move(move_text(game, game.moves().len(), played))
        }
        Event::Moved(game, played, found) => {
            let mut line = move_text(game, game.moves().len() + 1, played);
            match found {
                Some(found) => search_text(&mut line, found),
                None => line.push_str("  the only move"),
            }
            Message::Move(line)
        }
    }
}

/// A move with its number and its colour.
fn move_text(game: &Game, number: usize, played: &Move) -> String {
    let name = colour(played.piece.side());
    format!("{number:>4}  {name}  {:<9}", played.display(game.rules().board))
}

/// What the search knows of our move.
fn search_text(line: &mut String, found: &Iteration) {
    let Iteration { depth, nodes, time: taken, .. } = found;
    let score = found.lines[0].score;
    let (nodes, taken) = (grouped(*nodes), time(*taken));
    // A string takes whatever is written.
    let _ = write!(line, "  {score:>10}  depth {depth}, {nodes} nodes, {taken}");
}

/// Prints the result.
fn report(side: Side, end: &End, session: &Session) -> Result<(), CliError> {
    let moves = end.game.as_ref().map_or(&[][..], Game::moves);
    let won = end.verdict == Turn::end(Some(side));
    if session.json() {
        let game = end.game.as_ref();
        let written = |played: &Move| {
            game.map(|game| played.display(game.rules().board).to_string()).unwrap_or_default()
        };
        return session.json_line(&GameJson {
            rules: RULES,
            colour: colour(side),
            result: end.verdict,
            won,
            moves: moves.iter().map(written).collect(),
            position: game.map(|game| game.position().to_text(game.rules())),
        });
    }
    let word = match end.verdict {
        Turn::Draw => "drawn",
        _ if won => "won",
        _ => "lost",
    };
    session.text(&format!("{}: {word} after {} plies\n", end.verdict, moves.len()))
}
