//! Answers as the named tuples of `package/taflbase/answers.py`.

use pyo3::call::PyCallArgs;
use pyo3::types::{PyAnyMethods, PyModule};
use pyo3::{Bound, PyAny, PyResult, Python};
use taflbase::Tablebase;
use taflbase::position::Position;
use taflbase::tablebase::{MoveProbe, Probe};
use taflbase::value::Value;

/// The named tuple of that class with these fields.
pub fn named_tuple<'py>(
    py: Python<'py>,
    class: &str,
    fields: impl PyCallArgs<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    PyModule::import(py, "taflbase.answers")?.getattr(class)?.call1(fields)
}

pub fn value<'py>(py: Python<'py>, base: &Tablebase, value: Value) -> PyResult<Bound<'py, PyAny>> {
    named_tuple(py, "Value", (base.category(value.wdl()), value.plies()))
}

pub fn probe<'py>(
    py: Python<'py>,
    base: &Tablebase,
    position: &Position,
    probe: &Probe,
) -> PyResult<Bound<'py, PyAny>> {
    let moves = probe.moves.iter().map(|probed| move_probe(py, base, probed));
    let fields = (
        position.to_text(base.rules()),
        position.to_move.name(),
        base.category(probe.value.wdl),
        probe.value.plies,
        moves.collect::<PyResult<Vec<_>>>()?,
    );
    named_tuple(py, "Probe", fields)
}

fn move_probe<'py>(
    py: Python<'py>,
    base: &Tablebase,
    probed: &MoveProbe,
) -> PyResult<Bound<'py, PyAny>> {
    let fields = (
        probed.played.display(base.rules().board).to_string(),
        probed.category(base),
        probed.value.and_then(|value| value.plies),
        probed.played.is_conversion(),
    );
    named_tuple(py, "MoveProbe", fields)
}
