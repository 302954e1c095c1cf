//! All moves of one attacker at once, wherever he stands, for blocks of one
//! row.
//!
//! A *star* is a set of attackers with one missing, and the rows of all squares
//! where he can stand. Running along the lines of the board with a carry finds
//! for all these rows at once where he can go. So a ply visits each row once for
//! each attacker instead of once for each move.

use rayon::prelude::*;

use crate::board::{Board, Direction, Square, SquareSet};
use crate::index::{AttackerSets, Walker};
use crate::rules::{Kind, Ruleset};
use crate::slice::Slice;

use super::frame::{Frame, counted_sets};
use super::lookup::{Fixed, Target};
use super::origins::{Origins, origins};
use super::region::Region;
use super::row::Row;
use super::row_moves::RowMoves;
use super::shared::SharedRows;

/// Stars that one task works on.
const TASK: usize = 1 << 10;

/// The stars of a slice.
pub struct AttackerStars<const N: usize> {
    others: AttackerSets,
    /// Where attackers may stand.
    squares: Vec<Square>,
    /// Every line of the board in both directions: squares by index.
    lines: Vec<Vec<usize>>,
    classes: Vec<OriginClass<N>>,
}

/// Origins that share their path rules, see [`Origins`]: by square of the board,
/// all lanes or none.
struct OriginClass<const N: usize> {
    origins: Vec<Row<N>>,
    stop: Vec<Row<N>>,
    /// The lanes with which a square can be crossed: not the king's on it.
    cross: Vec<Row<N>>,
}

/// A worker's buffers; rows are by square of the board.
struct Worker<'s, const N: usize> {
    walker: Walker<'s>,
    others: Fixed,
    /// The squares left free and their rows.
    targets: Vec<(Square, Target)>,
    sought: Vec<Row<N>>,
    safe: Vec<Row<N>>,
    cross: Vec<Row<N>>,
    reached: Vec<Row<N>>,
}

impl<const N: usize> AttackerStars<N> {
    /// The stars of a slice with one row in a block.
    pub fn new(frame: &Frame<N>) -> Option<AttackerStars<N>> {
        let (rules, slice) = (frame.rules, frame.slice);
        let others = Slice { attackers: slice.attackers - 1, ..slice };
        let others = (frame.block_rows() == 1).then(|| counted_sets(rules, others).ok())??;
        Some(AttackerStars {
            others,
            squares: rules.places(Kind::Attacker).iter().collect(),
            lines: lines(rules),
            classes: origins(rules, Kind::Attacker)
                .map(|group| origin_class(rules.board, &frame.region, group))
                .collect(),
        })
    }

    /// Takes out of all rows the lanes from which an attacker has a move that
    /// captures nothing to a position that is not in `table`. Of the images of a
    /// lane under the symmetries of its attackers, one at least is taken.
    pub fn attackers_escape(&self, moves: &RowMoves<N>, table: &[Row<N>], rows: &mut [Row<N>]) {
        let rows = SharedRows::new(rows);
        let stars = self.others.rows() as usize;
        (0..stars.div_ceil(TASK)).into_par_iter().for_each_init(
            || self.worker(moves.frame),
            |worker, task| {
                for star in task * TASK..((task + 1) * TASK).min(stars) {
                    self.star(moves, star, table, rows, worker);
                }
            },
        );
    }

    fn worker(&self, frame: &Frame<N>) -> Worker<'_, N> {
        let rows = || vec![Row::EMPTY; frame.rules.board.area()];
        Worker {
            walker: Walker::new(&self.others),
            others: Fixed::default(),
            targets: Vec::new(),
            sought: rows(),
            safe: rows(),
            cross: rows(),
            reached: rows(),
        }
    }

    fn star(
        &self,
        moves: &RowMoves<N>,
        star: usize,
        table: &[Row<N>],
        rows: SharedRows<N>,
        worker: &mut Worker<N>,
    ) {
        let (lookup, region) = (&moves.frame.attackers, &moves.frame.region);
        let Worker { walker, others: fixed, targets, sought, safe, .. } = worker;
        let (others, _) = walker.set(star as u64);
        lookup.fix(others, fixed);
        targets.clear();
        let free = self.squares.iter().filter(|&&square| !others.contains(square));
        targets.extend(free.map(|&square| (square, lookup.target_with(fixed, square))));
        let mut any = Row::EMPTY;
        for &(square, target) in &*targets {
            sought[square.index()] = rows.get(target.block);
            any |= sought[square.index()];
        }
        if any.is_empty() {
            return;
        }
        safe.fill(Row::EMPTY);
        for &(square, target) in &*targets {
            let known = region.flip(target.back, table[target.block]);
            let quiet = moves.quiet(others.with(square), square, 0);
            safe[square.index()] = quiet.without(known | region.bit(square));
        }
        self.sweep(others, worker);
        for &(square, target) in &worker.targets {
            let reached = worker.reached[square.index()];
            let sought = worker.sought[square.index()];
            if !sought.is_empty() && !reached.is_empty() {
                let found = region.flip(target.symmetry, reached) & sought;
                if !found.is_empty() {
                    rows.remove(target.block, found);
                }
            }
        }
    }

    /// Finds where the missing attacker reaches safe lanes.
    fn sweep(&self, others: SquareSet, worker: &mut Worker<N>) {
        let Worker { safe, cross, reached, .. } = worker;
        reached.fill(Row::EMPTY);
        for class in &self.classes {
            cross.copy_from_slice(&class.cross);
            others.iter().for_each(|square| cross[square.index()] = Row::EMPTY);
            for line in &self.lines {
                let mut carry = Row::EMPTY;
                for &square in line {
                    reached[square] |= carry & class.origins[square];
                    carry = carry & cross[square] | safe[square] & class.stop[square];
                }
            }
        }
    }
}

fn lines(rules: &Ruleset) -> Vec<Vec<usize>> {
    let board = rules.board;
    let starts =
        |d: Direction| board.squares().filter(move |&s| board.step(s, d.opposite()).is_none());
    let line = |start: Square, d| {
        std::iter::once(start).chain(board.ray(start, d)).map(Square::index).collect()
    };
    Direction::ALL.into_iter().flat_map(|d| starts(d).map(move |s| line(s, d))).collect()
}

fn origin_class<const N: usize>(
    board: Board,
    region: &Region<N>,
    origins: Origins,
) -> OriginClass<N> {
    let rows = |squares: SquareSet, row: &dyn Fn(Square) -> Row<N>| {
        let row = |square| if squares.contains(square) { row(square) } else { Row::EMPTY };
        board.squares().map(row).collect()
    };
    OriginClass {
        origins: rows(origins.squares, &|_| !Row::EMPTY),
        stop: rows(origins.stop, &|_| !Row::EMPTY),
        cross: rows(origins.cross, &|square| !region.bit(square)),
    }
}
