//! All positions of a slice with their values, in the order of its rows.

use std::collections::TryReserveError;
use std::ops::{ControlFlow, Range};

use numpy::npyffi::NPY_ORDER;
use numpy::{IntoPyArray, PyArray2, PyArrayMethods};
use pyo3::exceptions::PyMemoryError;
use pyo3::{Bound, PyAny, PyResult, Python};
use taflbase::Tablebase;
use taflbase::board::{SquareSet, Symmetry};
use taflbase::rows::{ReadRows, RowReader, ValuedRow};
use taflbase::rules::{Ruleset, Side};
use taflbase::slice::Slice;
use taflbase::stats::StatsError;
use taflbase::table::{Metric, Table, TableFile};
use taflbase::tablebase::ProbeError;

use crate::answers::answer;
use crate::bulk::numbers;
use crate::errors::{DamagedTable, SliceError, probe_error};

/// Some or all rows of a slice, with one side to move.
pub struct Part {
    pub slice: Slice,
    pub to_move: Side,
    pub metric: Option<Metric>,
    pub rows: Option<(u64, u64)>,
}

/// The images of a position that are returned.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Images {
    All,
    First,
}

impl Part {
    /// Returns all positions.
    pub fn values<'py>(&self, py: Python<'py>, base: &Tablebase) -> PyResult<Bound<'py, PyAny>> {
        let Columns { pieces, wdl, dtw, .. } = self.read(py, base, Images::All)?;
        let [king, defenders, attackers] = pieces;
        let fields = (
            king.into_pyarray(py),
            table(py, defenders, self.slice.defenders, wdl.len())?,
            table(py, attackers, self.slice.attackers, wdl.len())?,
            wdl.into_pyarray(py),
            dtw.into_pyarray(py),
        );
        answer(py, "slice_values", (fields, self.source(base)))
    }

    /// Returns one position of each class of mirror images.
    pub fn classes<'py>(&self, py: Python<'py>, base: &Tablebase) -> PyResult<Bound<'py, PyAny>> {
        let Columns { pieces, images, wdl, dtw } = self.read(py, base, Images::First)?;
        let [king, defenders, attackers] = pieces;
        let fields = (
            king.into_pyarray(py),
            table(py, defenders, self.slice.defenders, wdl.len())?,
            table(py, attackers, self.slice.attackers, wdl.len())?,
            images.into_pyarray(py),
            wdl.into_pyarray(py),
            dtw.into_pyarray(py),
        );
        answer(py, "slice_classes", (fields, self.source(base)))
    }

    /// Returns what the values are of: rules, fingerprint, slice, side to move.
    fn source(&self, base: &Tablebase) -> (String, String, String, &'static str) {
        let rules = base.rules();
        let fingerprint = rules.fingerprint().to_string();
        (rules.name.clone(), fingerprint, self.slice.to_string(), self.to_move.name())
    }

    fn read(&self, py: Python<'_>, base: &Tablebase, images: Images) -> PyResult<Columns> {
        let table = py.detach(|| self.table(base)).map_err(|error| probe_error(base, error))?;
        let rows = self.rows(table.header().grid.rows())?;
        let (mut filled, mut interrupted) = (0, Ok(()));
        let read = || -> PyResult<Columns> {
            let damaged = |error: StatsError| DamagedTable::new_err(error.to_string());
            let reader =
                RowReader::new(base.rules(), table, self.to_move, rows).map_err(damaged)?;
            let count = reader.count();
            let length = if images == Images::All { count.placements } else { count.stored };
            let mut all = Columns::zeros(self.slice, images, length as usize).map_err(|_| {
                PyMemoryError::new_err(format!(
                    "not enough memory for {length} positions; pass rows=(start, end) to read some \
                     rows at a time"
                ))
            })?;
            let images_of = ImagesOf::new(base.rules(), images);
            reader
                .read(
                    |rows| self.columns(rows, &images_of),
                    |columns| {
                        filled += all.copy(filled, &columns, self.slice);
                        interrupted = Python::attach(|py| py.check_signals());
                        match interrupted {
                            Ok(()) => ControlFlow::Continue(()),
                            Err(_) => ControlFlow::Break(()),
                        }
                    },
                )
                .map_err(damaged)?;
            Ok(all)
        };
        let all = py.detach(read)?;
        interrupted?;
        Ok(all)
    }

    /// Returns the table to read. Outcomes are also those of a table with distances.
    fn table<'a>(&self, base: &'a Tablebase) -> Result<&'a Table<TableFile>, ProbeError> {
        match self.metric {
            None => base.best_table(self.slice),
            Some(Metric::Dtw) => base.table(self.slice, Metric::Dtw),
            Some(Metric::Wdl) => match base.table(self.slice, Metric::Wdl) {
                Err(ProbeError::MissingTable { .. }) => base.best_table(self.slice),
                result => result,
            },
        }
    }

    fn rows(&self, all: u64) -> PyResult<Range<u64>> {
        let (start, end) = self.rows.unwrap_or((0, all));
        if start > end || end > all {
            let slice = self.slice;
            let message = format!("rows {start} to {end}: {slice} has the rows 0 to {all}");
            return Err(SliceError::new_err(message));
        }
        Ok(start..end)
    }

    /// Lists the positions of some rows.
    fn columns(&self, rows: &ReadRows<'_>, images_of: &ImagesOf) -> Columns {
        let mut columns = Columns::default();
        rows.each(|row| images_of.add_row(row, &mut columns));
        if self.metric == Some(Metric::Wdl) {
            columns.dtw.fill(-1);
        }
        columns
    }
}

/// Positions as columns: the king, then the defenders, then the attackers.
///
/// The squares of several soldiers are a column for each soldier, one after the other, in the
/// whole slice; in a few rows of it they are position after position.
#[derive(Default)]
struct Columns {
    pieces: [Vec<u16>; 3],
    /// The numbers of images; empty if all images are listed.
    images: Vec<u8>,
    wdl: Vec<i8>,
    dtw: Vec<i32>,
}

impl Columns {
    /// Creates columns for that many positions.
    ///
    /// # Errors
    /// If there is not enough memory.
    fn zeros(slice: Slice, images: Images, length: usize) -> Result<Columns, TryReserveError> {
        let listed = if images == Images::First { length } else { 0 };
        Ok(Columns {
            pieces: [
                zeros(length)?,
                zeros(slice.defenders * length)?,
                zeros(slice.attackers * length)?,
            ],
            images: zeros(listed)?,
            wdl: zeros(length)?,
            dtw: zeros(length)?,
        })
    }

    /// Copies the positions of a few rows to their place in the slice, and returns their number.
    fn copy(&mut self, at: usize, part: &Columns, slice: Slice) -> usize {
        let (length, count) = (self.wdl.len(), part.wdl.len());
        let soldiers = [1, slice.defenders, slice.attackers];
        for ((all, part), soldiers) in self.pieces.iter_mut().zip(&part.pieces).zip(soldiers) {
            for soldier in 0..soldiers {
                let column = &mut all[soldier * length + at..][..count];
                let squares = part.chunks_exact(soldiers).map(|squares| squares[soldier]);
                column.iter_mut().zip(squares).for_each(|(to, square)| *to = square);
            }
        }
        if !self.images.is_empty() {
            self.images[at..][..count].copy_from_slice(&part.images);
        }
        self.wdl[at..][..count].copy_from_slice(&part.wdl);
        self.dtw[at..][..count].copy_from_slice(&part.dtw);
        count
    }
}

fn zeros<T: Clone + Default>(length: usize) -> Result<Vec<T>, TryReserveError> {
    let mut zeros = Vec::new();
    zeros.try_reserve_exact(length)?;
    zeros.resize(length, T::default());
    Ok(zeros)
}

/// Converts columns of squares to an array with one row for each position, without copying.
fn table(
    py: Python<'_>,
    columns: Vec<u16>,
    soldiers: usize,
    length: usize,
) -> PyResult<Bound<'_, PyArray2<u16>>> {
    columns.into_pyarray(py).reshape_with_order([length, soldiers], NPY_ORDER::NPY_FORTRANORDER)
}

/// Lists the images of positions.
struct ImagesOf {
    images: Images,
    /// For each symmetry, the identity first, the image of each square.
    symmetries: Vec<Vec<u16>>,
}

impl ImagesOf {
    fn new(rules: &Ruleset, images: Images) -> ImagesOf {
        let image_of_board = |symmetry: Symmetry| {
            let squares = rules.board.squares();
            squares.map(|square| symmetry.apply(rules.board, square).index() as u16).collect()
        };
        ImagesOf { images, symmetries: rules.symmetries().iter().map(image_of_board).collect() }
    }

    /// Adds the positions of a row: for each of the king's squares all its distinct images, or
    /// the first one.
    fn add_row(&self, row: &ValuedRow<'_>, columns: &mut Columns) {
        let wanted = if self.images == Images::All { self.symmetries.len() } else { 1 };
        let soldiers: Vec<[Vec<u16>; 2]> = self.symmetries[..wanted]
            .iter()
            .map(|image| [row.defenders, row.attackers].map(|set| image_of(set, image)))
            .collect();
        let all: Vec<usize> = (0..wanted).collect();
        for king in row.kings {
            let square = king.square.index();
            let some;
            let listed: &[usize] = if king.images >= wanted {
                &all
            } else {
                some = self.distinct(square, &soldiers);
                &some
            };
            let (wdl, dtw) = numbers(king.value);
            for &symmetry in listed {
                let [king_column, defenders, attackers] = &mut columns.pieces;
                king_column.push(self.symmetries[symmetry][square]);
                defenders.extend_from_slice(&soldiers[symmetry][0]);
                attackers.extend_from_slice(&soldiers[symmetry][1]);
            }
            columns.wdl.resize(columns.wdl.len() + listed.len(), wdl);
            columns.dtw.resize(columns.dtw.len() + listed.len(), dtw);
            if self.images == Images::First {
                columns.images.push(king.images as u8);
            }
        }
    }

    /// Returns the symmetries whose images differ, the first of each.
    fn distinct(&self, king: usize, soldiers: &[[Vec<u16>; 2]]) -> Vec<usize> {
        let image = |symmetry: usize| (self.symmetries[symmetry][king], &soldiers[symmetry]);
        let mut distinct: Vec<usize> = Vec::new();
        for symmetry in 0..soldiers.len() {
            if distinct.iter().all(|&other| image(other) != image(symmetry)) {
                distinct.push(symmetry);
            }
        }
        distinct
    }
}

/// Returns the image of a set of squares, ascending.
fn image_of(set: SquareSet, image: &[u16]) -> Vec<u16> {
    let mut squares: Vec<u16> = set.into_iter().map(|square| image[square.index()]).collect();
    squares.sort_unstable();
    squares
}
