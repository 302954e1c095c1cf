//! Builds and verifications by several processes, started by an MPI launcher.

use std::env;

use taflbase::build::{Communicator, CommunicatorError, SingleProcess};
use taflbase::memory::{self, MemoryLimit};

use super::error::CliError;

/// The environment variables in which launchers pass the number of processes: Open MPI, PMI
/// (MPICH, Intel MPI) and Slurm's srun.
const COUNTS: [&str; 3] = ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"];

/// Returns the number of processes that the launcher started, if there is a launcher.
fn launched_processes() -> Option<usize> {
    COUNTS.iter().find_map(|name| env::var(name).ok()?.parse().ok())
}

/// Returns the memory that this rank may use: its equal part of what it shares with other ranks,
/// of the machine and of control groups. `None` if the system reports no limits. All ranks must
/// call it.
///
/// # Errors
/// If a rank has stopped.
pub(super) fn available_bytes(
    communicator: &dyn Communicator,
) -> Result<Option<u64>, CommunicatorError> {
    part_of(&memory::limits(), communicator)
}

/// Returns this rank's part of the tightest of its limits.
fn part_of(
    limits: &[MemoryLimit],
    communicator: &dyn Communicator,
) -> Result<Option<u64>, CommunicatorError> {
    let own: Vec<&str> = limits.iter().map(|limit| limit.id.as_str()).collect();
    let of_all = communicator.all_gather(own.join("\n").as_bytes())?;
    let parts = limits.iter().map(|MemoryLimit { id, available_bytes }| {
        let has_limit =
            |ids: &&Vec<u8>| ids.split(|&byte| byte == b'\n').any(|one| one == id.as_bytes());
        let sharing = of_all.iter().filter(has_limit).count().max(1);
        available_bytes / sharing as u64
    });
    Ok(parts.min())
}

/// Runs the work together with the other processes of the launcher, or alone if there are none.
pub(super) fn run(
    work: impl FnOnce(&dyn Communicator) -> Result<(), CliError> + Send,
) -> Result<(), CliError> {
    match launched_processes() {
        Some(processes) if processes > 1 => run_mpi(work, processes),
        _ => work(&SingleProcess),
    }
}

#[cfg(feature = "mpi")]
fn run_mpi(
    work: impl FnOnce(&dyn Communicator) -> Result<(), CliError> + Send,
    processes: usize,
) -> Result<(), CliError> {
    use std::{thread, time::Duration};

    use taflbase::build::Mpi;

    /// The time other ranks wait before they exit with an error, so that rank 0 can report it.
    const EXIT_DELAY: Duration = Duration::from_secs(1);

    let checked_work = |ranks: &Mpi| {
        if ranks.size() != processes {
            return Err(CliError::Error(format!(
                "{processes} processes were started, but MPI connects {} of them: use the launcher \
                 of the MPI library that the program was built with",
                ranks.size()
            )));
        }
        let done = work(ranks);
        if done.is_err() && ranks.rank() > 0 {
            thread::sleep(EXIT_DELAY);
        }
        done
    };
    let begun = Mpi::run(checked_work, |error: CliError| error.print().into());
    begun.map_err(|_| CliError::new("MPI cannot be initialized"))
}

#[cfg(not(feature = "mpi"))]
fn run_mpi(
    _: impl FnOnce(&dyn Communicator) -> Result<(), CliError> + Send,
    processes: usize,
) -> Result<(), CliError> {
    Err(CliError::Error(format!(
        "this is one of {processes} processes started by MPI, but the program was built \
         without MPI: build it with `cargo build --release --features mpi`"
    )))
}

#[cfg(test)]
mod tests {
    use std::thread;

    use taflbase::build::thread_ranks;

    use super::*;

    /// Returns the part of each rank, given the limits of each.
    fn parts(limits: &[&[(&str, u64)]]) -> Vec<Option<u64>> {
        let limit = |&(id, available_bytes): &(&str, u64)| MemoryLimit {
            id: id.to_owned(),
            available_bytes,
        };
        thread::scope(|scope| {
            let ranks = thread_ranks(limits.len()).into_iter().zip(limits);
            let threads: Vec<_> = ranks
                .map(|(rank, limits)| {
                    let own: Vec<MemoryLimit> = limits.iter().map(limit).collect();
                    scope.spawn(move || part_of(&own, &rank).unwrap())
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        })
    }

    #[test]
    fn ranks_divide_the_memory_of_their_machine() {
        let (here, there) = (&[("here", 900)][..], &[("there", 500)][..]);
        assert_eq!(parts(&[here, there, here, here]), [300, 500, 300, 300].map(Some));
        // An unknown machine may be the same one.
        assert_eq!(parts(&[&[("", 70)], &[("", 60)]]), [35, 30].map(Some));
        assert_eq!(parts(&[&[], here]), [None, Some(900)]);
    }

    #[test]
    fn ranks_divide_the_memory_of_their_control_group() {
        // Two ranks in one container, one in another, one beside them.
        let one = &[("here", 1000), ("here 1", 300)][..];
        let other = &[("here", 1000), ("here 2", 200)][..];
        let beside = &[("here", 1000)][..];
        assert_eq!(parts(&[one, one, other, beside]), [150, 150, 200, 250].map(Some));
    }
}
