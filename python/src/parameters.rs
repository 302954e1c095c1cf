//! Parameters that are words or numbers of a range.

use std::num::NonZeroUsize;
use std::time::Duration;

use pyo3::PyResult;
use pyo3::exceptions::PyValueError;
use taflbase::engine::{EngineOptions, Limits};
use taflbase::rules::Side;
use taflbase::slice::Slice;
use taflbase::table::{Access, Metric};

use crate::errors::SliceError;

/// What has a few values with names.
pub trait Named: Copy + Sized {
    /// The values with their names.
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
        vec![("mapped", Access::Mapped), ("read", Access::Read)]
    }
}

/// The value of that name, for an argument.
pub fn parse_word<T: Named>(argument: &str, word: &str) -> PyResult<T> {
    let all = T::all();
    let found = all.iter().find(|(name, _)| *name == word);
    found.map(|&(_, value)| value).ok_or_else(|| {
        let names: Vec<String> = all.iter().map(|(name, _)| format!("\"{name}\"")).collect();
        PyValueError::new_err(format!("{argument} must be {}, not \"{word}\"", names.join(" or ")))
    })
}

/// A slice by its name.
pub fn parse_slice(text: &str) -> PyResult<Slice> {
    text.parse().map_err(|error| SliceError::new_err(format!("{error}")))
}

/// A number from 1 up to that, for an argument.
pub fn parse_count(argument: &str, number: i64, most: i64) -> PyResult<NonZeroUsize> {
    let inside = Some(number).filter(|&number| number <= most);
    let count = inside.and_then(|number| usize::try_from(number).ok());
    count.and_then(NonZeroUsize::new).ok_or_else(|| {
        let wanted = match most {
            i64::MAX => "1 or more".to_owned(),
            _ => format!("from 1 to {most}"),
        };
        PyValueError::new_err(format!("{argument} must be {wanted}, not {number}"))
    })
}

/// What a draw costs, in hundredths of a soldier.
pub fn parse_contempt(number: i64) -> PyResult<i32> {
    const MOST: i32 = EngineOptions::MOST_CONTEMPT;
    let inside = i32::try_from(number).ok().filter(|contempt| (-MOST..=MOST).contains(contempt));
    inside.ok_or_else(|| {
        PyValueError::new_err(format!("contempt must be from -{MOST} to {MOST}, not {number}"))
    })
}

/// Limits of a search: plies, positions and seconds.
pub fn parse_limits(depth: Option<i64>, nodes: Option<i64>, time: Option<f64>) -> PyResult<Limits> {
    let depth = depth.map(|depth| parse_count("depth", depth, 1000)).transpose()?;
    let nodes = nodes.map(|nodes| parse_count("nodes", nodes, i64::MAX)).transpose()?;
    Ok(Limits {
        depth: depth.map(|depth| depth.get() as u32),
        nodes: nodes.map(|nodes| nodes.get() as u64),
        time: time.map(parse_seconds).transpose()?,
    })
}

/// Seconds from a millisecond to a month, as the program takes them.
fn parse_seconds(seconds: f64) -> PyResult<Duration> {
    let time = Duration::try_from_secs_f64(seconds).ok();
    let sensible = |time: &Duration| time.as_millis() > 0 && time.as_secs() < 1 << 21;
    time.filter(sensible).ok_or_else(|| {
        let most = 1 << 21;
        PyValueError::new_err(format!("time must be seconds from 0.001 to {most}, not {seconds}"))
    })
}
