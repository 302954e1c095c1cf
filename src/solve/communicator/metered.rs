use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::{Communicator, CommunicatorError};

/// A communicator that counts the bytes this rank sends to others and the time it waits.
pub(in crate::solve) struct MeteredCommunicator<'a> {
    comm: &'a dyn Communicator,
    bytes: AtomicU64,
    nanoseconds: AtomicU64,
}

/// The communication of a rank: bytes sent and time waited.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Traffic {
    /// Bytes sent to other ranks.
    pub bytes: u64,
    /// Time spent in collective calls.
    pub waiting: Duration,
}

impl<'a> MeteredCommunicator<'a> {
    /// Wraps a communicator; all counters are zero.
    pub(in crate::solve) fn new(comm: &'a dyn Communicator) -> MeteredCommunicator<'a> {
        MeteredCommunicator { comm, bytes: AtomicU64::new(0), nanoseconds: AtomicU64::new(0) }
    }
}

impl Communicator for MeteredCommunicator<'_> {
    fn rank(&self) -> usize {
        self.comm.rank()
    }

    fn size(&self) -> usize {
        self.comm.size()
    }

    fn all_to_all(&self, bytes: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, CommunicatorError> {
        let others = bytes.iter().enumerate().filter(|(rank, _)| *rank != self.rank());
        let sent: u64 = others.map(|(_, bytes)| bytes.len() as u64).sum();
        let started = Instant::now();
        let received = self.comm.all_to_all(bytes);
        self.bytes.fetch_add(sent, Ordering::Relaxed);
        self.nanoseconds.fetch_add(started.elapsed().as_nanos() as u64, Ordering::Relaxed);
        received
    }

    fn traffic(&self) -> Traffic {
        Traffic {
            bytes: self.bytes.load(Ordering::Relaxed),
            waiting: Duration::from_nanos(self.nanoseconds.load(Ordering::Relaxed)),
        }
    }
}
