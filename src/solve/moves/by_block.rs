//! Moves that capture nothing, for whole blocks at once.

use std::sync::atomic::AtomicUsize;

use bitvec::vec::BitVec;
use rayon::prelude::*;

use crate::board::{SquareSet, Symmetry};
use crate::index::colex_next;
use crate::rules::{Kind, Side};

use crate::solve::frame::block_lookup::Target;
use crate::solve::frame::lines::LinesScratch;
use crate::solve::frame::region::Region;
use crate::solve::frame::{Arrivals, Block, Frame};
use crate::solve::rows::row::{Lanes, Pack, Row};
use crate::solve::rows::simd::{self, Kernel, Processor};
use crate::solve::rows::transform::Flip;

/// Buffers that a worker reuses from block to block.
pub(crate) struct Scratch<const N: usize> {
    pub lanes: Vec<Row<N>>,
    /// Rows of `lanes` before an attacker's captures were taken out.
    before: Vec<(u32, Row<N>)>,
    /// By defender rank: where the king may arrive.
    pub ends: Vec<Row<N>>,
    /// What `for_missing_defender` found.
    pub ranks: Vec<u32>,
    quiet: Vec<Row<N>>,
    lines: Option<LinesScratch<N>>,
}

impl<const N: usize> Default for Scratch<N> {
    fn default() -> Self {
        Scratch {
            lanes: Vec::new(),
            before: Vec::new(),
            ends: Vec::new(),
            ranks: Vec::new(),
            quiet: Vec::new(),
            lines: None,
        }
    }
}

/// A set of positions of the slice: for every row the lanes in it, or those not
/// in it. Only what a move can arrive at is ever looked at, so that lanes
/// without positions do not matter.
#[derive(Clone, Copy)]
pub(crate) struct Targets<'a, const N: usize> {
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

    /// The rows of a block, `None` if none of them are in the set.
    #[inline]
    fn of_block(&self, block: usize, block_rows: usize) -> Option<&[Row<N>]> {
        if self.blocks.is_some_and(|blocks| !blocks[block]) {
            return None;
        }
        self.rows.get(block.checked_sub(self.first_block)? * block_rows..)?.get(..block_rows)
    }
}

impl<const N: usize> Frame<'_, N> {
    /// Takes out of `sought`, by defender rank, the lanes of the block from which
    /// `side` has a move that captures nothing and leads to a target. Lanes that
    /// are not sought cost little.
    pub(crate) fn quiet_moves(
        &self,
        side: Side,
        block: &Block<N>,
        targets: Targets<N>,
        scratch: &mut Scratch<N>,
        sought: &mut [Row<N>],
    ) {
        match side {
            Side::Attackers => self.quiet_attackers(block, targets, scratch, sought),
            Side::Defenders => {
                let Some(rows) = targets.of_block(block.number, self.block_rows()) else {
                    return;
                };
                let own = Targets { rows, first_block: block.number, ..targets };
                let arrivals = self.quiet_arrivals(block.attackers);
                self.quiet_king(block, own, &arrivals, &mut scratch.ends, sought);
                self.defender_moves(block, own, Some(&arrivals), scratch, sought);
            }
        }
    }

    /// The blocks from which `side` has a move to one of these, captures left
    /// out of account; `None` if most blocks have.
    pub(crate) fn reaching(&self, side: Side, blocks: &BitVec) -> Option<BitVec> {
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
        let Scratch { lanes, before, .. } = scratch;
        let wanted = |_, after| {
            let target = self.attackers.target(after);
            let theirs = targets.of_block(target.block, self.block_rows())?;
            Some((target, Targets { rows: theirs, first_block: target.block, ..targets }))
        };
        self.attacker_moves(block, lanes, wanted, |(target, theirs), mv, lanes| {
            before.clear();
            self.take_captures(&mv, lanes, before);
            let captures = before.len();
            for rank in self.shielded_ranks(&mv) {
                let lanes = &mut lanes[rank as usize];
                if !lanes.is_empty() {
                    before.push((rank, std::mem::replace(lanes, Row::EMPTY)));
                }
            }
            self.pull(theirs, target, lanes, mv.king_passed | mv.king_captured, sought);
            for &(rank, lanes) in &before[captures..] {
                let sought = &mut sought[rank as usize];
                let asked = (*sought & lanes).without(mv.king_passed);
                if !asked.is_empty() {
                    let asked = asked.without(self.king_captures(&mv, rank));
                    *sought = sought.without(self.reached(theirs, target, rank, asked));
                }
            }
            for &(rank, was) in before.iter().rev() {
                lanes[rank as usize] = was;
            }
        });
    }

    /// One attacker move for all sets of defenders, to the targets' block.
    fn pull(
        &self,
        theirs: Targets<N>,
        target: Target,
        legal: &[Row<N>],
        except: Row<N>,
        sought: &mut [Row<N>],
    ) {
        simd::run(Pull {
            theirs: theirs.rows,
            complement: if theirs.complement { !Row::EMPTY } else { Row::EMPTY },
            images: self.defenders.images(target.symmetry),
            flip: (target.back != Symmetry::IDENTITY).then(|| self.region.flips(target.back)),
            legal,
            except,
            sought,
        });
    }

    /// The lanes of one row that one attacker move brings to a target.
    fn reached(&self, theirs: Targets<N>, target: Target, rank: u32, asked: Row<N>) -> Row<N> {
        let there = theirs.get(self.defenders.images(target.symmetry)[rank as usize] as usize);
        self.region.flip(target.back, there) & asked
    }

    /// Takes out of `sought`, by rank, the lanes from which a defending soldier
    /// has a move to one of the block's targets: one that captures nothing if
    /// the `arrivals` are given, otherwise any.
    pub(crate) fn defender_moves(
        &self,
        block: &Block<N>,
        targets: Targets<N>,
        arrivals: Option<&Arrivals<N>>,
        scratch: &mut Scratch<N>,
        sought: &mut [Row<N>],
    ) {
        let places = &self.defenders.squares;
        let mut lines = scratch.lines.take().unwrap_or_else(|| self.lines.scratch());
        self.for_missing_defender(block, scratch, |others, occupied, scratch| {
            let mut rows = places.iter().zip(&scratch.ranks);
            if rows.all(|(&s, &rank)| occupied.contains(s) || sought[rank as usize].is_empty()) {
                return;
            }
            let Scratch { ranks, quiet, .. } = scratch;
            if let Some(arrivals) = arrivals {
                arrivals.beside(self, others, quiet);
            }
            lines.clear();
            let mut any = false;
            for (&square, &rank) in places.iter().zip(&*ranks) {
                if occupied.contains(square) {
                    continue;
                }
                let lanes = targets.get(rank as usize) & block.valid[rank as usize];
                if lanes.is_empty() {
                    continue;
                }
                any = true;
                let quiet = arrivals.map_or(!Row::EMPTY, |_| quiet[square.index()]);
                self.lines.put_target(&mut lines, square, lanes & quiet);
            }
            if !any {
                return;
            }
            self.lines.reach(occupied, &mut lines);
            for (&square, &rank) in places.iter().zip(&*ranks) {
                if !occupied.contains(square) {
                    let sought = &mut sought[rank as usize];
                    *sought = sought.without(self.lines.reached(&lines, square));
                }
            }
        });
        scratch.lines = Some(lines);
    }

    /// Calls `visit` for every set of one defender fewer that leaves the
    /// attackers alone: its places, the occupied squares, and in
    /// `scratch.ranks` the rank of the set with one more man, by his place.
    pub(crate) fn for_missing_defender(
        &self,
        block: &Block<N>,
        scratch: &mut Scratch<N>,
        mut visit: impl FnMut(&[usize], SquareSet, &mut Scratch<N>),
    ) {
        let Some(fewer) = self.slice.defenders.checked_sub(1) else {
            return;
        };
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
        ends: &mut Vec<Row<N>>,
        sought: &mut [Row<N>],
    ) {
        ends.clear();
        let valid = block.valid.iter().enumerate();
        ends.extend(valid.map(|(rank, &valid)| targets.get(rank) & valid & arrivals.king));
        arrivals.take_helped(self, ends);
        let men = &self.defenders.lanes;
        simd::run(KingMoves { region: &self.region, ends, free: block.free, men, sought });
    }
}

/// The innermost loop: takes out of `sought` what one attacker move brings to a
/// target, for all sets of defenders.
struct Pull<'a, const N: usize> {
    /// The rows of the block that the move leads to, each to be xored with
    /// `complement`.
    theirs: &'a [Row<N>],
    complement: Row<N>,
    /// For every row, which of them it is.
    images: &'a [u32],
    /// What brings their lanes back; `None`: both are as they are.
    flip: Option<&'a Flip<N>>,
    /// On these lanes, but on the exceptions, the move is one.
    legal: &'a [Row<N>],
    except: Row<N>,
    sought: &'a mut [Row<N>],
}

impl<const N: usize> Pull<'_, N> {
    #[inline(always)]
    fn each(self, there: impl Fn(usize) -> Row<N>) {
        // Branches would be mispredicted row by row, so there is one for eight.
        const TOGETHER: usize = 8;
        let rows = self.sought.chunks_mut(TOGETHER).zip(self.legal.chunks(TOGETHER));
        for (i, (sought, legal)) in rows.enumerate() {
            let rows = || sought.iter().zip(legal).map(|(&sought, &legal)| sought & legal);
            let all = rows().fold(Row::EMPTY, |all, asked| all | asked);
            if all.without(self.except).is_empty() {
                continue;
            }
            for (row, (sought, &legal)) in sought.iter_mut().zip(legal).enumerate() {
                let reached = there(i * TOGETHER + row) ^ self.complement;
                *sought = sought.without((reached & legal).without(self.except));
            }
        }
    }
}

impl<const N: usize> Kernel for Pull<'_, N> {
    #[inline(always)]
    fn run(self, processor: impl Processor) {
        let (theirs, images) = (self.theirs, self.images);
        processor.prefetch(theirs);
        match self.flip {
            None => self.each(|row| theirs[row]),
            Some(flip) => self.each(|row| processor.flip(flip, theirs[images[row] as usize])),
        }
    }
}

/// Takes out of `sought` the lanes from which the king goes to one of the
/// `ends`, row by row.
struct KingMoves<'a, const N: usize> {
    region: &'a Region<N>,
    ends: &'a [Row<N>],
    /// What the attackers leave free.
    free: Row<N>,
    /// What the defenders take.
    men: &'a [Row<N>],
    sought: &'a mut [Row<N>],
}

impl<const N: usize> Kernel for KingMoves<'_, N> {
    #[inline(always)]
    fn run(self, _: impl Processor) {
        let free = Pack::all(self.free);
        let rows = self.sought.chunks_mut(Pack::<N>::ROWS).zip(self.ends.chunks(Pack::<N>::ROWS));
        for ((sought, ends), men) in rows.zip(self.men.chunks(Pack::<N>::ROWS)) {
            let (seeking, ends) = (Pack::load(sought), Pack::load(ends));
            if seeking.is_empty() || ends.is_empty() {
                continue;
            }
            let origins = self.region.king_origins(ends, free.without(Pack::load(men)));
            seeking.without(origins).store(sought);
        }
    }
}
