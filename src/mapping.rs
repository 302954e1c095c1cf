//! Files mapped into memory, which takes `unsafe` code.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use memmap2::{Mmap, MmapMut, MmapOptions};

/// In which order the bytes of a mapped file will be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Access {
    /// Here and there: the system is not to read ahead.
    Random,
    /// From front to back: the system is to read well ahead.
    Sequential,
}

/// Maps a file into memory, read-only.
///
/// # Errors
/// If the file cannot be opened or mapped, or is none: a folder, or a pipe that
/// nobody may ever write to.
#[allow(unsafe_code)]
pub(crate) fn map_file(path: &Path, access: Access) -> io::Result<Mmap> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is not a file"));
    }
    let file = File::open(path)?;
    // SAFETY: the bytes must not change, nor the file be cut short, while the
    // map lives. Files mapped here are immutable by contract: they get their
    // name by a rename when they are complete, and a new one replaces the name,
    // never the bytes. The contract and what happens when another process
    // breaks it are in the documentation of `table`.
    let map = unsafe { Mmap::map(&file)? };
    #[cfg(unix)]
    map.advise(match access {
        Access::Random => memmap2::Advice::Random,
        Access::Sequential => memmap2::Advice::Sequential,
    })?;
    #[cfg(not(unix))]
    let _ = access;
    Ok(map)
}

/// Maps a range of a file of this process's own into memory, to be read and
/// written.
///
/// # Errors
/// If the system refuses.
#[allow(unsafe_code)]
pub(crate) fn map_range(file: &File, start: u64, bytes: usize) -> io::Result<MmapMut> {
    // SAFETY: the bytes must not change but through this map, nor the file be
    // cut short. Only scratch tables are mapped here: files of their full length
    // in a folder that a build has locked for itself, and that borrow rules
    // protect like the memory they stand for (see `retrograde::table`).
    unsafe { MmapOptions::new().offset(start).len(bytes).map_mut(file) }
}
