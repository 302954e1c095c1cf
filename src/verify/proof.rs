use rayon::prelude::*;

use crate::game::board::SquareSet;
use crate::game::position::Position;
use crate::game::rules::{BySide, Side};
use crate::game::value::Value;
use crate::table::progress::Progress;
use crate::table::{Metric, SideSummary};

use super::FEW;
use super::best::Best;
use super::block::Block;
use super::finding::Finding;
use super::held_blocks::HeldBlocks;
use super::score::Score;
use super::stored_rows::StoredRows;

/// What the comparison of some rows comes to.
#[derive(Default)]
pub(super) struct ProofOutcome {
    /// Positions compared: those of canonical attackers.
    pub positions: u64,
    /// Values that are not what the moves lead to.
    pub mismatches: u64,
    /// The first few of them.
    pub first: Vec<Finding>,
    /// Counts of what is stored, by side, over all placements.
    pub summaries: BySide<SideSummary>,
}

impl ProofOutcome {
    pub(super) fn add(mut self, next: ProofOutcome) -> ProofOutcome {
        self.positions += next.positions;
        self.mismatches += next.mismatches;
        self.first.extend(next.first);
        self.first.truncate(FEW);
        for (sum, part) in self.summaries.iter_mut().zip(next.summaries) {
            sum.add(&part);
        }
        self
    }
}

/// Compares the stored values of blocks of the slice with what their moves lead to; `None`
/// if that was cancelled.
pub(super) fn compare<T: Score>(
    rows: &StoredRows<T>,
    blocks: &HeldBlocks,
    metric: Metric,
    progress: &dyn Progress,
) -> Option<ProofOutcome> {
    let task_blocks = rows.own.layout.task_blocks();
    let tasks: Option<Vec<ProofOutcome>> = (0..blocks.len().div_ceil(task_blocks))
        .into_par_iter()
        .map(|task| {
            if progress.is_cancelled() {
                return None;
            }
            let blocks = blocks.blocks_from(task * task_blocks).take(task_blocks);
            let mut comparison = RowComparison::new(rows, metric);
            let mut walker = rows.own.layout.blocks.walker();
            let mut block = Block::none();
            let compared = blocks.map(|number| {
                let attackers = walker.attackers(number);
                let StoredRows { geometry, custodial, own, .. } = rows;
                block.put(number, &attackers, &own.layout, geometry, custodial);
                comparison.block(&block)
            });
            let compared = compared.sum();
            progress.advance(compared);
            Some(comparison.outcome)
        })
        .collect();
    Some(tasks?.into_iter().fold(ProofOutcome::default(), ProofOutcome::add))
}

/// The comparison of one block after the other.
struct RowComparison<'a, T> {
    rows: &'a StoredRows<'a, T>,
    metric: Metric,
    best: Best<T>,
    /// The lanes of soldiers, as a mask of scores.
    holes: Vec<T>,
    outcome: ProofOutcome,
}

impl<'a, T: Score> RowComparison<'a, T> {
    fn new(rows: &'a StoredRows<'a, T>, metric: Metric) -> RowComparison<'a, T> {
        let lanes = rows.geometry.lanes.count();
        let beyond = |lane| if lane < lanes { T::LOST } else { T::NONE };
        RowComparison {
            best: Best::new(rows.geometry, rows.rules),
            holes: (0..rows.geometry.stride).map(beyond).collect(),
            outcome: ProofOutcome::default(),
            rows,
            metric,
        }
    }

    /// Compares all rows of a block and tells how many there are.
    fn block(&mut self, block: &Block<T>) -> u64 {
        let rows = self.rows;
        let layout = &rows.own.layout;
        for played in &block.moves {
            rows.own.values.prefetch(Side::Defenders, played.block);
        }
        let mut compared = 0;
        for (number, &defenders) in layout.defenders.sets().iter().enumerate() {
            if defenders.meets(block.attackers) {
                continue;
            }
            compared += 1;
            self.mark(block.attackers | defenders, T::NONE);
            rows.attackers_best(block, defenders, &mut self.best);
            self.compare(Side::Attackers, block, defenders, number);
            rows.defenders_best(block, defenders, number, &mut self.best);
            self.compare(Side::Defenders, block, defenders, number);
            self.mark(block.attackers | defenders, T::LOST);
        }
        compared
    }

    fn mark(&mut self, soldiers: SquareSet, mask: T) {
        for square in soldiers {
            if let Some(lane) = self.rows.geometry.lanes.lane(square) {
                self.holes[usize::from(lane)] = mask;
            }
        }
    }

    fn compare(&mut self, side: Side, block: &Block<T>, defenders: SquareSet, number: usize) {
        let stored = self.rows.own.values.row(side, block.number, number);
        count(stored, &self.holes, block.images, self.metric, &mut self.outcome, side);
        let mut wrong = false;
        let lanes = self.best.scores.iter().zip(stored).zip(&self.holes);
        for ((&best, &stored), &hole) in lanes {
            wrong |= (before(best, self.metric) != stored) & (hole == T::LOST);
        }
        if wrong {
            self.note(side, block, defenders, stored);
        }
    }

    /// Notes what is wrong in a row.
    #[cold]
    fn note(&mut self, side: Side, block: &Block<T>, defenders: SquareSet, stored: &[T]) {
        let squares = self.rows.geometry.lanes.squares();
        for (lane, &king) in squares.iter().enumerate() {
            let found = before(self.best.scores[lane], self.metric);
            if self.holes[lane] != T::LOST || found == stored[lane] {
                continue;
            }
            self.outcome.mismatches += 1;
            if self.outcome.first.len() == FEW {
                continue;
            }
            let attackers = block.attackers;
            let rules = self.rows.geometry.rules;
            let position = Position { attackers, defenders, king, to_move: side, rules };
            let [stored, found] = [stored[lane], found].map(|s| s.value().unwrap_or(Value::Draw));
            self.outcome.first.push(match self.metric {
                Metric::Dtw => Finding::Dtw { position, stored, found },
                Metric::Wdl => Finding::Wdl { position, stored: stored.wdl(), found: found.wdl() },
            });
        }
    }
}

#[inline(always)]
fn before<T: Score>(best: T, metric: Metric) -> T {
    match metric {
        Metric::Dtw => best.before(),
        Metric::Wdl => best.outcome_before(),
    }
}

/// Counts what is stored in a row, each position for so many images.
fn count<T: Score>(
    stored: &[T],
    holes: &[T],
    images: u64,
    metric: Metric,
    outcome: &mut ProofOutcome,
    side: Side,
) {
    let (mut positions, mut wins, mut losses) = (0_u32, 0_u32, 0_u32);
    // The slowest win has the least score of all wins, the slowest loss the
    // greatest of all losses.
    let (mut win, mut loss) = (T::NONE, T::LOST);
    for (&score, &hole) in stored.iter().zip(holes) {
        let here = hole == T::LOST;
        let (won, lost) = (here & (score > T::DRAW), here & (score < T::DRAW));
        positions += u32::from(here);
        wins += u32::from(won);
        losses += u32::from(lost);
        win = if won { win.min(score) } else { win };
        loss = if lost { loss.max(score) } else { loss };
    }
    outcome.positions += u64::from(positions);
    let summary = &mut outcome.summaries[side];
    summary.positions += images * u64::from(positions);
    summary.wins += images * u64::from(wins);
    summary.losses += images * u64::from(losses);
    summary.draws += images * u64::from(positions - wins - losses);
    let plies = |score: T| score.value().and_then(Value::plies).unwrap_or(0);
    if metric == Metric::Dtw {
        if wins > 0 {
            summary.max_win = summary.max_win.max(plies(win));
        }
        if losses > 0 {
            summary.max_loss = summary.max_loss.max(plies(loss));
        }
    }
}
