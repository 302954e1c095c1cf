//! Certificates that the user names.

use std::fs::File;
use std::path::Path;

use taflbase::proof::{Certificate, CertificateError};
use taflbase::rules::Ruleset;

use super::error::CliError;

/// Returns the name of a certificate's rules.
pub(super) fn rules_name(path: &Path) -> Result<String, CliError> {
    Certificate::read_rules_name(open(path)?).map_err(|error| refused(path, &error))
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
