//! The steps that the C functions share: read the pointers, make one call, write the results.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::game::position::Position;
use crate::tablebase::{ProbeError, Tablebase};

use super::pointers::{Output, reference, slice};
use super::status::{CallError, guarded};
use super::{TaflPosition, TaflStatus, TaflTablebase};

/// Returns a property of the tablebase; the default for a null pointer or after a panic.
pub(super) unsafe fn query<T: Default>(
    tablebase: *const TaflTablebase,
    property: impl FnOnce(&Tablebase) -> T,
) -> T {
    // SAFETY: the caller guarantees that the pointer is null or valid.
    let tables = unsafe { tablebase.as_ref() };
    let result = tables.map(|tables| catch_unwind(AssertUnwindSafe(|| property(&tables.0))));
    result.and_then(Result::ok).unwrap_or_default()
}

/// Reads the tablebase and the position of a call.
pub(super) unsafe fn read_arguments<'a>(
    tablebase: *const TaflTablebase,
    position: *const TaflPosition,
) -> Result<(&'a Tablebase, Position), CallError> {
    // SAFETY: the caller guarantees that the pointers are valid.
    let (tables, position) =
        unsafe { (&reference(tablebase, "tablebase")?.0, reference(position, "position")?) };
    Ok((tables, position.read(tables.rules())?))
}

/// Writes the result of a call about one position.
pub(super) unsafe fn return_value<T>(
    tablebase: *const TaflTablebase,
    position: *const TaflPosition,
    result: *mut T,
    call: impl FnOnce(&Tablebase, &Position) -> Result<T, CallError>,
) -> TaflStatus {
    guarded(|| {
        // SAFETY: the caller guarantees that the pointers are valid.
        let ((tables, position), mut output) = unsafe {
            (read_arguments(tablebase, position)?, Output::new(result, 1, "the result")?)
        };
        output.put(0, call(tables, &position)?);
        Ok(())
    })
}

/// Writes a list about one position: `write` writes as many elements as fit, and returns the
/// length of the whole list.
pub(super) unsafe fn return_list<T>(
    tablebase: *const TaflTablebase,
    position: *const TaflPosition,
    (list, capacity): (*mut T, usize),
    length: *mut usize,
    write: impl FnOnce(&Tablebase, &Position, &mut Output<T>) -> Result<usize, CallError>,
) -> TaflStatus {
    guarded(|| {
        // SAFETY: the caller guarantees that the pointers are valid.
        let (tables, position, mut output, mut length) = unsafe {
            let (tables, position) = read_arguments(tablebase, position)?;
            let output = Output::new(list, capacity, "moves")?;
            (tables, position, output, Output::new(length, 1, "length")?)
        };
        length.put(0, write(tables, &position, &mut output)?);
        Ok(())
    })
}

pub(super) type ProbeMany<V> = fn(&Tablebase, &[Position]) -> Vec<Result<V, ProbeError>>;

/// Writes the values of many positions, each with its own status.
pub(super) unsafe fn return_values<V, T: From<V>>(
    tablebase: *const TaflTablebase,
    positions: *const TaflPosition,
    count: usize,
    (values, name): (*mut T, &str),
    statuses: *mut TaflStatus,
    probe: ProbeMany<V>,
) -> TaflStatus {
    guarded(|| {
        // SAFETY: the caller guarantees that the pointers are valid.
        let (tables, requested, mut output, mut statuses) = unsafe {
            let tables = &reference(tablebase, "tablebase")?.0;
            let requested = slice(positions, count, "positions")?;
            let output = Output::new(values, count, name)?;
            (tables, requested, output, Output::new(statuses, count, "statuses")?)
        };
        let rules = tables.rules();
        // Only readable positions are probed; the errors of the others are put back in order.
        let read: Vec<_> = requested.iter().map(|position| position.read(rules)).collect();
        let readable: Vec<Position> = read.iter().flatten().copied().collect();
        let mut probed = probe(tables, &readable).into_iter();
        let results = read.into_iter().filter_map(|position| match position {
            Ok(_) => probed.next(),
            Err(error) => Some(Err(ProbeError::Position(error))),
        });
        let mut first = Ok(());
        for (number, result) in results.enumerate() {
            let status = match result {
                Ok(value) => {
                    output.put(number, value.into());
                    TaflStatus::Ok
                }
                Err(error) => {
                    let failure = CallError::from(error);
                    let status = failure.status();
                    first = first.and(Err(failure.at(number)));
                    status
                }
            };
            statuses.put(number, status);
        }
        first
    })
}
