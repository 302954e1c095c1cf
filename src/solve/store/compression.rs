//! Decides when records are compressed.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::system::filesystem::FileSystem;

/// The maximum number of bytes written between two queries of the free disk space: other programs
/// may write to the disk, too.
const MAX_QUERY_BYTES: u64 = 64 << 20;

/// The minimum number of bytes written between two queries.
const MIN_QUERY_BYTES: u64 = 64 << 10;

/// When scratch files are compressed. Compression takes time and shrinks them to a third or less.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Compression {
    /// Compress everything.
    pub always: bool,
    /// Otherwise, compress while at most that much disk space is free. It is reserved for the rest
    /// of the work.
    pub reserve_bytes: u64,
    /// The number of ranks that write to the disk.
    pub writers: usize,
}

#[cfg(test)]
impl Compression {
    pub(crate) const ALWAYS: Compression =
        Compression { always: true, reserve_bytes: 0, writers: 1 };
}

/// Decides by the free disk space which records are compressed.
#[derive(Debug)]
pub(super) struct CompressionPolicy {
    files: Arc<dyn FileSystem>,
    folder: PathBuf,
    compression: Compression,
    /// The disk was full once: all records are compressed from then on.
    was_full: AtomicBool,
    is_short: AtomicBool,
    /// Bytes to be written before the next query of the disk.
    until_query: AtomicU64,
}

impl CompressionPolicy {
    pub(super) fn new(
        files: Arc<dyn FileSystem>,
        folder: PathBuf,
        compression: Compression,
    ) -> CompressionPolicy {
        let (was_full, is_short) = (AtomicBool::new(false), AtomicBool::new(false));
        CompressionPolicy {
            files,
            folder,
            compression,
            was_full,
            is_short,
            until_query: AtomicU64::new(0),
        }
    }

    /// Returns `true` if the next record, of `bytes` bytes, should be compressed.
    pub(super) fn should_compress(&self, bytes: usize) -> bool {
        if self.compresses_all() {
            return true;
        }
        let bytes = bytes as u64;
        let left = self.until_query.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
            Some(left.saturating_sub(bytes))
        });
        if left.is_ok_and(|left| left <= bytes) {
            self.query_disk();
        }
        self.is_short.load(Ordering::Relaxed)
    }

    /// Queries the free disk space. The less is free, the sooner the next query: after half of what
    /// all writers together may write uncompressed.
    fn query_disk(&self) {
        let spare = self.spare();
        let writers = self.compression.writers.max(1) as u64;
        let until_query = (spare / 2 / writers).clamp(MIN_QUERY_BYTES, MAX_QUERY_BYTES);
        self.until_query.store(until_query, Ordering::Relaxed);
        self.is_short.store(spare < writers * MIN_QUERY_BYTES, Ordering::Relaxed);
    }

    /// Returns the free disk space beyond the reserve.
    fn spare(&self) -> u64 {
        // Where the system does not report free space, writing will find out.
        let available = self.files.available(&self.folder).unwrap_or(u64::MAX);
        available.saturating_sub(self.compression.reserve_bytes)
    }

    /// Returns `true` if only the reserve is free.
    pub(super) fn is_at_reserve(&self) -> bool {
        self.spare() == 0
    }

    /// Returns `true` if everything is compressed, whatever is free.
    fn compresses_all(&self) -> bool {
        self.compression.always || self.was_full.load(Ordering::Relaxed)
    }

    /// Records that the disk is full, so that everything is compressed from now on. Returns `false`
    /// if everything was compressed before.
    pub(super) fn mark_full(&self) -> bool {
        let compressed_all = self.compresses_all();
        self.was_full.store(true, Ordering::Relaxed);
        !compressed_all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::filesystem::faulty::{Fault, FaultyFiles, NEVER};

    const RECORD: u64 = 100 << 10;
    const RESERVE: u64 = 20 << 20;

    /// A policy on a disk with `spare` bytes free beyond the reserve, and the disk.
    fn policy(spare: u64, writers: usize) -> (CompressionPolicy, FaultyFiles, tempfile::TempDir) {
        let root = tempfile::tempdir().unwrap();
        let files = FaultyFiles::new(root.path(), Fault::Fail, NEVER, 0).full(RESERVE + spare);
        let compression = Compression { always: false, reserve_bytes: RESERVE, writers };
        let policy =
            CompressionPolicy::new(Arc::new(files.clone()), root.path().to_owned(), compression);
        (policy, files, root)
    }

    /// Counts the next records, up to the first with another decision.
    fn count_next(policy: &CompressionPolicy, packed: bool) -> u64 {
        (0..1000).take_while(|_| policy.should_compress(RECORD as usize) == packed).count() as u64
    }

    #[test]
    fn records_are_compressed_while_the_disk_is_short() {
        let (policy, files, _root) = policy(1 << 40, 1);
        assert!(count_next(&policy, false) == 1000 && !policy.is_at_reserve());
        // Another program fills the disk, or frees it.
        let files = files.full(RESERVE);
        assert!(policy.is_at_reserve() && count_next(&policy, false) <= MAX_QUERY_BYTES / RECORD);
        files.full(1 << 40);
        assert!(count_next(&policy, true) <= 1 && count_next(&policy, false) == 1000);
        assert!(policy.mark_full() && count_next(&policy, true) == 1000 && !policy.mark_full());
    }

    #[test]
    fn the_reserve_is_left_on_small_disks() {
        for (spare, writers) in [(0, 1), (RECORD, 2), (5 << 20, 1), (70 << 20, 1), (70 << 20, 3)] {
            let (policy, files, _root) = policy(spare, writers);
            let mut left = spare;
            // All writers write at the same time.
            while left > 0 && !policy.should_compress(RECORD as usize) {
                left = left.saturating_sub(writers as u64 * RECORD);
                files.clone().full(RESERVE + left);
            }
            let max_left = writers as u64 * (RECORD + MIN_QUERY_BYTES);
            assert!(policy.should_compress(RECORD as usize), "{spare}");
            assert!(left <= max_left, "{left} of {spare} bytes are left");
        }
    }
}
