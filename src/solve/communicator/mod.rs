//! Processes, or threads, that build together: each is a *rank* with a partition of the rows,
//! and at times all of them give each other what the others need.

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

/// The bytes that a rank is given at a time, about: their number must be less than 2^31,
/// and beside them there must be room for what is worked on.
pub(super) const ROUND_BYTES: usize = 64 << 20;

/// The ranks of a build. All of them call the same methods in the same order.
pub trait Communicator: Sync {
    /// Which one this is, from 0.
    fn rank(&self) -> usize;

    /// How many there are.
    fn size(&self) -> usize;

    /// Gives each rank its bytes, by rank, and returns what each has for this one. All
    /// that a rank is given, or gives, at a time are fewer than 2^31 bytes.
    ///
    /// # Errors
    /// If a rank has stopped.
    fn all_to_all(&self, bytes: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, CommunicatorError>;

    /// What this rank has given and waited, if it is counted.
    fn traffic(&self) -> Traffic {
        Traffic::default()
    }

    /// Gives all ranks the same bytes, and returns what each has given.
    ///
    /// # Errors
    /// If a rank has stopped.
    fn all_gather(&self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, CommunicatorError> {
        self.all_to_all(vec![bytes.to_vec(); self.size()])
    }

    /// Gives the first rank any number of bytes; the others get nothing.
    ///
    /// # Errors
    /// If a rank has stopped.
    fn gather(&self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, CommunicatorError> {
        in_rounds(self, bytes, |piece| {
            let mut given = vec![Vec::new(); self.size()];
            given[0] = piece.to_vec();
            given
        })
    }

    /// What the first rank has, any number of bytes; what others have is not looked at.
    ///
    /// # Errors
    /// If a rank has stopped.
    fn broadcast(&self, bytes: &[u8]) -> Result<Vec<u8>, CommunicatorError> {
        let bytes = if self.rank() == 0 { bytes } else { &[] };
        let given = in_rounds(self, bytes, |piece| vec![piece.to_vec(); self.size()])?;
        Ok(given.into_iter().next().unwrap_or_default())
    }

    /// Gives the first rank numbers, any number of them; the others get none.
    ///
    /// # Errors
    /// If a rank has stopped.
    fn gather_numbers(&self, own: &[u64]) -> Result<Vec<Vec<u64>>, CommunicatorError> {
        let own: Vec<u8> = own.iter().flat_map(|number| number.to_le_bytes()).collect();
        let numbers =
            |bytes: Vec<u8>| bytes.as_chunks().0.iter().map(|&b| u64::from_le_bytes(b)).collect();
        Ok(self.gather(&own)?.into_iter().map(numbers).collect())
    }

    /// The number of each rank.
    ///
    /// # Errors
    /// If a rank has stopped.
    fn all_gather_numbers(&self, own: u64) -> Result<Vec<u64>, CommunicatorError> {
        let all = self.all_gather(&own.to_le_bytes())?;
        let number = |bytes: &Vec<u8>| bytes[..].try_into().map(u64::from_le_bytes).ok();
        all.iter().map(number).collect::<Option<_>>().ok_or(CommunicatorError)
    }

    /// The sum over all ranks.
    ///
    /// # Errors
    /// If a rank has stopped.
    fn sum(&self, own: u64) -> Result<u64, CommunicatorError> {
        Ok(self.all_gather_numbers(own)?.into_iter().sum())
    }

    /// The least number of any rank.
    ///
    /// # Errors
    /// If a rank has stopped.
    fn min(&self, own: u64) -> Result<u64, CommunicatorError> {
        Ok(self.all_gather_numbers(own)?.into_iter().min().unwrap_or(own))
    }

    /// The greatest number of any rank.
    ///
    /// # Errors
    /// If a rank has stopped.
    fn max(&self, own: u64) -> Result<u64, CommunicatorError> {
        Ok(self.all_gather_numbers(own)?.into_iter().max().unwrap_or(own))
    }

    /// Returns when all ranks have come here.
    ///
    /// # Errors
    /// If a rank has stopped.
    fn barrier(&self) -> Result<(), CommunicatorError> {
        self.all_gather(&[]).map(|_| ())
    }
}

/// Gives any number of bytes, a piece a round: `given` tells what each rank is given of a
/// piece. Returns what each has for this one.
fn in_rounds<E: Communicator + ?Sized>(
    ranks: &E,
    bytes: &[u8],
    given: impl Fn(&[u8]) -> Vec<Vec<u8>>,
) -> Result<Vec<Vec<u8>>, CommunicatorError> {
    let most = ROUND_BYTES / ranks.size();
    let rounds = ranks.max(bytes.len().div_ceil(most) as u64)?;
    let mut taken = vec![Vec::new(); ranks.size()];
    let mut pieces = bytes.chunks(most);
    for _ in 0..rounds {
        let given = ranks.all_to_all(given(pieces.next().unwrap_or_default()))?;
        for (taken, given) in taken.iter_mut().zip(given) {
            taken.extend(given);
        }
    }
    Ok(taken)
}

/// Of so many things, those that are for a rank.
pub(super) fn of_rank(things: usize, rank: usize, ranks: usize) -> Range<usize> {
    let first = |rank: usize| rank * things / ranks;
    first(rank)..first(rank + 1)
}

/// Another rank has stopped, for a reason that it has told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CommunicatorError;

impl fmt::Display for CommunicatorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("another rank of this build has stopped; what is done is kept")
    }
}

impl std::error::Error for CommunicatorError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everyone_gets_what_is_meant_for_him() {
        for ranks in 1..=5 {
            let members = thread_ranks(ranks);
            std::thread::scope(|scope| {
                for member in members {
                    scope.spawn(move || {
                        let own = member.rank() as u8;
                        for round in 0..50 {
                            let of = |from: u8, to: u8| vec![from, to, round];
                            let sent = (0..ranks as u8).map(|to| of(own, to)).collect();
                            let got = member.all_to_all(sent).unwrap();
                            let from = (0..ranks as u8).map(|from| of(from, own));
                            assert_eq!(got, from.collect::<Vec<_>>());
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

    /// Nobody waits for a rank that will not come.
    #[test]
    fn who_stops_is_noticed() {
        for panics in [true, false] {
            let of_member = |member: ThreadRank| {
                std::thread::spawn(move || {
                    member.barrier().unwrap();
                    if member.rank() == 1 {
                        assert!(!panics, "on purpose");
                        return;
                    }
                    assert_eq!(member.sum(1), Err(CommunicatorError));
                    assert_eq!(member.sum(1), Err(CommunicatorError));
                })
            };
            let threads: Vec<_> = thread_ranks(3).into_iter().map(of_member).collect();
            let ended: Vec<bool> =
                threads.into_iter().map(|thread| thread.join().is_ok()).collect();
            assert_eq!(ended, [true, !panics, true]);
        }
    }
}
