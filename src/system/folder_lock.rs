//! Locks on folders, against other processes that write there.

use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;

/// The name of the lock file in a folder; the file is never removed.
const LOCK: &str = ".lock";

/// The lock on a folder, which ends when this is dropped or the process ends.
pub(crate) struct FolderLock(File);

impl Drop for FolderLock {
    fn drop(&mut self) {
        // To close the file is not enough: a process that another thread is just starting has it
        // open, too, until its own program runs.
        let _ = self.0.unlock();
    }
}

/// Locks a folder; `None` if it is locked already. On file systems without locks, the folder counts
/// as locked by this call.
///
/// # Errors
/// If the lock file cannot be created.
pub(crate) fn lock_folder(folder: &Path) -> io::Result<Option<FolderLock>> {
    let file = File::create(folder.join(LOCK))?;
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Ok(None),
        Ok(()) | Err(TryLockError::Error(_)) => Ok(Some(FolderLock(file))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_ends_although_its_file_is_open_in_a_starting_process() {
        let folder = tempfile::tempdir().unwrap();
        let lock = lock_folder(folder.path()).unwrap().unwrap();
        // What a new process inherits is a copy of this kind.
        let _inherited = lock.0.try_clone().unwrap();
        assert!(lock_folder(folder.path()).unwrap().is_none());
        drop(lock);
        assert!(lock_folder(folder.path()).unwrap().is_some());
    }
}
