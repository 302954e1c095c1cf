//! Ranks that are processes, started by an MPI launcher, on one machine or many.

use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use mpi::Threading;
use mpi::datatype::{Partition, PartitionMut};
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator as _, CommunicatorCollectives};

use super::{Communicator, CommunicatorError};

/// The exit code of a program that has panicked.
const PANICKED: i32 = 101;

/// A rank among processes. All calls of the library are made by one thread, the one that
/// has begun with [`run`](Mpi::run).
#[derive(Debug)]
pub struct Mpi {
    rank: usize,
    ranks: usize,
    requests: Sender<Request>,
}

/// What a rank gives to each other one, and where what it is given goes.
type Request = (Vec<Vec<u8>>, Sender<Vec<Vec<u8>>>);

impl Mpi {
    /// Does the work of this process among those that were started together. If it fails,
    /// `tell` is called with the reason, and all of them end, with that exit code.
    ///
    /// # Errors
    /// If MPI cannot be used by a program with threads, or was used before. Otherwise the work's own error does not
    /// come back: the process has ended.
    pub fn run<T: Send, E: Send>(
        work: impl FnOnce(&Mpi) -> Result<T, E> + Send,
        tell: impl FnOnce(E) -> i32,
    ) -> Result<T, CommunicatorError> {
        let begun = mpi::initialize_with_threading(Threading::Funneled);
        let (universe, threading) = begun.ok_or(CommunicatorError)?;
        if threading < Threading::Funneled {
            return Err(CommunicatorError);
        }
        let world = universe.world();
        let (requests, inbox) = channel();
        let (rank, ranks) = (world.rank() as usize, world.size() as usize);
        let of_this = Mpi { rank, ranks, requests };
        let outcome = thread::scope(|scope| {
            // The work ends with the last sender.
            let worker = scope.spawn(move || work(&of_this));
            // The work would wait for ever for somebody who makes no more calls.
            let served = catch_unwind(AssertUnwindSafe(|| serve(&world, &inbox)));
            if served.is_err() {
                world.abort(PANICKED);
            }
            worker.join()
        });
        let code = match outcome {
            Ok(Ok(done)) => return Ok(done),
            Ok(Err(error)) => tell(error),
            // What a panic says has been said.
            Err(_) => PANICKED,
        };
        let _ = io::stderr().flush();
        world.abort(code)
    }
}

/// Makes the calls that are asked for, until nobody can ask any more.
fn serve(world: &SimpleCommunicator, inbox: &Receiver<Request>) {
    for (given, reply) in inbox {
        // Who asked may be gone.
        let _ = reply.send(all_to_all(world, given));
    }
}

fn all_to_all(world: &SimpleCommunicator, given: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
    let counts: Vec<i32> = given.iter().map(|bytes| bytes.len() as i32).collect();
    let mut sizes = vec![0_i32; given.len()];
    world.all_to_all_into(&counts[..], &mut sizes[..]);
    // One byte more: the address of an empty vector is what some libraries take for a mark.
    let size = |sizes: &[i32]| sizes.iter().map(|&size| size as usize).sum::<usize>() + 1;
    let mut sent = Vec::with_capacity(size(&counts));
    // Each is freed when it is copied.
    given.into_iter().for_each(|bytes| sent.extend(bytes));
    sent.push(0);
    let mut taken = vec![0_u8; size(&sizes)];
    let of = Partition::new(&sent[..], &counts[..], starts(&counts));
    let into_places = starts(&sizes);
    let mut into = PartitionMut::new(&mut taken[..], &sizes[..], &into_places[..]);
    world.all_to_all_varcount_into(&of, &mut into);
    drop(sent);
    let places = into_places.iter().zip(&sizes);
    places.map(|(&start, &size)| taken[start as usize..][..size as usize].to_vec()).collect()
}

/// Where each piece begins, if they come one after the other.
fn starts(sizes: &[i32]) -> Vec<i32> {
    let mut end = 0;
    let start = |&size: &i32| {
        end += size;
        end - size
    };
    sizes.iter().map(start).collect()
}

impl Communicator for Mpi {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.ranks
    }

    fn all_to_all(&self, bytes: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, CommunicatorError> {
        let (reply, taken) = channel();
        self.requests.send((bytes, reply)).map_err(|_| CommunicatorError)?;
        taken.recv().map_err(|_| CommunicatorError)
    }
}
