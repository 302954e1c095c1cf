use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;
use taflbase::engine::Clock;
use taflbase::history::Game;
use taflbase::protocol::hnefatafl_org::{
    Client, Config, End, Entry, Event, GameId, PORT, ServerError, TimeSettings,
};
use taflbase::protocol::htp::role;
use taflbase::rules::Side;

use super::arguments::{parse_clock, parse_seconds};
use super::engine_args::HostedArgs;
use super::error::CliError;
use super::move_log::{move_text, move_texts, result_text, searched_move_text};
use super::output::Session;

/// The server's limits of names and passwords, in bytes.
const MAX_NAME: usize = 16;
const MAX_PASSWORD: usize = 32;

/// The options of a proposed game.
const PROPOSAL: [&str; 4] = ["clock", "untimed", "board_size", "rated"];

/// Play one game on the server of hnefatafl.org
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(super) struct Args {
    /// Play this side
    #[arg(value_enum, ignore_case = true)]
    role: Role,
    /// Connect to this host
    #[arg(long, value_name = "NAME", default_value = "hnefatafl.org")]
    host: String,
    /// Connect to this port
    #[arg(long, value_name = "N", default_value_t = PORT)]
    port: u16,
    /// Log in to the account of this name
    #[arg(long, value_name = "NAME")]
    name: String,
    /// Read the password from the first line of this file
    #[arg(long, value_name = "FILE")]
    password_file: PathBuf,
    /// Create the account first
    #[arg(long)]
    create_account: bool,
    /// Challenge the player who has proposed game N, instead of proposing one
    #[arg(long, value_name = "N", conflicts_with_all = PROPOSAL, conflicts_with = "resume")]
    join: Option<GameId>,
    /// Play on in game N
    #[arg(long, value_name = "N", conflicts_with_all = PROPOSAL, conflicts_with = "patience")]
    resume: Option<GameId>,
    /// Propose a game with this clock
    #[arg(long, value_name = "MINUTES+SECONDS", default_value = "15+10", value_parser = parse_clock)]
    clock: Clock,
    /// Propose a game without clocks
    #[arg(long, conflicts_with = "clock")]
    untimed: bool,
    /// Propose a game on this board: 7, 11 or 13
    #[arg(long, value_name = "N", default_value = "11", value_parser = ["7", "11", "13"])]
    board_size: String,
    /// Propose a game that counts for the ratings
    #[arg(long)]
    rated: bool,
    /// Retry a connection for this long
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = parse_seconds)]
    retry: Duration,
    /// Wait for an opponent this long
    #[arg(long, value_name = "SECONDS", default_value = "600", value_parser = parse_seconds)]
    patience: Duration,
    #[command(flatten)]
    hosted: HostedArgs,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Role {
    #[value(alias = "a")]
    Attacker,
    #[value(alias = "d")]
    Defender,
}

const HELP: &str = r#"Proposes a game and accepts the first challenge; its number is printed to standard error, and
--join N makes the challenge. The rules are those of `taflbase rules copenhagen` and
copenhagen-13; docs/protocols.md has those of 7x7. The server's verdict counts.

An offer of a draw is accepted if the last search saw the engine behind, else it lapses. A
lost connection is made again, and the game is resumed; the clock goes on. After the end of
the program, --resume N does the same. Moves are printed to standard error; the result is
attacker_wins, defender_wins or draw. The status is 2 if the game was not finished.

Examples:
  taflbase hnefatafl-org attacker --name hnefi --password-file secret
  taflbase hnefatafl-org defender --name hnefi --password-file secret --join 17
  taflbase hnefatafl-org attacker --host localhost --name hnefi --password-file secret \
    --create-account --clock 1+1

JSON, one line; "position" is the final one (here after two moves):
  {"rules":"copenhagen","id":17,"role":"attacker","result":"attacker_wins","won":true,"moves":["d1-d3","f4-g4"],"position":"/4tttt3/5t5/3t7/t5T4t/t3TTT3t/tt1TTKTT1tt/t3TTT3t/t4T4t/11/5t5/3ttttt3/ a"}"#;

#[derive(Serialize)]
struct GameJson<'a> {
    rules: &'a str,
    id: GameId,
    role: &'static str,
    result: &'static str,
    won: bool,
    moves: Vec<String>,
    position: String,
}

/// Plays a game from the login to its end.
pub(super) fn run(args: &Args, session: &Session) -> Result<(), CliError> {
    let config = config(args)?;
    let options = args.hosted.options(session)?;
    let mut print_event = |event: Event<'_>| print_event(&event, session);
    let end = Client::new(&config, &options, &mut print_event)
        .play()
        .map_err(|error| server_error(args, &error))?;
    report(config.side, &end, session)
}

fn config(args: &Args) -> Result<Config, CliError> {
    let (name, password) = (args.name.clone(), password(&args.password_file)?);
    let is_word = |text: &str| !text.is_empty() && !text.contains(|c: char| c.is_whitespace());
    if !is_word(&name) || name.len() > MAX_NAME || name.contains(char::is_control) {
        let text = format!("--name {name:?}: write one word of up to {MAX_NAME} letters");
        return Err(CliError::Error(text));
    }
    let entry = match (args.join, args.resume) {
        (Some(id), _) => Entry::Join(id),
        (None, Some(id)) => Entry::Resume(id),
        (None, None) => Entry::Propose {
            board_size: args.board_size.parse().map_err(CliError::new)?,
            time: time(args)?,
            is_rated: args.rated,
        },
    };
    let side = match args.role {
        Role::Attacker => Side::Attackers,
        Role::Defender => Side::Defenders,
    };
    Ok(Config {
        host: args.host.clone(),
        port: args.port,
        retry: args.retry,
        name,
        password,
        create_account: args.create_account,
        side,
        entry,
        patience: args.patience,
    })
}

fn password(path: &Path) -> Result<String, CliError> {
    let file = path.display();
    let text = fs::read_to_string(path)
        .map_err(|error| CliError::Error(format!("--password-file {file}: {error}")))?;
    let password = text.lines().next().unwrap_or_default();
    if password.len() > MAX_PASSWORD || password.contains(char::is_control) {
        let right = format!("the first line must have up to {MAX_PASSWORD} printable letters");
        return Err(CliError::Error(format!("--password-file {file}: {right}")));
    }
    Ok(password.to_owned())
}

/// Returns the clocks of the proposed game.
fn time(args: &Args) -> Result<Option<TimeSettings>, CliError> {
    match args.clock {
        _ if args.untimed => Ok(None),
        Clock::Game { left: time, increment } if increment.subsec_nanos() == 0 => {
            Ok(Some(TimeSettings { time, increment }))
        }
        _ => Err(CliError::Error("--clock: the server adds whole seconds, like 15+10".to_owned())),
    }
}

/// Converts an error and adds what to do about it.
fn server_error(args: &Args, error: &ServerError) -> CliError {
    match error {
        ServerError::Login(reason) if reason == "account_not_in_database" => {
            CliError::Error(format!("{error}: create it with --create-account"))
        }
        ServerError::NoOpponent(_) => {
            CliError::Error(format!("{error}: wait longer with --patience"))
        }
        ServerError::OtherSide => {
            let resume = args.join.map(|id| format!(", with --resume {id}: the game has begun"));
            CliError::Error(format!("{error}{}", resume.unwrap_or_default()))
        }
        ServerError::Connect { .. } => {
            let seconds = args.retry.as_secs_f64();
            CliError::Error(format!("{error}, after {seconds} s of retries (--retry)"))
        }
        error => CliError::new(error),
    }
}

fn print_event(event: &Event<'_>, session: &Session) {
    let line = match event {
        Event::LoggedIn => return session.note("logged in"),
        Event::Waiting(id) => return session.note(&format!("game {id} waits for an opponent")),
        Event::Began(id, players) => {
            let [attackers, defenders] = &players.0;
            return session.note(&format!("game {id}: {attackers} attacks {defenders}"));
        }
        Event::Rejected(played, reason) => {
            let kind = played.piece.side();
            return session
                .note(&format!("the server rejects the {}'s move: {reason}", role(kind)));
        }
        Event::DrawOffered { accepted } => {
            let answer = if *accepted { "accepted" } else { "left open" };
            return session.note(&format!("the opponent offers a draw: {answer}"));
        }
        Event::Lost(reason) => {
            return session.note(&format!("the connection was lost, connecting again: {reason}"));
        }
        Event::OpponentMoved(game, played) => {
            move_text(game, game.moves().len(), played, role(played.piece.side()))
        }
        Event::Moved(game, played, found) => {
            let name = role(played.piece.side());
            searched_move_text(game, game.moves().len(), played, name, *found)
        }
    };
    // A failure to print has nowhere to be reported.
    let _ = writeln!(io::stderr(), "{line}");
}

/// Prints the result.
fn report(side: Side, end: &End, session: &Session) -> Result<(), CliError> {
    let result = match end.winner {
        Some(Side::Attackers) => "attacker_wins",
        Some(Side::Defenders) => "defender_wins",
        None => "draw",
    };
    let game: &Game = &end.game;
    let won = end.winner == Some(side);
    if session.json() {
        return session.json_line(&GameJson {
            rules: &game.rules().name,
            id: end.id,
            role: role(side),
            result,
            won,
            moves: move_texts(game.rules().board, game.moves()),
            position: game.position().to_text(game.rules()),
        });
    }
    session.text(&result_text(result, won, end.winner.is_none(), game.moves().len()))
}
