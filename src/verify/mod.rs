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
//! lead the opponent there, so that the best move is a minimum ([`score`]). A
//! soldier's move leads from a row to a row, so one pass over two rows takes
//! the minimum for all lanes. Only some lanes are apart: those on which the king
//! is in the way, those on which he is captured, and the few on which what is
//! captured depends on him. The king's own moves stay in the row.
//!
//! Rows are grouped in blocks with one set of attackers each, and what does not
//! depend on the defenders is done once for each block: which block an
//! attacker's move leads to, by which symmetry, and whom it may capture there.
//!
//! Nothing here is shared with the solver or the move generator but the
//! ruleset's square sets, the slides on the empty board, and the index.

mod enclosing;
mod error;
mod finding;
mod geometry;
mod memory;
mod proof;
mod rows;
mod score;

pub use error::VerifyError;
pub use finding::Finding;

use crate::position::Position;
use crate::progress::{Phase, Progress};
use crate::rules::{Ruleset, Side};
use crate::slice::Slice;
use crate::table::{Metric, SideSummary, wdl_value};
use crate::tablebase::{ProbeError, Tablebase};
use crate::value::Wdl;

use enclosing::Enclosing;
use geometry::{Blocks, DefenderSets, Geometry};
use memory::{Layout, Values, WrongSign};
use proof::Outcome;
use rows::{Rows, Stored};
use score::Score;

/// How many findings are kept.
const FEW: usize = 10;

/// What verifying a slice came to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// All values are right, if those of the slices that captures lead to are.
    Proved {
        /// Positions compared, both sides to move, mirror images left out as
        /// far as the index does.
        positions: u64,
    },
    /// There is no DTW table, and the WDL tables do not contradict themselves.
    Consistent {
        /// As above.
        positions: u64,
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
/// counts in the tables' summaries are compared as well. What is found does not
/// depend on the number of threads.
///
/// # Errors
/// If a table is missing, damaged or not what its name says, or if the values
/// do not fit into memory, see [`memory_bytes`].
pub fn verify_slice(
    base: &Tablebase,
    slice: Slice,
    progress: &dyn Progress,
) -> Result<Verdict, VerifyError> {
    let metric = match (base.table(slice, Metric::Dtw), base.table(slice, Metric::Wdl)) {
        (Err(ProbeError::MissingTable { .. }), Ok(_)) => Metric::Wdl,
        (dtw, _) => dtw.map(|_| Metric::Dtw)?,
    };
    let mut largest_code = 0;
    for slice in std::iter::once(slice).chain(children(slice).map(|(slice, _)| slice)) {
        let table = base.table(slice, stored_metric(base, slice, metric))?;
        let largest = Side::ALL.map(|side| table.summary(side).largest_code(metric));
        largest_code = largest.into_iter().fold(largest_code, u16::max);
    }
    match largest_code {
        0..=<u8 as Score>::LARGEST_CODE => Verifier::<u8>::new(base, slice, metric)?.run(progress),
        0..=<u16 as Score>::LARGEST_CODE => {
            Verifier::<u16>::new(base, slice, metric)?.run(progress)
        }
        _ => Err(VerifyError::TooLong(slice)),
    }
}

/// The bytes of memory that [`verify_slice`] takes, about: every value of the
/// slice and of those that captures lead to, two bytes each where there are
/// distances of 250 plies and more, otherwise one. `None` if they cannot be
/// counted in 64 bits.
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

/// What reading a slice into memory needs.
struct Verifier<'a, T> {
    base: &'a Tablebase,
    slice: Slice,
    metric: Metric,
    geometry: Geometry<T>,
    /// By the number captured.
    defenders: Vec<DefenderSets>,
    blocks: Vec<Blocks>,
}

impl<'a, T: Score> Verifier<'a, T> {
    fn new(
        base: &'a Tablebase,
        slice: Slice,
        metric: Metric,
    ) -> Result<Verifier<'a, T>, VerifyError> {
        let rules = base.rules();
        let Slice { defenders, attackers } = slice;
        let defenders = (0..=3.min(defenders)).map(|n| DefenderSets::new(rules, defenders - n));
        let blocks = (0..=3.min(attackers - 1)).map(|n| Blocks::new(rules, attackers - n));
        let too_large = || VerifyError::TooLarge { slice, bytes: memory_bytes(rules, slice) };
        Ok(Verifier {
            base,
            slice,
            metric,
            geometry: Geometry::new(rules),
            defenders: defenders.collect::<Option<_>>().ok_or_else(too_large)?,
            blocks: blocks.collect::<Option<_>>().ok_or_else(too_large)?,
        })
    }

    fn run(&self, progress: &dyn Progress) -> Result<Verdict, VerifyError> {
        progress.phase(self.slice, Phase::Reading, 0);
        let rows = self.read()?;
        let total = rows.own.layout.index.rows();
        progress.phase(self.slice, Phase::Verifying, total);
        let outcome = proof::compare(&rows, self.metric, progress);
        let Outcome { positions, mut mismatches, mut first, .. } = outcome;
        if self.metric == Metric::Dtw && self.has_wdl()? {
            let (count, wrong) = self.wrong_signs(&rows)?;
            mismatches += count;
            first.extend(wrong);
        }
        let summaries = self.wrong_summaries(&outcome.summaries)?;
        mismatches += summaries.len() as u64;
        first.extend(summaries);
        first.truncate(FEW);
        Ok(match (mismatches, self.metric) {
            (0, Metric::Dtw) => Verdict::Proved { positions },
            (0, Metric::Wdl) => Verdict::Consistent { positions },
            (findings, _) => Verdict::Wrong { findings, first },
        })
    }

    fn read(&self) -> Result<Rows<'_, T>, VerifyError> {
        let rules = self.base.rules();
        let mut read = Rows {
            rules,
            geometry: &self.geometry,
            enclosing: Enclosing::new(rules),
            own: self.stored(self.slice, &Side::ALL)?,
            fewer_defenders: Vec::new(),
            fewer_attackers: Vec::new(),
        };
        for (slice, to_move) in children(self.slice) {
            let stored = self.stored(slice, &[to_move])?;
            match to_move {
                Side::Defenders => read.fewer_defenders.push(stored),
                Side::Attackers => read.fewer_attackers.push(stored),
            }
        }
        Ok(read)
    }

    fn stored(&self, slice: Slice, sides: &[Side]) -> Result<Stored<'_, T>, VerifyError> {
        let metric = stored_metric(self.base, slice, self.metric);
        let layout = Layout {
            index: self.base.index(slice, metric)?,
            blocks: &self.blocks[self.slice.attackers - slice.attackers],
            defenders: &self.defenders[self.slice.defenders - slice.defenders],
        };
        let table = self.base.table(slice, metric)?;
        let stride = self.geometry.stride;
        let values = Values::read(table, &layout, stride, sides, self.metric)?;
        Ok(Stored { layout, values })
    }

    fn has_wdl(&self) -> Result<bool, VerifyError> {
        match self.base.table(self.slice, Metric::Wdl) {
            Ok(_) => Ok(true),
            Err(ProbeError::MissingTable { .. }) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Where the WDL table is not the sign of the DTW table.
    fn wrong_signs(&self, rows: &Rows<T>) -> Result<(u64, Vec<Finding>), VerifyError> {
        let table = self.base.table(self.slice, Metric::Wdl)?;
        let Stored { layout, values } = &rows.own;
        let (count, wrong) = memory::wrong_signs(table, layout, values, FEW)?;
        let finding = |wrong: WrongSign| {
            let (attackers, defenders) = layout.index.unrank_row(wrong.row);
            Finding::Wdl {
                position: Position {
                    attackers,
                    defenders,
                    king: layout.index.lanes().squares()[wrong.lane],
                    to_move: wrong.side,
                },
                stored: wdl_value(wrong.stored).unwrap_or(Wdl::Draw),
                found: wdl_value(wrong.found).unwrap_or(Wdl::Draw),
            }
        };
        Ok((count, wrong.into_iter().map(finding).collect()))
    }

    /// The summaries that are not those of the values. That of a WDL table has
    /// no distances, or those of the DTW table.
    fn wrong_summaries(&self, found: &[SideSummary; 2]) -> Result<Vec<Finding>, VerifyError> {
        let mut wrong = Vec::new();
        for metric in Metric::ALL {
            if metric == Metric::Dtw && self.metric == Metric::Wdl
                || metric == Metric::Wdl && !self.has_wdl()?
            {
                continue;
            }
            let table = self.base.table(self.slice, metric)?;
            for side in Side::ALL {
                let (stored, found) = (*table.summary(side), found[side as usize]);
                let outcomes = SideSummary { max_win: 0, max_loss: 0, ..found };
                let right = match (metric, self.metric) {
                    (Metric::Dtw, _) => stored == found,
                    (_, Metric::Dtw) => stored == found || stored == outcomes,
                    _ => SideSummary { max_win: 0, max_loss: 0, ..stored } == outcomes,
                };
                if !right {
                    wrong.push(Finding::Summary { metric, side, stored, found });
                }
            }
        }
        Ok(wrong)
    }
}
