use serde::Serialize;
use taflbase::perft::perft;
use taflbase::position::Position;
use taflbase::rules::Ruleset;

use super::arguments::{Threads, parse_number};
use super::error::CliError;
use super::output::Session;

/// Count move sequences, to test move generators
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(super) struct Args {
    /// A built-in ruleset, or a path to a ruleset file
    rules: String,
    /// Count up to this many plies, at most 100
    #[arg(value_parser = parse_number::<u32, 1, 100>)]
    depth: u32,
    /// Begin from this position instead of the start position
    #[arg(long, value_name = "POS")]
    position: Option<String>,
    #[command(flatten)]
    threads: Threads,
}

const HELP: &str = r#"Prints the number of nodes for each depth. A finished game has no children.

Examples:
  taflbase perft brandubh 3
  taflbase perft berkeley 2 --position "/3tt1t2/1T1tK4/9/1t6t/3T1t1t1/3t4t/2T1t4/t2t4t/8t/ d"

JSON, one line per depth:
  {"depth":3,"nodes":39512}"#;

#[derive(Serialize)]
struct DepthCount {
    depth: u32,
    nodes: u64,
}

/// Counts depth by depth.
pub(super) fn run(args: &Args, session: &Session) -> Result<(), CliError> {
    let rules = Ruleset::load(&args.rules)?;
    let position = match &args.position {
        Some(text) => Position::parse(text, &rules)?,
        None => Position::start(&rules)?,
    };
    for depth in 1..=args.depth {
        let nodes = args.threads.run(|| perft(&rules, &position, depth))?;
        if session.json() {
            session.json_line(&DepthCount { depth, nodes })?;
        } else {
            session.text(&format!("{depth} {nodes}\n"))?;
        }
    }
    Ok(())
}
