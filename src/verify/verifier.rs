use crate::game::rules::{BySide, Side};
use crate::game::slice::Slice;
use crate::table::progress::{Phase, Progress};
use crate::table::{Metric, SideSummary, Table, TableFile};
use crate::tablebase::Tablebase;

use super::custodial::CustodialCaptures;
use super::dont_cares::DontCares;
use super::finding::{Finding, Findings};
use super::geometry::{Blocks, DefenderSets, Geometry, row_bytes};
use super::held_blocks::HeldBlocks;
use super::needed_blocks::{BlockBytes, BlockGroups, BlockTooLarge, NeededBlocks};
use super::proof::{self, ProofOutcome};
use super::row_layout::RowLayout;
use super::sample::Sample;
use super::score::Score;
use super::stored_rows::{StoredRows, StoredSlice};
use super::table_check::check_table;
use super::values::Values;
use super::{
    Verdict, VerifyError, captures_per_move, score_bytes, slices_after_captures, stored_metric,
};

/// Verifies one slice; holds what reading it, or some of its blocks, requires.
pub(super) struct Verifier<'a, T> {
    base: &'a Tablebase,
    slice: Slice,
    metric: Metric,
    geometry: Geometry<T>,
    /// By the number of defenders captured.
    defenders: Vec<DefenderSets>,
    /// By the number of attackers captured.
    blocks: Vec<Blocks>,
    /// The memory for the numberings and for the sets of blocks of a sample.
    numbering_bytes: u64,
}

impl<'a, T: Score> Verifier<'a, T> {
    /// Numbers the sets of soldiers, if that leaves some of `memory_bytes`.
    ///
    /// # Errors
    /// If the slice is too large to be numbered.
    pub(super) fn new(
        base: &'a Tablebase,
        slice: Slice,
        metric: Metric,
        memory_bytes: u64,
    ) -> Result<Verifier<'a, T>, VerifyError> {
        let rules = base.rules();
        let (Slice { defenders, attackers }, most) = (slice, captures_per_move(rules));
        let defender_counts = || (0..=most.min(defenders)).map(|n| defenders - n);
        let blocks: Option<Vec<Blocks>> = (0..=most.min(attackers.saturating_sub(1)))
            .map(|n| Blocks::new(rules, attackers - n))
            .collect();
        let set_bytes: Option<u64> =
            defender_counts().map(|count| DefenderSets::size_bytes(rules, count)).sum();
        let too_large = || VerifyError::TooLarge { slice, bytes: score_bytes::<T>(rules, slice) };
        let (blocks, set_bytes) = blocks.zip(set_bytes).ok_or_else(too_large)?;
        let numbering_bytes = set_bytes + sample_bytes(&blocks);
        if numbering_bytes > memory_bytes {
            return Err(VerifyError::BlockTooLarge { slice, bytes: numbering_bytes, memory_bytes });
        }
        let defenders: Option<_> =
            defender_counts().map(|count| DefenderSets::new(rules, count)).collect();
        let (defenders, geometry) = (defenders.ok_or_else(too_large)?, Geometry::new(rules));
        Ok(Verifier { base, slice, metric, geometry, defenders, blocks, numbering_bytes })
    }

    /// Verifies a sample or all blocks.
    pub(super) fn verify(
        &self,
        sample: Option<&Sample>,
        progress: &dyn Progress,
    ) -> Result<Verdict, VerifyError> {
        match sample {
            Some(sample) => self.verify_sample(sample, progress),
            None => self.verify_all(progress),
        }
    }

    fn verify_all(&self, progress: &dyn Progress) -> Result<Verdict, VerifyError> {
        let needed = NeededBlocks::all(&self.blocks);
        let (rows, outcome) = self.compare(&needed, progress)?;
        let ProofOutcome { positions, mut wrong, summaries } = outcome;
        for table in self.tables()? {
            wrong.join(self.check_table(&rows, &needed.compared, table)?);
        }
        self.check_summaries(&summaries, &mut wrong)?;
        Ok(match (wrong, self.metric) {
            (Findings { count: 0, .. }, Metric::Dtw) => Verdict::Proved { positions },
            (Findings { count: 0, .. }, Metric::Wdl) => Verdict::Consistent { positions },
            (Findings { count: findings, first }, _) => Verdict::Wrong { findings, first },
        })
    }

    /// Verifies a sample, in groups of blocks that fit in memory.
    fn verify_sample(
        &self,
        sample: &Sample,
        progress: &dyn Progress,
    ) -> Result<Verdict, VerifyError> {
        let memory_bytes = sample.memory_bytes;
        let mut groups = self.groups(sample);
        let mut blocks = 0;
        let mut total = ProofOutcome::default();
        while let Some(needed) = groups.next().map_err(|BlockTooLarge { bytes }| {
            let bytes = bytes + self.numbering_bytes;
            VerifyError::BlockTooLarge { slice: self.slice, bytes, memory_bytes }
        })? {
            blocks += needed.compared.len() as u64;
            let (rows, mut outcome) = self.compare(&needed, progress)?;
            // The first table is the compared one.
            for table in self.tables()?.into_iter().skip(1) {
                outcome.wrong.join(self.check_table(&rows, &needed.compared, table)?);
            }
            total = total.add(outcome);
        }
        let ProofOutcome { positions, wrong, .. } = total;
        Ok(match wrong {
            Findings { count: 0, .. } => {
                Verdict::Sampled { blocks, positions, metric: self.metric }
            }
            Findings { count: findings, first } => Verdict::Wrong { findings, first },
        })
    }

    fn groups(&self, sample: &Sample) -> BlockGroups<'_, T> {
        let chosen = sample.choose(self.blocks[0].count() as usize, self.defenders[0].len());
        let chosen: Box<dyn Iterator<Item = usize>> = Box::new(chosen);
        let row_bytes = row_bytes::<T>(self.geometry.stride);
        let rows: usize = self.defenders.iter().map(DefenderSets::len).sum();
        BlockGroups {
            geometry: &self.geometry,
            custodial: CustodialCaptures::new(self.base.rules()),
            blocks: &self.blocks,
            bytes: BlockBytes {
                own: (self.defenders[0].len() * row_bytes) as u64,
                all: (rows * row_bytes) as u64,
            },
            memory_bytes: sample.memory_bytes.saturating_sub(self.numbering_bytes),
            walker: self.blocks[0].walker(),
            rest: chosen.peekable(),
        }
    }

    /// Reads the needed blocks and compares the values.
    fn compare<'n>(
        &'n self,
        needed: &'n NeededBlocks,
        progress: &dyn Progress,
    ) -> Result<(StoredRows<'n, T>, ProofOutcome), VerifyError> {
        progress.phase(self.slice, Phase::Reading, 0);
        let rows = self.read(needed)?;
        let proportion = needed.compared.len() as f64 / self.blocks[0].count() as f64;
        let total = (proportion * rows.own.layout.index.rows() as f64) as u64;
        progress.phase(self.slice, Phase::Verifying, total);
        let outcome = proof::compare(&rows, &needed.compared, self.metric, progress);
        Ok((rows, outcome.ok_or(VerifyError::Cancelled)?))
    }

    fn read<'n>(&'n self, needed: &'n NeededBlocks) -> Result<StoredRows<'n, T>, VerifyError> {
        let rules = self.base.rules();
        let dont_cares = DontCares::new(rules, &self.geometry);
        let NeededBlocks { compared, reached, after_captures } = needed;
        let nothing = &HeldBlocks::NOTHING;
        let mut read = StoredRows {
            rules,
            geometry: &self.geometry,
            custodial: CustodialCaptures::new(rules),
            own: self.stored(self.slice, BySide([compared, reached]), &dont_cares)?,
            fewer_defenders: Vec::new(),
            fewer_attackers: Vec::new(),
        };
        let mut remaining = after_captures.iter();
        for (slice, to_move) in slices_after_captures(rules, self.slice) {
            match to_move {
                Side::Defenders => {
                    let held = BySide([nothing, reached]);
                    read.fewer_defenders.push(self.stored(slice, held, &dont_cares)?);
                }
                Side::Attackers => {
                    let held = BySide([remaining.next().unwrap_or(nothing), nothing]);
                    read.fewer_attackers.push(self.stored(slice, held, &dont_cares)?);
                }
            }
        }
        Ok(read)
    }

    fn stored<'n>(
        &'n self,
        slice: Slice,
        held: BySide<&'n HeldBlocks>,
        dont_cares: &DontCares<T>,
    ) -> Result<StoredSlice<'n, T>, VerifyError> {
        let metric = stored_metric(self.base, slice, self.metric);
        let layout = RowLayout {
            index: self.base.index(slice)?,
            blocks: &self.blocks[self.slice.attackers - slice.attackers],
            defenders: &self.defenders[self.slice.defenders - slice.defenders],
        };
        let table = self.base.table(slice, metric)?;
        let stride = self.geometry.stride;
        let values = Values::read(table, &layout, stride, held, self.metric, dont_cares)?;
        Ok(StoredSlice { layout, values })
    }

    /// Returns the slice's tables, that of distances first.
    fn tables(&self) -> Result<Vec<&Table<TableFile>>, VerifyError> {
        let mut tables = self.base.tables_of(self.slice)?;
        tables.reverse();
        Ok(tables)
    }

    /// Compares the WDL table with the DTW table in the held blocks and, if these are all
    /// blocks, checks the table's value hash.
    fn check_table(
        &self,
        rows: &StoredRows<T>,
        held: &HeldBlocks,
        table: &Table<TableFile>,
    ) -> Result<Findings, VerifyError> {
        let metric = table.header().metric;
        let (found, mut wrong) = check_table(table, rows, held, metric != self.metric)?;
        let stored = table.value_hash();
        if held.is_all() && stored != found {
            wrong.add(Finding::ValueHash { metric, stored, found });
        }
        Ok(wrong)
    }

    /// Compares the tables' summaries with those of the values.
    fn check_summaries(
        &self,
        computed: &BySide<SideSummary>,
        wrong: &mut Findings,
    ) -> Result<(), VerifyError> {
        for table in self.tables()? {
            let metric = table.header().metric;
            for side in Side::ALL {
                let stored = *table.summary(side);
                let found = metric.summary(computed[side]);
                if stored != found {
                    wrong.add(Finding::Summary { metric, side, stored, found });
                }
            }
        }
        Ok(())
    }
}

/// Returns the memory for the sets of blocks of a sample: two of the slice itself, and one of each with
/// fewer attackers.
fn sample_bytes(blocks: &[Blocks]) -> u64 {
    let sets = blocks.iter().chain(&blocks[..1]);
    sets.map(|blocks| HeldBlocks::set_bytes(blocks.count())).sum()
}
