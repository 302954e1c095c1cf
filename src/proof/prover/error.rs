use std::fmt;

use crate::game::position::PositionError;
use crate::proof::book::BookError;
use crate::proof::checkpoint::CheckpointError;
use crate::tablebase::ProbeError;

/// Why a search cannot start.
#[derive(Debug)]
#[non_exhaustive]
pub enum ProofError {
    /// The position is invalid under these rules, or the game is over.
    Position(PositionError),
    /// The tables are for other rules.
    OtherTables,
    /// A table cannot be opened.
    Tables(ProbeError),
    /// The table of proof numbers cannot be allocated.
    Memory {
        /// Its size in bytes.
        bytes: usize,
    },
    /// What is proved already cannot be read.
    Proofs(BookError),
    /// The checkpoint cannot be used.
    Checkpoint(CheckpointError),
}

impl fmt::Display for ProofError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProofError::Position(error) => write!(f, "position: {error}"),
            ProofError::OtherTables => write!(f, "the tables are for other rules"),
            ProofError::Tables(error) => error.fmt(f),
            ProofError::Memory { bytes } => {
                write!(f, "cannot allocate {bytes} bytes for proof numbers; ask for less memory")
            }
            ProofError::Proofs(error) => error.fmt(f),
            ProofError::Checkpoint(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ProofError {}

impl From<PositionError> for ProofError {
    fn from(error: PositionError) -> ProofError {
        ProofError::Position(error)
    }
}
