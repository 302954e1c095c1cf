use std::fmt::Display;
use std::io::{self, Write};
use std::process::ExitCode;

use taflbase::build::{BuildError, BuildLimit};
use taflbase::engine::EngineError;
use taflbase::find::FindError;
use taflbase::manifest::ManifestError;
use taflbase::position::PositionError;
use taflbase::rules::RulesetError;
use taflbase::stats::StatsError;

/// The status of a program that was stopped by Ctrl-C, as shells have it.
pub(super) const INTERRUPTED_STATUS: u8 = 130;

/// Why a command ends with another status than 0.
pub(super) enum CliError {
    /// A negative answer, told on one line.
    Negative(String),
    /// An error, told on one line that says what to do.
    Error(String),
    /// There is no command: the help is an error message.
    Help(clap::Error),
    /// Ctrl-C has stopped it, and what there is was told.
    Interrupted,
    /// Nobody reads the results any more, and to tell them was all there was to do.
    BrokenPipe,
}

impl CliError {
    /// Tells standard error and chooses the exit status.
    pub(super) fn report(self) -> ExitCode {
        self.print().into()
    }

    /// Tells standard error; returns the exit status.
    pub(super) fn print(self) -> u8 {
        let (message, status) = match self {
            CliError::Negative(message) => (message, 1),
            CliError::Error(message) => (message, 2),
            CliError::Help(help) => {
                // There is nobody left to tell if this fails.
                let _ = help.print();
                return 2;
            }
            CliError::Interrupted => return INTERRUPTED_STATUS,
            CliError::BrokenPipe => return 0,
        };
        let message = message.replace('\n', " ");
        // There is nobody left to tell if this fails.
        let _ = writeln!(io::stderr(), "taflbase: {message}");
        status
    }

    /// Any error as it describes itself.
    pub(super) fn new(error: impl Display) -> CliError {
        CliError::Error(error.to_string())
    }

    /// What comes of arguments that do not parse: help and version are printed
    /// as they are, the rest becomes one line.
    pub(super) fn usage(error: clap::Error) -> Result<(), CliError> {
        use clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
        if !error.use_stderr() {
            return error.print().map_err(CliError::from);
        }
        if error.kind() == DisplayHelpOnMissingArgumentOrSubcommand {
            return Err(CliError::Help(error));
        }
        let text = error.render().to_string();
        let text = text.strip_prefix("error: ").unwrap_or(&text);
        let mut message = String::new();
        for line in text.lines().map(str::trim) {
            if let Some(tip) = line.strip_prefix("tip: ") {
                message.push_str(&format!("; {tip}"));
            } else if let Some(usage) = line.strip_prefix("Usage: ") {
                message.push_str(&format!("; usage: {usage}"));
            } else if !line.is_empty() && !line.starts_with("For more information") {
                let gap = if message.is_empty() { "" } else { " " };
                message.push_str(&format!("{gap}{line}"));
            }
        }
        Err(CliError::Error(message))
    }
}

/// Of writing results; all other files are the library's.
impl From<io::Error> for CliError {
    fn from(error: io::Error) -> CliError {
        if error.kind() == io::ErrorKind::BrokenPipe {
            CliError::BrokenPipe
        } else {
            CliError::Error(format!("cannot write the results: {error}"))
        }
    }
}

macro_rules! errors {
    ($($error:ty),*) => {
        $(impl From<$error> for CliError {
            fn from(error: $error) -> CliError {
                CliError::new(error)
            }
        })*
    };
}

errors!(RulesetError, EngineError, FindError, ManifestError, StatsError);

impl From<BuildError> for CliError {
    fn from(error: BuildError) -> CliError {
        CliError::Error(match error.limit() {
            Some(BuildLimit::Memory) => format!("{error}; --memory sets the limit"),
            Some(BuildLimit::Scratch) => format!("{error}; --scratch names its folder"),
            _ => error.to_string(),
        })
    }
}

impl From<PositionError> for CliError {
    fn from(error: PositionError) -> CliError {
        CliError::Error(format!("position: {error}"))
    }
}
