use std::io;
use std::path::Path;
use std::time::Duration;

use taflbase::engine::Limits;
use taflbase::protocol::otep::{self, SessionOptions};

use super::arguments::{MAX, parse_number};
use super::engine_args::EngineArgs;
use super::error::CliError;
use super::output::Session;

/// Speak OpenTafl's engine protocol
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(super) struct Args {
    #[command(flatten)]
    engine: EngineArgs,
    /// Without a clock, think this many seconds per move, up to 86400
    #[arg(long, value_name = "SECONDS", default_value_t = 5)]
    #[arg(value_parser = parse_number::<u32, 1, 86_400>)]
    time: u32,
    /// Without a clock, search N positions per move
    #[arg(long, value_name = "N", conflicts_with = "time")]
    #[arg(value_parser = parse_number::<u64, 1, MAX>)]
    nodes: Option<u64>,
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
    let tables = session.table_folder();
    if let Some(missing) = tables.filter(|folder| !folder.is_dir()) {
        let folder = missing.display();
        return Err(CliError::Error(format!("{folder}: no such table folder")));
    }
    let time = Limits::time(Duration::from_secs(args.time.into()));
    let options = SessionOptions {
        threads: args.engine.threads(),
        table_bytes: args.engine.table_bytes(),
        contempt: args.engine.contempt(),
        limits: args.nodes.map_or(time, Limits::nodes),
        tables: tables.map(Path::to_owned),
        proofs: session.proofs().to_vec(),
    };
    Ok(otep::Session::new(options).run(io::stdin(), io::stdout().lock())?)
}
