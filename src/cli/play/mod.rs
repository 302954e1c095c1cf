mod advice;
mod certified;
mod command;
mod files;
mod input;
mod interrupt;
mod opponent;
mod terminal;
mod window;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use taflbase::arena::Level;
use taflbase::history::Game;
use taflbase::position::Position;
use taflbase::rules::Side;

use super::arguments::{MAX, parse_number, parse_seconds};
use super::certificate;
use super::engine_args::EngineArgs;
use super::error::CliError;
use super::output::Session;

use certified::Certified;
use input::Input;
use opponent::has_own_limits;
use terminal::{Sources, TerminalGame};

/// Play a game against the engine
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(super) struct Args {
    /// A built-in ruleset, or a path to a ruleset file [default with --certificate: its rules]
    #[arg(required_unless_present = "certificate")]
    rules: Option<String>,
    /// Begin from the position of this certificate of `solve`, whose strategy the program plays
    #[arg(long, value_name = "FILE", conflicts_with = "position")]
    certificate: Option<PathBuf>,
    /// Play this side [default: the side that moves first; with --certificate, the other one]
    #[arg(long, value_name = "SIDE", value_enum)]
    side: Option<UserSides>,
    /// Begin from this position instead of the start position
    #[arg(long, value_name = "POS")]
    position: Option<String>,
    /// Let the engine play at this level
    #[arg(long, value_name = "NAME", default_value = "strongest", conflicts_with = "opponent")]
    #[arg(value_parser = level())]
    level: &'static Level,
    /// Let the strongest level think this long per move [default: 2, without --nodes]
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    time: Option<Duration>,
    /// Let the strongest level search N positions per move
    #[arg(long, value_name = "N", value_parser = parse_number::<u64, 1, MAX>)]
    nodes: Option<u64>,
    #[command(flatten)]
    engine: EngineArgs,
    /// Play against this player, described as for `match`, like heuristic
    #[arg(long, value_name = "PLAYER", default_value = "engine")]
    opponent: String,
    /// Also show the board in a browser, which accepts moves; turns completion off
    #[arg(long)]
    display: bool,
}

const HELP: &str = r#"Enter moves as e5-e8; captures, marks, the king's letter and everything not needed to
identify the move may be omitted: e5 e8, or e5 if that man has one move. The tab key
completes moves and commands, the arrow keys recall earlier lines, `?` lists the commands.
Ctrl-C while the engine thinks leaves its move to you. Lines may also be piped in.

The levels below hard do not use the tables. A hint comes from the engine at full strength,
with twice --time or --nodes.

With --certificate the program plays the side that the certificate proves to win, or not
to lose, by its strategy, and says "proved" with each of its moves; where the strategy
ends in tables, it continues with these. --side none shows a game of the engine, or of
--opponent, against the certificate. Take back a move with `undo` to see what another one
meets.

Examples:
  taflbase play brandubh
  taflbase play tablut --side defenders --time 5
  taflbase play brandubh --level easy
  taflbase play brandubh --side none --nodes 20000
  taflbase play mcgill --opponent combination
  taflbase play --certificate won.cert
  taflbase play --certificate won.cert --side none --nodes 20000
  taflbase play berkeley --side both --position "/3tt1t2/1T1tK4/9/1t6t/3T1t1t1/3t4t/2T1t4/t2t4t/8t/ d""#;

/// The sides that the user plays; the opponent plays the others.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum UserSides {
    Attackers,
    Defenders,
    Both,
    None,
}

impl UserSides {
    /// Returns one side.
    fn of(side: Side) -> UserSides {
        match side {
            Side::Attackers => UserSides::Attackers,
            Side::Defenders => UserSides::Defenders,
        }
    }

    fn has(self, side: Side) -> bool {
        match self {
            UserSides::Attackers => side == Side::Attackers,
            UserSides::Defenders => side == Side::Defenders,
            UserSides::Both => true,
            UserSides::None => false,
        }
    }
}

/// Parses the name of a level.
fn level() -> impl TypedValueParser<Value = &'static Level> {
    let names = PossibleValuesParser::new(Level::ALL.iter().map(|level| level.name));
    names.try_map(|name| Level::of(&name).ok_or("no such level"))
}

/// Plays until the end of input.
pub(super) fn run(args: &Args, session: &Session) -> Result<(), CliError> {
    if session.json() {
        return Err(CliError::new(
            "play is interactive and has no --json: use `match` or `analyse`",
        ));
    }
    if has_own_limits(args.level) && (args.time.is_some() || args.nodes.is_some()) {
        return Err(CliError::Error(format!(
            "level {} has limits of its own: omit --time and --nodes, or --level",
            args.level.name
        )));
    }
    let rules_name = match (&args.rules, &args.certificate) {
        (Some(name), _) => name.clone(),
        (None, Some(path)) => certificate::rules_name(path, session, ["play", "--certificate"])?,
        (None, None) => return Err(CliError::new("name a ruleset")),
    };
    let tables = Arc::new(session.open_to_probe(&rules_name)?);
    // Levels and hints may need them later in the game.
    tables.open_all_tables().map_err(CliError::new)?;
    let rules = Arc::new(tables.rules().clone());
    let certified = args.certificate.as_deref().map(|path| Certified::open(path, &tables));
    let certified = certified.transpose()?;
    let start = match (&args.position, &certified) {
        (Some(text), _) => Position::parse(text, &rules)?,
        (None, Some(certified)) => certified.position,
        (None, None) => Position::start(&rules)?,
    };
    let game = Game::from_position(Arc::clone(&rules), start)?;
    if let (Some(_), Some(outcome)) = (&certified, game.outcome()) {
        return Err(CliError::Error(format!("the certificate's game is over: {outcome}")));
    }
    if let Some(note) = certified.as_ref().and_then(Certified::missing_tables) {
        session.note(&note);
    }
    let named = session.open_proofs(&tables)?;
    let book = named.or(certified.as_ref().map(|certified| Arc::clone(&certified.book)));
    let sources = Sources { rules_name, tables, book };
    let mut play = TerminalGame::new(args, session, sources, certified, game)?;
    let mut input = if args.display { play.open_window()? } else { Input::new()? };
    play.greet()?;
    play.show()?;
    play.run(&mut input)
}
