//! Files mapped into memory, and memory in large pages, which take `unsafe` code.

use std::fs::File;
use std::io;
use std::ops::Deref;
use std::sync::atomic::AtomicU64;

use memmap2::{Mmap, MmapMut, MmapRaw};

/// Maps a file into memory, read-only, to be read here and there.
///
/// # Errors
/// If the system refuses.
#[allow(unsafe_code)]
pub(crate) fn map_file(file: &File) -> io::Result<Mmap> {
    // SAFETY: the bytes must not change, nor the file be cut short, while the
    // map lives. Files mapped here are immutable by contract: they get their
    // name by a rename when they are complete, and a new one replaces the name,
    // never the bytes. The contract and what happens when another process
    // breaks it are in the documentation of `table`.
    let map = unsafe { Mmap::map(file)? };
    // The system is not to read ahead; it may, too.
    #[cfg(unix)]
    let _ = map.advise(memmap2::Advice::Random);
    Ok(map)
}

/// Memory of zeros that threads share, in large pages where the system has them:
/// who reads here and there in much memory waits as long for the tables of small
/// pages as for the memory itself.
pub(crate) struct Words(MmapRaw);

impl Words {
    /// So many words.
    ///
    /// # Errors
    /// If the system refuses.
    pub(crate) fn new(words: usize) -> io::Result<Words> {
        let map = MmapRaw::from(MmapMut::map_anon(words * size_of::<AtomicU64>())?);
        // Small pages will do, too.
        #[cfg(target_os = "linux")]
        let _ = map.advise(memmap2::Advice::HugePage);
        Ok(Words(map))
    }
}

impl Deref for Words {
    type Target = [AtomicU64];

    #[inline]
    #[allow(unsafe_code)]
    fn deref(&self) -> &[AtomicU64] {
        let words = self.0.len() / size_of::<AtomicU64>();
        // SAFETY: the map is aligned to a page, holds that many words, lives as long
        // as `self`, and is the memory of nobody else; all bytes make atomic words,
        // and nobody gets at them but through these.
        unsafe { std::slice::from_raw_parts(self.0.as_mut_ptr().cast(), words) }
    }
}
