//! Ranks that are processes started by an MPI launcher, on one machine or many.

use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use mpi::Threading;
use mpi::datatype::{Partition, PartitionMut};
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator as _, CommunicatorCollectives};

use super::{Communicator, CommunicatorError};

/// The exit code of a Rust program that panics.
const PANICKED: i32 = 101;

/// A rank among MPI processes. A single thread, the one that called [`run`](Mpi::run), makes all
/// calls of the MPI library.
#[derive(Debug)]
pub struct Mpi {
    rank: usize,
    ranks: usize,
    requests: Sender<Request>,
}

/// The bytes for each rank, and the channel for the bytes received.
type Request = (Vec<Vec<u8>>, Sender<Vec<Vec<u8>>>);

impl Mpi {
    /// Initializes MPI and runs `work` in this process. If it fails, calls `report` with the error
    /// and aborts all processes with the exit code that it returns.
    ///
    /// # Errors
    /// If MPI does not support threads or was initialized before. Errors of `work` are not
    /// returned, since the process ends.
    pub fn run<T: Send, E: Send>(
        work: impl FnOnce(&Mpi) -> Result<T, E> + Send,
        report: impl FnOnce(E) -> i32,
    ) -> Result<T, CommunicatorError> {
        let initialized = mpi::initialize_with_threading(Threading::Funneled);
        let (universe, threading) = initialized.ok_or(CommunicatorError)?;
        if threading < Threading::Funneled {
            return Err(CommunicatorError);
        }
        let world = universe.world();
        let (requests, inbox) = channel();
        let (rank, ranks) = (world.rank() as usize, world.size() as usize);
        let this_rank = Mpi { rank, ranks, requests };
        let outcome = thread::scope(|scope| {
            // `serve` ends when the worker drops the last sender.
            let worker = scope.spawn(move || work(&this_rank));
            // If `serve` panicked, the worker would wait forever.
            let served = catch_unwind(AssertUnwindSafe(|| serve(&world, &inbox)));
            if served.is_err() {
                world.abort(PANICKED);
            }
            worker.join()
        });
        let code = match outcome {
            Ok(Ok(done)) => return Ok(done),
            Ok(Err(error)) => report(error),
            // The panic has printed its message.
            Err(_) => PANICKED,
        };
        let _ = io::stderr().flush();
        world.abort(code)
    }
}

/// Executes requests until all senders are gone.
fn serve(world: &SimpleCommunicator, inbox: &Receiver<Request>) {
    for (messages, reply) in inbox {
        // The receiver may be gone.
        let _ = reply.send(all_to_all(world, messages));
    }
}

fn all_to_all(world: &SimpleCommunicator, messages: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
    let counts: Vec<i32> = messages.iter().map(|bytes| bytes.len() as i32).collect();
    let mut sizes = vec![0_i32; messages.len()];
    world.all_to_all_into(&counts[..], &mut sizes[..]);
    // One extra byte: some MPI libraries give the address of an empty vector a special meaning.
    let mut sent = Vec::with_capacity(total(&counts) + 1);
    // Frees each buffer once it is copied.
    messages.into_iter().for_each(|bytes| sent.extend(bytes));
    sent.push(0);
    let mut received = vec![0_u8; total(&sizes) + 1];
    let source = Partition::new(&sent[..], &counts[..], starts(&counts));
    let offsets = starts(&sizes);
    let mut target = PartitionMut::new(&mut received[..], &sizes[..], &offsets[..]);
    world.all_to_all_varcount_into(&source, &mut target);
    drop(sent);
    let pieces = offsets.iter().zip(&sizes);
    pieces.map(|(&start, &size)| received[start as usize..][..size as usize].to_vec()).collect()
}

fn total(sizes: &[i32]) -> usize {
    sizes.iter().map(|&size| size as usize).sum()
}

/// Returns the start of each piece in their concatenation.
fn starts(sizes: &[i32]) -> Vec<i32> {
    let mut end = 0;
    let starts = sizes.iter().map(|&size: &i32| {
        end += size;
        end - size
    });
    starts.collect()
}

impl Communicator for Mpi {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.ranks
    }

    fn all_to_all(&self, bytes: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, CommunicatorError> {
        let (reply, received) = channel();
        self.requests.send((bytes, reply)).map_err(|_| CommunicatorError)?;
        received.recv().map_err(|_| CommunicatorError)
    }
}
