//! Measures the time and traffic of a phase that several ranks compute together.

use std::time::{Duration, Instant};

use crate::game::slice::Slice;
use crate::solve::communicator::{Communicator, CommunicatorError, Traffic};
use crate::solve::plies::tables::PlyStats;
use crate::table::progress::{Phase, Progress, RankWork};

/// A timer for one phase on this rank.
pub(super) struct PhaseTimer<'a> {
    comm: &'a dyn Communicator,
    begun: Instant,
    before: Traffic,
}

impl<'a> PhaseTimer<'a> {
    /// Starts the timer.
    pub(super) fn start(comm: &'a dyn Communicator) -> PhaseTimer<'a> {
        PhaseTimer { comm, begun: Instant::now(), before: comm.traffic() }
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
        let (took, now) = (self.begun.elapsed(), self.comm.traffic());
        let packing = stats.packing / rayon::current_num_threads() as u32;
        let waiting = now.waiting - self.before.waiting;
        let computing = took.saturating_sub(packing + waiting);
        let [computing, packing, waiting] =
            [computing, packing, waiting].map(|time| time.as_nanos() as u64);
        [stats.rows as u64, now.bytes - self.before.bytes, computing, packing, waiting]
    }
}

/// Converts the numbers of one rank.
fn rank_work(numbers: &[u64]) -> RankWork {
    let number = |i: usize| numbers.get(i).copied().unwrap_or(0);
    let [computing, packing, waiting] = [2, 3, 4].map(number).map(Duration::from_nanos);
    RankWork { rows: number(0), bytes: number(1), computing, packing, waiting }
}
