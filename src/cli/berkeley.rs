use std::fs::File;
use std::io::{self, BufRead, BufReader, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use taflbase::Tablebase;
use taflbase::engine::{Engine, EngineOptions};
use taflbase::history::Game;
use taflbase::moves::Move;
use taflbase::protocol::berkeley::{SearchBudget, Session as Program, SessionError, command_of};
use taflbase::random::fresh_seed;

use super::arguments::parse_number;
use super::display::{Lines, View, Window};
use super::engine_args::{HashSize, proved_positions};
use super::error::CliError;
use super::machine::threads;
use super::output::Session;

/// Speak the text protocol of Berkeley's CS 61B, "Project 2: Tablut"
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(super) struct Args {
    /// Read commands from this file instead of standard input
    #[arg(value_name = "INPUT")]
    input: Option<PathBuf>,
    /// Also show the board in a browser, which accepts moves
    #[arg(long)]
    display: bool,
    /// Use N worker threads, up to 1024; 0: one per core. With more than one, a seed does not
    /// reproduce a game
    #[arg(long, value_name = "N", default_value_t = 1)]
    #[arg(value_parser = parse_number::<u16, 0, 1024>)]
    threads: u16,
    #[command(flatten)]
    hash: HashSize,
}

const HELP: &str = r#"Commands, one per line; text after # is ignored:
  b3-6, b3-f            move from b3 to b6, to f3
  auto white|black      the program plays that side (at the start: white)
  manual white|black    you play that side (at the start: black)
  new                   a new game, without a limit
  undo                  take back the last two moves
  limit N               a side that has to move after making N moves loses
  toggle SQ             change the square to the next of: empty, white, king, black
  dump                  print the board
  seed N                set the random seed for the choice among equal moves
  quit                  exit

The program prints its own moves as "* a1-4" and the end as "* White wins."; errors go
to standard error. Black are the attackers. The rules are those of `taflbase rules
berkeley`. If the program plays both sides, a game takes at most three minutes.

Examples:
  taflbase berkeley
  taflbase berkeley game.in
  taflbase berkeley --threads 4 --hash 1024"#;

/// Runs commands until the end of input.
pub(super) fn run(args: &Args, session: &Session) -> Result<(), CliError> {
    let tables = session.open_to_probe("berkeley")?;
    let rules = Arc::new(tables.rules().clone());
    let tables = Arc::new(tables);
    let options = EngineOptions {
        threads: threads(args.threads.into()),
        table_bytes: args.hash.bytes(),
        tables: Some(Arc::clone(&tables)),
        proofs: session.open_proofs(&tables)?.as_ref().map(proved_positions),
        ..EngineOptions::new(&rules)
    };
    let engine = Engine::new(Arc::clone(&rules), options)?;
    let mut program = Program::new(rules, engine, SearchBudget::default(), fresh_seed())?;
    let input =
        if args.display { shown(args, session, &tables, &mut program)? } else { commands(args)? };
    let prompt = args.input.is_none() && io::stdin().is_terminal();
    let (mut output, mut errors) = (io::stdout().lock(), io::stderr());
    match program.run(input, &mut output, &mut errors, prompt) {
        Ok(()) => Ok(()),
        Err(SessionError::Input(error)) => Err(unread(args, &error)),
        Err(SessionError::Output(error)) => Err(error.into()),
    }
}

/// Shows the games in a window. Returns the merged commands of the input and the window.
fn shown(
    args: &Args,
    session: &Session,
    tables: &Arc<Tablebase>,
    program: &mut Program,
) -> Result<Box<dyn BufRead>, CliError> {
    let file = opened(args)?;
    let (lines, sender) = Lines::merge(move || from(file))?;
    let rules = tables.rules().clone();
    let format_move = Box::new(move |played: &Move| command_of(&rules, played));
    let game = Game::new(Arc::new(tables.rules().clone()))?;
    let first = View {
        board: String::new(),
        to_move: game.position().to_move,
        game: Some(&game),
        winner: None,
        manual: &[],
        is_thinking: true,
    };
    let window = Window::open(session, tables, &first, format_move, sender)?;
    program.watch(move |view| {
        window.show(&View {
            board: view.board.clone(),
            to_move: view.to_move,
            game: view.game,
            winner: view.winner,
            manual: &view.manual,
            is_thinking: view.is_thinking,
        });
    });
    Ok(Box::new(lines))
}

/// Opens the input of commands.
fn commands(args: &Args) -> Result<Box<dyn BufRead>, CliError> {
    opened(args).map(from)
}

/// Opens the file of commands, unless they come from standard input.
fn opened(args: &Args) -> Result<Option<File>, CliError> {
    let file = args.input.as_ref().map(File::open).transpose();
    file.map_err(|error| unread(args, &error))
}

fn from(file: Option<File>) -> Box<dyn BufRead> {
    match file {
        Some(file) => Box::new(BufReader::new(file)),
        None => Box::new(io::stdin().lock()),
    }
}

fn unread(args: &Args, error: &io::Error) -> CliError {
    let from = args.input.as_deref().unwrap_or(Path::new("standard input"));
    CliError::Error(format!("cannot read the commands from {}: {error}", from.display()))
}
