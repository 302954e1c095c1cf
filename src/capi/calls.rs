//! What the functions have in common: pointers in, one call, results out.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::game::position::Position;
use crate::tablebase::{ProbeError, Tablebase};

use super::pointers::{Output, reference, slice};
use super::status::{CallError, guarded};
use super::{TaflPosition, TaflStatus, TaflTablebase};

/// What a tablebase tells of itself.
pub(super) unsafe fn query<T: Default>(
    tablebase: *const TaflTablebase,
    ask: impl FnOnce(&Tablebase) -> T,
) -> T {
    // SAFETY: it is null or good, by the caller's word.
    let tables = unsafe { tablebase.as_ref() };
    let answer = tables.map(|tables| catch_unwind(AssertUnwindSafe(|| ask(&tables.0))));
    answer.and_then(Result::ok).unwrap_or_default()
}

/// Who is asked, and about what.
pub(super) unsafe fn read_arguments<'a>(
    tablebase: *const TaflTablebase,
    position: *const TaflPosition,
) -> Result<(&'a Tablebase, Position), CallError> {
    // SAFETY: the caller guarantees that the pointers are valid.
    let (tables, position) =
        unsafe { (&reference(tablebase, "tablebase")?.0, reference(position, "position")?) };
    Ok((tables, position.read(tables.rules())?))
}

/// One answer about one position.
pub(super) unsafe fn return_value<T>(
    tablebase: *const TaflTablebase,
    position: *const TaflPosition,
    answer: *mut T,
    ask: impl FnOnce(&Tablebase, &Position) -> Result<T, CallError>,
) -> TaflStatus {
    guarded(|| {
        // SAFETY: the caller guarantees that the pointers are valid.
        let ((tables, position), mut output) = unsafe {
            (read_arguments(tablebase, position)?, Output::new(answer, 1, "the result")?)
        };
        output.put(0, ask(tables, &position)?);
        Ok(())
    })
}

/// A list about one position: `ask` writes what there is room for, and returns its length.
pub(super) unsafe fn return_list<T>(
    tablebase: *const TaflTablebase,
    position: *const TaflPosition,
    (list, capacity): (*mut T, usize),
    length: *mut usize,
    ask: impl FnOnce(&Tablebase, &Position, &mut Output<T>) -> Result<usize, CallError>,
) -> TaflStatus {
    guarded(|| {
        // SAFETY: the caller guarantees that the pointers are valid.
        let (tables, position, mut list, mut length) = unsafe {
            let (tables, position) = read_arguments(tablebase, position)?;
            let list = Output::new(list, capacity, "moves")?;
            (tables, position, list, Output::new(length, 1, "length")?)
        };
        length.put(0, ask(tables, &position, &mut list)?);
        Ok(())
    })
}

pub(super) type ProbeMany<A> = fn(&Tablebase, &[Position]) -> Vec<Result<A, ProbeError>>;

/// The answers to many positions, each with a status of its own.
pub(super) unsafe fn return_values<A, T: From<A>>(
    tablebase: *const TaflTablebase,
    positions: *const TaflPosition,
    count: usize,
    (answers, name): (*mut T, &str),
    statuses: *mut TaflStatus,
    probe: ProbeMany<A>,
) -> TaflStatus {
    guarded(|| {
        // SAFETY: the caller guarantees that the pointers are valid.
        let (tables, positions, mut answers, mut statuses) = unsafe {
            let tables = &reference(tablebase, "tablebase")?.0;
            let positions = slice(positions, count, "positions")?;
            let answers = Output::new(answers, count, name)?;
            (tables, positions, answers, Output::new(statuses, count, "statuses")?)
        };
        let rules = tables.rules();
        let read: Vec<_> = positions.iter().map(|position| position.read(rules)).collect();
        let sound: Vec<Position> = read.iter().flatten().copied().collect();
        let mut probed = probe(tables, &sound).into_iter();
        let results = read.into_iter().filter_map(|position| match position {
            Ok(_) => probed.next(),
            Err(error) => Some(Err(ProbeError::Position(error))),
        });
        let mut first = Ok(());
        for (number, result) in results.enumerate() {
            let status = match result {
                Ok(answer) => {
                    answers.put(number, answer.into());
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
