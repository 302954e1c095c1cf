use std::env;
use std::io::{self, IsTerminal};

use taflbase::draw::Style;

/// When to draw boards in colour.
#[derive(Clone, Copy, clap::ValueEnum)]
pub(super) enum Colour {
    Auto,
    Always,
    Never,
}

impl Colour {
    /// Returns the style for standard output.
    pub(super) fn style(self) -> Style {
        let is_coloured = match self {
            Colour::Auto => is_coloured_by_default(),
            Colour::Always => true,
            Colour::Never => false,
        };
        if is_coloured { Style::Ansi } else { Style::Plain }
    }
}

/// Decides by the environment, as no-color.org and bixense.com/clicolors specify.
fn is_coloured_by_default() -> bool {
    if is_set("NO_COLOR") {
        return false;
    }
    let is_forced = is_set("CLICOLOR_FORCE") && env::var_os("CLICOLOR_FORCE") != Some("0".into());
    is_forced || io::stdout().is_terminal() && !is_dumb_terminal()
}

/// Returns whether the terminal can neither colour text nor overwrite it.
pub(super) fn is_dumb_terminal() -> bool {
    env::var_os("TERM").is_some_and(|terminal| terminal == "dumb")
}

/// Returns whether an environment variable is set and not empty.
pub(super) fn is_set(name: &str) -> bool {
    env::var_os(name).is_some_and(|value| !value.is_empty())
}
