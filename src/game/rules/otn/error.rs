use std::fmt;

/// Why a rules record cannot be read, or a ruleset cannot be written as one.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum OtnError {
    /// A word of the record is no field.
    Word(String),
    /// The record lacks a field that it must have.
    Missing(&'static str),
    /// The record has a field twice.
    Twice(String),
    /// A field of the record says what is wrong, or what no ruleset can say.
    Field {
        /// The field's key: `sw`.
        field: String,
        /// Its value, given or by default.
        value: String,
        /// Why it is refused.
        reason: String,
    },
    /// The ruleset decides what OpenTafl's notation has no words for.
    Unsayable {
        /// The decision, as ruleset files name it: `capture.protected-attackers`.
        field: String,
    },
}

/// A refused field, in the shape in which functions return it.
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
                write!(f, "{word:?} is no field of a rules record: write dim:7 esc:e … start:/…/")
            }
            OtnError::Missing(field) => write!(f, "the rules record has no {field}"),
            OtnError::Twice(field) => write!(f, "the rules record has {field} twice"),
            OtnError::Field { field, value, reason } => write!(f, "{field}:{value}: {reason}"),
            OtnError::Unsayable { field } => {
                write!(f, "OpenTafl's notation cannot say what the ruleset decides by {field}")
            }
        }
    }
}

impl std::error::Error for OtnError {}
