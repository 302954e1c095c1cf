use clap_complete::{Shell, generate};

use super::error::CliError;
use super::output::Session;

/// Print a completion script for a shell
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(super) struct Args {
    /// The shell
    shell: Shell,
}

const HELP: &str = "\
Examples:
  taflbase completions bash > ~/.local/share/bash-completion/completions/taflbase
  taflbase completions zsh > ~/.zfunc/_taflbase
  taflbase completions fish > ~/.config/fish/completions/taflbase.fish";

/// Prints the script.
pub(super) fn run(args: &Args, session: &Session) -> Result<(), CliError> {
    let mut text = Vec::new();
    generate(args.shell, &mut super::command(), env!("CARGO_PKG_NAME"), &mut text);
    session.text(&String::from_utf8_lossy(&text))
}
