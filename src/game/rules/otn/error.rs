use std::fmt;

/// The reason why a rules record cannot be read, or a ruleset cannot be written as one.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum OtnError {
    /// A word of the record is not a field.
    Word(String),
    /// The record lacks a required field.
    Missing(&'static str),
    /// The record has a field twice.
    Twice(String),
    /// A field has an invalid value, or one that rulesets cannot express.
    Field {
        /// The field's key: `sw`.
        field: String,
        /// Its value, given or by default.
        value: String,
        /// The reason.
        reason: String,
    },
    /// OpenTafl's notation cannot express a decision of the ruleset.
    Inexpressible {
        /// The decision's field in ruleset files: `capture.protected-attackers`.
        field: String,
    },
}

/// Returns a refused field as an error.
pub(super) fn refused<T>(
    field: &str,
    value: &str,
    reason: impl Into<String>,
) -> Result<T, OtnError> {
    let (field, value, reason) = (field.to_owned(), value.to_owned(), reason.into());
    Err(OtnError::Field { field, value, reason })
}

impl fmt::Display for OtnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OtnError::Word(word) => {
                write!(
                    f,
                    "{word:?} is not a field of a rules record: write dim:7 esc:e … start:/…/"
                )
            }
            OtnError::Missing(field) => write!(f, "the rules record has no {field}"),
            OtnError::Twice(field) => write!(f, "the rules record has {field} twice"),
            OtnError::Field { field, value, reason } => write!(f, "{field}:{value}: {reason}"),
            OtnError::Inexpressible { field } => {
                write!(f, "OpenTafl's notation cannot express the ruleset's {field}")
            }
        }
    }
}

impl std::error::Error for OtnError {}
