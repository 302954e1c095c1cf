//! Parsing of arguments: words, numbers in a range, limits and clocks.

use std::num::NonZeroUsize;
use std::ops::RangeInclusive;
use std::time::Duration;

use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::types::PyAnyMethods;
use pyo3::{Borrowed, Bound, FromPyObject, PyAny, PyErr, PyResult};
use taflbase::engine::{Clock, Limits};
use taflbase::rules::Side;
use taflbase::slice::Slice;
use taflbase::table::{Access, Metric};

use crate::bulk::OnError;
use crate::errors::SliceError;

/// A type with a few named values.
pub trait Named: Copy + Sized {
    /// Returns the values with their names.
    fn all() -> Vec<(&'static str, Self)>;
}

impl Named for Side {
    fn all() -> Vec<(&'static str, Side)> {
        Side::ALL.map(|side| (side.name(), side)).into()
    }
}

impl Named for Metric {
    fn all() -> Vec<(&'static str, Metric)> {
        Metric::ALL.map(|metric| (metric.name(), metric)).into()
    }
}

impl Named for Access {
    fn all() -> Vec<(&'static str, Access)> {
        vec![("mapped", Access::Mapped), ("scanned", Access::Scanned), ("read", Access::Read)]
    }
}

impl Named for OnError {
    fn all() -> Vec<(&'static str, OnError)> {
        vec![("raise", OnError::Raise), ("mark", OnError::Mark)]
    }
}

/// Parses an argument that names a value.
pub fn parse_word<T: Named>(argument: &str, word: &str) -> PyResult<T> {
    let all = T::all();
    let found = all.iter().find(|(name, _)| *name == word);
    found.map(|&(_, value)| value).ok_or_else(|| {
        let names: Vec<String> = all.iter().map(|(name, _)| format!("\"{name}\"")).collect();
        PyValueError::new_err(format!("{argument} must be {}, not \"{word}\"", names.join(" or ")))
    })
}

/// An argument that is a string or a list of strings.
pub enum Strings {
    One(String),
    Several(Vec<String>),
}

impl<'py> FromPyObject<'_, 'py> for Strings {
    type Error = PyErr;

    fn extract(argument: Borrowed<'_, 'py, PyAny>) -> PyResult<Strings> {
        if let Ok(one) = argument.extract() {
            return Ok(Strings::One(one));
        }
        let several = argument.extract().map(Strings::Several);
        several.map_err(|_| {
            let given = shown(argument);
            PyTypeError::new_err(format!("give a string or a list of strings, not {given}"))
        })
    }
}

/// Parses a whole number from 0.
pub fn parse_whole(argument: &Bound<'_, PyAny>) -> PyResult<u64> {
    argument.extract().map_err(|error: PyErr| {
        let given = shown(argument.as_borrowed());
        let message = format!("give a whole number from 0 to {}, not {given}", u64::MAX);
        if error.is_instance_of::<PyOverflowError>(argument.py()) {
            PyValueError::new_err(message)
        } else {
            PyTypeError::new_err(message)
        }
    })
}

/// As [`parse_whole`], or None.
pub fn parse_optional_whole(argument: &Bound<'_, PyAny>) -> PyResult<Option<u64>> {
    if argument.is_none() { Ok(None) } else { parse_whole(argument).map(Some) }
}

/// Parses a pair of whole numbers from 0, or None.
pub fn parse_optional_pair(argument: &Bound<'_, PyAny>) -> PyResult<Option<(u64, u64)>> {
    if argument.is_none() {
        return Ok(None);
    }
    let (first, second): (Bound<'_, PyAny>, Bound<'_, PyAny>) = argument.extract()?;
    Ok(Some((parse_whole(&first)?, parse_whole(&second)?)))
}

/// Returns an argument as Python shows it.
pub fn shown(argument: Borrowed<'_, '_, PyAny>) -> String {
    argument.repr().map_or_else(|error| error.to_string(), |text| text.to_string())
}

/// Parses the name of a slice.
pub fn parse_slice(text: &str) -> PyResult<Slice> {
    text.parse().map_err(|error| SliceError::new_err(format!("{error}")))
}

/// Parses an argument from 1 to `max`.
pub fn parse_count(argument: &str, number: i64, max: i64) -> PyResult<NonZeroUsize> {
    let inside = Some(number).filter(|&number| number <= max);
    let count = inside.and_then(|number| usize::try_from(number).ok());
    count.and_then(NonZeroUsize::new).ok_or_else(|| {
        let wanted = match max {
            i64::MAX => "1 or more".to_owned(),
            _ => format!("from 1 to {max}"),
        };
        PyValueError::new_err(format!("{argument} must be {wanted}, not {number}"))
    })
}

/// Parses an argument in a range.
pub fn parse_in_range(argument: &str, number: i64, range: RangeInclusive<i32>) -> PyResult<i32> {
    let inside = i32::try_from(number).ok().filter(|number| range.contains(number));
    inside.ok_or_else(|| {
        let (min, max) = range.into_inner();
        PyValueError::new_err(format!("{argument} must be from {min} to {max}, not {number}"))
    })
}

/// The fields of a `Clock`, which is a tuple.
pub type ClockFields = (Option<f64>, Option<f64>, f64, f64);

/// Parses the clock of a side: its remaining time and its increment.
pub fn parse_clock(clock: ClockFields, side: Side) -> PyResult<Clock> {
    let (attackers, defenders, attackers_increment, defenders_increment) = clock;
    let (name, left, increment) = match side {
        Side::Attackers => ("attackers", attackers, attackers_increment),
        Side::Defenders => ("defenders", defenders, defenders_increment),
    };
    let Some(left) = left else {
        let message = format!("clock: the {name} are to move and have no time");
        return Err(PyValueError::new_err(message));
    };
    Ok(Clock::Game {
        left: parse_clock_seconds(name, left)?,
        increment: parse_clock_seconds(&format!("{name}_increment"), increment)?,
    })
}

fn parse_clock_seconds(name: &str, seconds: f64) -> PyResult<Duration> {
    let time = Duration::try_from_secs_f64(seconds).ok().filter(|time| *time <= MAX_TIME);
    time.ok_or_else(|| {
        let max = MAX_TIME.as_secs();
        let message = format!("clock: {name} must be seconds from 0 to {max}, not {seconds}");
        PyValueError::new_err(message)
    })
}

/// Parses the limits of a search: plies, positions and seconds.
pub fn parse_limits(depth: Option<i64>, nodes: Option<i64>, time: Option<f64>) -> PyResult<Limits> {
    let depth = depth.map(|depth| parse_count("depth", depth, 1000)).transpose()?;
    let nodes = nodes.map(|nodes| parse_count("nodes", nodes, i64::MAX)).transpose()?;
    Ok(Limits {
        depth: depth.map(|depth| depth.get() as u32),
        nodes: nodes.map(|nodes| nodes.get() as u64),
        time: time.map(parse_seconds).transpose()?,
    })
}

/// The maximum time, as for the program: about 24 days.
const MAX_TIME: Duration = Duration::from_secs(1 << 21);

/// Parses the time for a move.
pub fn parse_seconds(seconds: f64) -> PyResult<Duration> {
    let time = Duration::try_from_secs_f64(seconds).ok();
    time.filter(|time| time.as_millis() > 0 && *time <= MAX_TIME).ok_or_else(|| {
        let max = MAX_TIME.as_secs();
        PyValueError::new_err(format!("time must be seconds from 0.001 to {max}, not {seconds}"))
    })
}
