use std::fmt;
use std::io;
use std::path::PathBuf;

use super::MANIFEST_FILE;

/// The reason why a manifest cannot be used.
#[derive(Debug)]
#[non_exhaustive]
pub struct ManifestError {
    /// The manifest's file.
    pub path: PathBuf,
    /// The reason.
    pub kind: ManifestErrorKind,
}

/// The reason for a [`ManifestError`].
#[derive(Debug)]
#[non_exhaustive]
pub enum ManifestErrorKind {
    /// The folder has no manifest of the ruleset.
    Missing {
        /// The name of the ruleset.
        rules: String,
    },
    /// The file cannot be read.
    Read(io::Error),
    /// The file is not a manifest.
    Parse(serde_json::Error),
    /// The manifest was made for other rules.
    WrongRules {
        /// The name of its ruleset.
        found: String,
        /// The name of the expected ruleset.
        wanted: String,
    },
}

impl fmt::Display for ManifestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        if let ManifestErrorKind::Missing { rules } = &self.kind {
            return write!(f, "there is no {MANIFEST_FILE} of {rules} in {path}");
        }
        write!(f, "{path}: ")?;
        match &self.kind {
            ManifestErrorKind::Missing { .. } => Ok(()),
            ManifestErrorKind::Read(error) => write!(f, "cannot read the manifest: {error}"),
            ManifestErrorKind::Parse(error) => write!(f, "not a manifest of tables: {error}"),
            ManifestErrorKind::WrongRules { found, wanted } if found == wanted => {
                write!(f, "a manifest of another version of the rules of {wanted}")
            }
            ManifestErrorKind::WrongRules { found, wanted } => {
                write!(f, "a manifest of another ruleset, {found}, not of {wanted}")
            }
        }
    }
}

impl std::error::Error for ManifestError {}
