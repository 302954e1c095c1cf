//! Search in a table, as in `taflbase find`.

use std::ops::{ControlFlow, RangeInclusive};
use std::sync::Mutex;

use pyo3::exceptions::PyValueError;
use pyo3::{Borrowed, Bound, FromPyObject, PyAny, PyErr, PyResult, Python};
use taflbase::Tablebase;
use taflbase::board::SquareSet;
use taflbase::find::{self, FindError, Found, Pattern, PatternError, Query, Search};
use taflbase::rules::Ruleset;
use taflbase::slice::Slice;
use taflbase::table::{Table, TableFile};
use taflbase::value::Plies;

use crate::answers;
use crate::errors::DamagedTable;
use crate::parameters::{Strings, parse_word, shown};
use crate::search::lock;

/// Keyword arguments that describe the wanted positions.
pub struct Criteria {
    pub value: Option<String>,
    pub plies: Option<Distance>,
    pub to_move: Option<String>,
    pub zugzwang: bool,
    pub pattern: Option<String>,
    pub king: Option<Strings>,
    pub attackers: Option<Strings>,
    pub defenders: Option<Strings>,
    pub empty: Option<Strings>,
}

/// Keyword arguments that select among the positions found.
pub struct Selection {
    pub longest: bool,
    pub random: Option<u64>,
    pub seed: u64,
    pub limit: Option<u64>,
}

/// A distance, or the minimum and the maximum.
pub enum Distance {
    One(Plies),
    Range(Plies, Plies),
}

impl<'py> FromPyObject<'_, 'py> for Distance {
    type Error = PyErr;

    fn extract(plies: Borrowed<'_, 'py, PyAny>) -> PyResult<Distance> {
        if let Ok(one) = plies.extract() {
            return Ok(Distance::One(one));
        }
        let range = plies.extract().map(|(first, last)| Distance::Range(first, last));
        range.map_err(|_| {
            let (max, given) = (Plies::MAX, shown(plies));
            PyValueError::new_err(format!(
                "plies must be a number from 0 to {max}, or two of them, not {given}"
            ))
        })
    }
}

impl Criteria {
    fn query(&self, rules: &Ruleset) -> PyResult<Query> {
        let to_move = self.to_move.as_deref().map(|side| parse_word("to_move", side));
        let wdl = self.value.as_deref().map(|value| find::parse_outcome(rules, value));
        Ok(Query {
            to_move: to_move.transpose()?,
            wdl: wdl.transpose().map_err(value_error("value"))?,
            plies: self.plies.as_ref().map(Distance::range).transpose()?,
            zugzwang: self.zugzwang,
            pattern: self.pattern(rules)?,
        })
    }

    fn pattern(&self, rules: &Ruleset) -> PyResult<Pattern> {
        let by_squares = Pattern {
            attackers: parse_squares(rules, "attackers", &self.attackers)?.unwrap_or_default(),
            defenders: parse_squares(rules, "defenders", &self.defenders)?.unwrap_or_default(),
            empty: parse_squares(rules, "empty", &self.empty)?.unwrap_or_default(),
            king: parse_squares(rules, "king", &self.king)?,
        };
        let parsed = self.pattern.as_deref().map(|text| Pattern::parse(text, rules.board));
        let board = parsed.transpose().map_err(value_error("pattern"))?;
        Ok(board.unwrap_or_default().and(&by_squares))
    }
}

impl Distance {
    fn range(&self) -> PyResult<RangeInclusive<Plies>> {
        match *self {
            Distance::One(plies) => Ok(plies..=plies),
            Distance::Range(first, last) if first <= last => Ok(first..=last),
            Distance::Range(first, last) => Err(PyValueError::new_err(format!(
                "plies: {first} to {last} is an empty range: give the smaller number first"
            ))),
        }
    }
}

/// Parses an argument that names squares, as "c3,d5" or a list.
fn parse_squares(
    rules: &Ruleset,
    argument: &str,
    names: &Option<Strings>,
) -> PyResult<Option<SquareSet>> {
    let names: Vec<&str> = match names {
        None => return Ok(None),
        Some(Strings::One(names)) => names.split(',').map(str::trim).collect(),
        Some(Strings::Several(names)) => names.iter().map(String::as_str).collect(),
    };
    let parsed = find::parse_squares(names, rules.board);
    parsed.map(Some).map_err(value_error::<PatternError>(argument))
}

/// Converts an error in the value of an argument.
fn value_error<E: std::fmt::Display>(argument: &str) -> impl Fn(E) -> PyErr {
    move |error| PyValueError::new_err(format!("{argument}: {error}"))
}

/// Finds positions in the table of a slice.
pub fn find<'py>(
    py: Python<'py>,
    base: &Tablebase,
    table: &Table<TableFile>,
    criteria: &Criteria,
    selection: &Selection,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    if selection.random.is_some() && (selection.longest || selection.limit.is_some()) {
        let message = "random cannot be combined with limit or longest";
        return Err(PyValueError::new_err(message));
    }
    let query = criteria.query(base.rules())?;
    let interrupted = Mutex::new(None);
    let should_continue = || match Python::attach(|py| py.check_signals()) {
        Ok(()) => true,
        Err(error) => {
            *lock(&interrupted) = Some(error);
            false
        }
    };
    let found = py
        .detach(|| positions(base.rules(), table, &query, selection, &should_continue))
        .map_err(find_error)?;
    if let Some(error) = lock(&interrupted).take() {
        return Err(error);
    }
    found.iter().map(|found| convert(py, base, found)).collect()
}

fn positions(
    rules: &Ruleset,
    table: &Table<TableFile>,
    query: &Query,
    selection: &Selection,
    should_continue: &(dyn Fn() -> bool + Sync),
) -> Result<Vec<Found>, FindError> {
    let search = Search::new(rules, table, query)?.cancel_unless(should_continue);
    if let Some(count) = selection.random {
        return find::random(&[search], count as usize, selection.seed);
    }
    let limit = selection.limit.map_or(usize::MAX, |limit| limit as usize);
    let mut found = Vec::new();
    if selection.longest {
        found = search.longest(limit)?;
    } else if limit > 0 {
        search.each(|one| {
            found.push(one);
            if found.len() < limit { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
    }
    Ok(found)
}

fn convert<'py>(py: Python<'py>, base: &Tablebase, found: &Found) -> PyResult<Bound<'py, PyAny>> {
    let position = &found.position;
    let slice: Slice = position.slice();
    let fields = (
        slice.to_string(),
        position.to_text(base.rules()),
        answers::side(position.to_move),
        answers::category(base.category(found.value.wdl)),
        found.value.plies,
        found.images,
        found.other.map(|other| answers::category(base.category(other.wdl))),
        found.other.and_then(|other| other.plies),
    );
    answers::answer(py, "Found", fields)
}

fn find_error(error: FindError) -> PyErr {
    match error {
        FindError::Table(error) => DamagedTable::new_err(error.to_string()),
        error => PyValueError::new_err(error.to_string()),
    }
}
