use crate::game::position::Position;
use crate::game::rules::{BySide, Side};
use crate::game::slice::Slice;
use crate::game::value::Wdl;
use crate::table::progress::{Phase, Progress};
use crate::table::{Metric, SideSummary, wdl_value};
use crate::tablebase::Tablebase;

use super::custodial::CustodialCaptures;
use super::examine::{WrongSign, examine};
use super::finding::Finding;
use super::geometry::{Blocks, DefenderSets, Geometry, row_bytes};
use super::held_blocks::HeldBlocks;
use super::needed_blocks::{BlockBytes, BlockTooLarge, Groups, NeededBlocks};
use super::proof::{self, ProofOutcome};
use super::row_layout::RowLayout;
use super::sample::Sample;
use super::score::Score;
use super::stored_rows::{StoredRows, StoredSlice};
use super::unasked_slots::UnaskedSlots;
use super::values::Values;
use super::{FEW, Verdict, VerifyError, children, is_there, memory_bytes, stored_metric};

/// What reading a slice, or blocks of it, into memory needs.
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
    pub(super) fn new(
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

    /// Verifies a sample, or everything.
    pub(super) fn verify(
        &self,
        sample: Option<&Sample>,
        progress: &dyn Progress,
    ) -> Result<Verdict, VerifyError> {
        match sample {
            Some(sample) => self.sample(sample, progress),
            None => self.all(progress),
        }
    }

    /// Reads all that is needed and compares.
    fn all(&self, progress: &dyn Progress) -> Result<Verdict, VerifyError> {
        let needed = NeededBlocks::all(&self.blocks);
        let (rows, outcome) = self.compare(&needed, progress)?;
        let ProofOutcome { positions, mut mismatches, mut first, .. } = outcome;
        for metric in self.metrics()? {
            let (count, wrong) = self.examine(&rows, &needed.compared, metric)?;
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

    /// Reads and compares a sample, so many blocks at a time as fit into memory.
    fn sample(&self, sample: &Sample, progress: &dyn Progress) -> Result<Verdict, VerifyError> {
        let rows = self.defenders[0].len();
        let chosen = sample.choose(self.blocks[0].count() as usize, rows);
        let slice = self.slice;
        let numbering = self.numbering_bytes();
        let too_large = |BlockTooLarge { bytes }| VerifyError::BlockTooLarge {
            slice,
            bytes: bytes + numbering,
        };
        let mut groups = self.groups(chosen, sample.memory_bytes.saturating_sub(numbering));
        let mut blocks = 0;
        let mut total = ProofOutcome::default();
        while let Some(needed) = groups.next().map_err(too_large)? {
            blocks += needed.compared.len() as u64;
            let (rows, mut outcome) = self.compare(&needed, progress)?;
            for metric in self.metrics()?.into_iter().filter(|&metric| metric != self.metric) {
                let (count, wrong) = self.examine(&rows, &needed.compared, metric)?;
                outcome.mismatches += count;
                outcome.first.extend(wrong);
            }
            total = total.add(outcome);
        }
        let ProofOutcome { positions, mismatches, first, .. } = total;
        Ok(match mismatches {
            0 => Verdict::Sampled { blocks, positions, metric: self.metric },
            findings => Verdict::Wrong { findings, first },
        })
    }

    fn groups<I: Iterator<Item = usize>>(&self, chosen: I, memory_bytes: u64) -> Groups<'_, T, I> {
        let bytes =
            |sets: &DefenderSets| (sets.len() * row_bytes::<T>(self.geometry.stride)) as u64;
        Groups {
            geometry: &self.geometry,
            custodial: CustodialCaptures::new(self.base.rules()),
            blocks: &self.blocks,
            bytes: BlockBytes {
                own: bytes(&self.defenders[0]),
                all: self.defenders.iter().map(bytes).sum(),
            },
            memory_bytes,
            walker: self.blocks[0].walker(),
            rest: chosen.peekable(),
        }
    }

    /// What the numberings and the sets of blocks of a sample take.
    fn numbering_bytes(&self) -> u64 {
        let defenders = self.defenders.iter().map(DefenderSets::size_bytes);
        let own = &self.blocks[..1];
        let blocks =
            self.blocks.iter().chain(own).map(|blocks| HeldBlocks::set_bytes(blocks.count()));
        defenders.chain(blocks).sum()
    }

    fn compare<'n>(
        &'n self,
        needed: &'n NeededBlocks,
        progress: &dyn Progress,
    ) -> Result<(StoredRows<'n, T>, ProofOutcome), VerifyError> {
        progress.phase(self.slice, Phase::Reading, 0);
        let rows = self.read(needed)?;
        let share = needed.compared.len() as f64 / self.blocks[0].count() as f64;
        let total = (share * rows.own.layout.index.rows() as f64) as u64;
        progress.phase(self.slice, Phase::Verifying, total);
        let outcome = proof::compare(&rows, &needed.compared, self.metric, progress);
        Ok((rows, outcome.ok_or(VerifyError::Cancelled)?))
    }

    fn read<'n>(&'n self, needed: &'n NeededBlocks) -> Result<StoredRows<'n, T>, VerifyError> {
        let rules = self.base.rules();
        let unasked = UnaskedSlots::new(rules, &self.geometry);
        let NeededBlocks { compared, beside, left } = needed;
        let mut read = StoredRows {
            rules,
            geometry: &self.geometry,
            custodial: CustodialCaptures::new(rules),
            own: self.stored(self.slice, BySide([compared, beside]), &unasked)?,
            fewer_defenders: Vec::new(),
            fewer_attackers: Vec::new(),
        };
        let mut left = left.iter();
        for (slice, to_move) in children(self.slice) {
            match to_move {
                Side::Defenders => {
                    let stored =
                        self.stored(slice, BySide([&HeldBlocks::NOTHING, beside]), &unasked)?;
                    read.fewer_defenders.push(stored);
                }
                Side::Attackers => {
                    let left = left.next().unwrap_or(&HeldBlocks::NOTHING);
                    let stored =
                        self.stored(slice, BySide([left, &HeldBlocks::NOTHING]), &unasked)?;
                    read.fewer_attackers.push(stored);
                }
            }
        }
        Ok(read)
    }

    fn stored<'n>(
        &'n self,
        slice: Slice,
        held: BySide<&'n HeldBlocks>,
        unasked: &UnaskedSlots<T>,
    ) -> Result<StoredSlice<'n, T>, VerifyError> {
        let metric = stored_metric(self.base, slice, self.metric);
        let layout = RowLayout {
            index: self.base.index(slice)?,
            blocks: &self.blocks[self.slice.attackers - slice.attackers],
            defenders: &self.defenders[self.slice.defenders - slice.defenders],
        };
        let table = self.base.table(slice, metric)?;
        let stride = self.geometry.stride;
        let values = Values::read(table, &layout, stride, held, self.metric, unasked)?;
        Ok(StoredSlice { layout, values })
    }

    /// The slice's tables.
    fn metrics(&self) -> Result<Vec<Metric>, VerifyError> {
        let mut metrics = vec![self.metric];
        if self.metric == Metric::Dtw && is_there(self.base, self.slice, Metric::Wdl)? {
            metrics.push(Metric::Wdl);
        }
        Ok(metrics)
    }

    /// Where the WDL table is not the sign of the DTW table in the blocks held;
    /// and, if they are all, whether a table's hash is that of its values.
    fn examine(
        &self,
        rows: &StoredRows<T>,
        held: &HeldBlocks,
        metric: Metric,
    ) -> Result<(u64, Vec<Finding>), VerifyError> {
        let table = self.base.table(self.slice, metric)?;
        let StoredSlice { layout, values } = &rows.own;
        let distances = metric != self.metric;
        let (value_hash, wrong) = examine(table, layout, held, values, distances, FEW)?;
        let mut count = wrong.count;
        let finding = |wrong: WrongSign| Finding::Wdl {
            position: Position {
                attackers: wrong.attackers,
                defenders: wrong.defenders,
                king: layout.index.lanes().squares()[wrong.lane],
                to_move: wrong.side,
                rules: self.base.rules().id(),
            },
            stored: wdl_value(wrong.stored).unwrap_or(Wdl::Draw),
            found: wdl_value(wrong.found).unwrap_or(Wdl::Draw),
        };
        let mut findings: Vec<Finding> = wrong.first.into_iter().map(finding).collect();
        if held.is_all() && table.value_hash() != value_hash {
            count += 1;
            let (stored, found) = (table.value_hash(), value_hash);
            findings.push(Finding::ValueHash { metric, stored, found });
        }
        Ok((count, findings))
    }

    /// The summaries that are not those of the values.
    fn wrong_summaries(&self, found: &BySide<SideSummary>) -> Result<Vec<Finding>, VerifyError> {
        let mut wrong = Vec::new();
        for metric in self.metrics()? {
            let table = self.base.table(self.slice, metric)?;
            for side in Side::ALL {
                let stored = *table.summary(side);
                let found = metric.summary(found[side]);
                if stored != found {
                    wrong.push(Finding::Summary { metric, side, stored, found });
                }
            }
        }
        Ok(wrong)
    }
}
