//! The rows of the solver and those of a table: the solver has one for every
//! set of defenders, a table leaves out those that meet the attackers.

use std::ops::Range;

use crate::board::SquareSet;
use crate::index::{AttackerSets, SliceIndex};
use crate::retrograde::{DefenderSets, Region, Row};
use crate::rules::Ruleset;

/// A slice as the solver numbers it.
pub struct SolverRows<'a, const N: usize> {
    /// The canonical attacker sets; a set's offset is its block's number.
    pub attackers: &'a AttackerSets,
    /// The sets of defenders; each block has a row for each.
    pub defenders: &'a DefenderSets<N>,
    /// What the lanes of a row stand for.
    pub region: &'a Region<N>,
    /// The index of the table.
    pub index: &'a SliceIndex,
}

/// One row of the solver.
pub struct SolverRow<const N: usize> {
    /// The lanes with positions; empty if the table has no such row.
    pub valid: Row<N>,
    /// How many placements each of its positions stands for.
    pub weight: u64,
}

impl<const N: usize> SolverRows<'_, N> {
    /// How many blocks there are.
    pub fn blocks(&self) -> usize {
        self.attackers.rows() as usize
    }

    /// The rows of the table that these blocks have.
    pub fn table_rows(&self, blocks: &Range<usize>) -> Range<u64> {
        let first = |block: usize| {
            if block >= self.blocks() {
                return self.index.rows();
            }
            let (set, _) = self.attackers.unrank(block as u64);
            self.index.attackers().canonical(set).offset
        };
        first(blocks.start)..first(blocks.end)
    }

    /// All rows of the blocks in order. Those that the table has are those with
    /// any free set of defenders, in the same order.
    pub fn visit(
        &self,
        rules: &Ruleset,
        blocks: Range<usize>,
        mut visit: impl FnMut(Option<SolverRow<N>>),
    ) {
        let group = rules.symmetries().order() as u64;
        let mut free = Vec::new();
        for block in blocks {
            let (set, _) = self.attackers.unrank(block as u64);
            let weight = group / self.attackers.stabilizer(set).order() as u64;
            self.free_sets(set, &mut free);
            let places = self.region.places.without(self.region.row(set));
            for (rank, &free) in free.iter().enumerate() {
                let valid = places.without(self.defenders.lanes[rank]);
                visit(free.then_some(SolverRow { valid, weight }));
            }
        }
    }

    /// By rank: whether the set leaves the attackers' squares free.
    fn free_sets(&self, attackers: SquareSet, free: &mut Vec<bool>) {
        free.clear();
        free.resize(self.defenders.len(), true);
        for square in attackers {
            for &rank in self.defenders.holding(square) {
                free[rank as usize] = false;
            }
        }
    }
}
