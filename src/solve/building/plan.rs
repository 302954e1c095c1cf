use std::collections::{BTreeMap, BTreeSet};

use crate::game::rules::Ruleset;
use crate::game::slice::Slice;
use crate::index::{IndexError, SliceIndex};
use crate::table::Metric;
use crate::tablebase::Tablebase;

use crate::solve::convert::read::{after_captures, sub_slices};
use crate::solve::error::BuildError;
use crate::solve::frame::attacker_sets;
use crate::solve::plies::tables::Storage;
use crate::solve::resources::{self, Resources};

use super::assignment::{self, Assignment, Load};

/// A slice before it is built.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SlicePlan {
    /// The slice.
    pub slice: Slice,
    /// The tables that the build needs of it.
    pub metrics: &'static [Metric],
    /// `true` if these tables exist.
    pub present: bool,
    /// Its size; `None` if it is too large for this version.
    pub size: Option<SliceSize>,
}

/// The size of a slice, and estimates of the resources that its build takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SliceSize {
    /// Attacker sets, mirror images counted once.
    pub blocks: u64,
    /// Rows of its tables.
    pub rows: u64,
    /// Slots of its tables, both sides to move, holes included.
    pub slots: u64,
    /// Estimated peak memory if all tables are in memory.
    pub memory_bytes: u64,
    /// Estimated minimum memory with which it can be built.
    pub least_memory_bytes: u64,
    /// Estimated scratch space, compressed, with all tables in memory.
    pub least_scratch_bytes: u64,
    /// Estimated scratch space, uncompressed.
    pub plain_scratch_bytes: u64,
}

impl SliceSize {
    /// Estimates the scratch space of a build with this memory and free disk. Work in progress is
    /// compressed unless both have room for it.
    pub fn scratch_bytes(&self, memory_bytes: u64, disk_bytes: u64) -> u64 {
        let in_memory = self.memory_bytes.saturating_add(self.plain_scratch_bytes);
        let plain = Some(self.plain_scratch_bytes).filter(|_| in_memory <= memory_bytes);
        bytes_on_disk(self.least_scratch_bytes, plain, disk_bytes)
    }
}

/// Returns the size of the work in progress: `plain` if the disk has room for it, otherwise
/// `packed`. `plain` is `None` if memory has no room for uncompressed work.
fn bytes_on_disk(packed: u64, plain: Option<u64>, disk_bytes: u64) -> u64 {
    plain.filter(|&plain| resources::has_room(plain, packed, disk_bytes)).unwrap_or(packed)
}

/// Returns every slice with at most `men` men, at least one attacker, and no more men of
/// either side than the starting position, smallest first.
pub fn slices_up_to(rules: &Ruleset, men: usize) -> Vec<Slice> {
    let (max_defenders, max_attackers) = (rules.start.defenders.len(), rules.start.attackers.len());
    let mut slices: Vec<Slice> = (0..=max_defenders)
        .flat_map(|defenders| {
            (1..=max_attackers).map(move |attackers| Slice { defenders, attackers })
        })
        .filter(|slice| slice.men() <= men)
        .collect();
    slices.sort();
    slices
}

/// Returns the slices and all slices that their captures lead to, smallest first.
pub fn needed(slices: &[Slice]) -> Vec<Slice> {
    let mut needed = BTreeSet::new();
    let mut pending: Vec<Slice> = slices.to_vec();
    while let Some(slice) = pending.pop() {
        if needed.insert(slice) {
            // Slices after several captures follow from those after one.
            pending.extend(after_captures(slice, 1).map(|(child, _)| child));
        }
    }
    needed.into_iter().collect()
}

/// Checks that the solver knows all rules that can matter in the slices and in those that captures
/// lead to, which have fewer men.
pub(super) fn check_known(rules: &Ruleset, slices: &[Slice]) -> Result<(), BuildError> {
    let unknown = slices.iter().find_map(|&slice| Some((slice, rules.unsolved_rule(slice)?)));
    match unknown {
        Some((slice, field)) => Err(BuildError::UnknownRule { slice, field }),
        None => Ok(()),
    }
}

/// The tables that a build needs of its slices.
pub(super) struct TableChoice {
    metric: Metric,
    /// The slices whose distances others need.
    read: BTreeSet<Slice>,
}

impl TableChoice {
    /// Chooses the tables of a build with that metric; `slices` are all that it needs.
    pub(super) fn new(rules: &Ruleset, slices: &[Slice], metric: Metric) -> TableChoice {
        let children = slices.iter().flat_map(|&slice| sub_slices(rules, slice));
        TableChoice { metric, read: children.map(|(child, _)| child).collect() }
    }

    /// Returns the metrics of a slice's tables.
    pub(super) fn metrics(&self, slice: Slice) -> &'static [Metric] {
        match self.metric == Metric::Dtw || self.read.contains(&slice) {
            true => &Metric::ALL,
            false => &[Metric::Wdl],
        }
    }
}

/// Returns the plans of the slices and of all that they need, smallest first.
///
/// # Errors
/// If a slice is invalid, a rule that can matter in it is unknown, or an existing file cannot be
/// used.
pub fn plan(base: &Tablebase, slices: &[Slice]) -> Result<Vec<SlicePlan>, BuildError> {
    plan_with_metric(base, slices, Metric::Dtw)
}

/// As [`plan`], for a build with that [metric](super::BuildOptions::metric).
///
/// # Errors
/// See [`plan`].
pub fn plan_with_metric(
    base: &Tablebase,
    slices: &[Slice],
    metric: Metric,
) -> Result<Vec<SlicePlan>, BuildError> {
    check_known(base.rules(), slices)?;
    let needed = needed(slices);
    let tables = TableChoice::new(base.rules(), &needed, metric);
    needed.into_iter().map(|slice| slice_plan(base, slice, tables.metrics(slice))).collect()
}

/// The plan for building a slice with several ranks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RankPlan {
    /// The slice.
    pub slice: Slice,
    /// The number of ranks that build it: one, or all.
    pub ranks: usize,
    /// Partitions of all ranks together; 0 if all tables are in the memory of one.
    pub partitions: usize,
    /// Estimated peak memory of a rank; `None` if it exceeds the limit with any number of
    /// partitions.
    pub memory_bytes: Option<u64>,
    /// Estimated minimum memory of a rank with which the ranks can build it.
    pub least_memory_bytes: u64,
    /// Estimated scratch space of all ranks, compressed.
    pub least_scratch_bytes: u64,
    /// Estimated scratch space, uncompressed; `None` if memory has no room for that.
    pub plain_scratch_bytes: Option<u64>,
    /// Estimated bytes exchanged by all ranks.
    pub exchanged_bytes: u64,
}

impl RankPlan {
    /// Returns `true` if partitions are stored compressed while others are in memory.
    pub fn is_packed(&self) -> bool {
        Storage::Partitions(self.partitions).is_packed(self.ranks)
    }

    /// Estimates the scratch space of all ranks with this much free disk. Work in progress is
    /// compressed unless memory and disk have room for it.
    pub fn scratch_bytes(&self, disk_bytes: u64) -> u64 {
        bytes_on_disk(self.least_scratch_bytes, self.plain_scratch_bytes, disk_bytes)
    }
}

/// Plans a build by several ranks; `threads` and `memory_bytes` are those of each rank.
///
/// # Errors
/// If a slice is invalid, or too large for this version.
pub fn plan_among(
    rules: &Ruleset,
    slices: &[Slice],
    ranks: usize,
    threads: usize,
    memory_bytes: u64,
) -> Result<Vec<RankPlan>, BuildError> {
    let mut plans = Vec::new();
    let all = with_resources(rules, slices, threads)?;
    for loads in all.chunk_by(|(one, _), (next, _)| one.men() == next.men()) {
        let assignments = assign(loads, ranks, memory_bytes);
        for &(slice, resources) in loads {
            let together = assignments[&slice] == Assignment::AllRanks;
            let slice_ranks = if together { ranks } else { 1 };
            let storage = resources.storage(memory_bytes, slice_ranks);
            let partitions = match storage {
                Some(Storage::Partitions(partitions)) => partitions,
                _ => 0,
            };
            plans.push(RankPlan {
                slice,
                ranks: slice_ranks,
                partitions,
                memory_bytes: storage.map(|s| resources.memory_bytes(s, slice_ranks, memory_bytes)),
                least_memory_bytes: resources.min_memory_bytes(slice_ranks),
                least_scratch_bytes: storage.map_or(0, |s| resources.scratch_bytes(s, true)),
                plain_scratch_bytes: storage
                    .filter(|&s| resources.stays_plain(s, slice_ranks, memory_bytes))
                    .map(|storage| resources.scratch_bytes(storage, false)),
                exchanged_bytes: storage
                    .map_or(0, |s| resources.exchanged_bytes(s, slice_ranks, memory_bytes)),
            });
        }
    }
    Ok(plans)
}

/// Returns the slices, each with its resources.
pub(super) fn with_resources(
    rules: &Ruleset,
    slices: &[Slice],
    threads: usize,
) -> Result<Vec<(Slice, Resources)>, BuildError> {
    slices.iter().map(|&slice| Ok((slice, Resources::of(rules, slice, threads)?))).collect()
}

/// Assigns slices with the same number of men to ranks.
pub(super) fn assign(
    slices: &[(Slice, Resources)],
    ranks: usize,
    memory_bytes: u64,
) -> BTreeMap<Slice, Assignment> {
    let loads = slices.iter().map(|&(slice, resources)| Load {
        slice,
        rows: resources.rows(),
        sets: resources.sets(),
        fits_one_rank: resources.storage(memory_bytes, 1).is_some(),
        fits_all_ranks: resources.storage(memory_bytes, ranks).is_some(),
    });
    assignment::assign(loads.collect(), ranks)
}

fn slice_plan(
    base: &Tablebase,
    slice: Slice,
    metrics: &'static [Metric],
) -> Result<SlicePlan, BuildError> {
    let mut present = true;
    // All files are checked, as the build does.
    for &metric in metrics {
        present &= base.intact_table(slice, metric)?.is_some();
    }
    let size = match slice_size(base.rules(), slice) {
        Err(BuildError::TooLarge(_) | BuildError::Index(IndexError::TooLarge(_))) => None,
        size => Some(size?),
    };
    Ok(SlicePlan { slice, metrics, present, size })
}

fn slice_size(rules: &Ruleset, slice: Slice) -> Result<SliceSize, BuildError> {
    let index = SliceIndex::new(rules, slice)?;
    let resources = Resources::of(rules, slice, rayon::current_num_threads())?;
    Ok(SliceSize {
        blocks: attacker_sets(rules, slice)?.rows(),
        rows: index.rows(),
        slots: index.slots(),
        memory_bytes: resources.memory_bytes(Storage::Memory, 1, u64::MAX),
        least_memory_bytes: resources.min_memory_bytes(1),
        least_scratch_bytes: resources.scratch_bytes(Storage::Memory, true),
        plain_scratch_bytes: resources.scratch_bytes(Storage::Memory, false),
    })
}
