//! Files that many threads read and write at once, each from a place of its own.

use std::fs::File;
use std::io;

/// Fills `bytes` from that place of the file on.
///
/// # Errors
/// If they cannot be read, or are not all there.
#[cfg(unix)]
pub(crate) fn read_at(file: &File, bytes: &mut [u8], start: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, start)
}

/// Writes `bytes` from that place of the file on.
///
/// # Errors
/// If the disk fails or is full.
#[cfg(all(unix, feature = "build"))]
pub(crate) fn write_at(file: &File, bytes: &[u8], start: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, start)
}

/// Fills `bytes` from that place of the file on.
///
/// # Errors
/// If they cannot be read, or are not all there.
#[cfg(windows)]
pub(crate) fn read_at(file: &File, mut bytes: &mut [u8], mut start: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, bytes, start)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            read => {
                bytes = &mut bytes[read..];
                start += read as u64;
            }
        }
    }
    Ok(())
}

/// Writes `bytes` from that place of the file on.
///
/// # Errors
/// If the disk fails or is full.
#[cfg(all(windows, feature = "build"))]
pub(crate) fn write_at(file: &File, mut bytes: &[u8], mut start: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_write(file, bytes, start)? {
            0 => return Err(io::ErrorKind::WriteZero.into()),
            written => {
                bytes = &bytes[written..];
                start += written as u64;
            }
        }
    }
    Ok(())
}
