//! Builds by several processes, which an MPI launcher has started together.

use std::env;

use taflbase::build::{Alone, Exchange};

use super::failure::Failure;

/// Where launchers say how many processes they have started together: Open MPI, those
/// with PMI (MPICH, Intel MPI), and Slurm's srun.
const COUNTS: [&str; 3] = ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"];

/// Where they say how many of these are on this machine.
const LOCAL_COUNTS: [&str; 3] =
    ["OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "SLURM_NTASKS_PER_NODE"];

/// The number in one of these variables.
fn number(names: &[&str]) -> Option<u64> {
    names.iter().find_map(|name| env::var(name).ok()?.parse().ok())
}

/// With how many processes, itself included, this one shares its machine.
pub(super) fn on_this_machine() -> u64 {
    let together = number(&COUNTS).is_some_and(|count| count > 1);
    number(&LOCAL_COUNTS).filter(|&count| together && count > 0).unwrap_or(1)
}

/// Does the work together with the processes that were started together with this one, or
/// by itself.
pub(super) fn among(
    work: impl FnOnce(&dyn Exchange) -> Result<(), Failure> + Send,
) -> Result<(), Failure> {
    match number(&COUNTS) {
        Some(processes) if processes > 1 => among_processes(work, processes),
        _ => work(&Alone),
    }
}

#[cfg(feature = "mpi")]
fn among_processes(
    work: impl FnOnce(&dyn Exchange) -> Result<(), Failure> + Send,
    _: u64,
) -> Result<(), Failure> {
    use std::{thread, time::Duration};

    use taflbase::build::Mpi;

    /// What all of them have come to, the first one tells; then they end.
    const PATIENCE: Duration = Duration::from_secs(1);

    let work = |ranks: &Mpi| {
        let done = work(ranks);
        if done.is_err() && ranks.rank() > 0 {
            thread::sleep(PATIENCE);
        }
        done
    };
    let begun = Mpi::run(work, |failure: Failure| failure.tell().into());
    begun.map_err(|_| Failure::error("MPI cannot be used here"))
}

#[cfg(not(feature = "mpi"))]
fn among_processes(
    _: impl FnOnce(&dyn Exchange) -> Result<(), Failure> + Send,
    processes: u64,
) -> Result<(), Failure> {
    Err(Failure::Error(format!(
        "this is one of {processes} processes that MPI has started, and the program was built \
         without MPI: build it with `cargo build --release --features mpi`"
    )))
}
