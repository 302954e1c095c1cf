//! Bulk probes, and their values as arrays.

use std::fmt;

use numpy::{IntoPyArray, PyArray1};
use pyo3::{Bound, PyResult, Python};
use taflbase::Tablebase;
use taflbase::position::Position;
use taflbase::table::Metric;
use taflbase::tablebase::{ProbeError, Probed};
use taflbase::value::Wdl;

use crate::errors::{bulk_error, position_error};

/// The number of positions that are probed together: few enough to keep in memory, and enough
/// to read each block once for many of them. Signals are handled between batches.
pub const BATCH: usize = 1 << 18;

/// Values of positions, as columns.
#[derive(Default)]
pub struct Columns {
    wdl: Vec<i8>,
    dtw: Vec<i32>,
}

/// The columns as arrays.
pub type Arrays<'py> = (Bound<'py, PyArray1<i8>>, Bound<'py, PyArray1<i32>>);

/// In place of an outcome: there is no table of the position's slice.
pub const UNKNOWN: i8 = i8::MIN;
/// In place of an outcome: not a position of a game in progress.
pub const INVALID: i8 = i8::MIN + 1;

/// The treatment of positions that cannot be probed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum OnError {
    /// The first of them raises its error.
    Raise,
    /// All of them are marked as [`UNKNOWN`] or [`INVALID`].
    Mark,
}

impl Columns {
    /// Appends the values of positions from a caller, some of which may be invalid.
    ///
    /// # Errors
    /// The error of the first position that cannot be probed, with its number, unless such
    /// positions are marked. A damaged table is always an error.
    pub fn probe_each(
        &mut self,
        py: Python<'_>,
        base: &Tablebase,
        positions: &[Result<Position, impl fmt::Display>],
        metric: Option<Metric>,
        errors: OnError,
    ) -> PyResult<()> {
        let (first, marks) = (self.wdl.len(), errors == OnError::Mark);
        let mut valid = Vec::with_capacity(positions.len());
        for (number, position) in (first..).zip(positions) {
            match position {
                Ok(position) => valid.push(*position),
                Err(_) if marks => {}
                Err(error) => return Err(position_error(number, error)),
            }
        }
        let mut values = py.detach(|| probe_many(base, &valid, metric)).into_iter();
        for (number, position) in (first..).zip(positions) {
            match position.as_ref().ok().and_then(|_| values.next()) {
                None | Some(Err(ProbeError::Position(_))) if marks => self.push_mark(INVALID),
                Some(Err(ProbeError::MissingTable { .. })) if marks => self.push_mark(UNKNOWN),
                Some(Err(error)) => return Err(bulk_error(base, number, error)),
                Some(Ok(value)) => self.push(value),
                None => {}
            }
        }
        py.check_signals()
    }

    fn push(&mut self, value: Probed) {
        let (wdl, dtw) = numbers(value);
        self.wdl.push(wdl);
        self.dtw.push(dtw);
    }

    fn push_mark(&mut self, mark: i8) {
        self.wdl.push(mark);
        self.dtw.push(-1);
    }

    /// Converts the columns to arrays without copying.
    pub fn into_arrays(self, py: Python<'_>) -> Arrays<'_> {
        (self.wdl.into_pyarray(py), self.dtw.into_pyarray(py))
    }
}

/// Returns a value as it is in arrays: the outcome, and the plies or -1.
pub fn numbers(value: Probed) -> (i8, i32) {
    let wdl = match value.wdl {
        Wdl::Win => 1,
        Wdl::Draw => 0,
        Wdl::Loss => -1,
    };
    (wdl, value.plies.map_or(-1, i32::from))
}

fn probe_many(
    base: &Tablebase,
    positions: &[Position],
    metric: Option<Metric>,
) -> Vec<Result<Probed, ProbeError>> {
    match metric {
        None => base.probe_many(positions),
        Some(Metric::Wdl) => {
            let outcomes = base.probe_many_wdl(positions).into_iter();
            outcomes.map(|result| result.map(|wdl| Probed { wdl, plies: None })).collect()
        }
        Some(Metric::Dtw) => {
            let values = base.probe_many_dtw(positions).into_iter();
            values.map(|result| result.map(Probed::from)).collect()
        }
    }
}
