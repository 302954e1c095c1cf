//! How long work tells what it is doing, and is stopped.

use std::time::Duration;

use crate::game::rules::Side;
use crate::game::slice::Slice;
use crate::game::value::Plies;

/// A step of the work on a slice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// Opening the tables of the slices that captures lead to; their blocks are read in the
    /// initial pass, as it asks for them.
    Reading,
    /// Finding what captures, missing moves and the rules themselves decide.
    Initial,
    /// Making the tables on which the plies of one outcome are worked out.
    Tables {
        /// The side that wins.
        winner: Side,
    },
    /// One ply of one outcome: positions that the winner wins, or the other
    /// side loses, in that many plies.
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

/// What a rank of a build has done in a phase.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RankWork {
    /// Rows of which it found something.
    pub rows: u64,
    /// Bytes that it gave to other ranks.
    pub bytes: u64,
    /// The time it took, but for the next two.
    pub computing: Duration,
    /// Putting rows together for other shares, by all threads at once.
    pub packing: Duration,
    /// Giving and being given, and waiting for others to come to that.
    pub waiting: Duration,
}

/// Told by the library what it is doing, and asked whether it should go on; may be called
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
/// use taflbase::build::{BuildError, BuildOptions, build, slices_up_to};
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
/// let (slices, options) = (slices_up_to(&rules, 3), BuildOptions::default());
/// // Another thread may set the flag while the build is at work.
/// let flag = Flag(AtomicBool::new(true));
/// let built = build(&rules, folder.path(), &slices, &options, &flag, &mut |_| {});
/// assert!(matches!(built, Err(BuildError::Cancelled)));
/// // What was done is there, and the next build goes on from it.
/// build(&rules, folder.path(), &slices, &options, &(), &mut |_| {})?;
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "build"))]
/// # fn main() {}
/// ```
pub trait Progress: Sync {
    /// A phase of the work on a slice begins; it will go through that many rows.
    fn phase(&self, _slice: Slice, _phase: Phase, _rows: u64) {}

    /// That many rows of the phase are done.
    fn advance(&self, _rows: u64) {}

    /// Several ranks have done a phase together; what each of them has done.
    fn done_together(&self, _slice: Slice, _phase: Phase, _ranks: &[RankWork]) {}

    /// Something that the user should know, in one line: it is mended already.
    fn notice(&self, _text: &str) {}

    /// Whether the work should stop. Builds and verifications ask several times a second, and
    /// stop with an error.
    fn is_cancelled(&self) -> bool {
        false
    }
}

/// Tells nobody.
impl Progress for () {}
