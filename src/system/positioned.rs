//! Positioned reads and writes, for files that many threads use at once.

use std::fs::File;
use std::io;

/// Fills `bytes` from the file, starting at offset `start`.
///
/// # Errors
/// If reading fails, or the file ends before `bytes` is full.
#[cfg(unix)]
pub(crate) fn read_at(file: &File, bytes: &mut [u8], start: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, start)
}

/// Writes `bytes` to the file, starting at offset `start`.
///
/// # Errors
/// If the disk fails or is full.
#[cfg(all(unix, feature = "build"))]
pub(crate) fn write_at(file: &File, bytes: &[u8], start: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, start)
}

/// Fills `bytes` from the file, starting at offset `start`.
///
/// # Errors
/// If reading fails, or the file ends before `bytes` is full.
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

/// Writes `bytes` to the file, starting at offset `start`.
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
