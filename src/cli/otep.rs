use std::io;

use taflbase::protocol::otep;

use super::engine_args::HostedArgs;
use super::error::CliError;
use super::output::Session;

/// Speak OpenTafl's engine protocol
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(super) struct Args {
    #[command(flatten)]
    hosted: HostedArgs,
}

const HELP: &str = r#"Reads the host's lines from standard input and answers on standard output in OTEP, the
protocol of OpenTafl (docs/protocols.md). The host sends the rules; unsupported ones are
rejected with the field and its value. In positions of few men, best moves come from the
tables of the program and of --tables, and in proved ones from the certificates of --proofs.

To install the engine in OpenTafl, create a file taflbase.ini in its folder engines:
  [engine]
  directory=.
  filename=taflbase
  command=./taflbase
  arguments=otep --threads 2

Examples:
  taflbase otep
  taflbase otep --threads 4 --hash 1024 --time 10
  taflbase otep --threads 1 --nodes 100000"#;

/// Runs the protocol until the host ends it.
pub(super) fn run(args: &Args, session: &Session) -> Result<(), CliError> {
    let options = args.hosted.options(session)?;
    Ok(otep::Session::new(options).run(io::stdin(), io::stdout().lock())?)
}
