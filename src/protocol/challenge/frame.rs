//! Message framing: the length as four bytes, big-endian, then that many bytes of UTF-8.

use std::io::{ErrorKind, Read, Write};

use super::error::{ChallengeError, is_disconnect};

/// Maximum length of a message; a state takes about 1,000 bytes.
pub const MAX_BYTES: usize = 64 << 10;

/// Reads a message, or returns `None` if the connection was closed between two messages.
///
/// # Errors
/// If the connection fails or times out, or a message is longer than [`MAX_BYTES`] or not
/// UTF-8.
pub fn read(stream: &mut impl Read) -> Result<Option<String>, ChallengeError> {
    let mut prefix = [0; 4];
    // Read the first byte alone: an end of the stream before it is not an error, one after it is.
    loop {
        match stream.read(&mut prefix[..1]) {
            Ok(0) => return Ok(None),
            Ok(_) => break,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) if is_disconnect(&error) => return Ok(None),
            Err(error) => return Err(error.into()),
        }
    }
    stream.read_exact(&mut prefix[1..])?;
    let length = u32::from_be_bytes(prefix);
    let bytes = usize::try_from(length).unwrap_or(usize::MAX);
    if bytes > MAX_BYTES {
        return Err(ChallengeError::TooLong(length));
    }
    let mut text = vec![0; bytes];
    stream.read_exact(&mut text)?;
    match String::from_utf8(text) {
        Ok(text) => Ok(Some(text)),
        Err(_) => Err(ChallengeError::InvalidMessage("it is not UTF-8".to_owned())),
    }
}

/// Writes a message.
///
/// # Errors
/// If the connection fails.
pub fn write(stream: &mut impl Write, text: &str) -> Result<(), ChallengeError> {
    let length = u32::try_from(text.len()).map_err(|_| ChallengeError::TooLong(u32::MAX))?;
    // A single write, so that it is not sent as two packets.
    let mut frame = length.to_be_bytes().to_vec();
    frame.extend_from_slice(text.as_bytes());
    stream.write_all(&frame)?;
    Ok(stream.flush()?)
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    /// Reads one byte at a time.
    struct ByteByByte<'a>(&'a [u8]);

    impl Read for ByteByByte<'_> {
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
        let mut bytewise = ByteByByte(&wire);
        for text in ["\"taflbase\"", "", "é"] {
            assert_eq!(read(&mut whole).unwrap().as_deref(), Some(text));
            assert_eq!(read(&mut bytewise).unwrap().as_deref(), Some(text));
        }
        assert_eq!(read(&mut whole).unwrap(), None);
        assert_eq!(read(&mut bytewise).unwrap(), None);
    }

    #[test]
    fn broken_messages_are_distinguished() {
        for (wire, message) in [
            (&[0][..], "in the middle"),
            (&[0, 0, 0], "in the middle"),
            (&[0, 0, 0, 3, b'"', b'a'], "in the middle"),
            (&[255, 255, 255, 255, b'x'], "4294967295 bytes"),
            (&[0, 1, 0, 1], "65537 bytes"),
            (&[0, 0, 0, 1, 200], "not UTF-8"),
        ] {
            let error = read(&mut &wire[..]).unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
    }
}
