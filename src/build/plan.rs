use std::collections::BTreeSet;

use crate::index::SliceIndex;
use crate::retrograde::counted_sets;
use crate::rules::Ruleset;
use crate::slice::Slice;
use crate::table::Metric;
use crate::tablebase::{ProbeError, Tablebase};

use super::BuildError;
use super::children::children;
use super::memory::Needs;

/// What building a slice takes, about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SlicePlan {
    /// The slice.
    pub slice: Slice,
    /// Whether its tables are there.
    pub present: bool,
    /// Rows of its tables.
    pub rows: u64,
    /// Slots of its tables, both sides to move, holes included.
    pub slots: u64,
    /// The most memory in use at a time.
    pub memory_bytes: u64,
    /// The disk that work in progress takes, with all tables in memory.
    pub scratch_bytes: u64,
    /// The size of both files.
    pub disk_bytes: u64,
    /// One core's time.
    pub core_millis: u64,
}

/// Every slice with at most that many men, at least one attacker, and no more
/// of either side than in the starting position; smallest first.
pub fn slices_up_to(rules: &Ruleset, men: usize) -> Vec<Slice> {
    let (most_defenders, most_attackers) =
        (rules.start.defenders.len(), rules.start.attackers.len());
    let mut slices: Vec<Slice> = (0..=most_defenders)
        .flat_map(|defenders| {
            (1..=most_attackers).map(move |attackers| Slice { defenders, attackers })
        })
        .filter(|slice| slice.men() <= men)
        .collect();
    slices.sort();
    slices
}

/// The slices and all that their captures lead to, smallest first.
pub fn needed(slices: &[Slice]) -> Vec<Slice> {
    let mut needed = BTreeSet::new();
    let mut open: Vec<Slice> = slices.to_vec();
    while let Some(slice) = open.pop() {
        if needed.insert(slice) {
            open.extend(children(slice).map(|(child, _)| child));
        }
    }
    needed.into_iter().collect()
}

/// What building the slices and all that they need takes.
///
/// # Errors
/// If a slice cannot be indexed, or a file there cannot be used.
pub fn plan(base: &Tablebase, slices: &[Slice]) -> Result<Vec<SlicePlan>, BuildError> {
    needed(slices).into_iter().map(|slice| slice_plan(base, slice)).collect()
}

fn slice_plan(base: &Tablebase, slice: Slice) -> Result<SlicePlan, BuildError> {
    let mut present = true;
    for metric in Metric::ALL {
        match base.table(slice, metric) {
            Ok(_) => {}
            Err(ProbeError::MissingTable { .. } | ProbeError::Corrupted(_)) => present = false,
            Err(error) => return Err(error.into()),
        }
    }
    let rules = base.rules();
    let index = SliceIndex::new(rules, slice)?;
    let needs = Needs::of(rules, slice, rayon::current_num_threads())?;
    let slots = index.rows().saturating_mul(2 * index.lanes().count() as u64);
    let blocks = counted_sets(rules, slice)?.rows();
    let core_millis = slots as f64 / SLOTS_PER_CORE_MILLI + blocks as f64 * BLOCK_CORE_MILLIS;
    Ok(SlicePlan {
        slice,
        present,
        rows: index.rows(),
        slots,
        memory_bytes: needs.memory_bytes(),
        scratch_bytes: needs.stages_bytes,
        disk_bytes: (slots as f64 * DISK_BITS_PER_SLOT / 8.0) as u64,
        core_millis: core_millis as u64,
    })
}

/// Both files' bits per slot, about; it varies by slice from 0.01 to 1.
const DISK_BITS_PER_SLOT: f64 = 0.25;
/// Slots that one core solves and writes in a millisecond, about.
const SLOTS_PER_CORE_MILLI: f64 = 20_000.0;
/// Milliseconds of one core for each set of attackers, besides; what is done for
/// it once counts where few defenders share it.
const BLOCK_CORE_MILLIS: f64 = 0.04;
