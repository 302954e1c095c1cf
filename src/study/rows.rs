//! The values of a slice row by row, for programs that need every position.
//!
//! A row of a table has one placement of the soldiers, up to mirror images, with the king on each
//! square. A [`RowReader`] reads consecutive rows on all threads.
//!
//! ```
//! use std::ops::ControlFlow;
//! use taflbase::rows::RowReader;
//! use taflbase::rules::{Ruleset, Side};
//! use taflbase::{Tablebase, Wdl};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let tables = Tablebase::new(Ruleset::load("brandubh")?);
//! let table = tables.best_table("K1v2".parse()?)?;
//! let rows = 0..table.header().grid.rows();
//! let reader = RowReader::new(tables.rules(), table, Side::Attackers, rows)?;
//! let mut wins = 0;
//! reader.read(
//!     |rows| {
//!         let mut found = 0;
//!         rows.each(|row| {
//!             let won = row.kings.iter().filter(|king| king.value.wdl == Wdl::Win);
//!             found += won.map(|king| king.images as u64).sum::<u64>();
//!         });
//!         found
//!     },
//!     |found| {
//!         wins += found;
//!         ControlFlow::Continue(())
//!     },
//! )?;
//! assert_eq!((wins, reader.count().placements), (130_316, 1_668_744));
//! # Ok(())
//! # }
//! ```

use std::ops::{ControlFlow, Range};

use rayon::prelude::*;

use super::find::FoundCount;
use super::multiplicity::Multiplicities;
use super::scan::{Scan, ScannedRows, StatsError};
use crate::game::board::{Square, SquareSet};
use crate::game::rules::{Kind, Ruleset, Side};
use crate::table::{Table, TableFile};
use crate::tablebase::Probed;

/// Reads consecutive rows of a table, with one side to move.
pub struct RowReader<'a> {
    scan: Scan<'a>,
    to_move: Side,
    rows: Range<u64>,
}

/// Rows that were read.
pub struct ReadRows<'a> {
    reader: &'a RowReader<'a>,
    scanned: &'a ScannedRows,
}

/// One placement of the soldiers.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ValuedRow<'a> {
    /// The attackers.
    pub attackers: SquareSet,
    /// The defending soldiers.
    pub defenders: SquareSet,
    /// The king's squares, ascending: one of each class of mirror images.
    pub kings: &'a [ValuedKing],
}

/// A square of the king, and the value of the position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ValuedKing {
    /// The square.
    pub square: Square,
    /// The number of mirror images that the position stands for, itself included.
    pub images: usize,
    /// The value for the side to move.
    pub value: Probed,
}

impl<'a> RowReader<'a> {
    /// Prepares to read these rows; those that the table does not have are left out.
    ///
    /// # Errors
    /// If the table was made for other rules.
    pub fn new(
        rules: &'a Ruleset,
        table: &'a Table<TableFile>,
        to_move: Side,
        rows: Range<u64>,
    ) -> Result<RowReader<'a>, StatsError> {
        let scan = Scan::new(rules, table)?;
        let end = rows.end.min(scan.index.rows());
        Ok(RowReader { to_move, rows: rows.start.min(end)..end, scan })
    }

    /// Counts the positions in these rows without reading the table. Runs on rayon's current
    /// threads.
    pub fn count(&self) -> FoundCount {
        let count = |rows| {
            let anywhere = |_, _| self.scan.rules.places(Kind::King);
            let slots =
                Multiplicities::new(self.scan.rules, &self.scan.index, rows, &[], &anywhere);
            let images = slots.multiplicities.iter();
            FoundCount {
                stored: images.clone().filter(|&&images| images > 0).count() as u64,
                placements: images.map(|&images| u64::from(images)).sum(),
            }
        };
        let tasks = self.scan.tasks(self.rows.clone()).into_par_iter();
        tasks.map(count).reduce(FoundCount::default, |one, other| FoundCount {
            stored: one.stored + other.stored,
            placements: one.placements + other.placements,
        })
    }

    /// Calls `work` for a few rows at a time, in parallel on rayon's current threads, and passes
    /// the results to `take` in the order of the rows, until `take` breaks. Reads every block
    /// once.
    ///
    /// # Errors
    /// If a block is damaged.
    pub fn read<T: Send>(
        &self,
        work: impl Fn(&ReadRows<'_>) -> T + Sync,
        take: impl FnMut(T) -> ControlFlow<()>,
    ) -> Result<(), StatsError> {
        self.scan.run_rows(
            self.rows.clone(),
            &[self.to_move],
            &|_, _| self.scan.rules.places(Kind::King),
            |scanned| work(&ReadRows { reader: self, scanned }),
            take,
        )
    }
}

impl ReadRows<'_> {
    /// Calls `visit` for each row, in order.
    pub fn each(&self, mut visit: impl FnMut(&ValuedRow<'_>)) {
        let (scan, rows, height) = (&self.reader.scan, self.scanned, self.scanned.height());
        let codes = &rows.codes[self.reader.to_move];
        let squares = scan.index.lanes().squares();
        let mut kings = Vec::with_capacity(squares.len());
        for (at, row) in rows.rows.clone().enumerate() {
            let (attackers, defenders) = scan.index.unrank_row(row);
            let valued = |(lane, &square): (usize, &Square)| {
                let slot = lane * height + at;
                let images = usize::from(rows.multiplicities[slot]);
                let value = scan.value(codes[slot])?;
                (images > 0).then_some(ValuedKing { square, images, value })
            };
            kings.clear();
            kings.extend(squares.iter().enumerate().filter_map(valued));
            visit(&ValuedRow { attackers, defenders, kings: &kings });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::position::Position;
    use crate::tablebase::Tablebase;

    /// Returns the positions of some rows with their images and values, in order.
    fn read(base: &Tablebase, to_move: Side, rows: Range<u64>) -> Vec<(Position, usize, Probed)> {
        let table = base.best_table("K1v2".parse().unwrap()).unwrap();
        let reader = RowReader::new(base.rules(), table, to_move, rows).unwrap();
        let mut all = Vec::new();
        let rules = base.rules().id();
        reader
            .read(
                |rows| {
                    let mut found = Vec::new();
                    rows.each(|row| {
                        let ValuedRow { attackers, defenders, .. } = *row;
                        found.extend(row.kings.iter().map(|king| {
                            let king_square = king.square;
                            let position = Position {
                                attackers,
                                defenders,
                                king: king_square,
                                to_move,
                                rules,
                            };
                            (position, king.images, king.value)
                        }));
                    });
                    found
                },
                |found| {
                    all.extend(found);
                    ControlFlow::Continue(())
                },
            )
            .unwrap();
        let count = reader.count();
        assert_eq!(count.stored, all.len() as u64);
        assert_eq!(count.placements, all.iter().map(|one| one.1 as u64).sum::<u64>());
        all
    }

    #[test]
    fn rows_have_the_values_of_probes() {
        for rules in ["brandubh", "berkeley"] {
            let base = Tablebase::new(Ruleset::builtin(rules).unwrap());
            let all = base.index("K1v2".parse().unwrap()).unwrap().rows();
            for to_move in Side::ALL {
                let whole = read(&base, to_move, 0..all);
                for (position, _, value) in whole.iter().step_by(97) {
                    assert_eq!(base.probe_many(&[*position])[0].as_ref().unwrap(), value);
                    let canonical = base.index(position.slice()).unwrap().canonical(position);
                    assert_eq!(canonical, Some(*position));
                }
                let cuts = [0, 1, 1, 777, all / 2, all, all + 5];
                let parts = cuts.iter().zip(&cuts[1..]);
                let parts = parts.flat_map(|(&start, &end)| read(&base, to_move, start..end));
                assert!(parts.eq(whole));
            }
        }
    }
}
