//! Locks on the folders of a build.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::solve::error::BuildError;
use crate::system::file_lock::{LockedFile, lock_folder};
use crate::system::filesystem::FileSystem;

/// Folders locked against other builds until this is dropped or the process ends. On file
/// systems without locks, folders count as locked.
#[derive(Default)]
pub(super) struct FolderLocks(Vec<(PathBuf, LockedFile)>);

impl FolderLocks {
    /// Creates a folder and locks it. Returns `false` if this build has locked it already, possibly
    /// under another name.
    ///
    /// # Errors
    /// If it cannot be created, or another build has locked it.
    pub(super) fn lock(
        &mut self,
        files: &dyn FileSystem,
        folder: &Path,
    ) -> Result<bool, BuildError> {
        files.make_folders(folder).map_err(folder_error(folder))?;
        let real = fs::canonicalize(folder).map_err(folder_error(folder))?;
        if self.0.iter().any(|(locked, _)| *locked == real) {
            return Ok(false);
        }
        let lock = lock_folder(folder).map_err(folder_error(folder))?;
        let lock = lock.ok_or_else(|| BuildError::Busy { path: folder.to_owned() })?;
        self.0.push((real, lock));
        Ok(true)
    }
}

/// Adds the folder to an I/O error.
fn folder_error(folder: &Path) -> impl Fn(io::Error) -> BuildError + '_ {
    |source| BuildError::Folder { path: folder.to_owned(), source }
}
