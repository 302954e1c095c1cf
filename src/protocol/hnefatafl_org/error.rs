use std::fmt;
use std::io;
use std::time::Duration;

/// Why a game was not finished.
#[derive(Debug)]
#[non_exhaustive]
pub enum ServerError {
    /// The server cannot be reached.
    Connect {
        /// Address of the server.
        address: String,
        /// Error of the last attempt.
        error: io::Error,
    },
    /// The connection was lost, for this reason.
    Lost(String),
    /// The server refuses the login, for this reason.
    Login(String),
    /// The server speaks another version of its protocol.
    OtherVersion,
    /// The server refuses a command.
    Refused {
        /// The command.
        command: String,
        /// The server's reason.
        reason: String,
    },
    /// A message cannot be parsed or does not fit the game.
    InvalidMessage(String),
    /// Nobody has accepted or made a challenge within this time.
    NoOpponent(Duration),
    /// The free side of the game, or our side of it, is the other one.
    OtherSide,
    /// The server does not know the game: it is over, or has never been.
    UnknownGame,
    /// There is no engine for the game, for this reason.
    Engine(String),
}

impl fmt::Display for ServerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ServerError::Connect { address, error } => {
                write!(f, "cannot connect to {address}: {error}")
            }
            ServerError::Lost(reason) => write!(f, "the connection was lost: {reason}"),
            ServerError::Login(reason) => {
                write!(f, "the server refuses the login: {}", reason.replace('_', " "))
            }
            ServerError::OtherVersion => f.write_str(
                "the server speaks another version of its protocol than hnefatafl-copenhagen 6.4.1",
            ),
            ServerError::Refused { command, reason } => {
                write!(f, "the server refuses {command}: {reason}")
            }
            ServerError::InvalidMessage(reason) => {
                write!(f, "the server has sent an invalid message: {reason}")
            }
            ServerError::NoOpponent(patience) => {
                write!(f, "no opponent has come within {} s", patience.as_secs_f64())
            }
            ServerError::OtherSide => {
                f.write_str("that game leaves us the other side: name the other role")
            }
            ServerError::UnknownGame => f.write_str(
                "the server does not know this game: it is over or has never been, and the server \
                 does not say how it ended",
            ),
            ServerError::Engine(reason) => f.write_str(reason),
        }
    }
}

impl std::error::Error for ServerError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            ServerError::Connect { error, .. } => Some(error),
            _ => None,
        }
    }
}
