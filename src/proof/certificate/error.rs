use std::error::Error;
use std::fmt;
use std::io;

use crate::game::slice::Slice;
use crate::tablebase::ProbeError;

/// Why a certificate cannot be read or does not hold.
#[derive(Debug)]
#[non_exhaustive]
pub enum CertificateError {
    /// It cannot be read.
    Io(io::Error),
    /// The file is not a certificate of a known version.
    NotACertificate,
    /// The file is damaged or violates the format.
    Malformed(String),
    /// It is for other rules.
    OtherRules {
        /// The name of its rules.
        rules: String,
    },
    /// A table that it depends on is missing or cannot be read.
    Table(ProbeError),
    /// A table has other values than the one that it depends on.
    OtherTable {
        /// The slice of the table.
        slice: Slice,
    },
    /// Its strategy fails in a position.
    Fails {
        /// The position.
        position: String,
        /// The fault.
        reason: &'static str,
    },
}

impl fmt::Display for CertificateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CertificateError::Io(error) => write!(f, "cannot read the certificate: {error}"),
            CertificateError::NotACertificate => {
                write!(f, "not a certificate of this version: give a file of `solve --certificate`")
            }
            CertificateError::Malformed(fault) => write!(f, "the certificate is damaged: {fault}"),
            CertificateError::OtherRules { rules } => {
                write!(f, "the certificate is for other rules than these, named {rules:?}")
            }
            CertificateError::Table(error) => {
                write!(f, "the certificate depends on a table: {error}")
            }
            CertificateError::OtherTable { slice } => write!(
                f,
                "the certificate depends on a table of {slice} with other values: build it again"
            ),
            CertificateError::Fails { position, reason } => {
                write!(f, "the certificate does not hold at {position}: {reason}")
            }
        }
    }
}

impl Error for CertificateError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            CertificateError::Io(error) => Some(error),
            CertificateError::Table(error) => Some(error),
            _ => None,
        }
    }
}
