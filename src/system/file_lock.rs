//! Locks on files and folders, against other processes that write there.

use std::fs::{File, TryLockError};
use std::io;
use std::ops::Deref;
use std::path::Path;

/// The name of the lock file in a folder; the file is never removed.
#[cfg(feature = "build")]
const LOCK: &str = ".lock";

/// A locked file. The lock ends when this is dropped or the process ends.
#[derive(Debug)]
pub(crate) struct LockedFile(File);

impl LockedFile {
    /// Locks a file; `None` if it is locked already. On file systems without locks, it counts as
    /// locked by this call.
    pub(crate) fn lock(file: File) -> Option<LockedFile> {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => None,
            Ok(()) | Err(TryLockError::Error(_)) => Some(LockedFile(file)),
        }
    }
}

impl Deref for LockedFile {
    type Target = File;

    fn deref(&self) -> &File {
        &self.0
    }
}

impl Drop for LockedFile {
    fn drop(&mut self) {
        // To close the file is not enough: a process that another thread is just starting has it
        // open, too, until its own program runs.
        let _ = self.0.unlock();
    }
}

/// Returns whether a file is locked, by this process or another one.
#[cfg(feature = "engine")]
pub(crate) fn is_locked(file: &File) -> bool {
    match file.try_lock_shared() {
        Err(TryLockError::WouldBlock) => true,
        Err(TryLockError::Error(_)) => false,
        Ok(()) => {
            // As in `drop`.
            let _ = file.unlock();
            false
        }
    }
}

/// Creates and locks a lock file; `None` if it is locked already. On file systems without locks, it
/// counts as locked by this call.
///
/// # Errors
/// If the file cannot be created.
pub(crate) fn lock_by(file: &Path) -> io::Result<Option<LockedFile>> {
    Ok(LockedFile::lock(File::create(file)?))
}

/// Locks a folder by its lock file, as [`lock_by`] does.
///
/// # Errors
/// If the lock file cannot be created.
#[cfg(feature = "build")]
pub(crate) fn lock_folder(folder: &Path) -> io::Result<Option<LockedFile>> {
    lock_by(&folder.join(LOCK))
}

#[cfg(all(test, feature = "build", feature = "engine"))]
mod tests {
    use super::*;

    #[test]
    fn a_lock_ends_although_its_file_is_open_in_a_starting_process() {
        let folder = tempfile::tempdir().unwrap();
        let lock = lock_folder(folder.path()).unwrap().unwrap();
        // What a new process inherits is a copy of this kind.
        let _inherited = lock.try_clone().unwrap();
        assert!(lock_folder(folder.path()).unwrap().is_none());
        drop(lock);
        assert!(lock_folder(folder.path()).unwrap().is_some());
    }

    #[test]
    fn to_ask_for_a_lock_leaves_none() {
        let folder = tempfile::tempdir().unwrap();
        let lock = lock_folder(folder.path()).unwrap().unwrap();
        let asked = File::open(folder.path().join(LOCK)).unwrap();
        assert!(is_locked(&asked));
        drop(lock);
        assert!(!is_locked(&asked));
        // `asked` is still open, as it would be in a starting process.
        assert!(lock_folder(folder.path()).unwrap().is_some());
    }
}
