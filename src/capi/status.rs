//! Statuses and messages of calls. Panics are caught before they reach C.

use std::any::Any;
use std::cell::RefCell;
use std::ffi::{CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::game::notation::MoveError;
use crate::game::position::PositionError;
use crate::game::rules::RulesetError;
use crate::tablebase::ProbeError;

/// The result of a call. 0 is success; for all others taflbase_last_error returns a
/// message.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TaflStatus {
    /// Done.
    Ok = 0,
    /// There is no table of the position's slice, or of one that a capture leads
    /// to. The value is unknown: go on searching.
    MissingTable = 1,
    /// There is no best move: the side to move has no legal move and has lost.
    NoMove = 2,
    /// The position is invalid under these rules, or the game is over.
    BadPosition = 3,
    /// There is no such ruleset, or its file is invalid.
    BadRules = 4,
    /// A file holds the table of other rules, or of another slice, than its folder and
    /// name say.
    WrongRules = 5,
    /// A table is damaged.
    Corrupted = 6,
    /// A file or folder cannot be read.
    Io = 7,
    /// A null pointer, a text that is not UTF-8, a number out of range, or an illegal move.
    InvalidArgument = 8,
    /// A bug in taflbase. Free the tablebase and do not use it again.
    Panic = 9,
    /// The format of a table is not supported by this version.
    Unsupported = 10,
}

/// Why a call failed.
pub(super) struct CallError {
    status: TaflStatus,
    message: String,
}

impl CallError {
    pub(super) fn new(status: TaflStatus, message: impl Into<String>) -> CallError {
        CallError { status, message: message.into() }
    }

    pub(super) fn argument(message: impl Into<String>) -> CallError {
        CallError::new(TaflStatus::InvalidArgument, message)
    }

    /// Adds the number of the position to the message of a bulk call.
    pub(super) fn at(self, number: usize) -> CallError {
        CallError { message: format!("position {number}: {}", self.message), ..self }
    }

    pub(super) fn status(&self) -> TaflStatus {
        self.status
    }

    fn panic(payload: &(dyn Any + Send)) -> CallError {
        let text = payload
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| payload.downcast_ref::<&str>().copied())
            .unwrap_or("no message");
        CallError::new(TaflStatus::Panic, format!("a bug in taflbase, please report it: {text}"))
    }

    /// Stores the message as the thread's last one and returns the status.
    fn report(self) -> TaflStatus {
        // A message is one line, and a zero would end it early.
        let message = CString::new(self.message.replace(['\0', '\n'], " ")).unwrap_or_default();
        // The message of a thread that is ending is already dropped.
        let _ = LAST_ERROR.try_with(|last| last.replace(message));
        self.status
    }
}

impl From<ProbeError> for CallError {
    fn from(error: ProbeError) -> CallError {
        let status = match &error {
            ProbeError::MissingTable { .. } => TaflStatus::MissingTable,
            ProbeError::WrongRules { .. } | ProbeError::WrongName { .. } => TaflStatus::WrongRules,
            ProbeError::Position(_) => TaflStatus::BadPosition,
            ProbeError::TablesWithoutFolder { .. }
            | ProbeError::Directory { .. }
            | ProbeError::Unreadable(_) => TaflStatus::Io,
            ProbeError::Unsupported(_) => TaflStatus::Unsupported,
            ProbeError::Corrupted(_)
            | ProbeError::Foreign { .. }
            | ProbeError::Inconsistent { .. }
            | ProbeError::Index(_) => TaflStatus::Corrupted,
        };
        CallError::new(status, error.to_string())
    }
}

impl From<PositionError> for CallError {
    fn from(error: PositionError) -> CallError {
        ProbeError::Position(error).into()
    }
}

impl From<MoveError> for CallError {
    fn from(error: MoveError) -> CallError {
        CallError::argument(error.to_string())
    }
}

impl From<RulesetError> for CallError {
    fn from(error: RulesetError) -> CallError {
        let unreadable = matches!(error, RulesetError::Unreadable { .. });
        let status = if unreadable { TaflStatus::Io } else { TaflStatus::BadRules };
        CallError::new(status, error.to_string())
    }
}

thread_local! {
    static LAST_ERROR: RefCell<CString> = RefCell::default();
}

/// Returns the thread's last message as a C string.
pub(super) fn last_error() -> *const c_char {
    let message = LAST_ERROR.try_with(|last| last.borrow().as_ptr());
    message.unwrap_or(c"".as_ptr())
}

/// Makes a call, and turns an error or a panic into a status and a message: a panic must not
/// unwind into C.
pub(super) fn guarded(call: impl FnOnce() -> Result<(), CallError>) -> TaflStatus {
    // A panic can only interrupt an update of the tablebase's caches. They are consistent
    // whenever their locks are free, and callers must free the tablebase after a panic.
    let done = catch_unwind(AssertUnwindSafe(call));
    match done.unwrap_or_else(|payload| Err(CallError::panic(&*payload))) {
        Ok(()) => TaflStatus::Ok,
        Err(failure) => failure.report(),
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::CStr;

    use super::*;

    fn message() -> String {
        // SAFETY: the text belongs to the thread and is valid until its next failure.
        unsafe { CStr::from_ptr(last_error()) }.to_str().unwrap().to_owned()
    }

    #[test]
    fn panics_become_statuses() {
        assert_eq!(message(), "");
        assert_eq!(guarded(|| panic!("square {}", 400)), TaflStatus::Panic);
        assert_eq!(message(), "a bug in taflbase, please report it: square 400");
        assert_eq!(guarded(|| panic!("plain")), TaflStatus::Panic);
        assert!(message().ends_with(": plain"));
        // Success leaves the message alone; it stays with its thread.
        assert_eq!(guarded(|| Ok(())), TaflStatus::Ok);
        assert!(message().ends_with(": plain"));
        assert_eq!(std::thread::spawn(message).join().unwrap(), "");
    }

    #[test]
    fn messages_are_one_line_without_zeros() {
        assert_eq!(guarded(|| Err(CallError::argument("a\0b\nc"))), TaflStatus::InvalidArgument);
        assert_eq!(message(), "a b c");
    }
}
