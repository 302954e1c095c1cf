//! Whether there is room for records as they are.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// After how many bytes the disk is asked again how much of it is free: others may write
/// to it, too.
const ASKED_EVERY: u64 = 64 << 20;

/// Decides which records are compressed: those that come while less than so many bytes
/// of the disk are free.
#[derive(Debug)]
pub(super) struct Room {
    wanted: u64,
    /// Since the disk was asked, and what it said.
    bytes: AtomicU64,
    is_short: AtomicBool,
}

impl Room {
    pub(super) fn new(wanted: u64) -> Room {
        let (bytes, is_short) = (ASKED_EVERY.into(), AtomicBool::new(wanted == u64::MAX));
        Room { wanted, bytes, is_short }
    }

    /// Whether the next record, of so many bytes, is to be compressed; `available` asks the
    /// disk.
    pub(super) fn is_short(
        &self,
        bytes: usize,
        available: impl FnOnce() -> io::Result<u64>,
    ) -> bool {
        let before = self.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
        if self.wanted < u64::MAX && before.saturating_add(bytes as u64) >= ASKED_EVERY {
            self.bytes.store(0, Ordering::Relaxed);
            // Where the system does not say, the work itself will find out.
            let available = available().unwrap_or(u64::MAX);
            self.is_short.store(available < self.wanted, Ordering::Relaxed);
        }
        self.is_short.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_compressed_while_the_disk_is_short() {
        const RECORD: usize = 1 << 20;
        let free = AtomicU64::new(1 << 30);
        let room = Room::new(1 << 30);
        let is_short = || room.is_short(RECORD, || Ok(free.load(Ordering::Relaxed)));
        let after = ASKED_EVERY as usize / RECORD;
        assert!(!is_short());
        // Whoever else fills the disk: it is seen within so many bytes.
        free.fetch_sub(1, Ordering::Relaxed);
        assert_eq!((0..).take_while(|_| !is_short()).count(), after - 1);
        free.fetch_add(1, Ordering::Relaxed);
        assert_eq!((0..).take_while(|_| is_short()).count(), after - 1);
        assert!(Room::new(u64::MAX).is_short(0, || Ok(u64::MAX)));
        assert!(!Room::new(1).is_short(RECORD, || Err(io::ErrorKind::Unsupported.into())));
    }
}
