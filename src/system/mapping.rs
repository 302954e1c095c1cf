//! Memory-mapped files and huge-page memory: the `unsafe` code of mapping.

use std::fs::File;
use std::io;
use std::ops::Deref;
use std::sync::atomic::AtomicU64;

use memmap2::{Mmap, MmapMut, MmapRaw};

/// The order in which a mapped file is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ReadOrder {
    /// Anywhere: the system reads no page but the one that is needed.
    Random,
    /// From one end to the other: the system reads ahead.
    Sequential,
}

/// Maps a file into memory, read-only.
///
/// # Errors
/// If the system refuses.
#[allow(unsafe_code)]
pub(crate) fn map_file(file: &File, order: ReadOrder) -> io::Result<Mmap> {
    // SAFETY: the bytes must not change, nor the file be truncated, while the map lives.
    // Files mapped here are immutable by contract: a writer renames a complete file into place and
    // replaces the name, never the bytes. The documentation of `table` states the contract and
    // what happens when another process breaks it.
    let map = unsafe { Mmap::map(file)? };
    // The advice may fail without harm.
    #[cfg(unix)]
    let _ = map.advise(match order {
        ReadOrder::Random => memmap2::Advice::Random,
        ReadOrder::Sequential => memmap2::Advice::Sequential,
    });
    Ok(map)
}

/// Starts to read a part of a map that is needed next. In a map for random access, the program would
/// otherwise wait for each of its pages in turn. Takes some microseconds even if it has been read.
#[cfg_attr(not(unix), allow(unused_variables))]
pub(crate) fn read_ahead(map: &Mmap, start: usize, length: usize) {
    // As above.
    #[cfg(unix)]
    let _ = map.advise_range(memmap2::Advice::WillNeed, start, length);
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
