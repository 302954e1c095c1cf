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

/// The exception for a probe that failed.
pub fn probe_error(base: &Tablebase, error: ProbeError) -> PyErr {
    exception(&error, message(base, &error))
}

/// The same for one of many positions, which the message names.
pub fn bulk_error(base: &Tablebase, number: usize, error: ProbeError) -> PyErr {
    let message = format!("position {number}: {}", message(base, &error));
    exception(&error, message)
}

/// The exception for one of many positions that is none.
pub fn position_error(number: usize, error: impl fmt::Display) -> PyErr {
    PositionError::new_err(format!("position {number}: {error}"))
}

/// The exception for tables that cannot be opened.
pub fn open_error(error: ProbeError) -> PyErr {
    exception(&error, error.to_string())
}

/// An exception that Python has raised about an argument, with the argument's name.
pub fn argument_error(py: Python<'_>, name: &str, error: PyErr) -> PyErr {
    let message = format!("{name}: {}", error.value(py));
    PyErr::from_type(error.get_type(py), message)
}

/// How far tables reach: those of more men may have no distances.
pub fn reach(base: &Tablebase) -> String {
    match (base.max_men(), base.max_men_dtw()) {
        (men, distances) if men == distances => format!("at most {men} men"),
        (men, 0) => format!("at most {men} men (no distances)"),
        (men, distances) => format!("at most {men} men (distances: {distances})"),
    }
}

/// What is wrong, and for a table that is missing, how far those that are there reach.
fn message(base: &Tablebase, error: &ProbeError) -> String {
    match error {
        ProbeError::MissingTable { .. } => format!("{error}; there are tables of {}", reach(base)),
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
        ProbeError::Directory { .. } | ProbeError::Unreadable(_) => FolderError::new_err(message),
        ProbeError::WrongRules { .. }
        | ProbeError::WrongName { .. }
        | ProbeError::Unsupported(_) => WrongTable::new_err(message),
        // Those that are to come are faults of tables, too.
        _ => DamagedTable::new_err(message),
    }
}
