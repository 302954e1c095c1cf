//! All moves of one attacker at once, wherever it stands, for blocks of one row.
//!
//! A *star* is a set of attackers with one missing, together with the rows of all squares where
//! that one can stand. A run along the lines of the board with a carry finds the missing attacker's
//! moves in all these rows. So a ply visits each row once for each attacker instead of once for
//! each move.

use std::ops::Range;
use std::sync::atomic::Ordering;

use crate::game::board::{SquareSet, Symmetry};
use crate::game::slice::Slice;
use crate::index::{AttackerSets, Walker};

use crate::solve::frame::block_lookup::PreparedSet;
use crate::solve::frame::wide_lines::{WideSquare, set_men};
use crate::solve::frame::{Frame, attacker_sets};
use crate::solve::rows::atomics::AtomicRows;
use crate::solve::rows::row::{Lanes, Row, WIDE_ROWS, Wide};
use crate::solve::rows::simd::{self, Kernel, Processor};
use crate::system::parallel;
use crate::system::prefetch::prefetch;

/// The number of stars in a task.
const TASK: usize = 1 << 10;
/// The number of stars processed together.
const WIDTH: usize = WIDE_ROWS;

/// The stars of a slice.
pub(crate) struct AttackerStars<'f, const N: usize> {
    frame: &'f Frame<'f, N>,
    /// The sets of one attacker fewer; a star's number is the offset of its set.
    others: AttackerSets,
}

/// A worker's buffers, for eight stars.
struct Worker<'s, const N: usize> {
    walker: Walker<'s>,
    prepared: PreparedSet,
    stars: [SquareSet; WIDTH],
    /// By star and place: the lookup entry of the set with an attacker there.
    numbers: [Vec<u32>; WIDTH],
    /// By place: the numbers of the rows, and the symmetries that map to them.
    rows: Vec<[u32; WIDTH]>,
    symmetries: Vec<[Symmetry; WIDTH]>,
    /// By square of the board.
    squares: Vec<WideSquare<N>>,
}

impl<'f, const N: usize> AttackerStars<'f, N> {
    /// Creates the stars of a slice without defending soldiers, if its rows are found by a table.
    pub(crate) fn new(frame: &'f Frame<'f, N>) -> Option<AttackerStars<'f, N>> {
        let slice = frame.slice;
        if slice.defenders > 0 || frame.attackers.entries().is_none() {
            return None;
        }
        let others = Slice { attackers: slice.attackers - 1, ..slice };
        Some(AttackerStars { frame, others: attacker_sets(frame.rules, others).ok()? })
    }

    /// Removes from all rows the lanes on which an attacker has a quiet move to a position in
    /// `table` or, with `complement`, not in it. Lanes without a position must be in the table with
    /// `complement`, and not in it otherwise. Of the images of a lane under the symmetries of its
    /// attackers, at least one is removed.
    pub(crate) fn without_moves(&self, table: &[Row<N>], complement: bool, rows: &mut [Row<N>]) {
        let shared_rows = AtomicRows::new(rows);
        let stars = self.others.rows() as usize;
        parallel::for_each_index_init(
            stars.div_ceil(TASK),
            || Worker {
                walker: Walker::new(&self.others),
                prepared: PreparedSet::default(),
                stars: [SquareSet::EMPTY; WIDTH],
                numbers: Default::default(),
                rows: Vec::new(),
                symmetries: Vec::new(),
                squares: vec![WideSquare::EMPTY; self.frame.rules.board.area()],
            },
            |worker, task| {
                simd::run(StarsKernel {
                    of: self,
                    table,
                    complement,
                    rows: shared_rows,
                    stars: task * TASK..((task + 1) * TASK).min(stars),
                    worker,
                });
            },
        );
    }
}

/// The work of a task.
struct StarsKernel<'a, 's, const N: usize> {
    of: &'a AttackerStars<'a, N>,
    table: &'a [Row<N>],
    complement: bool,
    rows: AtomicRows<'a, N>,
    stars: Range<usize>,
    worker: &'a mut Worker<'s, N>,
}

impl<const N: usize> Kernel for StarsKernel<'_, '_, N> {
    #[inline(always)]
    fn run(mut self, processor: impl Processor) {
        for first in self.stars.clone().step_by(WIDTH) {
            self.look_up_rows(first);
            set_men(&mut self.worker.squares, &self.worker.stars);
            self.set_targets(processor);
            self.of.frame.attacker_lines.reach(&mut self.worker.squares);
            self.remove_reached(processor);
        }
    }
}

impl<const N: usize> StarsKernel<'_, '_, N> {
    /// Looks up the rows of eight stars; the last star fills the missing places.
    #[inline(always)]
    fn look_up_rows(&mut self, first: usize) {
        let lookup = &self.of.frame.attackers;
        let entries = lookup.entries().unwrap_or_default();
        let Worker { walker, prepared, stars, numbers, rows, symmetries, .. } = &mut *self.worker;
        for (i, (others, numbers)) in stars.iter_mut().zip(&mut *numbers).enumerate() {
            let star = (first + i).min(self.stars.end - 1);
            (*others, _) = walker.set(star as u64);
            lookup.prepare(*others, prepared);
            lookup.extended_entries(prepared, numbers);
            numbers.iter().for_each(|&number| prefetch(&entries[number as usize]));
        }
        rows.clear();
        symmetries.clear();
        for place in 0..lookup.squares().len() {
            let mut packed = [0; WIDTH];
            for (packed, numbers) in packed.iter_mut().zip(&*numbers) {
                *packed = entries[numbers[place] as usize].load(Ordering::Relaxed);
            }
            let mut row = [0; WIDTH];
            let mut symmetry = [Symmetry::IDENTITY; WIDTH];
            for i in 0..WIDTH {
                row[i] = packed[i] >> 3;
                symmetry[i] = Symmetry::of_low_bits(packed[i]);
            }
            for row in row {
                prefetch(&self.table[row as usize]);
                self.rows.prefetch(row as usize);
            }
            rows.push(row);
            symmetries.push(symmetry);
        }
    }

    /// Sets the lanes where moves may end.
    #[inline(always)]
    fn set_targets(&mut self, processor: impl Processor) {
        let Frame { region, attackers, king_captures, .. } = self.of.frame;
        let Worker { rows, symmetries, squares, .. } = &mut *self.worker;
        let complement = if self.complement { Wide::splat(!Row::EMPTY) } else { Wide::EMPTY };
        let places = attackers.squares().iter().zip(rows).zip(symmetries);
        for ((&square, rows), symmetries) in places {
            let mut known = Wide::EMPTY;
            let mut back = [Symmetry::IDENTITY; WIDTH];
            for i in 0..WIDTH {
                known.put(i, self.table[rows[i] as usize]);
                back[i] = symmetries[i].inverse();
            }
            let ends = processor.transform_each(&region.transforms, back, known ^ complement);
            let captured = king_captures.by_arrival_wide(squares, square);
            let here = &mut squares[square.index()];
            here.targets = ends.without(captured | here.men.spread());
        }
    }

    /// Removes the reached lanes from the rows.
    #[inline(always)]
    fn remove_reached(&mut self, processor: impl Processor) {
        let Frame { region, attackers, .. } = self.of.frame;
        let Worker { rows, symmetries, squares, .. } = &mut *self.worker;
        let places = attackers.squares().iter().zip(rows).zip(symmetries);
        for ((&square, rows), symmetries) in places {
            let WideSquare { men, reached, .. } = squares[square.index()];
            let origins = reached.without(men.spread());
            let stored = processor.transform_each(&region.transforms, *symmetries, origins);
            let mut left = Wide::EMPTY;
            for (i, &row) in rows.iter().enumerate() {
                left.put(i, self.rows.get(row as usize));
            }
            // An atomic update costs more than a read, and most lanes are gone already.
            let found = stored & left;
            if found.is_empty() {
                continue;
            }
            for (i, &row) in rows.iter().enumerate() {
                let lanes = found.row(i);
                if !lanes.is_empty() {
                    self.rows.remove(row as usize, lanes);
                }
            }
        }
    }
}
