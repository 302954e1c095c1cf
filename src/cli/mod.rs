//! The command line: arguments, commands and their output.

mod analyse;
mod arguments;
mod batch;
mod bench;
mod berkeley;
mod bound;
#[cfg(feature = "serve")]
mod browser;
mod build;
mod calibration;
mod certificate;
mod challenge;
mod check;
mod colour;
mod compare;
mod completions;
mod counting;
mod display;
mod engine_args;
mod error;
mod file;
mod find;
mod hnefatafl_org;
mod htp;
mod interrupt;
mod json_output;
mod line;
mod machine;
mod man;
mod manifest;
mod match_;
mod measure;
mod meter;
mod model;
mod move_log;
mod otep;
mod output;
mod perft;
mod pictures;
mod plan;
mod play;
mod probe;
mod progress;
mod pull;
mod ranks;
mod replay;
mod report;
mod rules;
mod serve;
mod short;
mod solve;
mod start;
mod stats;
mod temporary;
mod verify;

use std::env;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::LazyLock;

use clap::{ArgAction, CommandFactory, FromArgMatches, Parser, Subcommand};
use taflbase::tablebase::set_search_error_hook;
use taflbase::version::commit;

use colour::Colour;
use error::CliError;
use json_output::{ABSENT, JsonOutput, WITHOUT_VALUE};
use output::{Session, note};

/// Build, verify and probe endgame tablebases for tafl games: win, draw or loss, with the
/// distance to the end of the game.
#[derive(Parser)]
#[command(name = "taflbase", version = VERSION.as_str(), verbatim_doc_comment, term_width = 0)]
#[command(subcommand_required = true, arg_required_else_help = true)]
#[command(after_help = HELP)]
struct Cli {
    /// Print results as JSON, one object per line
    #[arg(long, global = true, help_heading = "Global options")]
    #[arg(action = ArgAction::SetTrue, value_parser = JsonOutput::parse)]
    #[arg(default_value = ABSENT, default_missing_value = WITHOUT_VALUE)]
    json: JsonOutput,
    /// Use this folder of tables [default: tables, if it exists]
    #[arg(long, global = true, value_name = "DIR", help_heading = "Global options")]
    #[arg(env = "TAFLBASE_TABLES")]
    tables: Option<PathBuf>,
    /// Know what these certificates prove: a file, or a folder of them; may be repeated
    #[arg(long, global = true, value_name = "PATH", help_heading = "Global options")]
    #[arg(env = "TAFLBASE_PROOFS")]
    proofs: Vec<PathBuf>,
    /// Draw boards in colour; auto: on a terminal, unless NO_COLOR is set
    #[arg(long, global = true, value_name = "WHEN", help_heading = "Global options")]
    #[arg(default_value = "auto", value_enum)]
    color: Colour,
    #[command(subcommand)]
    command: Command,
}

/// The version, and the commit of the source in parentheses if it is known.
static VERSION: LazyLock<String> = LazyLock::new(|| {
    let version = env!("CARGO_PKG_VERSION").to_owned();
    commit().map_or(version.clone(), |commit| format!("{version} ({commit})"))
});

const HELP: &str = "\
RULES is a built-in ruleset (see `taflbase rules`) or a path to a ruleset file.
POS is an OpenTafl position, the board from rank 1 up and the side to move,
quoted or as two arguments: \"/3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3/ a\".

Exit status: 0 success; 1 a negative answer: a slice is not built, or verify or
check found a fault; 2 an error, reported on one line, or no command. If standard
output is closed early, build, pull, verify, check and solve continue and exit with the
status of their work; other commands exit with 0.";

#[derive(Subcommand)]
enum Command {
    Rules(rules::Args),
    Replay(replay::Args),
    Perft(perft::Args),
    Plan(plan::Args),
    Build(build::Args),
    Probe(probe::Args),
    Line(line::Args),
    Find(find::Args),
    Analyse(analyse::Args),
    Solve(solve::Args),
    Play(play::Args),
    Stats(stats::Args),
    Compare(compare::Args),
    Report(report::Args),
    Verify(verify::Args),
    Check(check::Args),
    Pull(pull::Args),
    Serve(serve::Args),
    Manifest(manifest::Args),
    Bound(bound::Args),
    Short(short::Args),
    #[command(name = "match")]
    Match(match_::Args),
    Bench(bench::Args),
    Otep(otep::Args),
    Htp(htp::Args),
    HnefataflOrg(hnefatafl_org::Args),
    Challenge(challenge::Args),
    Berkeley(berkeley::Args),
    Completions(completions::Args),
    Man(man::Args),
}

impl Command {
    /// Returns whether the command continues when standard output is closed. The exit status of
    /// such a command reports its work, which a closed pipe must not hide.
    fn ignores_broken_pipe(&self) -> bool {
        matches!(
            self,
            Command::Build(_)
                | Command::Pull(_)
                | Command::Verify(_)
                | Command::Check(_)
                | Command::Solve(_)
        )
    }
}

/// Returns the program's clap definition. Options take negative numbers as values, so that the
/// error for one names the valid range. An empty environment variable counts as not set.
fn command() -> clap::Command {
    let command = Cli::command().mut_args(|argument| {
        let value = argument.get_env().and_then(env::var_os);
        match value.is_some_and(|value| value.is_empty()) {
            true => argument.env(None::<&'static str>),
            false => argument,
        }
    });
    command.mut_subcommands(|command| {
        command.mut_args(|argument| match argument.get_action().takes_values() {
            true => argument.allow_negative_numbers(true),
            false => argument,
        })
    })
}

/// Fails: neither the explorer nor its client is part of this build.
#[cfg(not(feature = "serve"))]
fn without_explorer<A>(_: &A, _: &Session) -> Result<(), CliError> {
    Err(CliError::new(
        "the program was built without the explorer: build it with `--features serve`",
    ))
}

/// Runs the program with the arguments of the process.
pub(crate) fn main() -> ExitCode {
    let parsed = command().try_get_matches_from(arguments::join_split(env::args_os()));
    let result = match parsed.and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => run(cli),
        Err(error) => CliError::usage(error),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => error.print().into(),
    }
}

fn run(cli: Cli) -> Result<(), CliError> {
    set_search_error_hook(|error| {
        note(&format!("{error}; searches go on without what they cannot read"));
    });
    let ignores_broken_pipe = cli.command.ignores_broken_pipe();
    let json = cli.json != JsonOutput::None;
    let session =
        Session::new(json, cli.tables, cli.proofs, cli.color.style(), ignores_broken_pipe);
    match cli.command {
        Command::Rules(args) => rules::run(&args, &session),
        Command::Replay(args) => replay::run(&args, &session),
        Command::Perft(args) => perft::run(&args, &session),
        Command::Plan(args) => plan::run(&args, &session),
        Command::Build(args) => build::run(&args, &session),
        Command::Probe(args) => probe::run(&args, &session),
        Command::Line(args) => line::run(&args, &session),
        Command::Find(args) => find::run(&args, &session),
        Command::Analyse(args) => analyse::run(&args, &session),
        Command::Solve(args) => solve::run(&args, &session),
        Command::Play(args) => play::run(&args, &session),
        Command::Stats(args) => stats::run(&args, &session),
        Command::Compare(args) => compare::run(&args, &session),
        Command::Report(args) => report::run(&args, &session),
        Command::Verify(args) => verify::run(&args, &session),
        Command::Check(args) => check::run(&args, &session),
        Command::Pull(args) => pull::run(&args, &session),
        Command::Manifest(args) => manifest::run(&args, &session),
        Command::Bound(args) => bound::run(&args, &session),
        Command::Short(args) => short::run(&args, &session),
        Command::Match(args) => match_::run(&args, &session),
        Command::Bench(args) => bench::run(&args, &session),
        Command::Otep(args) => otep::run(&args, &session),
        Command::Htp(args) => htp::run(&args, &session),
        Command::HnefataflOrg(args) => hnefatafl_org::run(&args, &session),
        Command::Challenge(args) => challenge::run(&args, &session),
        Command::Berkeley(args) => berkeley::run(&args, &session),
        Command::Completions(args) => completions::run(&args, &session),
        Command::Serve(args) => serve::run(&args, &session),
        Command::Man(args) => man::run(&args, &session),
    }
}
