use std::convert::Infallible;
use std::path::{Path, PathBuf};

use super::output::is_standard;

/// Where to print results as JSON. Of the commands, only `report` takes a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum JsonOutput {
    /// Results are printed as text.
    None,
    /// On standard output.
    Standard,
    /// In a file.
    File(PathBuf),
}

impl JsonOutput {
    /// Parses the value of `--json`: a file, `-`, or what clap passes for the option without a
    /// value and for its absence.
    pub(super) fn parse(text: &str) -> Result<JsonOutput, Infallible> {
        Ok(match text {
            ABSENT => JsonOutput::None,
            WITHOUT_VALUE => JsonOutput::Standard,
            path if is_standard(Path::new(path)) => JsonOutput::Standard,
            path => JsonOutput::File(path.into()),
        })
    }
}

/// The values that clap passes for the absent option, and for the one without a value. No file has
/// such a name: arguments do not contain NUL.
pub(super) const ABSENT: &str = "\0absent";
pub(super) const WITHOUT_VALUE: &str = "\0";
