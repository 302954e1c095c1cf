//! Errors of the library as exceptions of the package.

use std::fmt;

use pyo3::{PyErr, Python, import_exception};
use taflbase::Tablebase;
use taflbase::tablebase::ProbeError;

import_exception!(taflbase.errors, BuildError);
import_exception!(taflbase.errors, Closed);
import_exception!(taflbase.errors, DamagedTable);
import_exception!(taflbase.errors, FolderError);
import_exception!(taflbase.errors, GameOver);
import_exception!(taflbase.errors, ManifestError);
import_exception!(taflbase.errors, MissingTable);
import_exception!(taflbase.errors, MoveError);
import_exception!(taflbase.errors, PlayerError);
import_exception!(taflbase.errors, PositionError);
import_exception!(taflbase.errors, RulesetError);
import_exception!(taflbase.errors, SearchError);
import_exception!(taflbase.errors, SliceError);
import_exception!(taflbase.errors, VerifyError);
import_exception!(taflbase.errors, WeightsError);
import_exception!(taflbase.errors, WrongTable);

/// Converts the error of a probe.
pub fn probe_error(base: &Tablebase, error: ProbeError) -> PyErr {
    exception(&error, message(base, &error))
}

/// Converts the error of a bulk probe; the message starts with the number of the position.
pub fn bulk_error(base: &Tablebase, number: usize, error: ProbeError) -> PyErr {
    let message = format!("position {number}: {}", message(base, &error));
    exception(&error, message)
}

/// Returns the exception for an invalid position in a bulk probe.
pub fn position_error(number: usize, error: impl fmt::Display) -> PyErr {
    PositionError::new_err(format!("position {number}: {error}"))
}

/// Converts the error of opening tables.
pub fn open_error(error: ProbeError) -> PyErr {
    exception(&error, error.to_string())
}

/// Adds the name of an argument to an exception that Python has raised for it.
pub fn argument_error(py: Python<'_>, name: &str, error: PyErr) -> PyErr {
    let message = format!("{name}: {}", error.value(py));
    PyErr::from_type(error.get_type(py), message)
}

/// Describes the maximum number of men in the tables, in total and with distances.
pub fn describe_size(base: &Tablebase) -> String {
    match (base.max_men(), base.max_men_dtw()) {
        (men, distances) if men == distances => format!("at most {men} men"),
        (men, 0) => format!("at most {men} men (no distances)"),
        (men, distances) => format!("at most {men} men (distances: {distances})"),
    }
}

/// Returns the message; for a missing table with the maximum number of men.
fn message(base: &Tablebase, error: &ProbeError) -> String {
    match error {
        ProbeError::MissingTable { .. } => {
            format!("{error}; there are tables of {}", describe_size(base))
        }
        _ => error.to_string(),
    }
}

fn exception(error: &ProbeError, message: String) -> PyErr {
    match error {
        ProbeError::MissingTable { slice, metric } => {
            MissingTable::new_err((message, slice.to_string(), metric.name()))
        }
        ProbeError::Position(_) => PositionError::new_err(message),
        ProbeError::Index(_) => SliceError::new_err(message),
        ProbeError::TablesWithoutFolder { .. }
        | ProbeError::Directory { .. }
        | ProbeError::Unreadable(_) => FolderError::new_err(message),
        ProbeError::WrongRules { .. }
        | ProbeError::WrongName { .. }
        | ProbeError::Unsupported(_) => WrongTable::new_err(message),
        // The enum is non-exhaustive; further variants are faults of tables, too.
        _ => DamagedTable::new_err(message),
    }
}
