use std::collections::BTreeSet;

use crate::index::{IndexError, SliceIndex};
use crate::rules::Ruleset;
use crate::slice::Slice;
use crate::table::Metric;
use crate::tablebase::{ProbeError, Tablebase};

use crate::solve::convert::read::sub_slices;
use crate::solve::error::BuildError;
use crate::solve::frame::counted_sets;
use crate::solve::needs::Needs;

/// What is known of a slice before it is built.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SlicePlan {
    /// The slice.
    pub slice: Slice,
    /// Whether its tables are there.
    pub present: bool,
    /// How large it is; `None` if it is too large for this version.
    pub size: Option<SliceSize>,
}

/// How large a slice is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SliceSize {
    /// Sets of attackers, mirror images counted once.
    pub blocks: u64,
    /// Rows of its tables.
    pub rows: u64,
    /// Slots of its tables, both sides to move, holes included.
    pub slots: u64,
    /// The most memory in use at a time, about, if all tables are in memory.
    pub memory_bytes: u64,
    /// The least memory with which it can be built, about.
    pub least_memory_bytes: u64,
    /// The disk that work in progress takes, with all tables in memory, about.
    pub scratch_bytes: u64,
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
            open.extend(sub_slices(slice).map(|(child, _)| child));
        }
    }
    needed.into_iter().collect()
}

/// The slices and all that they need, smallest first, with what is known of them.
///
/// # Errors
/// If there is no such slice, or a file there cannot be used.
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
    let size = match slice_size(base.rules(), slice) {
        Err(BuildError::TooLarge(_) | BuildError::Index(IndexError::TooLarge(_))) => None,
        size => Some(size?),
    };
    Ok(SlicePlan { slice, present, size })
}

fn slice_size(rules: &Ruleset, slice: Slice) -> Result<SliceSize, BuildError> {
    let index = SliceIndex::new(rules, slice)?;
    let needs = Needs::of(rules, slice, rayon::current_num_threads())?;
    Ok(SliceSize {
        blocks: counted_sets(rules, slice)?.rows(),
        rows: index.rows(),
        slots: index.rows().saturating_mul(2 * index.lanes().count() as u64),
        memory_bytes: needs.memory_bytes(),
        least_memory_bytes: needs.least_memory_bytes(),
        scratch_bytes: needs.stages_bytes,
    })
}
