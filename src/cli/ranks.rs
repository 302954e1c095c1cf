//! Builds by several processes, started by an MPI launcher.

use std::env;

use taflbase::build::{Communicator, CommunicatorError, SingleProcess};

use super::error::CliError;

/// The environment variables in which launchers pass the number of processes: Open MPI, PMI
/// (MPICH, Intel MPI) and Slurm's srun.
const COUNTS: [&str; 3] = ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"];

/// Returns the number of processes that the launcher started, if there is a launcher.
fn launched_processes() -> Option<usize> {
    COUNTS.iter().find_map(|name| env::var(name).ok()?.parse().ok())
}

/// Counts the ranks on the same host, including this one, by an identifier of the host. All
/// ranks must call it.
///
/// # Errors
/// If a rank has stopped.
pub(super) fn count_on_host(
    exchange: &dyn Communicator,
    place: &[u8],
) -> Result<u64, CommunicatorError> {
    let places = exchange.all_gather(place)?;
    Ok(places.iter().filter(|other| *other == place).count() as u64)
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

    #[test]
    fn ranks_on_one_machine_are_counted() {
        let counts = |places: &[&str]| {
            let ranks = thread_ranks(places.len()).into_iter().zip(places);
            thread::scope(|scope| {
                let each = ranks.map(|(rank, place)| {
                    scope.spawn(move || count_on_host(&rank, place.as_bytes()).unwrap())
                });
                let each: Vec<_> = each.collect();
                each.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
            })
        };
        assert_eq!(counts(&["here", "there", "here", "", "here"]), [3, 1, 3, 1, 3]);
        assert_eq!(count_on_host(&SingleProcess, b"here"), Ok(1));
    }
}
