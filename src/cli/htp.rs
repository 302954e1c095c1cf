use std::io;

use taflbase::protocol::htp;

use super::engine_args::HostedArgs;
use super::error::CliError;
use super::output::Session;

/// Speak the hnefatafl text protocol, that of hnefatafl.org's programs
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(super) struct Args {
    #[command(flatten)]
    hosted: HostedArgs,
}

const HELP: &str = r#"Reads commands from standard input, one per line, and answers each on standard output with
"= RESPONSE" or "? ERROR" (docs/protocols.md); text after # is ignored:
  board_size 7|11|13                 a new game of Copenhagen Hnefatafl; on 7x7, of Brandubh
  time_settings un-timed             a new game without clocks
  time_settings fischer MIN SEC      a new game with MIN minutes, and SEC seconds more a move
  first_move ROLE                    a new game in which that side begins
  play ROLE FROM TO                  play a move: the captured squares
  play ROLE resigns
  play_undo                          take back the last move
  generate_move                      the engine plays: "play attacker d1 d3, score: +0.12, …"
  play_from, play_to ROLE FROM       pieces that can move, and where one of them can move
  final_status                       attacker_wins, defender_wins, draw or ongoing
  show_board, show_board_open_tafl   the board, the top rank first
  list_commands, known_command NAME, name, version, protocol_version, quit
ROLE is attacker or defender, or its first letter. The rules are those of `taflbase rules
copenhagen` and copenhagen-13; docs/protocols.md has those of 7x7. In positions of few men,
best moves come from tables.

Examples:
  taflbase htp
  taflbase htp --threads 4 --hash 1024 --time 10
  taflbase htp --threads 1 --nodes 100000"#;

/// Runs the protocol until the host ends it.
pub(super) fn run(args: &Args, session: &Session) -> Result<(), CliError> {
    let options = args.hosted.options(session)?;
    let engine = htp::Session::new(options).map_err(CliError::Error)?;
    Ok(engine.run(io::stdin(), io::stdout().lock())?)
}
