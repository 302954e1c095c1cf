//! Verification of stored tables by forward moves.
//!
//! A table of distances is proved by induction: a position won in `n` plies has a move to
//! one lost in `n - 1` and none to one lost sooner; a lost position has moves only to won
//! ones, the slowest of them won in `n - 1`; a draw has a move to a draw and none to a lost
//! position. In short, every stored value must follow from the stored values of the
//! position's moves. If this holds for every position of a slice, and the tables of the
//! slices that captures lead to are right, the table is right. Without distances it is no
//! proof: a cycle of wrong wins can be consistent.
//!
//! # How it is computed
//!
//! The values of a slice are read into memory row by row: a row holds, for one placement of
//! the soldiers, the values for all king squares, its *lanes*. Values are stored as scores,
//! which are smaller for positions that are better to lead the opponent to, so that the best
//! move has the minimum (`score`). A soldier's move leads from a row to another, so that one
//! pass over two rows updates the minimum of all lanes. A few lanes need separate treatment:
//! those on which the king blocks the move, those on which he is captured, and those on
//! which the captures depend on his square. The king's own moves stay in the row.
//!
//! A table has no meaningful values for don't-cares (see [`dont_care`](crate::dont_care)).
//! On reading, they are computed from the verifier's own rules, so that every value that a
//! prober can return is verified. The other values are hashed and compared with the table's
//! value hash.
//!
//! Rows are grouped in blocks, one for each set of attackers. Whatever does not depend on the
//! defenders is computed once per block: the block and the symmetry that an attacker's move
//! leads to, and the king captures that it may make.
//!
//! If a slice does not fit in memory, a *sample* of its blocks can be checked: their rows and
//! those of the blocks that their moves lead to are read, in groups that fit in memory
//! (`needed_blocks`, `held_blocks`). The comparison is the same, but it is no proof, since
//! the values of blocks outside the sample are assumed to be right.
//!
//! The verifier shares with the solver and the move generator only the board, the ruleset's
//! square sets and slides on the empty board, the index of rows, and the table reader with
//! its codes and hashes. It has its own code for captures, decided positions, least images
//! and the results of moves.

mod best_scores;
mod block;
mod custodial;
mod dont_cares;
mod enclosures;
mod error;
mod finding;
mod geometry;
mod held_blocks;
mod needed_blocks;
mod proof;
mod row_layout;
mod sample;
mod score;
mod stored_rows;
mod table_check;
mod values;
mod verifier;

pub use error::VerifyError;
pub use finding::Finding;
pub use sample::Sample;

use crate::game::rules::{Ruleset, Side};
use crate::game::slice::Slice;
use crate::table::Metric;
use crate::table::progress::Progress;
use crate::tablebase::{ProbeError, Tablebase};

use score::Score;
use verifier::Verifier;

/// The maximum number of findings that are listed.
const MAX_FINDINGS: usize = 10;

/// The result of verifying a slice.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// All values are right, if those of the slices that captures lead to are.
    Proved {
        /// The number of stored positions compared, for both sides to move; without the mirror
        /// images that the index leaves out.
        positions: u64,
    },
    /// There is no DTW table, and the WDL tables are consistent.
    Consistent {
        /// As above.
        positions: u64,
    },
    /// The values of a sample are right, if those that their moves lead to are. The rest of
    /// the table, its counts and its hash are not verified.
    Sampled {
        /// The number of blocks compared, one for each set of attackers.
        blocks: u64,
        /// The number of stored positions compared, as above.
        positions: u64,
        /// [`Metric::Wdl`] if there is no DTW table.
        metric: Metric,
    },
    /// The table is wrong.
    Wrong {
        /// The number of wrong values, summaries and hashes.
        findings: u64,
        /// The first ten of them, at most.
        first: Vec<Finding>,
    },
}

/// Recomputes all values of a slice from the stored values of the positions that its moves
/// lead to. The tables of all slices that captures lead to must be present.
///
/// A DTW table is proved, and the WDL table, if there is one too, compared with it; a WDL
/// table alone can only be found consistent. The tables' summaries and value hashes are
/// compared as well. The result does not depend on the number of threads.
///
/// # Errors
/// If a table is missing, damaged or of another slice than its name says, if a rule that can matter
/// in the slice is unknown, if the values do not fit in memory (see [`memory_bytes`]), or if
/// `progress` cancels the verification.
pub fn verify_slice(
    base: &Tablebase,
    slice: Slice,
    progress: &dyn Progress,
) -> Result<Verdict, VerifyError> {
    verify(base, slice, None, progress)
}

/// Verifies a sample of a slice's blocks, and reads only what that takes. Every value of the
/// sample is recomputed and compared as by [`verify_slice`]; summaries and value hashes,
/// which belong to the whole table, are not.
///
/// # Errors
/// See [`verify_slice`]; memory must hold one block and those that its moves lead to. If the
/// sample's percentage or part is impossible.
pub fn verify_sample(
    base: &Tablebase,
    slice: Slice,
    sample: &Sample,
    progress: &dyn Progress,
) -> Result<Verdict, VerifyError> {
    if !sample.is_possible() {
        return Err(VerifyError::ImpossibleSample);
    }
    verify(base, slice, Some(sample), progress)
}

fn verify(
    base: &Tablebase,
    slice: Slice,
    sample: Option<&Sample>,
    progress: &dyn Progress,
) -> Result<Verdict, VerifyError> {
    if let Some(field) = base.rules().unsolved_rule(slice) {
        return Err(VerifyError::UnknownRule { slice, field });
    }
    let metric = base.best_table(slice)?.header().metric;
    let memory_bytes = sample.map_or(u64::MAX, |sample| sample.memory_bytes);
    if has_short_scores(base, slice, metric)? {
        Verifier::<u8>::new(base, slice, metric, memory_bytes)?.verify(sample, progress)
    } else {
        Verifier::<u16>::new(base, slice, metric, memory_bytes)?.verify(sample, progress)
    }
}

/// Returns the approximate memory that [`verify_slice`] takes, in bytes: for every value of
/// the slice and of those that captures lead to, one byte and a bit, or two bytes and a bit
/// if there are distances above 250 plies.
///
/// # Errors
/// As [`verify_slice`], if a table is missing or damaged or the number exceeds 64 bits.
pub fn memory_bytes(base: &Tablebase, slice: Slice) -> Result<u64, VerifyError> {
    let metric = base.best_table(slice)?.header().metric;
    let bytes = match has_short_scores(base, slice, metric)? {
        true => score_bytes::<u8>(base.rules(), slice),
        false => score_bytes::<u16>(base.rules(), slice),
    };
    bytes.ok_or(VerifyError::TooLarge { slice, bytes })
}

/// Returns whether all values of the slice, and of those that captures lead to, have scores of one
/// byte; otherwise they have scores of two.
fn has_short_scores(base: &Tablebase, slice: Slice, metric: Metric) -> Result<bool, VerifyError> {
    let mut largest_code = 0;
    let slices = std::iter::once(slice)
        .chain(slices_after_captures(base.rules(), slice).map(|(child, _)| child));
    for needed in slices {
        let table = base.table(needed, stored_metric(base, needed, metric))?;
        let largest = Side::ALL.map(|side| table.summary(side).largest_code(metric));
        largest_code = largest.into_iter().fold(largest_code, u16::max);
    }
    if largest_code > <u16 as Score>::LARGEST_CODE {
        return Err(VerifyError::TooLong(slice));
    }
    Ok(largest_code <= <u8 as Score>::LARGEST_CODE)
}

/// Returns the memory for all scores of a slice and of those that captures lead to; `None` if the
/// number exceeds 64 bits.
fn score_bytes<T>(rules: &Ruleset, slice: Slice) -> Option<u64> {
    let side_bytes = |slice| geometry::side_bytes::<T>(rules, slice);
    let own = side_bytes(slice)?.checked_mul(2)?;
    slices_after_captures(rules, slice)
        .try_fold(own, |sum, (child, _)| sum.checked_add(side_bytes(child)?))
}

/// Returns the slices that captures lead to, with the side to move there: first after
/// captures of defenders, then of attackers.
fn slices_after_captures(
    rules: &Ruleset,
    slice: Slice,
) -> impl Iterator<Item = (Slice, Side)> + use<> {
    let most = captures_per_move(rules);
    let Slice { defenders, attackers } = slice;
    let fewer_defenders = (1..=most.min(defenders)).map(move |captured| {
        (Slice { defenders: defenders - captured, attackers }, Side::Defenders)
    });
    let fewer_attackers = (1..=most.min(attackers.saturating_sub(1))).map(move |captured| {
        (Slice { defenders, attackers: attackers - captured }, Side::Attackers)
    });
    fewer_defenders.chain(fewer_attackers)
}

/// Returns the most soldiers that a move captures. Its piece has come from one of four sides.
/// Shieldwalls capture all others between the corners of an edge, and another one may stand in front
/// of the piece.
fn captures_per_move(rules: &Ruleset) -> usize {
    let at_edge = rules.board.size() - 3;
    if rules.shieldwall { at_edge + 1 } else { 3 }
}

/// Returns the metric of the table to read for a wanted metric: without a WDL table, the DTW
/// table serves as well.
fn stored_metric(base: &Tablebase, slice: Slice, wanted: Metric) -> Metric {
    match base.table(slice, wanted) {
        Err(ProbeError::MissingTable { .. }) => Metric::Dtw,
        _ => wanted,
    }
}
