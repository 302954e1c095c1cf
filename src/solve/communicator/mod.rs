//! Communication between the processes or threads of a build. Each is a *rank* with some partitions
//! of the rows; at some points all of them exchange data.

mod metered;
#[cfg(feature = "mpi")]
mod mpi;
mod single_process;
mod threads;

pub(super) use metered::MeteredCommunicator;
pub use metered::Traffic;
#[cfg(feature = "mpi")]
pub use mpi::Mpi;
pub use single_process::SingleProcess;
#[cfg(test)]
pub(super) use threads::on_each_rank;
pub use threads::{ThreadRank, thread_ranks};

use std::fmt;
use std::ops::Range;

/// The approximate number of bytes that a rank sends or receives per round. They must be fewer than
/// 2^31 and fit into memory beside the tables.
pub(super) const ROUND_BYTES: usize = 64 << 20;

/// A group of ranks. All of them call the same methods in the same order.
pub trait Communicator: Sync {
    /// Returns the number of this rank, from 0.
    fn rank(&self) -> usize;

    /// Returns the number of ranks.
    fn size(&self) -> usize;

    /// Sends `bytes[i]` to rank `i`; returns the bytes received from each rank. The bytes that a
    /// rank sends or receives in a call must be fewer than 2^31.
    ///
    /// # Errors
    /// If a rank has stopped.
    fn all_to_all(&self, bytes: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, CommunicatorError>;

    /// Returns the traffic of this rank, if it is counted.
    fn traffic(&self) -> Traffic {
        Traffic::default()
    }

    /// Sends the same bytes to all ranks; returns the bytes of each rank.
    ///
    /// # Errors
    /// If a rank has stopped.
    fn all_gather(&self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, CommunicatorError> {
        self.all_to_all(vec![bytes.to_vec(); self.size()])
    }

    /// Sends any number of bytes to the first rank, which receives those of all ranks; the others
    /// receive nothing.
    ///
    /// # Errors
    /// If a rank has stopped.
    fn gather(&self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, CommunicatorError> {
        in_rounds(self, bytes, |piece| {
            let mut by_rank = vec![Vec::new(); self.size()];
            by_rank[0] = piece.to_vec();
            by_rank
        })
    }

    /// Returns the first rank's bytes, any number of them; those of other ranks are ignored.
    ///
    /// # Errors
    /// If a rank has stopped.
    fn broadcast(&self, bytes: &[u8]) -> Result<Vec<u8>, CommunicatorError> {
        let own = if self.rank() == 0 { bytes } else { &[] };
        let received = in_rounds(self, own, |piece| vec![piece.to_vec(); self.size()])?;
        Ok(received.into_iter().next().unwrap_or_default())
    }

    /// Sends any number of integers to the first rank; the others receive nothing.
    ///
    /// # Errors
    /// If a rank has stopped.
    fn gather_numbers(&self, own: &[u64]) -> Result<Vec<Vec<u64>>, CommunicatorError> {
        let own_bytes: Vec<u8> = own.iter().flat_map(|number| number.to_le_bytes()).collect();
        let gathered = self.gather(&own_bytes)?.into_iter();
        Ok(gathered
            .map(|bytes| bytes.as_chunks().0.iter().map(|&word| u64::from_le_bytes(word)).collect())
            .collect())
    }

    /// Returns the number that each rank has passed.
    ///
    /// # Errors
    /// If a rank has stopped.
    fn all_gather_numbers(&self, own: u64) -> Result<Vec<u64>, CommunicatorError> {
        let all = self.all_gather(&own.to_le_bytes())?;
        all.iter()
            .map(|bytes| {
                bytes[..].try_into().map(u64::from_le_bytes).map_err(|_| CommunicatorError)
            })
            .collect()
    }

    /// Returns the sum over all ranks.
    ///
    /// # Errors
    /// If a rank has stopped.
    fn sum(&self, own: u64) -> Result<u64, CommunicatorError> {
        Ok(self.all_gather_numbers(own)?.into_iter().sum())
    }

    /// Returns the minimum over all ranks.
    ///
    /// # Errors
    /// If a rank has stopped.
    fn min(&self, own: u64) -> Result<u64, CommunicatorError> {
        Ok(self.all_gather_numbers(own)?.into_iter().min().unwrap_or(own))
    }

    /// Returns the maximum over all ranks.
    ///
    /// # Errors
    /// If a rank has stopped.
    fn max(&self, own: u64) -> Result<u64, CommunicatorError> {
        Ok(self.all_gather_numbers(own)?.into_iter().max().unwrap_or(own))
    }

    /// Waits until all ranks have called this.
    ///
    /// # Errors
    /// If a rank has stopped.
    fn barrier(&self) -> Result<(), CommunicatorError> {
        self.all_gather(&[]).map(|_| ())
    }
}

/// Sends any number of bytes in rounds: `address` returns the bytes of a piece for each rank.
/// Returns the bytes received from each rank.
fn in_rounds<C: Communicator + ?Sized>(
    comm: &C,
    bytes: &[u8],
    address: impl Fn(&[u8]) -> Vec<Vec<u8>>,
) -> Result<Vec<Vec<u8>>, CommunicatorError> {
    let max_piece = ROUND_BYTES / comm.size();
    let rounds = comm.max(bytes.len().div_ceil(max_piece) as u64)?;
    let mut received = vec![Vec::new(); comm.size()];
    let mut pieces = bytes.chunks(max_piece);
    for _ in 0..rounds {
        let round = comm.all_to_all(address(pieces.next().unwrap_or_default()))?;
        for (all, new) in received.iter_mut().zip(round) {
            all.extend(new);
        }
    }
    Ok(received)
}

/// Divides `0..count` into nearly equal ranges; returns one of them.
pub(super) fn even_split(count: usize, index: usize, parts: usize) -> Range<usize> {
    index * count / parts..(index + 1) * count / parts
}

/// Another rank has stopped; it reports the reason itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CommunicatorError;

impl fmt::Display for CommunicatorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("another rank of this build has stopped; finished work is kept")
    }
}

impl std::error::Error for CommunicatorError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rank_receives_its_messages() {
        for ranks in 1..=5 {
            let members = thread_ranks(ranks);
            std::thread::scope(|scope| {
                for member in members {
                    scope.spawn(move || {
                        let own = member.rank() as u8;
                        for round in 0..50 {
                            let sent = (0..ranks as u8).map(|to| vec![own, to, round]).collect();
                            let received = member.all_to_all(sent).unwrap();
                            let expected = (0..ranks as u8).map(|from| vec![from, own, round]);
                            assert_eq!(received, expected.collect::<Vec<_>>());
                        }
                        let sum = (1..=ranks as u64).sum();
                        assert_eq!(member.sum(u64::from(own) + 1), Ok(sum));
                        assert_eq!(member.max(u64::from(own)), Ok(ranks as u64 - 1));
                        assert_eq!(member.broadcast(&[own, 7]), Ok(vec![0, 7]));
                        let first = member.gather(&[own]).unwrap();
                        assert_eq!(first.len(), ranks);
                        assert!(own > 0 || first.concat() == (0..ranks as u8).collect::<Vec<_>>());
                    });
                }
            });
        }
        assert_eq!(SingleProcess.sum(3), Ok(3));
        assert_eq!(SingleProcess.all_to_all(vec![vec![1]]), Ok(vec![vec![1]]));
    }

    /// No rank waits for one that has stopped.
    #[test]
    fn a_stopped_rank_is_detected() {
        for panics in [true, false] {
            let mut threads = Vec::new();
            for member in thread_ranks(3) {
                threads.push(std::thread::spawn(move || {
                    member.barrier().unwrap();
                    if member.rank() == 1 {
                        assert!(!panics, "on purpose");
                        return;
                    }
                    assert_eq!(member.sum(1), Err(CommunicatorError));
                    assert_eq!(member.sum(1), Err(CommunicatorError));
                }));
            }
            let succeeded: Vec<bool> =
                threads.into_iter().map(|thread| thread.join().is_ok()).collect();
            assert_eq!(succeeded, [true, !panics, true]);
        }
    }
}
