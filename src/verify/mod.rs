//! The proof of stored tables by forward moves.
//!
//! A table of distances is proved by induction: a position won in `n` plies has
//! a move to one lost in `n - 1` and none to one lost sooner; a lost one has
//! only moves to won ones, the slowest of them won in `n - 1`; a draw has a
//! move to a draw and none to a lost position. In one sentence: the value of
//! every position is what the best of its moves makes it, by the values stored
//! for what the moves lead to. If that holds for every position of a slice and
//! the tables of the slices that captures lead to are right, the table is right.
//! For wins and losses alone, without distances, it is no proof: a cycle can
//! hold wrong wins that agree with each other.
//!
//! # How it is computed
//!
//! The values of a slice are read into memory row by row: a row holds, for one
//! placement of the soldiers, the values for all squares of the king, its
//! *lanes*. A value is kept as a score that is the less the better it is to
//! lead the opponent there, so that the best move is a minimum (`score`). A
//! soldier's move leads from a row to a row, so one pass over two rows takes
//! the minimum for all lanes. Only some lanes are apart: those on which the king
//! is in the way, those on which he is captured, and the few on which what is
//! captured depends on him. The king's own moves stay in the row.
//!
//! A table does not answer for all slots (see [`dont_care`](crate::dont_care)).
//! What it leaves out is put in from the verifier's own rules when it is read,
//! so that every value that a prober can give is proved, and nothing else is
//! believed. What it does answer for is hashed, and compared with its value hash.
//!
//! Rows are grouped in blocks with one set of attackers each, and what does not
//! depend on the defenders is done once for each block: which block an
//! attacker's move leads to, by which symmetry, and whom it may capture there.
//!
//! Of a slice that is too large for that, a *sample* of blocks is checked: their
//! rows and those of the blocks that their moves lead to are read, as many at a
//! time as fit into memory (`needed_blocks`). The comparison is the same; it looks its
//! rows up among the blocks held (`held_blocks`). It is no proof, since the values of
//! blocks outside the sample are taken as they are stored.
//!
//! Of what the solver or the move generator work with, the verifier uses the board, the
//! ruleset's square sets and its slides on the empty board, the index of the files' rows,
//! and the reader of tables with its codes and hashes. What may be captured, what is
//! decided, which images are least, and what moves lead to, it finds by its own code.

mod best;
mod block;
mod custodial;
mod error;
mod examine;
mod finding;
mod geometry;
mod held_blocks;
mod needed_blocks;
mod proof;
mod row_layout;
mod sample;
mod score;
mod stored_rows;
mod unasked_slots;
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

/// How many findings are kept.
const FEW: usize = 10;

/// What verifying a slice came to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// All values are right, if those of the slices that captures lead to are.
    Proved {
        /// Stored positions compared, both sides to move: mirror images are left out
        /// as far as the index does.
        positions: u64,
    },
    /// There is no DTW table, and the WDL tables do not contradict themselves.
    Consistent {
        /// As above.
        positions: u64,
    },
    /// The values of a sample are right, if those that their moves lead to are.
    /// Of the rest of the table, its counts and its hash nothing is said.
    Sampled {
        /// Sets of attackers of which all stored positions were compared.
        blocks: u64,
        /// Stored positions compared, as above.
        positions: u64,
        /// [`Metric::Wdl`] if there is no DTW table.
        metric: Metric,
    },
    /// Something is wrong.
    Wrong {
        /// How much: wrong values and wrong summaries.
        findings: u64,
        /// The first few.
        first: Vec<Finding>,
    },
}

/// Recomputes all values of a slice from the values stored for what its moves
/// lead to. The tables of all slices that captures lead to must be there.
///
/// With a DTW table the slice is proved, and its WDL table, if it is there too,
/// held against it; with a WDL table alone it can only be found consistent. The
/// counts in the tables' summaries and their value hashes are compared as well.
/// What is found does not depend on the number of threads.
///
/// # Errors
/// If a table is missing, damaged or not what its name says, if the values do not fit into
/// memory, see [`memory_bytes`], or if `progress` cancels it.
pub fn verify_slice(
    base: &Tablebase,
    slice: Slice,
    progress: &dyn Progress,
) -> Result<Verdict, VerifyError> {
    verify(base, slice, None, progress)
}

/// Does for some blocks of a slice what [`verify_slice`] does for all, and reads
/// only what these take. Every value of theirs is recomputed and compared just
/// as there; counts and value hashes are of the whole table and are not.
///
/// # Errors
/// As [`verify_slice`]; memory must hold one block and those that its moves
/// lead to.
pub fn verify_sample(
    base: &Tablebase,
    slice: Slice,
    sample: &Sample,
    progress: &dyn Progress,
) -> Result<Verdict, VerifyError> {
    verify(base, slice, Some(sample), progress)
}

fn verify(
    base: &Tablebase,
    slice: Slice,
    sample: Option<&Sample>,
    progress: &dyn Progress,
) -> Result<Verdict, VerifyError> {
    let metric = base.best_table(slice)?.header().metric;
    let mut largest_code = 0;
    for slice in std::iter::once(slice).chain(children(slice).map(|(slice, _)| slice)) {
        let table = base.table(slice, stored_metric(base, slice, metric))?;
        let largest = Side::ALL.map(|side| table.summary(side).largest_code(metric));
        largest_code = largest.into_iter().fold(largest_code, u16::max);
    }
    if largest_code <= <u8 as Score>::LARGEST_CODE {
        Verifier::<u8>::new(base, slice, metric)?.verify(sample, progress)
    } else if largest_code <= <u16 as Score>::LARGEST_CODE {
        Verifier::<u16>::new(base, slice, metric)?.verify(sample, progress)
    } else {
        Err(VerifyError::TooLong(slice))
    }
}

/// The bytes of memory that [`verify_slice`] takes, about: every value of the
/// slice and of those that captures lead to, two bytes each where there are
/// distances of 250 plies and more, otherwise one, and a bit each for whether the table
/// answers for it. `None` if they cannot be counted in 64 bits.
pub fn memory_bytes(rules: &Ruleset, slice: Slice) -> Option<u64> {
    let own = geometry::side_bytes(rules, slice)?.checked_mul(2)?;
    children(slice)
        .try_fold(own, |sum, (child, _)| sum.checked_add(geometry::side_bytes(rules, child)?))
}

/// The slices that captures lead to, with the side to move there: first after
/// captures of defenders, then of attackers. A move captures up to three.
fn children(slice: Slice) -> impl Iterator<Item = (Slice, Side)> {
    let Slice { defenders, attackers } = slice;
    let fewer_defenders = (1..=3.min(defenders)).map(move |captured| {
        let defenders = defenders - captured;
        (Slice { defenders, attackers }, Side::Defenders)
    });
    let fewer_attackers = (1..=3.min(attackers.saturating_sub(1))).map(move |captured| {
        let attackers = attackers - captured;
        (Slice { defenders, attackers }, Side::Attackers)
    });
    fewer_defenders.chain(fewer_attackers)
}

/// Of which metric the table is that tells what is asked for: distances tell
/// wins and losses, too.
fn stored_metric(base: &Tablebase, slice: Slice, wanted: Metric) -> Metric {
    match base.table(slice, wanted) {
        Err(ProbeError::MissingTable { .. }) => Metric::Dtw,
        _ => wanted,
    }
}

/// Whether there is such a table.
fn is_there(base: &Tablebase, slice: Slice, metric: Metric) -> Result<bool, VerifyError> {
    match base.table(slice, metric) {
        Ok(_) => Ok(true),
        Err(ProbeError::MissingTable { .. }) => Ok(false),
        Err(error) => Err(error.into()),
    }
}
