//! Moves that capture nothing, for whole blocks at once.

use std::sync::atomic::AtomicUsize;

use bitvec::vec::BitVec;
use rayon::prelude::*;

use crate::board::SquareSet;
use crate::index::colex_next;
use crate::rules::{Kind, Side};

use super::frame::{Arrivals, Block, Frame};
use super::lookup::Target;
use super::row::Row;

/// Buffers that a worker reuses from block to block.
pub struct Scratch<const N: usize> {
    pub lanes: Vec<Row<N>>,
    masked: Vec<Row<N>>,
    /// What `for_missing_defender` found.
    pub ranks: Vec<u32>,
    targets: Vec<Row<N>>,
    quiet: Vec<Row<N>>,
    reach: Vec<Row<N>>,
}

impl<const N: usize> Default for Scratch<N> {
    fn default() -> Self {
        Scratch {
            lanes: Vec::new(),
            masked: Vec::new(),
            ranks: Vec::new(),
            targets: Vec::new(),
            quiet: Vec::new(),
            reach: Vec::new(),
        }
    }
}

/// A set of positions of the slice: for every row the lanes in it, or those not
/// in it. Only what a move can arrive at is ever looked at, so that lanes
/// without positions do not matter.
#[derive(Clone, Copy)]
pub struct Targets<'a, const N: usize> {
    /// The rows of some consecutive blocks; others have no targets.
    pub rows: &'a [Row<N>],
    /// The first of those blocks.
    pub first_block: usize,
    pub complement: bool,
    /// The blocks with anything in `rows`; `None`: all may have.
    pub blocks: Option<&'a bitvec::slice::BitSlice>,
}

impl<const N: usize> Targets<'_, N> {
    #[inline(always)]
    fn get(&self, row: usize) -> Row<N> {
        if self.complement { !self.rows[row] } else { self.rows[row] }
    }

    /// Whether nothing in the block is in the set.
    #[inline]
    pub fn skips(&self, block: usize) -> bool {
        self.blocks.is_some_and(|blocks| !blocks[block])
    }
}

impl<const N: usize> Frame<'_, N> {
    /// Takes out of `sought`, by defender rank, the lanes of the block from which
    /// `side` has a move that captures nothing and leads to a target. Lanes that
    /// are not sought cost little.
    pub fn quiet_moves(
        &self,
        side: Side,
        block: &Block<N>,
        targets: Targets<N>,
        scratch: &mut Scratch<N>,
        sought: &mut [Row<N>],
    ) {
        match side {
            Side::Attackers => self.quiet_attackers(block, targets, scratch, sought),
            Side::Defenders if targets.skips(block.number) => {}
            Side::Defenders => {
                let first = (block.number - targets.first_block) * self.block_rows();
                let rows = &targets.rows[first..][..self.block_rows()];
                let own = Targets { rows, first_block: block.number, ..targets };
                let arrivals = self.quiet_arrivals(block.attackers);
                self.quiet_king(block, own, &arrivals, sought);
                self.defender_moves(block, own, Some(&arrivals), scratch, sought);
            }
        }
    }

    /// The blocks from which `side` has a move to one of these, captures left
    /// out of account; `None` if most blocks have.
    pub fn reaching(&self, side: Side, blocks: &BitVec) -> Option<BitVec> {
        if blocks.count_ones() * 8 > blocks.len() {
            return None;
        }
        if side == Side::Defenders {
            return Some(blocks.clone());
        }
        let reaching = BitVec::<AtomicUsize>::repeat(false, blocks.len());
        let changed: Vec<usize> = blocks.iter_ones().collect();
        changed.par_iter().for_each(|&block| {
            let (attackers, _) = self.attackers.sets().unrank(block as u64);
            for to in attackers {
                let others = attackers.without(to);
                for ray in self.rules.slides().to(Kind::Attacker, to) {
                    for step in ray.iter().take_while(|step| !others.contains(step.square)) {
                        if step.ends {
                            let block = self.attackers.target(others.with(step.square)).block;
                            reaching.set_aliased(block, true);
                        }
                    }
                }
            }
        });
        Some(reaching.into_iter().collect())
    }

    fn quiet_attackers(
        &self,
        block: &Block<N>,
        targets: Targets<N>,
        scratch: &mut Scratch<N>,
        sought: &mut [Row<N>],
    ) {
        let Scratch { lanes, masked, .. } = scratch;
        let last_block = targets.first_block + targets.rows.len() / self.block_rows();
        let blocks = targets.first_block..last_block;
        self.attacker_moves(block, lanes, |mv, legal| {
            let target = self.attackers.target(mv.after);
            if targets.skips(target.block) || !blocks.contains(&target.block) {
                return;
            }
            let mut special = self.special_ranks(&mv).peekable();
            if special.peek().is_none() {
                drop(special);
                return self.pull(targets, target, legal, mv.king_captured, sought);
            }
            masked.clear();
            masked.extend(legal.iter().map(|lanes| lanes.without(mv.king_captured)));
            for rank in special {
                let lanes = legal[rank as usize];
                if !lanes.is_empty() {
                    masked[rank as usize] = lanes & self.quiet(&mv, rank);
                }
            }
            self.pull(targets, target, masked, Row::EMPTY, sought);
        });
    }

    /// The innermost loop: one attacker move for all sets of defenders.
    #[inline]
    fn pull(
        &self,
        targets: Targets<N>,
        target: Target,
        legal: &[Row<N>],
        not: Row<N>,
        sought: &mut [Row<N>],
    ) {
        let first = (target.block - targets.first_block) * self.block_rows();
        let images = self.defenders.images(target.symmetry);
        for ((sought, &legal), &image) in sought.iter_mut().zip(legal).zip(images) {
            let asked = (*sought & legal).without(not);
            if !asked.is_empty() {
                let there = targets.get(first + image as usize);
                if !there.is_empty() {
                    *sought = sought.without(self.region.flip(target.back, there) & asked);
                }
            }
        }
    }

    /// Takes out of `sought`, by rank, the lanes from which a defending soldier
    /// has a move to one of the block's targets: one that captures nothing if
    /// the `arrivals` are given, otherwise any.
    pub fn defender_moves(
        &self,
        block: &Block<N>,
        targets: Targets<N>,
        arrivals: Option<&Arrivals<N>>,
        scratch: &mut Scratch<N>,
        sought: &mut [Row<N>],
    ) {
        self.for_missing_defender(block, scratch, |others, occupied, scratch| {
            let mut rows = self.defenders.squares.iter().zip(&scratch.ranks);
            if rows.all(|(&s, &rank)| occupied.contains(s) || sought[rank as usize].is_empty()) {
                return;
            }
            let Scratch { ranks, targets: arriving, quiet, reach: leaving, .. } = scratch;
            if let Some(arrivals) = arrivals {
                arrivals.beside(self, others, quiet);
            } else {
                quiet.clear();
                quiet.resize(self.rules.board.area(), !Row::EMPTY);
            }
            let mut any = false;
            for (place, &square) in self.defenders.squares.iter().enumerate() {
                let rank = ranks[place] as usize;
                let free = !occupied.contains(square);
                let lanes = if free { targets.get(rank) & block.valid[rank] } else { Row::EMPTY };
                arriving[square.index()] = lanes & quiet[square.index()];
                leaving[square.index()] = Row::EMPTY;
                any |= !lanes.is_empty();
            }
            if !any {
                return;
            }
            self.lines.reach(&self.region, occupied, arriving, leaving);
            for (place, &square) in self.defenders.squares.iter().enumerate() {
                if !occupied.contains(square) {
                    let rank = ranks[place] as usize;
                    sought[rank] = sought[rank].without(leaving[square.index()]);
                }
            }
        });
    }

    /// Calls `visit` for every set of one defender fewer that leaves the
    /// attackers alone: its places, the occupied squares, and in
    /// `scratch.ranks` the rank of the set with one more man, by his place.
    pub fn for_missing_defender(
        &self,
        block: &Block<N>,
        scratch: &mut Scratch<N>,
        mut visit: impl FnMut(&[usize], SquareSet, &mut Scratch<N>),
    ) {
        let Some(fewer) = self.slice.defenders.checked_sub(1) else {
            return;
        };
        scratch.targets.resize(self.rules.board.area(), Row::EMPTY);
        scratch.reach.resize(self.rules.board.area(), Row::EMPTY);
        let places = self.defenders.squares.len();
        let mut others: Vec<usize> = (0..fewer).collect();
        loop {
            let mut occupied = block.attackers;
            let men = others.iter().map(|&o| self.defenders.squares[o]);
            occupied.extend(men);
            if occupied.len() == block.attackers.len() + fewer {
                let mut ranks = std::mem::take(&mut scratch.ranks);
                self.defenders.ranks_with(&others, &mut ranks);
                scratch.ranks = ranks;
                visit(&others, occupied, scratch);
            }
            if !colex_next(&mut others, places) {
                return;
            }
        }
    }

    fn quiet_king(
        &self,
        block: &Block<N>,
        targets: Targets<N>,
        arrivals: &Arrivals<N>,
        sought: &mut [Row<N>],
    ) {
        for (rank, sought) in sought.iter_mut().enumerate() {
            let ends = targets.get(rank) & block.valid[rank] & arrivals.king;
            if !sought.is_empty() && !ends.is_empty() {
                let rank = rank as u32;
                let ends = ends.without(arrivals.king_helped(self, self.defenders.men(rank)));
                let origins = self.region.king_origins(ends, self.free(block, rank));
                *sought = sought.without(origins);
            }
        }
    }
}
