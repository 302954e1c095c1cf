//! Searches that tell of themselves while they go on.

use std::sync::Arc;

use pyo3::types::PyTuple;
use pyo3::{Bound, PyAny, PyRef, PyResult, Python, pyclass, pymethods};
use taflbase::engine::Iteration;
use taflbase::position::Position;
use taflbase::rules::Ruleset;

use crate::answers;
use crate::search::{Search, Wish};

/// A search that goes on while you look at it, made by Engine.analysis.
///
/// Iterating gives each iteration as soon as it is through, and ends with the search. A
/// search ends at its limits, when it is stopped or nobody holds it any more, or when there
/// is nothing more to find. In a with statement it is stopped at the end of the block.
#[pyclass(frozen, module = "taflbase")]
pub struct Analysis {
    rules: Arc<Ruleset>,
    position: Position,
    search: Arc<Search>,
}

impl Analysis {
    /// A search of that position that was begun just now.
    pub fn new(rules: Arc<Ruleset>, position: Position, search: Arc<Search>) -> Analysis {
        Analysis { rules, position, search }
    }

    /// The best move, when the search is over.
    pub fn best_move(&self, py: Python<'_>) -> PyResult<String> {
        let last = self.search.last(py)?;
        Ok(answers::text(&self.rules, &last.lines[0].moves[0]))
    }

    fn told<'py>(&self, py: Python<'py>, iteration: &Iteration) -> PyResult<Bound<'py, PyAny>> {
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
        self.search.next(py)?.map(|iteration| self.told(py, &iteration)).transpose()
    }

    /// Waits for the end of the search, and returns the last iteration.
    pub fn wait<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let last = self.search.last(py)?;
        self.told(py, &last)
    }

    /// Ends the search, from any thread. What it has found is there for wait.
    pub fn stop(&self) {
        self.search.halt(Wish::Stop);
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
