//! Many positions at once, and their values as arrays.

use numpy::{IntoPyArray, PyArray1};
use pyo3::{Bound, PyErr, PyResult, Python};
use taflbase::Tablebase;
use taflbase::position::Position;
use taflbase::table::Metric;
use taflbase::tablebase::{ProbeError, Probed};
use taflbase::value::Wdl;

/// Positions that are probed together: few enough to be held as such, and enough for
/// blocks to be read once for many of them. Between two such lots Python may
/// interrupt.
pub const LOT: usize = 1 << 18;

/// Values of positions, column by column.
#[derive(Default)]
pub struct Columns {
    wdl: Vec<i8>,
    dtw: Vec<i32>,
}

/// The columns as arrays.
pub type Arrays<'py> = (Bound<'py, PyArray1<i8>>, Bound<'py, PyArray1<i32>>);

impl Columns {
    /// Adds the values of positions by the tables of that metric, or what is known of them
    /// by any.
    ///
    /// # Errors
    /// What `refusal` makes of the first one that cannot be probed, and of its number.
    pub fn probe(
        &mut self,
        py: Python<'_>,
        base: &Tablebase,
        positions: &[Position],
        metric: Option<Metric>,
        refusal: impl Fn(usize, ProbeError) -> PyErr,
    ) -> PyResult<()> {
        let values = py.detach(|| probe_many(base, positions, metric));
        for value in values {
            let value = value.map_err(|error| refusal(self.wdl.len(), error))?;
            self.wdl.push(match value.wdl {
                Wdl::Win => 1,
                Wdl::Draw => 0,
                Wdl::Loss => -1,
            });
            self.dtw.push(value.plies.map_or(-1, i32::from));
        }
        py.check_signals()
    }

    /// Each value as often as its number says.
    pub fn repeated(&self, numbers: &[u8]) -> Columns {
        Columns { wdl: repeated(&self.wdl, numbers), dtw: repeated(&self.dtw, numbers) }
    }

    /// The columns as arrays, without copying.
    pub fn into_arrays(self, py: Python<'_>) -> Arrays<'_> {
        (self.wdl.into_pyarray(py), self.dtw.into_pyarray(py))
    }
}

fn probe_many(
    base: &Tablebase,
    positions: &[Position],
    metric: Option<Metric>,
) -> Vec<Result<Probed, ProbeError>> {
    let without_plies = |wdl| Probed { wdl, plies: None };
    match metric {
        None => base.probe_many(positions),
        Some(Metric::Wdl) => {
            let answers = base.probe_many_wdl(positions).into_iter();
            answers.map(|answer| answer.map(without_plies)).collect()
        }
        Some(Metric::Dtw) => {
            let answers = base.probe_many_dtw(positions).into_iter();
            answers.map(|answer| answer.map(Probed::from)).collect()
        }
    }
}

fn repeated<T: Copy>(values: &[T], numbers: &[u8]) -> Vec<T> {
    let copies = |(&value, &number)| std::iter::repeat_n(value, usize::from(number));
    values.iter().zip(numbers).flat_map(copies).collect()
}
