//! Counts of what becomes of values.

use std::cmp::{Ordering, Reverse};

use super::{Change, ComparedPosition, OutcomeCounts};
use crate::game::board::Symmetry;
use crate::game::value::{Plies, Wdl};
use crate::index::Slot;
use crate::tablebase::Probed;

/// The number of kinds of changes: two outcomes, and the change of the distance.
const KINDS: usize = 3 * 3 * 3;

/// A placement with its values under both rulesets: the image under a symmetry of a slot's
/// position.
#[derive(Clone, Copy)]
pub(super) struct Compared {
    pub slot: Slot,
    pub symmetry: Symmetry,
    pub first: Probed,
    pub second: Probed,
}

/// The changes of some placements with one side to move.
#[derive(Clone, Default)]
pub(super) struct ChangeCounts {
    /// The number of the most changed positions to keep.
    most: usize,
    /// The placements that exist only under the first ruleset.
    pub only_first: OutcomeCounts,
    by_kind: [Option<(u64, Compared)>; KINDS],
    /// The greatest difference of distances.
    pub widest: Option<Compared>,
    /// Most changed first.
    pub most_changed: Vec<Compared>,
}

impl Compared {
    /// The order of the index.
    fn place(&self) -> (Slot, Symmetry) {
        (self.slot, self.symmetry)
    }

    fn distance(&self) -> Ordering {
        match (self.first, self.second) {
            (Probed { wdl, plies: Some(first) }, Probed { wdl: other, plies: Some(second) })
                if wdl == other =>
            {
                second.cmp(&first)
            }
            _ => Ordering::Equal,
        }
    }

    fn kind(&self) -> usize {
        let distance = match self.distance() {
            Ordering::Less => 0,
            Ordering::Equal => 1,
            Ordering::Greater => 2,
        };
        (self.first.wdl as usize * 3 + self.second.wdl as usize) * 3 + distance
    }

    /// Returns a key that is smaller for wider differences of the distance.
    fn width(&self) -> (Reverse<Plies>, (Slot, Symmetry)) {
        let [first, second] = [self.first, self.second].map(|value| value.plies.unwrap_or(0));
        (Reverse(first.abs_diff(second)), self.place())
    }

    /// Returns a key that is smaller for greater changes of the outcome.
    fn greatness(&self) -> (bool, u32, (Slot, Symmetry)) {
        let plies = [self.first, self.second].map(|value| u32::from(value.plies.unwrap_or(0)));
        let has_draw = self.first.wdl == Wdl::Draw || self.second.wdl == Wdl::Draw;
        (has_draw, plies[0] + plies[1], self.place())
    }
}

impl ChangeCounts {
    /// Creates an empty tally that keeps up to `most` of the most changed positions.
    pub(super) fn new(most: usize) -> ChangeCounts {
        ChangeCounts { most, ..ChangeCounts::default() }
    }

    /// Counts placements that exist under both.
    #[inline]
    pub(super) fn add(&mut self, compared: Compared, placements: u64) {
        self.count(compared, placements);
        if compared.first.wdl != compared.second.wdl {
            self.keep_changed(compared);
        } else if compared.distance() != Ordering::Equal {
            self.keep_widest(compared);
        }
    }

    #[inline]
    fn count(&mut self, compared: Compared, placements: u64) {
        match &mut self.by_kind[compared.kind()] {
            Some((count, example)) => {
                *count += placements;
                if compared.place() < example.place() {
                    *example = compared;
                }
            }
            counted => *counted = Some((placements, compared)),
        }
    }

    fn keep_widest(&mut self, compared: Compared) {
        if self.widest.is_none_or(|widest| compared.width() < widest.width()) {
            self.widest = Some(compared);
        }
    }

    fn keep_changed(&mut self, compared: Compared) {
        let is_full = self.most_changed.len() >= self.most;
        let last = self.most_changed.last();
        if is_full && last.is_none_or(|last| last.greatness() < compared.greatness()) {
            return;
        }
        let key = compared.greatness();
        let at = self.most_changed.partition_point(|other| other.greatness() < key);
        self.most_changed.insert(at, compared);
        self.most_changed.truncate(self.most);
    }

    /// Adds the counts of other placements.
    pub(super) fn join(&mut self, other: &ChangeCounts) {
        self.only_first = self.only_first.plus(other.only_first);
        for &(placements, example) in other.by_kind.iter().flatten() {
            self.count(example, placements);
        }
        other.widest.into_iter().for_each(|compared| self.keep_widest(compared));
        other.most_changed.iter().for_each(|&compared| self.keep_changed(compared));
    }

    /// Returns the changes in the order of [`SideComparison::changes`](super::SideComparison).
    pub(super) fn changes(
        &self,
        position: impl Fn(&Compared) -> Option<ComparedPosition>,
    ) -> Vec<Change> {
        let mut changes: Vec<Change> = self
            .by_kind
            .iter()
            .flatten()
            .filter_map(|(placements, compared)| {
                Some(Change {
                    first: compared.first.wdl,
                    second: compared.second.wdl,
                    distance: compared.distance(),
                    placements: *placements,
                    example: position(compared)?,
                })
            })
            .collect();
        changes
            .sort_by_key(|change| (Reverse(change.first), Reverse(change.second), change.distance));
        changes
    }
}
