//! All moves of one attacker at once, wherever he stands, for blocks of one
//! row.
//!
//! A *star* is a set of attackers with one missing, and the rows of all squares
//! where he can stand. Running along the lines of the board with a carry finds
//! for all these rows at once where he can go. So a ply visits each row once for
//! each attacker instead of once for each move.

use std::ops::Range;

use rayon::prelude::*;

use crate::board::{Square, SquareSet};
use crate::index::{AttackerSets, Walker};
use crate::slice::Slice;

use crate::solve::frame::block_lookup::{Placed, Target};
use crate::solve::frame::lines::LineBuffers;
use crate::solve::frame::{Frame, counted_sets};
use crate::solve::rows::atomics::SharedRows;
use crate::solve::rows::row::{Row, Wide, of_eight};
use crate::solve::rows::simd::{self, Kernel, Processor};
use crate::system::prefetch::prefetch;

/// Stars that one task works on.
const TASK: usize = 1 << 10;
/// Stars that are worked on together, so that reads of rows far apart overlap.
const TOGETHER: usize = 8;

/// The stars of a slice.
pub(crate) struct AttackerStars<'f, const N: usize> {
    frame: &'f Frame<'f, N>,
    others: AttackerSets,
}

/// A worker's buffers.
struct Worker<'s, const N: usize> {
    walker: Walker<'s>,
    placed: Placed,
    /// Stars that are worked on together: the attackers, and where the squares
    /// left free end.
    stars: Vec<(SquareSet, usize)>,
    /// The squares left free, and where what is known of them is.
    free: Vec<(Square, usize)>,
    targets: Vec<(Square, Target)>,
    /// By square of the board.
    captured: Vec<Row<N>>,
    lines: LineBuffers<N>,
}

impl<'f, const N: usize> AttackerStars<'f, N> {
    /// The stars of a slice without defending soldiers, if its rows are found by
    /// a table.
    pub(crate) fn new(frame: &'f Frame<'f, N>) -> Option<AttackerStars<'f, N>> {
        let slice = frame.slice;
        if slice.defenders > 0 || frame.attackers.entries().is_none() {
            return None;
        }
        let others = Slice { attackers: slice.attackers - 1, ..slice };
        Some(AttackerStars { frame, others: counted_sets(frame.rules, others).ok()? })
    }

    /// Takes out of all rows the lanes from which an attacker has a move that
    /// captures nothing to a position that is in `table`, or if `complement`, is
    /// not; lanes without a position must be in it then, otherwise not. Of the
    /// images of a lane under the symmetries of its attackers, one at least is
    /// taken.
    pub(crate) fn without_moves(&self, table: &[Row<N>], complement: bool, rows: &mut [Row<N>]) {
        let rows = SharedRows::new(rows);
        let stars = self.others.rows() as usize;
        (0..stars.div_ceil(TASK)).into_par_iter().for_each_init(
            || Worker {
                walker: Walker::new(&self.others),
                placed: Placed::default(),
                stars: Vec::new(),
                free: Vec::new(),
                targets: Vec::new(),
                captured: Vec::new(),
                lines: self.frame.attacker_lines.buffers(),
            },
            |worker, task| {
                let stars = task * TASK..((task + 1) * TASK).min(stars);
                simd::run(Pass { of: self, table, complement, rows, stars, worker });
            },
        );
    }
}

/// One task.
struct Pass<'a, 's, const N: usize> {
    of: &'a AttackerStars<'a, N>,
    table: &'a [Row<N>],
    complement: bool,
    rows: SharedRows<'a, N>,
    stars: Range<usize>,
    worker: &'a mut Worker<'s, N>,
}

impl<const N: usize> Kernel for Pass<'_, '_, N> {
    #[inline(always)]
    fn run(mut self, processor: impl Processor) {
        for first in self.stars.clone().step_by(TOGETHER) {
            self.find(first..self.stars.end.min(first + TOGETHER));
            let mut begin = 0;
            for i in 0..self.worker.stars.len() {
                let (others, end) = self.worker.stars[i];
                self.star(others, begin..end, processor);
                begin = end;
            }
        }
    }
}

impl<const N: usize> Pass<'_, '_, N> {
    /// Finds the rows of some stars.
    #[inline(always)]
    fn find(&mut self, stars: Range<usize>) {
        let lookup = &self.of.frame.attackers;
        let entries = lookup.entries().unwrap_or_default();
        let Worker { walker, placed, stars: found, free, targets, .. } = &mut *self.worker;
        found.clear();
        free.clear();
        for star in stars {
            let (others, _) = walker.set(star as u64);
            lookup.put(others, placed);
            lookup.add_free_squares(placed, free);
            found.push((others, free.len()));
        }
        for &(_, entry) in &*free {
            prefetch(&entries[entry]);
        }
        targets.clear();
        targets.extend(free.iter().map(|&(square, entry)| {
            let target = lookup.unpacked(&entries[entry]);
            // Blocks have one row.
            let row = target.block.index();
            prefetch(&self.table[row]);
            self.rows.prefetch(row);
            (square, target)
        }));
    }

    #[inline(always)]
    fn star(&mut self, others: SquareSet, targets: Range<usize>, processor: impl Processor) {
        let region = &self.of.frame.region;
        let Worker { targets: all, captured, lines: buffers, .. } = &mut *self.worker;
        let targets = &all[targets];
        if targets.iter().all(|(_, target)| self.rows.get(target.block.index()).is_empty()) {
            return;
        }
        self.of.frame.of_king.by_arrivals(others, captured);
        let lines = &self.of.frame.attacker_lines;
        buffers.clear();
        for targets in targets.chunks(Wide::<N>::ROWS) {
            let known = of_eight(targets, |(_, target)| self.table[target.block.index()]);
            let mut ends = Wide::of(&known);
            if self.complement {
                ends = !ends;
            }
            let back = of_eight(targets, |(_, target)| target.back);
            let ends = processor.transform_by(&region.transforms, back, ends);
            for (i, &(square, _)) in targets.iter().enumerate() {
                lines.put_target(buffers, square, ends.row(i).without(captured[square.index()]));
            }
        }
        lines.reach(others, buffers);
        for targets in targets.chunks(Wide::<N>::ROWS) {
            let reached = of_eight(targets, |&(square, _)| lines.reached(buffers, square));
            let symmetries = of_eight(targets, |(_, target)| target.symmetry);
            let reached = Wide::of(&reached);
            let reached = processor.transform_by(&region.transforms, symmetries, reached);
            for (i, (_, target)) in targets.iter().enumerate() {
                let row = target.block.index();
                let found = reached.row(i) & self.rows.get(row);
                if !found.is_empty() {
                    self.rows.remove(row, found);
                }
            }
        }
    }
}
