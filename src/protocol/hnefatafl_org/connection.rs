use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use super::error::ServerError;
use super::message::Message;

/// The maximum length of a line. The server sends all accounts and games in one.
const MAX_LINE_BYTES: u64 = 64 << 20;
/// The silence after which the server is asked for a sign of life.
const QUIET: Duration = Duration::from_secs(30);

/// A connection to the server.
pub(super) struct Connection {
    stream: TcpStream,
    reader: BufReader<TcpStream>,
    /// The beginning of a line whose rest has not arrived yet.
    partial: Vec<u8>,
    /// When the last line arrived.
    last_heard: Instant,
    /// Whether the server has been asked for a sign of life since.
    is_asked: bool,
}

fn lost(error: &io::Error) -> ServerError {
    ServerError::Lost(error.to_string())
}

impl Connection {
    pub(super) fn new(stream: TcpStream) -> Result<Connection, ServerError> {
        stream.set_write_timeout(Some(QUIET)).map_err(|error| lost(&error))?;
        let reader = BufReader::new(stream.try_clone().map_err(|error| lost(&error))?);
        let (partial, last_heard) = (Vec::new(), Instant::now());
        Ok(Connection { stream, reader, partial, last_heard, is_asked: false })
    }

    /// Sends a line.
    pub(super) fn send(&mut self, line: &str) -> Result<(), ServerError> {
        self.stream.write_all(format!("{line}\n").as_bytes()).map_err(|error| lost(&error))
    }

    /// Waits for the next message, at most for `time_limit`; `None` if there is none by then.
    pub(super) fn receive(&mut self, time_limit: Duration) -> Result<Option<Message>, ServerError> {
        let deadline = Instant::now() + time_limit;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(None);
            }
            match self.read_line(left.min(QUIET))? {
                Some(line) => {
                    (self.last_heard, self.is_asked) = (Instant::now(), false);
                    return Message::parse(&line).map(Some).map_err(ServerError::InvalidMessage);
                }
                None if self.last_heard.elapsed() < QUIET => {}
                None if self.is_asked && self.last_heard.elapsed() >= 2 * QUIET => {
                    return Err(ServerError::Lost("the server is silent".to_owned()));
                }
                None if self.is_asked => {}
                None => {
                    self.send("ping")?;
                    self.is_asked = true;
                }
            }
        }
    }

    /// Reads a line; `None` if it is not complete in time.
    fn read_line(&mut self, time_limit: Duration) -> Result<Option<String>, ServerError> {
        self.stream.set_read_timeout(Some(time_limit)).map_err(|error| lost(&error))?;
        let room = MAX_LINE_BYTES.saturating_sub(self.partial.len() as u64);
        let read = self.reader.by_ref().take(room).read_until(b'\n', &mut self.partial);
        match read {
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                return Ok(None);
            }
            Err(error) => return Err(lost(&error)),
            Ok(_) if self.partial.ends_with(b"\n") => {}
            Ok(_) if self.partial.len() as u64 >= MAX_LINE_BYTES => {
                return Err(ServerError::InvalidMessage("a line without an end".to_owned()));
            }
            Ok(_) => return Err(ServerError::Lost("the server has closed it".to_owned())),
        }
        let line = String::from_utf8(std::mem::take(&mut self.partial));
        let text = line.map_err(|_| ServerError::InvalidMessage("it is not UTF-8".to_owned()))?;
        Ok(Some(text.trim_end_matches(['\r', '\n']).to_owned()))
    }
}
