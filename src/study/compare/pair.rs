use std::ops::ControlFlow;

use super::tally::{ChangeCounts, Compared};
use super::{CompareError, ComparedPosition, OutcomeCounts, SideComparison};
use crate::game::rules::{BySide, Kind, Ruleset, Side};
use crate::game::slice::Slice;
use crate::study::scan::Scan;
use crate::table::Metric;
use crate::tablebase::{ProbeError, Tablebase};

/// A slice's tables under two rulesets.
pub(super) struct Pair<'a> {
    pub first: Scan<'a>,
    pub second: Scan<'a>,
    /// The second ruleset's tables.
    pub second_base: &'a Tablebase,
    /// The number of the most changed positions to keep.
    pub most: usize,
}

impl<'a> Pair<'a> {
    /// Opens the tables.
    pub(super) fn new(
        first: &'a Tablebase,
        second: &'a Tablebase,
        slice: Slice,
        most: usize,
    ) -> Result<Pair<'a>, CompareError> {
        let [(first_name, board), (second_name, other_board)] =
            [first, second].map(|base| (base.rules().name.clone(), base.rules().board));
        if board != other_board {
            let (first, second) = ((first_name, board), (second_name, other_board));
            return Err(CompareError::Boards { first, second });
        }
        Ok(Pair {
            first: Scan::new(first.rules(), first.best_table(slice)?)?,
            second: Scan::new(second.rules(), second.best_table(slice)?)?,
            second_base: second,
            most,
        })
    }

    /// Returns whether the same soldiers are in the same row of both tables. If so, a canonical
    /// position of the first is canonical in the second, too: the lanes of both are in the
    /// order of the king's squares.
    pub(super) fn has_same_rows(&self) -> bool {
        let soldiers =
            |rules: &Ruleset| [Kind::Attacker, Kind::Defender].map(|kind| rules.places(kind));
        let [first, second] = [self.first.rules, self.second.rules];
        first.symmetries() == second.symmetries() && soldiers(first) == soldiers(second)
    }

    /// Returns whether both tables have distances.
    pub(super) fn has_distances(&self) -> bool {
        [&self.first, &self.second].iter().all(|scan| scan.table.header().metric == Metric::Dtw)
    }

    /// Returns empty tallies.
    pub(super) fn tallies(&self) -> BySide<ChangeCounts> {
        BySide::from_fn(|_| ChangeCounts::new(self.most))
    }

    /// Creates a total that reports the progress.
    pub(super) fn total<F: FnMut(u64, u64) -> bool>(&self, go_on: F) -> Total<F> {
        let rows = self.first.index.rows();
        Total { tallies: self.tallies(), done: 0, rows, go_on, failure: None }
    }

    /// Completes the comparison of a side.
    pub(super) fn finish(&self, to_move: Side, tally: ChangeCounts) -> SideComparison {
        let position = |&Compared { slot, symmetry, first, second }: &Compared| {
            let canonical = self.first.index.unrank(slot, to_move)?;
            let position = canonical.image(self.first.rules, symmetry);
            Some(ComparedPosition { position, first, second })
        };
        let changes = tally.changes(position);
        let [mut shared_first, mut shared_second] = [OutcomeCounts::default(); 2];
        for change in &changes {
            shared_first.add(change.first, change.placements);
            shared_second.add(change.second, change.placements);
        }
        let summary = self.second.table.summary(to_move);
        let (wins, draws, losses) = (summary.wins, summary.draws, summary.losses);
        let second = OutcomeCounts { wins, draws, losses };
        SideComparison {
            to_move,
            has_distances: self.has_distances(),
            first: shared_first.plus(tally.only_first),
            second,
            only_first: tally.only_first,
            // What the table's own counts have beyond the placements that were compared.
            only_second: second.minus(shared_second),
            greatest_difference: tally.widest.as_ref().and_then(position),
            most_changed: tally.most_changed.iter().filter_map(position).collect(),
            changes,
        }
    }
}

/// The tallies of all rows so far.
pub(super) struct Total<F> {
    tallies: BySide<ChangeCounts>,
    done: u64,
    rows: u64,
    go_on: F,
    failure: Option<CompareError>,
}

impl<F: FnMut(u64, u64) -> bool> Total<F> {
    /// Adds the tallies of the next rows; breaks after a failure or if the callback says so.
    pub(super) fn add(
        &mut self,
        rows: u64,
        tallies: Result<BySide<ChangeCounts>, ProbeError>,
    ) -> ControlFlow<()> {
        match tallies {
            Ok(more) => {
                for (tally, more) in self.tallies.iter_mut().zip(more) {
                    tally.join(&more);
                }
            }
            Err(error) => self.failure = Some(error.into()),
        }
        self.done += rows;
        if self.failure.is_none() && !(self.go_on)(self.done, self.rows) {
            self.failure = Some(CompareError::Stopped);
        }
        if self.failure.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Returns the tallies of all rows.
    pub(super) fn finish(self) -> Result<BySide<ChangeCounts>, CompareError> {
        self.failure.map_or(Ok(self.tallies), Err)
    }
}
