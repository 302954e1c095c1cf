use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::{Communicator, CommunicatorError};

/// A communicator that counts the bytes this rank sends to others and the time it waits.
pub(in crate::solve) struct MeteredCommunicator<'a> {
    ranks: &'a dyn Communicator,
    bytes: AtomicU64,
    nanoseconds: AtomicU64,
}

/// What a rank has sent, and how long it has waited.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Traffic {
    /// Bytes sent to other ranks.
    pub bytes: u64,
    /// Time spent in collective calls.
    pub waiting: Duration,
}

impl<'a> MeteredCommunicator<'a> {
    /// Wraps a communicator; all counters are zero.
    pub(in crate::solve) fn new(ranks: &'a dyn Communicator) -> MeteredCommunicator<'a> {
        MeteredCommunicator { ranks, bytes: AtomicU64::new(0), nanoseconds: AtomicU64::new(0) }
    }
}

impl Communicator for MeteredCommunicator<'_> {
    fn rank(&self) -> usize {
        self.ranks.rank()
    }

    fn size(&self) -> usize {
        self.ranks.size()
    }

    fn all_to_all(&self, bytes: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, CommunicatorError> {
        let others = bytes.iter().enumerate().filter(|(rank, _)| *rank != self.rank());
        let given: u64 = others.map(|(_, bytes)| bytes.len() as u64).sum();
        let begun = Instant::now();
        let taken = self.ranks.all_to_all(bytes);
        self.bytes.fetch_add(given, Ordering::Relaxed);
        self.nanoseconds.fetch_add(begun.elapsed().as_nanos() as u64, Ordering::Relaxed);
        taken
    }

    fn traffic(&self) -> Traffic {
        Traffic {
            bytes: self.bytes.load(Ordering::Relaxed),
            waiting: Duration::from_nanos(self.nanoseconds.load(Ordering::Relaxed)),
        }
    }
}
