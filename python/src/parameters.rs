//! Parameters that are words.

use pyo3::PyResult;
use pyo3::exceptions::PyValueError;
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
