//! Comparison of tables that have the same rows, read side by side.

use super::CompareError;
use super::pair::Pair;
use super::tally::{ChangeCounts, Compared};
use crate::game::board::Symmetry;
use crate::game::rules::{BySide, Side};
use crate::index::Slot;
use crate::study::scan::{ScannedRows, outcome};

impl Pair<'_> {
    /// Compares tables that [have the same rows](Pair::has_same_rows).
    pub(super) fn compare_beside(
        &self,
        go_on: impl FnMut(u64, u64) -> bool,
    ) -> Result<BySide<ChangeCounts>, CompareError> {
        let mut total = self.total(go_on);
        self.first.run_beside(
            &self.second,
            |first, second| {
                let mut tallies = self.tallies();
                for side in Side::ALL {
                    self.tally_side(side, first, second, &mut tallies[side]);
                }
                (first.height() as u64, tallies)
            },
            |(rows, tallies)| total.add(rows, Ok(tallies)),
        )?;
        total.finish()
    }

    fn tally_side(
        &self,
        side: Side,
        first: &ScannedRows,
        second: &ScannedRows,
        tally: &mut ChangeCounts,
    ) {
        let height = first.height();
        let lanes = first.codes[side].chunks_exact(height);
        let multiplicities = first.multiplicities.chunks_exact(height);
        let kings = (0..).zip(self.first.index.lanes().squares());
        for (((lane, &king), codes), lane_images) in kings.zip(lanes).zip(multiplicities) {
            let slots = (first.rows.start..).zip(codes).zip(lane_images);
            let counted = slots.filter(|(_, images)| **images > 0);
            let Some(second_lane) = self.second.index.lanes().lane(king) else {
                for ((_, &code), &images) in counted {
                    tally.only_first.add(outcome(code), images.into());
                }
                continue;
            };
            let second_codes = &second.codes[side][usize::from(second_lane) * height..];
            for ((row, &code), &images) in counted {
                let second_code = second_codes[(row - first.rows.start) as usize];
                // Reading rejects codes without a value.
                if let Some(first) = self.first.value(code)
                    && let Some(second) = self.second.value(second_code)
                {
                    let slot = Slot { lane, row };
                    let compared = Compared { slot, symmetry: Symmetry::IDENTITY, first, second };
                    tally.add(compared, images.into());
                }
            }
        }
    }
}
