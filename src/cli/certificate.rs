//! Certificates that the user names.

use std::fs::File;
use std::path::Path;

use taflbase::proof::{Certificate, CertificateError};
use taflbase::rules::Ruleset;

use super::error::CliError;
use super::output::{Session, shell_word};

/// Returns the name of a certificate's rules, which must be built in. The command and its option
/// are those that take the certificate, to say how to give other rules.
pub(super) fn rules_name(
    path: &Path,
    session: &Session,
    [command, option]: [&str; 2],
) -> Result<String, CliError> {
    let name = Certificate::read_rules_name(open(path)?).map_err(|error| refused(path, &error))?;
    if Ruleset::builtin_names().contains(&&*name) {
        return Ok(name);
    }
    let file = path.to_string_lossy();
    let wanted = format!("{option} {}", shell_word(&file));
    Err(CliError::Error(format!(
        "{file} is for the ruleset {name}, which is not built in: give its file, as in `{}`",
        session.command(command, "RULES.toml", &wanted)
    )))
}

/// Reads a certificate of these rules.
pub(super) fn read(path: &Path, rules: &Ruleset) -> Result<Certificate, CliError> {
    Certificate::read(open(path)?, rules).map_err(|error| refused(path, &error))
}

/// A certificate that does not hold is a negative answer; one that cannot be checked is an error.
pub(super) fn refused(path: &Path, error: &CertificateError) -> CliError {
    let message = format!("{}: {error}", path.display());
    match error {
        CertificateError::Fails { .. } => CliError::Negative(message),
        _ => CliError::Error(message),
    }
}

fn open(path: &Path) -> Result<File, CliError> {
    File::open(path).map_err(|error| CliError::Error(format!("{}: {error}", path.display())))
}
