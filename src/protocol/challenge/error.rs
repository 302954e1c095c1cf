use std::fmt;
use std::io::{self, ErrorKind};
use std::time::Duration;

use crate::game::position::PositionError;
use crate::game::rules::Side;

use super::colour;
use super::frame::is_end;

/// Why a game did not come to its end.
#[derive(Debug)]
#[non_exhaustive]
pub enum ChallengeError {
    /// There is no connection to the server.
    Connect {
        /// Where it should be.
        address: String,
        /// How long it was tried.
        tried: Duration,
        /// What went wrong last.
        error: io::Error,
    },
    /// The server has closed the connection without a result. Who was to move, if the
    /// game had begun.
    Closed(Option<Side>),
    /// The connection was broken off in the middle of a message.
    BrokenOff,
    /// The server has said nothing for too long.
    Silent,
    /// The connection has failed.
    Failed(io::Error),
    /// A message is said to have so many bytes.
    TooLong(u32),
    /// A message says nothing of what it may say.
    Message(String),
    /// The server has sent a board on which nobody could play.
    Position(PositionError),
}

impl From<io::Error> for ChallengeError {
    /// Of reading and writing.
    fn from(error: io::Error) -> ChallengeError {
        match error.kind() {
            _ if is_end(&error) => ChallengeError::BrokenOff,
            ErrorKind::WouldBlock | ErrorKind::TimedOut => ChallengeError::Silent,
            _ => ChallengeError::Failed(error),
        }
    }
}

impl fmt::Display for ChallengeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ChallengeError::Connect { address, tried, error } => {
                write!(f, "no server answers at {address}")?;
                match tried.as_secs() {
                    0 => write!(f, ": {error}"),
                    seconds => write!(f, ", tried for {seconds} s: {error}"),
                }
            }
            ChallengeError::Closed(None) => {
                f.write_str("the server has closed the connection before the game began")
            }
            ChallengeError::Closed(Some(side)) => write!(
                f,
                "the server has closed the connection without a result: {}, who was to move, has \
                 run out of time or sent what it cannot read",
                colour(*side)
            ),
            ChallengeError::BrokenOff => {
                f.write_str("the connection was broken off in the middle of a message")
            }
            ChallengeError::Silent => f.write_str("the server has said nothing for too long"),
            ChallengeError::Failed(error) => write!(f, "the connection has failed: {error}"),
            ChallengeError::TooLong(bytes) => write!(
                f,
                "the server has sent a message of {bytes} bytes: no state is as long as that"
            ),
            ChallengeError::Message(error) => {
                write!(f, "the server has sent a message that is no state: {error}")
            }
            ChallengeError::Position(error) => {
                write!(f, "the server has sent a board that cannot be played: {error}")
            }
        }
    }
}

impl std::error::Error for ChallengeError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            ChallengeError::Connect { error, .. } | ChallengeError::Failed(error) => Some(error),
            ChallengeError::Position(error) => Some(error),
            _ => None,
        }
    }
}
