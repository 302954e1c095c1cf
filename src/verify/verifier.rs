use crate::position::Position;
use crate::progress::{Phase, Progress};
use crate::rules::Side;
use crate::slice::Slice;
use crate::table::{Metric, SideSummary, wdl_value};
use crate::tablebase::Tablebase;
use crate::value::Wdl;

use super::enclosing::Enclosing;
use super::finding::Finding;
use super::geometry::{Blocks, DefenderSets, Geometry};
use super::memory::{self, Examined, Layout, Values, WrongSign};
use super::proof::{self, Outcome};
use super::rows::{Rows, Stored};
use super::score::Score;
use super::unasked::Unasked;
use super::{FEW, Verdict, VerifyError, children, is_there, memory_bytes, stored_metric};

/// What reading a slice into memory needs.
pub(super) struct Verifier<'a, T> {
    base: &'a Tablebase,
    slice: Slice,
    metric: Metric,
    geometry: Geometry<T>,
    /// By the number captured.
    defenders: Vec<DefenderSets>,
    blocks: Vec<Blocks>,
}

impl<'a, T: Score> Verifier<'a, T> {
    /// # Errors
    /// If the slice is too large to be numbered.
    pub fn new(
        base: &'a Tablebase,
        slice: Slice,
        metric: Metric,
    ) -> Result<Verifier<'a, T>, VerifyError> {
        let rules = base.rules();
        let Slice { defenders, attackers } = slice;
        let defenders = (0..=3.min(defenders)).map(|n| DefenderSets::new(rules, defenders - n));
        let blocks =
            (0..=3.min(attackers.saturating_sub(1))).map(|n| Blocks::new(rules, attackers - n));
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

    /// Reads all that is needed and compares.
    pub fn run(&self, progress: &dyn Progress) -> Result<Verdict, VerifyError> {
        progress.phase(self.slice, Phase::Reading, 0);
        let rows = self.read()?;
        let total = rows.own.layout.index.rows();
        progress.phase(self.slice, Phase::Verifying, total);
        let outcome = proof::compare(&rows, self.metric, progress);
        let Outcome { positions, mut mismatches, mut first, .. } = outcome;
        for metric in self.metrics()? {
            let (count, wrong) = self.examine(&rows, metric)?;
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
        let unasked = Unasked::new(rules, &self.geometry);
        let mut read = Rows {
            rules,
            geometry: &self.geometry,
            enclosing: Enclosing::new(rules),
            own: self.stored(self.slice, &Side::ALL, &unasked)?,
            fewer_defenders: Vec::new(),
            fewer_attackers: Vec::new(),
        };
        for (slice, to_move) in children(self.slice) {
            let stored = self.stored(slice, &[to_move], &unasked)?;
            match to_move {
                Side::Defenders => read.fewer_defenders.push(stored),
                Side::Attackers => read.fewer_attackers.push(stored),
            }
        }
        Ok(read)
    }

    fn stored(
        &self,
        slice: Slice,
        sides: &[Side],
        unasked: &Unasked<T>,
    ) -> Result<Stored<'_, T>, VerifyError> {
        let metric = stored_metric(self.base, slice, self.metric);
        let layout = Layout {
            index: self.base.index(slice, metric)?,
            blocks: &self.blocks[self.slice.attackers - slice.attackers],
            defenders: &self.defenders[self.slice.defenders - slice.defenders],
        };
        let table = self.base.table(slice, metric)?;
        let stride = self.geometry.stride;
        let values = Values::read(table, &layout, stride, sides, self.metric, unasked)?;
        Ok(Stored { layout, values })
    }

    /// The slice's tables.
    fn metrics(&self) -> Result<Vec<Metric>, VerifyError> {
        let mut metrics = vec![self.metric];
        if self.metric == Metric::Dtw && is_there(self.base, self.slice, Metric::Wdl)? {
            metrics.push(Metric::Wdl);
        }
        Ok(metrics)
    }

    /// Whether the table's hash is that of its values; and where the WDL table is
    /// not the sign of the DTW table.
    fn examine(&self, rows: &Rows<T>, metric: Metric) -> Result<(u64, Vec<Finding>), VerifyError> {
        let table = self.base.table(self.slice, metric)?;
        let Stored { layout, values } = &rows.own;
        let unasked = Unasked::new(rows.rules, &self.geometry);
        let distances = Some(values).filter(|_| metric != self.metric);
        let Examined { value_hash, mut wrong, first } =
            memory::examine(table, layout, distances, &unasked, FEW)?;
        let finding = |wrong: WrongSign| Finding::Wdl {
            position: Position {
                attackers: wrong.attackers,
                defenders: wrong.defenders,
                king: layout.index.lanes().squares()[wrong.lane],
                to_move: wrong.side,
            },
            stored: wdl_value(wrong.stored).unwrap_or(Wdl::Draw),
            found: wdl_value(wrong.found).unwrap_or(Wdl::Draw),
        };
        let mut findings: Vec<Finding> = first.into_iter().map(finding).collect();
        if table.value_hash() != value_hash {
            wrong += 1;
            let (stored, found) = (table.value_hash(), value_hash);
            findings.push(Finding::ValueHash { metric, stored, found });
        }
        Ok((wrong, findings))
    }

    /// The summaries that are not those of the values.
    fn wrong_summaries(&self, found: &[SideSummary; 2]) -> Result<Vec<Finding>, VerifyError> {
        let mut wrong = Vec::new();
        for metric in self.metrics()? {
            let table = self.base.table(self.slice, metric)?;
            for side in Side::ALL {
                let stored = *table.summary(side);
                let found = metric.summary(found[side as usize]);
                if stored != found {
                    wrong.push(Finding::Summary { metric, side, stored, found });
                }
            }
        }
        Ok(wrong)
    }
}
