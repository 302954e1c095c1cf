//! Locks on folders, against other processes that write there.

use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;

/// The name of the lock file in a folder; the file is never removed.
const LOCK: &str = ".lock";

/// Locks a folder until the file is dropped or the process ends; `None` if another process has
/// locked it. On file systems without locks, the folder counts as locked.
///
/// # Errors
/// If the lock file cannot be created.
pub(crate) fn lock_folder(folder: &Path) -> io::Result<Option<File>> {
    let file = File::create(folder.join(LOCK))?;
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Ok(None),
        Ok(()) | Err(TryLockError::Error(_)) => Ok(Some(file)),
    }
}
