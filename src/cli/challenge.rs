use std::io::{self, Write as _};
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use taflbase::engine::Engine;
use taflbase::protocol::challenge::message::Turn;
use taflbase::protocol::challenge::{
    ChallengeError, End, Event, PlayerConfig, colour, connect, play, port,
};
use taflbase::rules::Side;

use super::arguments::parse_seconds;
use super::engine_args::EngineArgs;
use super::error::CliError;
use super::move_log::{move_text, move_texts, result_text, searched_move_text};
use super::output::Session;

/// The ruleset that the server plays.
const RULES: &str = "ashton-server";
/// The default patience: the opponent may connect late and think long.
const MIN_PATIENCE: Duration = Duration::from_secs(600);

/// Play one game with the server of the Bologna Tablut Challenge
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(super) struct Args {
    /// Play this side; white are the defenders
    #[arg(value_enum, ignore_case = true)]
    colour: Colour,
    /// Connect to this host
    #[arg(long, value_name = "NAME", default_value = "localhost")]
    host: String,
    /// Connect to this port [default: 5800 for white, 5801 for black]
    #[arg(long, value_name = "N")]
    port: Option<u16>,
    /// Play with this time limit of the server per move
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = parse_seconds)]
    time: Duration,
    /// Play under this name
    #[arg(long, value_name = "NAME", default_value = "taflbase")]
    name: String,
    /// Retry the connection for this long
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    retry: Option<Duration>,
    /// Give up if the server is silent for this long [default: 600, or 3 times --time if more]
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

const HELP: &str = r#"The rules are those of `taflbase rules ashton-server`, with its tables. The server checks
for a reply once a second, so the engine keeps 1.5 s of --time in reserve, or three
quarters of a short time. It does not think on the opponent's time.

A game cannot be resumed after the connection is lost: the player who left has lost. Moves
are printed to standard error; the result is WHITEWIN, BLACKWIN or DRAW, also after an
illegal move, which loses. The server disconnects without a result after a time-out or a
message that it cannot read; the status is then 2.

Examples:
  taflbase challenge white --time 60
  taflbase challenge black --host 192.168.1.5 --time 60 --name Hnefi --retry 300

JSON, one line; "position" is the final one (here after two moves):
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
    let tables = Arc::new(session.open_to_probe(RULES)?);
    let rules = Arc::new(tables.rules().clone());
    let options = args.engine.options(&tables, session.open_proofs(&tables)?.as_ref());
    let side = match args.colour {
        Colour::White => Side::Defenders,
        Colour::Black => Side::Attackers,
    };
    let config = PlayerConfig { name: args.name.clone(), side, time: args.time };
    // The engine allocates its memory before the clock starts.
    let mut engine = Engine::new(Arc::clone(&rules), options)?;
    let patience = args.patience.unwrap_or(MIN_PATIENCE.max(3 * args.time));
    let port = args.port.unwrap_or(port(side));
    let mut stream = connect(&args.host, port, args.retry.unwrap_or_default(), patience)
        .map_err(|error| challenge_error(args, patience, &error))?;
    session.note(&format!("connected to {}:{port} as {}", args.host, colour(side)));
    let mut print_event = |event: Event<'_>| print_event(&event, session);
    let end = play(&mut stream, &rules, &mut engine, &config, &mut print_event)
        .map_err(|error| challenge_error(args, patience, &error))?;
    report(side, &end, session)
}

/// Converts an error and adds what to do about it.
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

fn print_event(event: &Event<'_>, session: &Session) {
    let line = match event {
        Event::Joined => return session.note("the server's game begins in the middle"),
        Event::OutOfSync => {
            return session.note(
                "no legal move leads to the server's board: continuing from there, without the \
                 moves before",
            );
        }
        Event::NoMove => {
            return session
                .note("there is no legal move: the server will end the game by its clock");
        }
        Event::OpponentMoved(game, played) => {
            move_text(game, game.moves().len(), played, colour(played.piece.side()))
        }
        Event::Moved(game, played, found) => {
            let (number, name) = (game.moves().len() + 1, colour(played.piece.side()));
            searched_move_text(game, number, played, name, *found)
        }
    };
    // A failure to print has nowhere to be reported.
    let _ = writeln!(io::stderr(), "{line}");
}

/// Prints the result.
fn report(side: Side, end: &End, session: &Session) -> Result<(), CliError> {
    let won = end.verdict == Turn::end(Some(side));
    if session.json() {
        let game = end.game.as_ref();
        return session.json_line(&GameJson {
            rules: RULES,
            colour: colour(side),
            result: end.verdict,
            won,
            moves: game.map_or(Vec::new(), |game| move_texts(game.rules().board, game.moves())),
            position: game.map(|game| game.position().to_text(game.rules())),
        });
    }
    let (result, plies) =
        (end.verdict.to_string(), end.game.as_ref().map_or(0, |game| game.moves().len()));
    session.text(&result_text(&result, won, end.verdict == Turn::Draw, plies))
}
