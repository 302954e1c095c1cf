use std::fmt;
use std::io::{self, ErrorKind};
use std::time::Duration;

use crate::game::position::PositionError;
use crate::game::rules::Side;

use super::colour::colour;

/// Why a game was not finished.
#[derive(Debug)]
#[non_exhaustive]
pub enum ChallengeError {
    /// The server cannot be reached.
    Connect {
        /// Address of the server.
        address: String,
        /// Time spent on retries.
        tried: Duration,
        /// Error of the last attempt.
        error: io::Error,
    },
    /// The server has closed the connection without a result. Holds the side to move, if the
    /// game had begun.
    Closed(Option<Side>),
    /// The connection was closed in the middle of a message.
    Truncated,
    /// The server has sent nothing for too long.
    TimedOut,
    /// The connection has failed.
    Io(io::Error),
    /// A message of this many bytes was announced.
    TooLong(u32),
    /// A message cannot be parsed.
    InvalidMessage(String),
    /// The server has sent an invalid position.
    Position(PositionError),
}

impl From<io::Error> for ChallengeError {
    fn from(error: io::Error) -> ChallengeError {
        match error.kind() {
            _ if is_disconnect(&error) => ChallengeError::Truncated,
            ErrorKind::WouldBlock | ErrorKind::TimedOut => ChallengeError::TimedOut,
            _ => ChallengeError::Io(error),
        }
    }
}

impl fmt::Display for ChallengeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ChallengeError::Connect { address, tried, error } => {
                write!(f, "cannot connect to {address}")?;
                match tried.as_secs() {
                    0 => write!(f, ": {error}"),
                    seconds => write!(f, " after {seconds} s of retries: {error}"),
                }
            }
            ChallengeError::Closed(None) => {
                f.write_str("the server has closed the connection before the game began")
            }
            ChallengeError::Closed(Some(side)) => write!(
                f,
                "the server has closed the connection without a result: {}, to move, has run out \
                 of time or sent an invalid message",
                colour(*side)
            ),
            ChallengeError::Truncated => {
                f.write_str("the connection was closed in the middle of a message")
            }
            ChallengeError::TimedOut => f.write_str("the server has sent nothing for too long"),
            ChallengeError::Io(error) => write!(f, "the connection has failed: {error}"),
            ChallengeError::TooLong(bytes) => {
                write!(f, "the server has sent a message of {bytes} bytes, too long for a state")
            }
            ChallengeError::InvalidMessage(error) => {
                write!(f, "the server has sent an invalid message: {error}")
            }
            ChallengeError::Position(error) => {
                write!(f, "the server has sent an invalid position: {error}")
            }
        }
    }
}

impl std::error::Error for ChallengeError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            ChallengeError::Connect { error, .. } | ChallengeError::Io(error) => Some(error),
            ChallengeError::Position(error) => Some(error),
            _ => None,
        }
    }
}

/// Whether the other side has closed the connection.
pub(super) fn is_disconnect(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::UnexpectedEof
            | ErrorKind::ConnectionReset
            | ErrorKind::ConnectionAborted
            | ErrorKind::BrokenPipe
    )
}
