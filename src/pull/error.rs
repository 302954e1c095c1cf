use std::fmt;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use crate::study::manifest::{MANIFEST_FILE, ManifestError};
use crate::system::bytes::Bytes;
use crate::system::disk::is_full;
use crate::system::numbers;
use crate::tablebase::ProbeError;

/// Why tables cannot be pulled.
#[derive(Debug)]
#[non_exhaustive]
pub enum PullError {
    /// The text is not the address of an HTTP server.
    Address {
        /// The text.
        text: String,
        /// What to write instead.
        reason: &'static str,
    },
    /// The server has no manifest of the ruleset.
    NoManifest {
        /// The address.
        url: String,
        /// The name of the ruleset.
        rules: String,
    },
    /// The manifest cannot be used.
    Manifest(ManifestError),
    /// The manifest lists what cannot be.
    Listed {
        /// The manifest's address.
        url: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A request failed.
    Server {
        /// The address.
        url: String,
        /// What failed.
        fault: ServerFault,
    },
    /// A file arrived that is not the one that the manifest lists. It is deleted.
    Content {
        /// The file's address.
        url: String,
        /// What arrived instead.
        found: &'static str,
    },
    /// A build or another pull is running in the folder.
    Busy {
        /// The folder.
        folder: PathBuf,
    },
    /// The disk has less free space than the missing files take.
    NoSpace {
        /// The folder.
        folder: PathBuf,
        /// The missing bytes.
        needed: u64,
        /// The free bytes.
        free: u64,
    },
    /// A folder or file cannot be written.
    File {
        /// The folder or file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// A table that is here cannot be used, and must not be overwritten.
    Tables(ProbeError),
    /// The caller stopped the pull.
    Stopped,
}

/// Why a request failed.
#[derive(Debug)]
#[non_exhaustive]
pub enum ServerFault {
    /// The server cannot be reached.
    Connect(io::Error),
    /// The server sent nothing for this long.
    Silent(Duration),
    /// The connection ended before the response did.
    Cut,
    /// The server does not speak HTTP/1.
    NoHttp,
    /// The server refused the request.
    Status {
        /// The status code.
        code: u16,
        /// What the server says about it; may be empty.
        detail: String,
    },
    /// The server sent another part of the file than it was asked for.
    OtherPart,
    /// The file has another size than the manifest lists.
    OtherSize {
        /// The size in the manifest.
        listed: u64,
    },
    /// A file is larger than such a file can be.
    Oversized {
        /// The size that the server announced, or sent so far.
        listed: u64,
        /// The largest size possible.
        most: u64,
    },
}

impl PullError {
    /// Returns whether the same request may succeed later.
    pub(super) fn is_transient(&self) -> bool {
        match self {
            PullError::Server { fault, .. } => match fault {
                ServerFault::Connect(_) | ServerFault::Silent(_) | ServerFault::Cut => true,
                ServerFault::Status { code, .. } => matches!(code, 429 | 500 | 502..=504),
                _ => false,
            },
            _ => false,
        }
    }
}

/// Errors of a connection that was made.
impl From<hyper::Error> for ServerFault {
    fn from(error: hyper::Error) -> ServerFault {
        if error.is_parse() { ServerFault::NoHttp } else { ServerFault::Cut }
    }
}

impl From<ProbeError> for PullError {
    fn from(error: ProbeError) -> PullError {
        PullError::Tables(error)
    }
}

impl fmt::Display for PullError {
    /// Writes one line: what is wrong, and what to do.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PullError::Address { text, reason } => write!(f, "{text:?}: {reason}"),
            PullError::NoManifest { url, rules } => write!(
                f,
                "there is no {MANIFEST_FILE} of {rules} at {url}: it must be the address of an \
                 explorer, or of a folder of tables"
            ),
            PullError::Manifest(error) => error.fmt(f),
            PullError::Listed { url, reason } => write!(f, "{url}: {reason}"),
            PullError::Server { url, fault } => write!(f, "{url}: {fault}"),
            PullError::Content { url, found } => write!(
                f,
                "{url}: the server sent {found}, which was deleted; run the same command to try \
                 again, or tell whoever runs the server"
            ),
            PullError::Busy { folder } => write!(
                f,
                "{}: a build or another pull is running in this folder; wait for it or use \
                 another folder",
                folder.display()
            ),
            PullError::NoSpace { folder, needed, free } => write!(
                f,
                "{}: the missing files take {}, but the disk has {} free; free some space, or \
                 pull fewer slices with --men or --slice",
                folder.display(),
                Bytes(*needed),
                Bytes(*free)
            ),
            PullError::File { path, source } => {
                write!(f, "{}: cannot write it: {source}", path.display())?;
                f.write_str(match is_full(source) {
                    true => "; free some space, and the same command continues",
                    false => "",
                })
            }
            PullError::Tables(error) => error.fmt(f),
            PullError::Stopped => f.write_str("stopped; the same command continues"),
        }
    }
}

impl fmt::Display for ServerFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ServerFault::Connect(error) => write!(f, "cannot connect: {error}"),
            ServerFault::Silent(time) => write!(
                f,
                "the server sent nothing for {}; the same command continues",
                numbers::time(time.as_secs_f64())
            ),
            ServerFault::Cut => f.write_str("the connection was cut; the same command continues"),
            ServerFault::NoHttp => f.write_str("the server does not speak HTTP/1"),
            ServerFault::Status { code, detail } if detail.is_empty() => {
                write!(f, "the server refused with status {code}")
            }
            ServerFault::Status { code, detail } => {
                write!(f, "the server refused with status {code}: {detail}")
            }
            ServerFault::OtherPart => {
                f.write_str("the server sent another part of the file than it was asked for")
            }
            ServerFault::OtherSize { listed } => {
                write!(f, "the file does not have the {listed} bytes that its manifest lists")
            }
            ServerFault::Oversized { listed, most } => write!(
                f,
                "{} are more than such a file can have ({})",
                Bytes(*listed),
                Bytes(*most)
            ),
        }
    }
}

impl std::error::Error for PullError {}
impl std::error::Error for ServerFault {}
