//! Comparison of tables whose rows differ: each placement of the first is probed in the second.

use std::collections::BTreeSet;

use super::CompareError;
use super::pair::Pair;
use super::tally::{ChangeCounts, Compared};
use crate::game::board::{Symmetry, SymmetryGroup};
use crate::game::position::Position;
use crate::game::rules::{BySide, Kind, Ruleset, Side};
use crate::index::Slot;
use crate::study::scan::ScannedRows;
use crate::table::Metric;
use crate::tablebase::{ProbeError, Probed};

/// The number of positions that are probed at once: enough to decode a block for many of them.
const BATCH: usize = 1 << 14;

impl Pair<'_> {
    /// Compares tables by probing the second one.
    pub(super) fn compare_by_lookup(
        &self,
        go_on: impl FnMut(u64, u64) -> bool,
    ) -> Result<BySide<ChangeCounts>, CompareError> {
        let images = Images::new(self.first.rules, self.second.rules);
        let mut total = self.total(go_on);
        self.first.run(
            &Side::ALL,
            &|_, _| self.first.rules.places(Kind::King),
            |rows| (rows.height() as u64, self.tally_rows(rows, &images)),
            |(rows, tallies)| total.add(rows, tallies),
        )?;
        total.finish()
    }

    fn tally_rows(
        &self,
        rows: &ScannedRows,
        images: &Images<'_>,
    ) -> Result<BySide<ChangeCounts>, ProbeError> {
        let mut tallies = self.tallies();
        for side in Side::ALL {
            let tally = &mut tallies[side];
            let mut batch =
                Batch { pair: self, images, tally, slots: Vec::new(), positions: Vec::new() };
            batch.add_side(side, rows)?;
            batch.probe()?;
        }
        Ok(tallies)
    }
}

/// The mirror images of a placement under the first ruleset, which may have different values
/// under the second.
struct Images<'a> {
    rules: &'a Ruleset,
    /// The symmetries that both rulesets have.
    shared: SymmetryGroup,
    /// The symmetries of the first ruleset, one of those that differ by a shared one.
    others: Vec<Symmetry>,
}

impl<'a> Images<'a> {
    fn new(first: &'a Ruleset, second: &Ruleset) -> Images<'a> {
        let group = first.symmetries();
        let shared = SymmetryGroup::stabilizing(|symmetry| {
            group.contains(symmetry) && second.symmetries().contains(symmetry)
        });
        let mut others: Vec<Symmetry> = Vec::new();
        for symmetry in group.iter() {
            let is_known = |other: &Symmetry| shared.iter().any(|g| other.then(g) == symmetry);
            if !others.iter().any(is_known) {
                others.push(symmetry);
            }
        }
        Images { rules: first, shared, others }
    }

    /// Returns the images of a placement with `multiplicity` images in all, one of those that a
    /// shared symmetry maps to each other, with their number.
    fn of(&self, position: &Position, multiplicity: u8) -> Vec<(Symmetry, Position, u64)> {
        let image = |&symmetry: &Symmetry| (symmetry, position.image(self.rules, symmetry));
        let images = self.others.iter().map(image);
        if usize::from(multiplicity) == self.rules.symmetries().order() {
            let number = self.shared.order() as u64;
            return images.map(|(symmetry, image)| (symmetry, image, number)).collect();
        }
        // Symmetries that leave the placement unchanged give the same images again.
        let mut seen = BTreeSet::new();
        let mut distinct = Vec::new();
        for (symmetry, image) in images {
            let alike: BTreeSet<Position> =
                self.shared.iter().map(|shared| image.image(self.rules, shared)).collect();
            if !seen.contains(&image) {
                distinct.push((symmetry, image, alike.len() as u64));
            }
            seen.extend(alike);
        }
        distinct
    }
}

/// A placement of a slot, with its value in the first table.
struct Placed {
    slot: Slot,
    symmetry: Symmetry,
    first: Probed,
    /// The number of placements that it stands for.
    placements: u64,
}

/// Placements of one side to move that are about to be probed.
struct Batch<'a> {
    pair: &'a Pair<'a>,
    images: &'a Images<'a>,
    tally: &'a mut ChangeCounts,
    slots: Vec<Placed>,
    /// The slots' positions under the second ruleset.
    positions: Vec<Position>,
}

impl Batch<'_> {
    /// Adds the positions in these rows, and probes many at a time.
    fn add_side(&mut self, side: Side, rows: &ScannedRows) -> Result<(), ProbeError> {
        let height = rows.height();
        let index = &self.pair.first.index;
        let soldiers: Vec<_> = rows.rows.clone().map(|row| index.unrank_row(row)).collect();
        let codes = rows.codes[side].iter().zip(&rows.multiplicities).enumerate();
        for (place, (&code, &multiplicity)) in codes.filter(|(_, (_, images))| **images > 0) {
            let (lane, at) = (place / height, place % height);
            let slot = Slot { lane: lane as u16, row: rows.rows.start + at as u64 };
            // Reading rejects codes without a value.
            let Some(first) = self.pair.first.value(code) else {
                continue;
            };
            let (attackers, defenders) = soldiers[at];
            let (king, rules) = (index.lanes().squares()[lane], self.pair.second.rules.id());
            let position = Position { attackers, defenders, king, to_move: side, rules };
            self.add(slot, &position, multiplicity, first);
            if self.positions.len() >= BATCH {
                self.probe()?;
            }
        }
        Ok(())
    }

    /// Adds the images of a slot's position, which is given under the second ruleset.
    fn add(&mut self, slot: Slot, position: &Position, multiplicity: u8, first: Probed) {
        for (symmetry, image, placements) in self.images.of(position, multiplicity) {
            if exists(self.pair.second.rules, &image) {
                self.slots.push(Placed { slot, symmetry, first, placements });
                self.positions.push(image);
            } else {
                self.tally.only_first.add(first.wdl, placements);
            }
        }
    }

    /// Probes and counts the positions so far.
    fn probe(&mut self) -> Result<(), ProbeError> {
        let has_distances = self.pair.second.table.header().metric == Metric::Dtw;
        let values = self.pair.second_base.probe_many(&self.positions);
        for (placed, value) in self.slots.drain(..).zip(values) {
            let Placed { slot, symmetry, first, placements } = placed;
            let mut second = value?;
            // Where the rules decide, a probe has the distance without a table.
            second.plies = second.plies.filter(|_| has_distances);
            self.tally.add(Compared { slot, symmetry, first, second }, placements);
        }
        self.positions.clear();
        Ok(())
    }
}

/// Returns whether a placement exists under these rules: every piece stands on a square open to
/// its kind.
fn exists(rules: &Ruleset, position: &Position) -> bool {
    Kind::ALL.into_iter().all(|kind| position.squares(kind).is_subset(rules.places(kind)))
}
