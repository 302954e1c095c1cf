//! Errors of the library as exceptions of the package.

use std::fmt;

use pyo3::{PyErr, import_exception};
use taflbase::tablebase::ProbeError;

import_exception!(taflbase.errors, DamagedTable);
import_exception!(taflbase.errors, FolderError);
import_exception!(taflbase.errors, MissingTable);
import_exception!(taflbase.errors, PositionError);
import_exception!(taflbase.errors, RulesetError);
import_exception!(taflbase.errors, SliceError);
import_exception!(taflbase.errors, WrongTable);

/// The exception for a probe that failed.
pub fn probe_error(error: ProbeError) -> PyErr {
    let message = error.to_string();
    exception(&error, message)
}

/// The same for one of many positions, which the message names.
pub fn bulk_error(number: usize, error: ProbeError) -> PyErr {
    let message = format!("position {number}: {error}");
    exception(&error, message)
}

/// The exception for one of many positions that is none.
pub fn position_error(number: usize, error: impl fmt::Display) -> PyErr {
    PositionError::new_err(format!("position {number}: {error}"))
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
