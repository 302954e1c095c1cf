//! What several ranks tell of a ply that they have worked out together.

use std::time::{Duration, Instant};

use crate::game::slice::Slice;
use crate::solve::communicator::{Communicator, CommunicatorError, Traffic};
use crate::solve::plies::tables::PlyStats;
use crate::system::progress::{Phase, Progress, RankWork};

/// Runs while a rank works.
pub(super) struct PhaseTimer<'a> {
    comm: &'a dyn Communicator,
    begun: Instant,
    before: Traffic,
}

impl<'a> PhaseTimer<'a> {
    /// Begins now.
    pub(super) fn start(comm: &'a dyn Communicator) -> PhaseTimer<'a> {
        PhaseTimer { comm, begun: Instant::now(), before: comm.traffic() }
    }

    /// Tells what all ranks have done since, if there are several; the first one tells it.
    pub(super) fn report(
        self,
        slice: Slice,
        phase: Phase,
        worked: &PlyStats,
        progress: &dyn Progress,
    ) -> Result<(), CommunicatorError> {
        if self.comm.size() == 1 {
            return Ok(());
        }
        let all = self.comm.gather_numbers(&self.numbers(worked))?;
        let all: Vec<RankWork> = all.iter().map(|numbers| rank_work(numbers)).collect();
        if self.comm.rank() == 0 {
            progress.done_together(slice, phase, &all);
        }
        Ok(())
    }

    /// Rows, bytes, and the nanoseconds of computing, packing and waiting.
    fn numbers(&self, worked: &PlyStats) -> [u64; 5] {
        let (took, now) = (self.begun.elapsed(), self.comm.traffic());
        let packing = worked.packing / rayon::current_num_threads() as u32;
        let waiting = now.waiting - self.before.waiting;
        let computing = took.saturating_sub(packing + waiting);
        let [computing, packing, waiting] =
            [computing, packing, waiting].map(|time| time.as_nanos() as u64);
        [worked.rows as u64, now.bytes - self.before.bytes, computing, packing, waiting]
    }
}

/// From these numbers.
fn rank_work(numbers: &[u64]) -> RankWork {
    let number = |i: usize| numbers.get(i).copied().unwrap_or(0);
    let [computing, packing, waiting] = [2, 3, 4].map(number).map(Duration::from_nanos);
    RankWork { rows: number(0), bytes: number(1), computing, packing, waiting }
}
