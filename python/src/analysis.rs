//! Searches that report their iterations while they run.

use std::sync::Arc;

use pyo3::types::PyTuple;
use pyo3::{Bound, PyAny, PyRef, PyResult, Python, pyclass, pymethods};
use taflbase::Tablebase;
use taflbase::engine::Iteration;
use taflbase::position::Position;
use taflbase::rules::Ruleset;

use crate::answers;
use crate::search::{Search, StopReason};
use crate::work::warn;

/// A running search, created by Engine.analysis.
///
/// Iterate over it to get each iteration as soon as it is finished. A search ends at its
/// limits, when it is stopped or no longer referenced, or when nothing is left to find. A with
/// statement stops it at the end of the block.
#[pyclass(frozen, module = "taflbase")]
pub struct Analysis {
    rules: Arc<Ruleset>,
    position: Position,
    search: Arc<Search>,
    /// The tables of the engine.
    tables: Option<Arc<Tablebase>>,
}

impl Analysis {
    /// Wraps a search of `position` with these tables.
    pub fn new(
        rules: Arc<Ruleset>,
        position: Position,
        search: Arc<Search>,
        tables: Option<Arc<Tablebase>>,
    ) -> Analysis {
        Analysis { rules, position, search, tables }
    }

    /// Waits for the end of the search, and returns the last iteration. Warns if a table could not
    /// be read.
    fn last(&self, py: Python<'_>) -> PyResult<Iteration> {
        let last = self.search.last(py)?;
        self.warn(py)?;
        Ok(last)
    }

    fn warn(&self, py: Python<'_>) -> PyResult<()> {
        match self.tables.as_ref().and_then(|tables| tables.search_error()) {
            Some(error) => {
                warn(py, &format!("{error}; searches go on without what they cannot read"))
            }
            None => Ok(()),
        }
    }

    /// Waits for the end of the search, and returns the best move.
    pub fn best_move(&self, py: Python<'_>) -> PyResult<String> {
        let last = self.last(py)?;
        Ok(answers::text(&self.rules, &last.lines[0].moves[0]))
    }

    fn convert<'py>(&self, py: Python<'py>, iteration: &Iteration) -> PyResult<Bound<'py, PyAny>> {
        answers::iteration(py, &self.rules, &self.position, iteration)
    }
}

impl Drop for Analysis {
    fn drop(&mut self) {
        self.stop();
    }
}

#[pymethods]
impl Analysis {
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        match self.search.next(py)? {
            Some(iteration) => self.convert(py, &iteration).map(Some),
            None => self.warn(py).map(|()| None),
        }
    }

    /// Waits for the end of the search, and returns the last iteration.
    pub fn wait<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let last = self.last(py)?;
        self.convert(py, &last)
    }

    /// Stops the search, from any thread. wait then returns the last iteration.
    pub fn stop(&self) {
        self.search.stop(StopReason::Stop);
    }

    fn __enter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, _exception: &Bound<'_, PyTuple>) {
        self.stop();
    }

    fn __repr__(&self) -> String {
        format!("<taflbase.Analysis {}>", self.position.to_text(&self.rules))
    }
}
