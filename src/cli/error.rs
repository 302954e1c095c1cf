use std::fmt::Display;
use std::io::{self, Write};

use taflbase::bound::BoundError;
use taflbase::build::{BuildError, BuildLimit};
use taflbase::compare::CompareError;
use taflbase::engine::EngineError;
use taflbase::find::FindError;
use taflbase::manifest::ManifestError;
use taflbase::position::PositionError;
use taflbase::rules::RulesetError;
use taflbase::short::ShortError;
use taflbase::short::graph::GraphError;
use taflbase::stats::StatsError;

/// The exit status after Ctrl-C: 128 + SIGINT, as shells report it.
pub(super) const INTERRUPTED_STATUS: u8 = 130;

/// The reason why a command did not finish normally.
pub(super) enum CliError {
    /// A negative answer, reported on one line (status 1).
    Negative(String),
    /// An error, reported on one line that says what to do (status 2).
    Error(String),
    /// A missing command: the help is the error message.
    Help(clap::Error),
    /// Interrupted by Ctrl-C; the results so far are printed. Says how to resume, if that is
    /// possible (status 130).
    Interrupted(Option<&'static str>),
    /// Standard output was closed, and the command did nothing but print.
    BrokenPipe,
}

impl CliError {
    /// Prints the error to standard error and returns the exit status.
    pub(super) fn print(self) -> u8 {
        let (message, status) = match self {
            CliError::Negative(message) => (message, 1),
            CliError::Error(message) => (message, 2),
            CliError::Help(help) => {
                // A failure to print has nowhere to be reported.
                let _ = help.print();
                return 2;
            }
            CliError::Interrupted(resume) => {
                let hint = resume.map_or(String::new(), |resume| format!("; {resume}"));
                (format!("stopped{hint}"), INTERRUPTED_STATUS)
            }
            CliError::BrokenPipe => return 0,
        };
        // A failure to print has nowhere to be reported.
        let _ = writeln!(io::stderr(), "taflbase: {}", message.replace('\n', " "));
        status
    }

    /// Creates an error from anything that can be displayed.
    pub(super) fn new(error: impl Display) -> CliError {
        CliError::Error(error.to_string())
    }

    /// Handles arguments that clap did not accept: prints help and version as they are, and
    /// turns any other error into one line.
    pub(super) fn usage(error: clap::Error) -> Result<(), CliError> {
        use clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
        if !error.use_stderr() {
            return error.print().map_err(CliError::from);
        }
        if error.kind() == DisplayHelpOnMissingArgumentOrSubcommand {
            return Err(CliError::Help(error));
        }
        let rendered = error.render().to_string();
        let mut message = String::new();
        for line in rendered.strip_prefix("error: ").unwrap_or(&rendered).lines().map(str::trim) {
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

/// Errors of standard output; the library reports those of other files in its own types.
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

errors!(RulesetError, EngineError, FindError, ManifestError);

/// Errors of work that Ctrl-C stops.
macro_rules! errors_or_stopped {
    ($($error:ident),*) => {
        $(impl From<$error> for CliError {
            fn from(error: $error) -> CliError {
                match error {
                    $error::Stopped => CliError::Interrupted(None),
                    error => CliError::new(error),
                }
            }
        })*
    };
}

errors_or_stopped!(StatsError, BoundError, CompareError, ShortError, GraphError);

impl From<BuildError> for CliError {
    fn from(error: BuildError) -> CliError {
        if matches!(error, BuildError::Cancelled) {
            return CliError::Interrupted(None);
        }
        CliError::Error(match error.limit() {
            // The system has less memory than the limit allows.
            Some(BuildLimit::Memory) if matches!(error, BuildError::OutOfMemory(_)) => {
                format!("{error}; set the limit with --memory")
            }
            Some(BuildLimit::Memory) => format!("{error}; raise the limit with --memory"),
            Some(BuildLimit::Scratch) => format!("{error}; set the scratch folder with --scratch"),
            _ => error.to_string(),
        })
    }
}

impl From<PositionError> for CliError {
    fn from(error: PositionError) -> CliError {
        CliError::Error(format!("position: {error}"))
    }
}
