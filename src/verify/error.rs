use std::fmt;

use crate::game::slice::Slice;
use crate::system::bytes::Bytes;
use crate::table::TableError;
use crate::tablebase::ProbeError;

/// The error of a verification that could not be completed.
#[derive(Debug)]
#[non_exhaustive]
pub enum VerifyError {
    /// The table of the slice, or of one that a capture leads to, is missing, damaged, or of
    /// another slice than its name says.
    Table(ProbeError),
    /// The slice and those that captures lead to do not fit in memory.
    TooLarge {
        /// The slice.
        slice: Slice,
        /// The bytes that the values would take; `None` if the number exceeds 64 bits.
        bytes: Option<u64>,
    },
    /// A block of a sample and those that its moves lead to exceed the memory limit.
    BlockTooLarge {
        /// The slice.
        slice: Slice,
        /// The least bytes that the values of these blocks take.
        bytes: u64,
        /// The limit.
        memory_bytes: u64,
    },
    /// The verifier does not know a rule that can matter in the slice.
    UnknownRule {
        /// The slice.
        slice: Slice,
        /// The rule's field in ruleset files.
        field: &'static str,
    },
    /// The sample has no blocks to choose: its percentage is not above 0 and up to 100, or there is
    /// no such part of it.
    ImpossibleSample,
    /// The verification was cancelled by its [`Progress`](crate::progress::Progress).
    Cancelled,
    /// A table has distances of more than 65530 plies, the longest that can be verified.
    TooLong(Slice),
}

impl fmt::Display for VerifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            VerifyError::Table(ProbeError::MissingTable { slice, metric }) => {
                write!(f, "the table {} is missing; build {slice}", metric.file_name(*slice))
            }
            VerifyError::Table(error) => error.fmt(f),
            VerifyError::TooLarge { slice, bytes } => {
                write!(f, "{slice} does not fit in memory for verification")?;
                match bytes {
                    Some(bytes) => write!(f, ": its values take {} MiB", bytes.div_ceil(1 << 20)),
                    None => Ok(()),
                }
            }
            VerifyError::BlockTooLarge { slice, bytes, memory_bytes } => write!(
                f,
                "a block of {slice} and the blocks that its moves lead to take at least {} of \
                 memory, but {} are allowed",
                Bytes(*bytes),
                Bytes(*memory_bytes)
            ),
            VerifyError::UnknownRule { slice, field } => write!(
                f,
                "{slice} cannot be verified: this version does not verify games with {field} where \
                 it can matter"
            ),
            VerifyError::ImpossibleSample => f.write_str(
                "there is no such sample: its percentage must be above 0 and up to 100, and its \
                 part below the number of parts",
            ),
            VerifyError::Cancelled => f.write_str("the verification was cancelled"),
            VerifyError::TooLong(slice) => {
                write!(
                    f,
                    "{slice} has distances of more than 65530 plies, which cannot be verified"
                )
            }
        }
    }
}

impl std::error::Error for VerifyError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            VerifyError::Table(error) => error.source(),
            VerifyError::TooLarge { .. }
            | VerifyError::BlockTooLarge { .. }
            | VerifyError::UnknownRule { .. }
            | VerifyError::ImpossibleSample
            | VerifyError::Cancelled
            | VerifyError::TooLong(_) => None,
        }
    }
}

impl From<ProbeError> for VerifyError {
    fn from(error: ProbeError) -> VerifyError {
        VerifyError::Table(error)
    }
}

impl From<TableError> for VerifyError {
    fn from(error: TableError) -> VerifyError {
        VerifyError::Table(error.into())
    }
}
