use std::fs;
use std::path::PathBuf;

use super::error::CliError;
use super::output::Session;

/// Write manual pages, one per command
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(super) struct Args {
    /// Write to this folder, which is created if it is missing
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

const HELP: &str = "\
Examples:
  taflbase man ~/.local/share/man/man1
  man taflbase-build";

/// Writes the pages.
pub(super) fn run(args: &Args, session: &Session) -> Result<(), CliError> {
    let folder = &args.folder;
    fs::create_dir_all(folder)
        .and_then(|()| clap_mangen::generate_to(super::command(), folder))
        .map_err(|error| {
            CliError::Error(format!("{}: cannot write the pages: {error}", folder.display()))
        })?;
    session.text(&format!("{}: taflbase.1 and a page for each command\n", folder.display()))
}
