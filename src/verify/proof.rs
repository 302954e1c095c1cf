use rayon::prelude::*;

use crate::game::board::SquareSet;
use crate::game::position::Position;
use crate::game::rules::{BySide, Side};
use crate::game::value::{Plies, Value};
use crate::table::progress::Progress;
use crate::table::{Metric, SideSummary};

use super::best_scores::BestScores;
use super::block::Block;
use super::finding::{Finding, Findings};
use super::held_blocks::HeldBlocks;
use super::score::Score;
use super::stored_rows::StoredRows;

/// The result of comparing some rows.
#[derive(Default)]
pub(super) struct ProofOutcome {
    /// The number of positions compared, with canonical attackers.
    pub positions: u64,
    /// The values that do not follow from the moves.
    pub wrong: Findings,
    /// The counts of the stored values, over all placements.
    pub summaries: BySide<SideSummary>,
}

impl ProofOutcome {
    pub(super) fn add(mut self, next: ProofOutcome) -> ProofOutcome {
        self.positions += next.positions;
        self.wrong.join(next.wrong);
        for (sum, part) in self.summaries.iter_mut().zip(next.summaries) {
            sum.add(&part);
        }
        self
    }
}

/// Compares the stored values of blocks with those that follow from their moves; `None` if
/// cancelled.
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
            let mut comparison = RowComparison::new(rows, metric);
            let mut walker = rows.own.layout.blocks.walker();
            let mut block = Block::empty();
            let mut compared = 0;
            for number in blocks.blocks_from(task * task_blocks).take(task_blocks) {
                let attackers = walker.attackers(number);
                let StoredRows { geometry, custodial, own, .. } = rows;
                block.set(number, &attackers, &own.layout, geometry, custodial);
                compared += comparison.compare_block(&block);
            }
            progress.advance(compared);
            Some(comparison.outcome)
        })
        .collect();
    Some(tasks?.into_iter().fold(ProofOutcome::default(), ProofOutcome::add))
}

/// Compares one block after the other.
struct RowComparison<'a, T> {
    rows: &'a StoredRows<'a, T>,
    metric: Metric,
    best: BestScores<T>,
    /// The lanes with a soldier on the king's square, and the padding, as a mask of scores.
    occupied: Vec<T>,
    outcome: ProofOutcome,
}

impl<'a, T: Score> RowComparison<'a, T> {
    fn new(rows: &'a StoredRows<'a, T>, metric: Metric) -> RowComparison<'a, T> {
        let lanes = rows.geometry.lanes.count();
        let mut occupied = vec![T::NONE; rows.geometry.stride];
        occupied[..lanes].fill(T::LOST);
        RowComparison {
            best: BestScores::new(rows.geometry, rows.rules),
            occupied,
            outcome: ProofOutcome::default(),
            rows,
            metric,
        }
    }

    /// Compares all rows of a block and returns their number.
    fn compare_block(&mut self, block: &Block<T>) -> u64 {
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
            self.set_occupied(block.attackers | defenders, T::NONE);
            rows.attackers_best(block, defenders, &mut self.best);
            rows.end_games(Side::Attackers, block, defenders, &mut self.best);
            self.compare(Side::Attackers, block, defenders, number);
            rows.defenders_best(block, defenders, number, &mut self.best);
            rows.end_games(Side::Defenders, block, defenders, &mut self.best);
            self.compare(Side::Defenders, block, defenders, number);
            self.set_occupied(block.attackers | defenders, T::LOST);
        }
        compared
    }

    fn set_occupied(&mut self, soldiers: SquareSet, mask: T) {
        for square in soldiers {
            if let Some(lane) = self.rows.geometry.lanes.lane(square) {
                self.occupied[usize::from(lane)] = mask;
            }
        }
    }

    /// Compares a row for one side to move.
    fn compare(&mut self, side: Side, block: &Block<T>, defenders: SquareSet, number: usize) {
        let stored = self.rows.own.values.row(side, block.number, number);
        count(stored, &self.occupied, block.images, self.metric, &mut self.outcome, side);
        let mut wrong = false;
        let lanes = self.best.scores.iter().zip(stored).zip(&self.occupied);
        for ((&best, &stored), &is_occupied) in lanes {
            wrong |= (before(best, self.metric) != stored) & (is_occupied == T::LOST);
        }
        if wrong {
            self.record_mismatches(side, block, defenders, stored);
        }
    }

    /// Records the wrong values of a row.
    #[cold]
    fn record_mismatches(
        &mut self,
        side: Side,
        block: &Block<T>,
        defenders: SquareSet,
        stored: &[T],
    ) {
        let squares = self.rows.geometry.lanes.squares();
        for (lane, &king) in squares.iter().enumerate() {
            let found = before(self.best.scores[lane], self.metric);
            if self.occupied[lane] != T::LOST || found == stored[lane] {
                continue;
            }
            let attackers = block.attackers;
            let rules = self.rows.geometry.rules;
            let position = Position { attackers, defenders, king, to_move: side, rules };
            let [stored, found] = [stored[lane], found].map(|s| s.value().unwrap_or(Value::Draw));
            self.outcome.wrong.add(match self.metric {
                Metric::Dtw => Finding::Dtw { position, stored, found },
                Metric::Wdl => Finding::Wdl { position, stored: stored.wdl(), found: found.wdl() },
            });
        }
    }
}

/// Returns the score of a position whose best move has the score `best`.
#[inline(always)]
fn before<T: Score>(best: T, metric: Metric) -> T {
    match metric {
        Metric::Dtw => best.before(),
        Metric::Wdl => best.outcome_before(),
    }
}

/// Adds the counts of a row to `outcome`, each position with its number of images.
fn count<T: Score>(
    stored: &[T],
    occupied: &[T],
    images: u64,
    metric: Metric,
    outcome: &mut ProofOutcome,
    side: Side,
) {
    let (mut positions, mut wins, mut losses) = (0_u32, 0_u32, 0_u32);
    // The slowest win has the least score of all wins, the slowest loss the greatest of all
    // losses. The loop is branch-free, so that it is vectorized.
    let (mut win, mut loss) = (T::NONE, T::LOST);
    for (&score, &is_occupied) in stored.iter().zip(occupied) {
        let here = is_occupied == T::LOST;
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
    if metric == Metric::Dtw {
        if wins > 0 {
            summary.max_win = summary.max_win.max(plies_of(win));
        }
        if losses > 0 {
            summary.max_loss = summary.max_loss.max(plies_of(loss));
        }
    }
}

fn plies_of<T: Score>(score: T) -> Plies {
    score.value().and_then(Value::plies).unwrap_or(0)
}
