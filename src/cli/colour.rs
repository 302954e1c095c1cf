use std::env;
use std::io::{self, IsTerminal};

use taflbase::draw::Style;

/// When boards are drawn in colour.
#[derive(Clone, Copy, clap::ValueEnum)]
pub(super) enum Colour {
    Auto,
    Always,
    Never,
}

impl Colour {
    /// How text on standard output is drawn.
    pub(super) fn style(self) -> Style {
        let is_coloured = match self {
            Colour::Auto => is_wanted(),
            Colour::Always => true,
            Colour::Never => false,
        };
        if is_coloured { Style::Ansi } else { Style::Plain }
    }
}

/// What the environment says: as on no-color.org and bixense.com/clicolors, a variable
/// without a text is none.
fn is_wanted() -> bool {
    let is_set = |name| env::var_os(name).is_some_and(|value| !value.is_empty());
    if is_set("NO_COLOR") {
        return false;
    }
    let is_forced = is_set("CLICOLOR_FORCE") && env::var_os("CLICOLOR_FORCE") != Some("0".into());
    let is_dumb = env::var_os("TERM").is_some_and(|terminal| terminal == "dumb");
    is_forced || io::stdout().is_terminal() && !is_dumb
}
