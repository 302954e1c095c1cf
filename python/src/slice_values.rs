//! All positions of a slice with their values, in the order of its rows.

use std::ops::Range;

use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods};
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

use crate::answers::answer;
use crate::bulk::{BATCH, Columns};
use crate::errors::{SliceError, probe_error};

/// Some or all rows of a slice, with one side to move.
pub struct Part {
    pub slice: Slice,
    pub to_move: Side,
    pub metric: Option<Metric>,
    pub rows: Option<(u64, u64)>,
}

impl Part {
    /// Returns all positions.
    pub fn values<'py>(&self, py: Python<'py>, base: &Tablebase) -> PyResult<Bound<'py, PyAny>> {
        let Found { pieces, values, images } = self.find(py, base, Pieces::with_images)?;
        let Arrays { king, defenders, attackers } = pieces.into_arrays(py, self.slice)?;
        // Images have the same value, so it is read only once.
        let (wdl, dtw) = values.repeated(&images).into_arrays(py);
        answer(py, "SliceValues", (king, defenders, attackers, wdl, dtw))
    }

    /// Returns one position of each class of mirror images.
    pub fn classes<'py>(&self, py: Python<'py>, base: &Tablebase) -> PyResult<Bound<'py, PyAny>> {
        let Found { pieces, values, images } = self.find(py, base, Pieces::alone)?;
        let Arrays { king, defenders, attackers } = pieces.into_arrays(py, self.slice)?;
        let images = images.into_pyarray(py);
        let (wdl, dtw) = values.into_arrays(py);
        answer(py, "SliceClasses", (king, defenders, attackers, images, wdl, dtw))
    }

    fn find(
        &self,
        py: Python<'_>,
        base: &Tablebase,
        pieces_of: fn(&Ruleset, &[Position]) -> Pieces,
    ) -> PyResult<Found> {
        let index = py.detach(|| base.index(self.slice)).map_err(|e| probe_error(base, e))?;
        let rows = self.rows(index)?;
        let rows_per_batch = (BATCH / index.lanes().count()).max(1);
        let mut found = Found::default();
        for first in rows.clone().step_by(rows_per_batch) {
            let batch = first..rows.end.min(first + rows_per_batch as u64);
            let (positions, images) =
                py.detach(|| classes_of(base.rules(), index, batch, self.to_move));
            found.values.probe(py, base, &positions, self.metric)?;
            found.pieces.append(py.detach(|| {
                let chunks = positions.par_chunks(1 << 12);
                chunks.map(|chunk| pieces_of(base.rules(), chunk)).collect()
            }));
            found.images.extend(images);
        }
        Ok(found)
    }

    fn rows(&self, index: &SliceIndex) -> PyResult<Range<u64>> {
        let all = index.rows();
        let (start, end) = self.rows.unwrap_or((0, all));
        if start > end || end > all {
            let slice = self.slice;
            let message = format!("rows {start} to {end}: {slice} has the rows 0 to {all}");
            return Err(SliceError::new_err(message));
        }
        Ok(start..end)
    }
}

/// Classes of mirror images: their values, their numbers of images, and the pieces of one
/// image or of all.
#[derive(Default)]
struct Found {
    pieces: Pieces,
    values: Columns,
    images: Vec<u8>,
}

/// Returns the positions in `rows` that are the least of their mirror images, and the number
/// of images of each.
fn classes_of(
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
            let images = least.multiplicity(defenders, king) as u8;
            (Position { attackers, defenders, king, to_move, rules: rules.id() }, images)
        })
    };
    rows.into_par_iter().flat_map_iter(of_row).unzip()
}

/// Returns the distinct mirror images of a position, itself first.
fn images_of(rules: &Ruleset, position: &Position) -> Vec<Position> {
    let mut images = Vec::with_capacity(rules.symmetries().order());
    for symmetry in rules.symmetries().iter() {
        let image = position.image(rules, symmetry);
        if !images.contains(&image) {
            images.push(image);
        }
    }
    images
}

/// The squares of the pieces of many positions.
#[derive(Default)]
struct Pieces {
    king: Vec<u16>,
    defenders: Vec<u16>,
    attackers: Vec<u16>,
}

impl Pieces {
    fn alone(_: &Ruleset, positions: &[Position]) -> Pieces {
        let mut pieces = Pieces::default();
        positions.iter().for_each(|position| pieces.push(position));
        pieces
    }

    fn with_images(rules: &Ruleset, positions: &[Position]) -> Pieces {
        let mut pieces = Pieces::default();
        let images = positions.iter().flat_map(|position| images_of(rules, position));
        images.for_each(|image| pieces.push(&image));
        pieces
    }

    fn push(&mut self, position: &Position) {
        let numbers = |set: SquareSet| set.into_iter().map(|square| square.index() as u16);
        self.king.push(position.king.index() as u16);
        self.defenders.extend(numbers(position.defenders));
        self.attackers.extend(numbers(position.attackers));
    }

    fn append(&mut self, parts: Vec<Pieces>) {
        for part in parts {
            self.king.extend(part.king);
            self.defenders.extend(part.defenders);
            self.attackers.extend(part.attackers);
        }
    }

    /// Converts to arrays with one row for each position.
    fn into_arrays(self, py: Python<'_>, slice: Slice) -> PyResult<Arrays<'_>> {
        let count = self.king.len();
        let table = |numbers: Vec<u16>, width| numbers.into_pyarray(py).reshape([count, width]);
        Ok(Arrays {
            defenders: table(self.defenders, slice.defenders)?,
            attackers: table(self.attackers, slice.attackers)?,
            king: self.king.into_pyarray(py),
        })
    }
}

struct Arrays<'py> {
    king: Bound<'py, PyArray1<u16>>,
    defenders: Bound<'py, PyArray2<u16>>,
    attackers: Bound<'py, PyArray2<u16>>,
}
