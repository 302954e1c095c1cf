//! All positions of a slice, in the order of its rows, with their values.

use std::ops::Range;

use numpy::{IntoPyArray, PyArray2, PyArrayMethods};
use pyo3::{Bound, PyAny, PyResult, Python};
use rayon::prelude::*;
use taflbase::Tablebase;
use taflbase::board::SquareSet;
use taflbase::dont_care::LeastImages;
use taflbase::index::SliceIndex;
use taflbase::position::Position;
use taflbase::rules::{Kind, Ruleset, Side};
use taflbase::slice::Slice;
use taflbase::table::Metric;

use crate::answers::named_tuple;
use crate::bulk::{Columns, LOT};
use crate::errors::{SliceError, probe_error};

/// The positions of these rows of a slice, or of all, with that side to move.
pub fn slice_values<'py>(
    py: Python<'py>,
    base: &Tablebase,
    slice: Slice,
    to_move: Side,
    metric: Metric,
    rows: Option<(u64, u64)>,
) -> PyResult<Bound<'py, PyAny>> {
    let index = py.detach(|| base.index(slice)).map_err(probe_error)?;
    let (start, end) = rows.unwrap_or((0, index.rows()));
    if start > end || end > index.rows() {
        let all = index.rows();
        let message = format!("rows {start} to {end}: {slice} has the rows 0 to {all}");
        return Err(SliceError::new_err(message));
    }
    let mut values = Columns::default();
    let mut pieces = Pieces::default();
    let rows_per_lot = (LOT / index.lanes().count()).max(1);
    for first in (start..end).step_by(rows_per_lot) {
        let rows = first..end.min(first + rows_per_lot as u64);
        let (positions, images) = py.detach(|| positions_of(base.rules(), index, rows, to_move));
        values.probe(py, base, &positions, metric)?;
        pieces.add(&positions, images);
    }
    let count = pieces.king.len();
    let (wdl, dtw) = values.into_arrays(py);
    let fields = (
        pieces.king.into_pyarray(py),
        table(py, pieces.defenders, [count, slice.defenders])?,
        table(py, pieces.attackers, [count, slice.attackers])?,
        pieces.images.into_pyarray(py),
        wdl,
        dtw,
    );
    named_tuple(py, "SliceValues", fields)
}

/// The positions of some rows that are the least of their mirror images, and how many
/// images each has.
fn positions_of(
    rules: &Ruleset,
    index: &SliceIndex,
    rows: Range<u64>,
    to_move: Side,
) -> (Vec<Position>, Vec<u8>) {
    let kings = rules.places(Kind::King);
    let of_row = |row| {
        let (attackers, defenders) = index.unrank_row(row);
        let least = LeastImages::new(rules, index.stabilizer(attackers));
        let squares = least.kings(defenders, kings) - attackers - defenders;
        squares.into_iter().map(move |king| {
            let images = least.weight(defenders, king) as u8;
            (Position { attackers, defenders, king, to_move }, images)
        })
    };
    rows.into_par_iter().flat_map_iter(of_row).unzip()
}

/// Where pieces stand, position by position.
#[derive(Default)]
struct Pieces {
    king: Vec<u16>,
    defenders: Vec<u16>,
    attackers: Vec<u16>,
    images: Vec<u8>,
}

impl Pieces {
    fn add(&mut self, positions: &[Position], images: Vec<u8>) {
        let numbers = |set: SquareSet| set.into_iter().map(|square| square.index() as u16);
        for position in positions {
            self.king.push(position.king.index() as u16);
            self.defenders.extend(numbers(position.defenders));
            self.attackers.extend(numbers(position.attackers));
        }
        self.images.extend(images);
    }
}

/// The numbers as an array of that many rows and columns.
fn table(
    py: Python<'_>,
    numbers: Vec<u16>,
    shape: [usize; 2],
) -> PyResult<Bound<'_, PyArray2<u16>>> {
    numbers.into_pyarray(py).reshape(shape)
}
