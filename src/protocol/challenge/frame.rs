//! Messages on the wire: a length of four bytes, the most significant first, and so
//! many bytes of UTF-8.

use std::io::{self, ErrorKind, Read, Write};

use super::ChallengeError;

/// No message of this protocol comes near it: a state takes about a thousand bytes.
pub const LONGEST: usize = 64 << 10;

/// Reads one message, however it was cut up on its way. There is none where the
/// connection was closed between two messages.
///
/// # Errors
/// If the connection breaks or is silent for too long, if a message is longer than
/// [`LONGEST`], or if it is no text.
pub fn read(stream: &mut impl Read) -> Result<Option<String>, ChallengeError> {
    let mut length = [0; 4];
    // The first byte tells an end from a break.
    loop {
        match stream.read(&mut length[..1]) {
            Ok(0) => return Ok(None),
            Ok(_) => break,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) if is_end(&error) => return Ok(None),
            Err(error) => return Err(error.into()),
        }
    }
    stream.read_exact(&mut length[1..])?;
    let length = u32::from_be_bytes(length);
    let bytes = usize::try_from(length).unwrap_or(usize::MAX);
    if bytes > LONGEST {
        return Err(ChallengeError::TooLong(length));
    }
    let mut text = vec![0; bytes];
    stream.read_exact(&mut text)?;
    match String::from_utf8(text) {
        Ok(text) => Ok(Some(text)),
        Err(_) => Err(ChallengeError::Message("it is not UTF-8".to_owned())),
    }
}

/// Writes one message.
///
/// # Errors
/// If the connection breaks.
pub fn write(stream: &mut impl Write, text: &str) -> Result<(), ChallengeError> {
    let length = u32::try_from(text.len()).map_err(|_| ChallengeError::TooLong(u32::MAX))?;
    // In one piece, so that it is not sent as two.
    let mut frame = length.to_be_bytes().to_vec();
    frame.extend_from_slice(text.as_bytes());
    stream.write_all(&frame)?;
    Ok(stream.flush()?)
}

/// Whether the other side has closed the connection, in one way or another.
pub(super) fn is_end(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::UnexpectedEof
            | ErrorKind::ConnectionReset
            | ErrorKind::ConnectionAborted
            | ErrorKind::BrokenPipe
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives one byte at a time.
    struct Slowly<'a>(&'a [u8]);

    impl Read for Slowly<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let few = buffer.len().min(1);
            self.0.read(&mut buffer[..few])
        }
    }

    #[test]
    fn messages_go_through_in_any_pieces() {
        let mut wire = Vec::new();
        for text in ["\"taflbase\"", "", "é"] {
            write(&mut wire, text).unwrap();
        }
        assert_eq!(wire[..6], [0, 0, 0, 10, b'"', b't']);
        let mut whole = &wire[..];
        let mut slowly = Slowly(&wire);
        for text in ["\"taflbase\"", "", "é"] {
            assert_eq!(read(&mut whole).unwrap().as_deref(), Some(text));
            assert_eq!(read(&mut slowly).unwrap().as_deref(), Some(text));
        }
        assert_eq!(read(&mut whole).unwrap(), None);
        assert_eq!(read(&mut slowly).unwrap(), None);
    }

    #[test]
    fn broken_messages_are_told_apart() {
        for (wire, message) in [
            (&[0][..], "broken off"),
            (&[0, 0, 0], "broken off"),
            (&[0, 0, 0, 3, b'"', b'a'], "broken off"),
            (&[255, 255, 255, 255, b'x'], "4294967295 bytes"),
            (&[0, 1, 0, 1], "65537 bytes"),
            (&[0, 0, 0, 1, 200], "not UTF-8"),
        ] {
            let error = read(&mut &wire[..]).unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
    }
}
