//! Memory-mapped files and huge-page memory: the `unsafe` code of mapping.

use std::fs::File;
use std::io;
use std::ops::Deref;
use std::sync::atomic::AtomicU64;

use memmap2::{Mmap, MmapMut, MmapRaw};

/// Maps a file into memory, read-only, for random access.
///
/// # Errors
/// If the system refuses.
#[allow(unsafe_code)]
pub(crate) fn map_file(file: &File) -> io::Result<Mmap> {
    // SAFETY: the bytes must not change, nor the file be truncated, while the map lives.
    // Files mapped here are immutable by contract: a writer renames a complete file into place and
    // replaces the name, never the bytes. The documentation of `table` states the contract and
    // what happens when another process breaks it.
    let map = unsafe { Mmap::map(file)? };
    // Read-ahead would be wasted. The advice may fail without harm.
    #[cfg(unix)]
    let _ = map.advise(memmap2::Advice::Random);
    Ok(map)
}

/// Zeroed memory shared between threads, in huge pages where available: random access to a large
/// area of small pages spends as much time on page-table walks as on the memory itself.
pub(crate) struct AtomicWords(MmapRaw);

impl AtomicWords {
    /// Allocates `words` zeroed words.
    ///
    /// # Errors
    /// If the system refuses.
    pub(crate) fn new(words: usize) -> io::Result<AtomicWords> {
        let map = MmapRaw::from(MmapMut::map_anon(words * size_of::<AtomicU64>())?);
        // Small pages work as well, only slower.
        #[cfg(target_os = "linux")]
        let _ = map.advise(memmap2::Advice::HugePage);
        Ok(AtomicWords(map))
    }
}

impl Deref for AtomicWords {
    type Target = [AtomicU64];

    #[inline]
    #[allow(unsafe_code)]
    fn deref(&self) -> &[AtomicU64] {
        let words = self.0.len() / size_of::<AtomicU64>();
        // SAFETY: the map is page-aligned, holds that many words, lives as long as `self` and is
        // aliased by nothing else; every bit pattern is a valid atomic word, and all access goes
        // through these atomics.
        unsafe { std::slice::from_raw_parts(self.0.as_mut_ptr().cast(), words) }
    }
}
