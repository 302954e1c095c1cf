use std::fmt;

use super::Ruleset;
use super::similar::similar;

/// The reason why a ruleset cannot be used.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum RulesetError {
    /// The name is neither a built-in ruleset nor a file.
    Unknown {
        /// The name.
        name: String,
    },
    /// The file cannot be read.
    Unreadable {
        /// The file.
        origin: String,
        /// The operating system's message.
        reason: String,
    },
    /// The text is not TOML, or not in the form of a ruleset file.
    Form {
        /// The file.
        origin: String,
        /// The line, from 1.
        line: usize,
        /// The fault.
        reason: String,
    },
    /// A field has an invalid value.
    Field {
        /// The file.
        origin: String,
        /// The field, with its tables: `end.goals`.
        field: String,
        /// The fault.
        reason: String,
    },
}

/// A field of a file, and its fault.
pub(super) struct FieldFault {
    pub field: String,
    pub reason: String,
}

/// Returns a fault as an error.
pub(super) fn fault<T>(
    field: impl Into<String>,
    reason: impl Into<String>,
) -> Result<T, FieldFault> {
    Err(FieldFault { field: field.into(), reason: reason.into() })
}

impl fmt::Display for RulesetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RulesetError::Unknown { name } => {
                write!(f, "{name:?} is neither a file nor a built-in ruleset")?;
                match similar(name, Ruleset::builtin_names()) {
                    Some(similar) => write!(f, ": did you mean {similar}?"),
                    None => write!(f, " ({})", Ruleset::builtin_names().join(", ")),
                }
            }
            RulesetError::Unreadable { origin, reason } => write!(f, "{origin}: {reason}"),
            RulesetError::Form { origin, line, reason } => {
                write!(f, "{origin}: line {line}: {reason}")
            }
            RulesetError::Field { origin, field, reason } => {
                write!(f, "{origin}: {field}: {reason}")
            }
        }
    }
}

impl std::error::Error for RulesetError {}
