//! Measures the time and traffic of a phase that several ranks compute together.

use std::time::{Duration, Instant};

use crate::game::slice::Slice;
use crate::solve::communicator::{Communicator, CommunicatorError, Traffic};
use crate::solve::plies::tables::PlyStats;
use crate::table::progress::{Phase, Progress, RankWork};

/// A timer for one phase on this rank.
pub(super) struct PhaseTimer<'a> {
    comm: &'a dyn Communicator,
    started: Instant,
    traffic_before: Traffic,
}

impl<'a> PhaseTimer<'a> {
    /// Starts the timer.
    pub(super) fn start(comm: &'a dyn Communicator) -> PhaseTimer<'a> {
        PhaseTimer { comm, started: Instant::now(), traffic_before: comm.traffic() }
    }

    /// Reports the work of all ranks since the start, if there are several. Only the first rank
    /// calls `progress`.
    pub(super) fn report(
        self,
        slice: Slice,
        phase: Phase,
        stats: &PlyStats,
        progress: &dyn Progress,
    ) -> Result<(), CommunicatorError> {
        if self.comm.size() == 1 {
            return Ok(());
        }
        let numbers = self.comm.gather_numbers(&self.numbers(stats))?;
        let all: Vec<RankWork> = numbers.iter().map(|numbers| rank_work(numbers)).collect();
        if self.comm.rank() == 0 {
            progress.ranks_done(slice, phase, &all);
        }
        Ok(())
    }

    /// Returns rows, bytes, and the nanoseconds spent computing, packing and waiting.
    fn numbers(&self, stats: &PlyStats) -> [u64; 5] {
        let (elapsed, traffic) = (self.started.elapsed(), self.comm.traffic());
        let packing = stats.packing / rayon::current_num_threads() as u32;
        let waiting = traffic.waiting - self.traffic_before.waiting;
        let computing = elapsed.saturating_sub(packing + waiting);
        let [computing, packing, waiting] =
            [computing, packing, waiting].map(|time| time.as_nanos() as u64);
        [stats.rows as u64, traffic.bytes - self.traffic_before.bytes, computing, packing, waiting]
    }
}

/// Converts the numbers of one rank.
fn rank_work(numbers: &[u64]) -> RankWork {
    let [rows, bytes, times @ ..] = numbers.first_chunk::<5>().copied().unwrap_or_default();
    let [computing, packing, waiting] = times.map(Duration::from_nanos);
    RankWork { rows, bytes, computing, packing, waiting }
}
