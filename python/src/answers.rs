//! Conversion of results to the classes of `package/taflbase/answers.py` and `enums.py`.

use pyo3::call::PyCallArgs;
use pyo3::exceptions::PyValueError;
use pyo3::types::{PyAnyMethods, PyModule};
use pyo3::{Bound, IntoPyObject, PyAny, PyErr, PyResult, Python};
use serde::Serialize;
use taflbase::Tablebase;
use taflbase::engine::{Iteration, Line, Score};
use taflbase::history::Outcome;
use taflbase::moves::Move;
use taflbase::position::Position;
use taflbase::rules::{Ruleset, Side};
use taflbase::tablebase::{MoveProbe, Probe};
use taflbase::value::Value;

use crate::board::Board;

/// Calls a class or function of `taflbase.answers` with these arguments.
pub fn answer<'py>(
    py: Python<'py>,
    class: &str,
    fields: impl PyCallArgs<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    PyModule::import(py, "taflbase.answers")?.getattr(class)?.call1(fields)
}

/// Serialises a value as JSON, for a function of `taflbase.answers`.
pub fn json(value: &impl Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// A member of an enumeration.
#[derive(Clone, Copy)]
pub struct Word {
    class: &'static str,
    value: &'static str,
}

impl<'py> IntoPyObject<'py> for Word {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        PyModule::import(py, "taflbase.enums")?.getattr(self.class)?.call1((self.value,))
    }
}

/// Returns a `Category`.
pub fn category(value: &'static str) -> Word {
    Word { class: "Category", value }
}

/// Returns a `Side`.
pub fn side(side: Side) -> Word {
    Word { class: "Side", value: side.name() }
}

/// Returns a `Phase`.
pub fn phase(value: &'static str) -> Word {
    Word { class: "Phase", value }
}

/// Returns a `Verdict`.
pub fn verdict(value: &'static str) -> Word {
    Word { class: "Verdict", value }
}

pub fn value<'py>(py: Python<'py>, base: &Tablebase, value: Value) -> PyResult<Bound<'py, PyAny>> {
    answer(py, "Value", (category(base.category(value.wdl())), value.plies()))
}

/// Converts a move in a position.
pub fn played<'py>(
    py: Python<'py>,
    rules: &Ruleset,
    position: &Position,
    played: &Move,
) -> PyResult<Bound<'py, PyAny>> {
    answer(py, "Move", (text(rules, played), position.after(played).to_text(rules)))
}

/// Converts a line of moves from a position.
pub fn moves<'py>(
    py: Python<'py>,
    rules: &Ruleset,
    position: &Position,
    line: &[Move],
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let mut position = *position;
    let moves = line.iter().map(|mv| {
        let answer = played(py, rules, &position, mv);
        position = position.after(mv);
        answer
    });
    moves.collect()
}

/// Returns a move as text.
pub fn text(rules: &Ruleset, played: &Move) -> String {
    played.display(rules.board).to_string()
}

pub fn probe<'py>(
    py: Python<'py>,
    base: &Tablebase,
    position: &Position,
    probe: &Probe,
) -> PyResult<Bound<'py, PyAny>> {
    let moves = probe.moves.iter().map(|probed| move_probe(py, base, position, probed));
    let fields = (
        position.to_text(base.rules()),
        side(position.to_move),
        category(base.category(probe.value.wdl)),
        probe.value.plies,
        moves.collect::<PyResult<Vec<_>>>()?,
        Board::of(base.rules(), position, None),
    );
    answer(py, "Probe", fields)
}

fn move_probe<'py>(
    py: Python<'py>,
    base: &Tablebase,
    position: &Position,
    probed: &MoveProbe,
) -> PyResult<Bound<'py, PyAny>> {
    let fields = (
        text(base.rules(), &probed.played),
        category(probed.category(base)),
        probed.value.and_then(|value| value.plies),
        probed.played.is_conversion(),
        position.after(&probed.played).to_text(base.rules()),
    );
    answer(py, "MoveProbe", fields)
}

pub fn outcome<'py>(py: Python<'py>, outcome: &Outcome) -> PyResult<Bound<'py, PyAny>> {
    let reason = Word { class: "Reason", value: outcome.reason.name() };
    answer(py, "Outcome", (outcome.winner.map(side), reason))
}

/// Converts an iteration of a search of `position`.
pub fn iteration<'py>(
    py: Python<'py>,
    rules: &Ruleset,
    position: &Position,
    iteration: &Iteration,
) -> PyResult<Bound<'py, PyAny>> {
    let lines = iteration.lines.iter().map(|line| self::line(py, rules, position, line));
    let fields = (
        iteration.depth,
        iteration.is_complete,
        iteration.selective_depth,
        lines.collect::<PyResult<Vec<_>>>()?,
        iteration.nodes,
        iteration.table_hits,
        iteration.time.as_secs_f64(),
    );
    answer(py, "Iteration", fields)
}

fn line<'py>(
    py: Python<'py>,
    rules: &Ruleset,
    position: &Position,
    line: &Line,
) -> PyResult<Bound<'py, PyAny>> {
    let moves = moves(py, rules, position, &line.moves)?;
    answer(py, "Line", (score(py, line.score)?, moves, line.depth))
}

fn score(py: Python<'_>, score: Score) -> PyResult<Bound<'_, PyAny>> {
    let (category, plies, estimate) = match score {
        Score::Win(plies) => (Some("win"), Some(plies), None),
        Score::Loss(plies) => (Some("loss"), Some(plies), None),
        Score::TableWin | Score::ProvedWin => (Some("win"), None, None),
        Score::TableLoss | Score::ProvedLoss => (Some("loss"), None, None),
        Score::Estimate(hundredths) => (None, None, Some(hundredths)),
    };
    answer(py, "Score", (category.map(self::category), plies, estimate))
}
