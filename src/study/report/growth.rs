//! What tables take, by the number of men.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::game::slice::Slice;

use super::SliceSection;

/// What the slices with one number of men take.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[non_exhaustive]
pub struct GrowthRow {
    /// All men, the king included.
    pub men: usize,
    /// The slices with tables.
    pub built: usize,
    /// All slices of the game with that many men; `None` if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slices: Option<usize>,
    /// Placements of all these slices with either side to move.
    pub positions: f64,
    /// The size of the files of all these slices.
    pub bytes: f64,
    /// The CPU time of building them on one core, always an estimate; `None` if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub core_seconds: Option<f64>,
    /// Whether slices are not built, so that `bytes` is an estimate.
    pub is_estimate: bool,
}

/// The estimated cost of a slice of the game. The numbers of whole games exceed those of
/// integers.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SliceCost {
    /// The slice.
    pub slice: Slice,
    /// Placements with either side to move.
    pub positions: f64,
    /// The size of both files.
    pub bytes: f64,
    /// The CPU time of its build on one core.
    pub core_seconds: f64,
}

/// Sums up the slices that are built.
pub(super) fn measured(slices: &[SliceSection]) -> Vec<GrowthRow> {
    let mut rows = BTreeMap::new();
    for section in slices {
        row(&mut rows, section.men).add(section);
    }
    rows.into_values().collect()
}

/// Sums up the slices that are built, and estimates for the others.
pub(super) fn estimated(slices: &[SliceSection], costs: &[SliceCost]) -> Vec<GrowthRow> {
    let built: BTreeMap<Slice, &SliceSection> =
        slices.iter().map(|section| (section.slice, section)).collect();
    let mut rows = BTreeMap::new();
    for cost in costs {
        let of_men = row(&mut rows, cost.slice.men());
        *of_men.slices.get_or_insert(0) += 1;
        *of_men.core_seconds.get_or_insert(0.0) += cost.core_seconds;
        match built.get(&cost.slice) {
            Some(section) => of_men.add(section),
            None => {
                of_men.positions += cost.positions;
                of_men.bytes += cost.bytes;
                of_men.is_estimate = true;
            }
        }
    }
    // Tables may go beyond the men of the start position.
    let in_game: BTreeSet<Slice> = costs.iter().map(|cost| cost.slice).collect();
    for section in slices.iter().filter(|section| !in_game.contains(&section.slice)) {
        row(&mut rows, section.men).add(section);
    }
    rows.into_values().collect()
}

fn row(rows: &mut BTreeMap<usize, GrowthRow>, men: usize) -> &mut GrowthRow {
    rows.entry(men).or_insert(GrowthRow {
        men,
        built: 0,
        slices: None,
        positions: 0.0,
        bytes: 0.0,
        core_seconds: None,
        is_estimate: false,
    })
}

impl GrowthRow {
    fn add(&mut self, section: &SliceSection) {
        self.built += 1;
        self.positions += section.winners.positions as f64;
        self.bytes += section.bytes as f64;
    }
}
