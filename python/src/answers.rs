//! Answers as the named tuples of `package/taflbase/answers.py`.

use pyo3::call::PyCallArgs;
use pyo3::types::{PyAnyMethods, PyModule};
use pyo3::{Bound, PyAny, PyResult, Python};
use taflbase::Tablebase;
use taflbase::engine::{Iteration, Line, Score};
use taflbase::history::Outcome;
use taflbase::moves::Move;
use taflbase::position::Position;
use taflbase::rules::Ruleset;
use taflbase::tablebase::{MoveProbe, Probe};
use taflbase::value::Value;

use crate::board::Board;

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

/// A move in a position.
pub fn played<'py>(
    py: Python<'py>,
    rules: &Ruleset,
    position: &Position,
    played: &Move,
) -> PyResult<Bound<'py, PyAny>> {
    named_tuple(py, "Move", (text(rules, played), position.after(played).to_text(rules)))
}

/// Moves that are played one after the other from a position.
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

/// A move as text.
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
        position.to_move.name(),
        base.category(probe.value.wdl),
        probe.value.plies,
        moves.collect::<PyResult<Vec<_>>>()?,
        Board::of(base.rules(), position, None),
    );
    named_tuple(py, "Probe", fields)
}

fn move_probe<'py>(
    py: Python<'py>,
    base: &Tablebase,
    position: &Position,
    probed: &MoveProbe,
) -> PyResult<Bound<'py, PyAny>> {
    let fields = (
        text(base.rules(), &probed.played),
        probed.category(base),
        probed.value.and_then(|value| value.plies),
        probed.played.is_conversion(),
        position.after(&probed.played).to_text(base.rules()),
    );
    named_tuple(py, "MoveProbe", fields)
}

pub fn outcome<'py>(py: Python<'py>, outcome: &Outcome) -> PyResult<Bound<'py, PyAny>> {
    let winner = outcome.winner.map(|side| side.name());
    named_tuple(py, "Outcome", (winner, outcome.reason.name()))
}

/// An iteration of a search of that position.
pub fn iteration<'py>(
    py: Python<'py>,
    rules: &Ruleset,
    position: &Position,
    iteration: &Iteration,
) -> PyResult<Bound<'py, PyAny>> {
    let lines = iteration.lines.iter().map(|line| self::line(py, rules, position, line));
    let fields = (
        iteration.depth,
        iteration.selective_depth,
        lines.collect::<PyResult<Vec<_>>>()?,
        iteration.nodes,
        iteration.table_hits,
        iteration.time.as_secs_f64(),
    );
    named_tuple(py, "Iteration", fields)
}

fn line<'py>(
    py: Python<'py>,
    rules: &Ruleset,
    position: &Position,
    line: &Line,
) -> PyResult<Bound<'py, PyAny>> {
    named_tuple(py, "Line", (score(py, line.score)?, moves(py, rules, position, &line.moves)?))
}

fn score(py: Python<'_>, score: Score) -> PyResult<Bound<'_, PyAny>> {
    let (category, plies, estimate) = match score {
        Score::Win(plies) => (Some("win"), Some(plies), None),
        Score::Loss(plies) => (Some("loss"), Some(plies), None),
        Score::TableWin => (Some("win"), None, None),
        Score::TableLoss => (Some("loss"), None, None),
        Score::Estimate(hundredths) => (None, None, Some(hundredths)),
    };
    named_tuple(py, "Score", (category, plies, estimate))
}
