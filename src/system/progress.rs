//! How long work tells what it is doing.

use crate::rules::Side;
use crate::slice::Slice;
use crate::value::Plies;

/// A step of the work on a slice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// Reading the tables of the slices that captures lead to.
    Reading,
    /// Finding what captures, missing moves and the rules themselves decide.
    Initial,
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

/// Told by the library what it is doing; may be called from any thread.
pub trait Progress: Sync {
    /// A phase of the work on a slice begins; it will go through that many rows.
    fn phase(&self, _slice: Slice, _phase: Phase, _rows: u64) {}

    /// That many rows of the phase are done.
    fn advance(&self, _rows: u64) {}

    /// Something that the user should know, in one line: it is mended already.
    fn notice(&self, _text: &str) {}
}

/// Tells nobody.
impl Progress for () {}
