//! Progress reports of long-running work, and its cancellation.

use std::time::Duration;

use crate::game::rules::{BySide, Side};
use crate::game::slice::Slice;
use crate::game::value::Plies;

use super::{Metric, SideSummary};

/// A step of the work on a slice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// Opening the tables of the slices that captures lead to. The initial pass reads their
    /// blocks as it needs them.
    Reading,
    /// Finding what captures, missing moves and the rules themselves decide.
    Initial,
    /// Preparing the tables for the plies of one outcome.
    Tables {
        /// The side that wins.
        winner: Side,
    },
    /// One ply of one outcome: positions that the winner wins, or the other side loses, in
    /// that many plies.
    Ply {
        /// The side that wins.
        winner: Side,
        /// The distance.
        ply: Plies,
    },
    /// Compressing and writing.
    Writing,
    /// Recomputing stored values by forward moves.
    Verifying,
}

/// The work of one rank, a process of the build, in a phase.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RankWork {
    /// Rows in which the rank found something.
    pub rows: u64,
    /// Bytes sent to other ranks.
    pub bytes: u64,
    /// Wall time, without packing and waiting.
    pub computing: Duration,
    /// Time spent collecting rows for other partitions, divided by the threads.
    pub packing: Duration,
    /// Time spent exchanging rows and waiting for other ranks.
    pub waiting: Duration,
}

/// The result of a build for one slice.
#[derive(Clone, Debug)]
pub struct SliceReport {
    /// The slice.
    pub slice: Slice,
    /// Whether it was built now; otherwise its tables existed.
    pub built: bool,
    /// Stored positions, both sides to move: one for each class of mirror images, and a few
    /// more. 0 if the tables existed.
    pub positions: u64,
    /// Counts over all placements, by side to move. The distances are 0 if there was only a WDL
    /// table: see [`counted`](SliceReport::counted).
    pub summaries: BySide<SideSummary>,
    /// The files' sizes in bytes.
    pub bytes: Vec<(Metric, u64)>,
    /// Time to open the smaller slices, to solve, and to write.
    pub times: [Duration; 3],
}

impl SliceReport {
    /// Returns the metric of the summaries: those of a WDL table that existed have no distances.
    pub fn counted(&self) -> Metric {
        match self.built || self.bytes.iter().any(|&(metric, _)| metric == Metric::Dtw) {
            true => Metric::Dtw,
            false => Metric::Wdl,
        }
    }
}

/// Receives progress reports and decides whether work continues. All methods may be called
/// from any thread.
///
/// To cancel a build from another thread, let [`is_cancelled`](Progress::is_cancelled) read
/// a flag:
///
/// ```
/// # #[cfg(feature = "build")]
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use std::sync::atomic::{AtomicBool, Ordering};
/// use taflbase::Ruleset;
/// use taflbase::build::{Build, BuildError, slices_up_to};
/// use taflbase::progress::Progress;
///
/// struct Flag(AtomicBool);
///
/// impl Progress for Flag {
///     fn is_cancelled(&self) -> bool {
///         self.0.load(Ordering::Relaxed)
///     }
/// }
///
/// let (rules, folder) = (Ruleset::load("brandubh")?, tempfile::tempdir()?);
/// let slices = slices_up_to(&rules, 3);
/// // Another thread may set the flag while the build is running.
/// let flag = Flag(AtomicBool::new(true));
/// let cancelled = Build::new(&rules, folder.path(), &slices).progress(&flag).run();
/// assert!(matches!(cancelled, Err(BuildError::Cancelled)));
/// // Finished work is kept, and the next build resumes from it.
/// Build::new(&rules, folder.path(), &slices).run()?;
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "build"))]
/// # fn main() {}
/// ```
pub trait Progress: Sync {
    /// A phase of the work on a slice begins; it will process this many rows.
    fn phase(&self, _slice: Slice, _phase: Phase, _rows: u64) {}

    /// This many more rows of the phase are done.
    fn advance(&self, _rows: u64) {}

    /// Several ranks have finished a phase together; one entry for each rank.
    fn ranks_done(&self, _slice: Slice, _phase: Phase, _ranks: &[RankWork]) {}

    /// A build has finished a slice, or found its tables.
    fn slice_done(&self, _report: &SliceReport) {}

    /// Something that the user should know, in one line; the work continues.
    fn notice(&self, _text: &str) {}

    /// Returns whether to stop. Builds and verifications ask several times a second, and stop
    /// with an error.
    fn is_cancelled(&self) -> bool {
        false
    }
}

/// Ignores all reports.
impl Progress for () {}
