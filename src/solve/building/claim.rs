//! Folders that one build has for itself.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use crate::system::filesystem::FileSystem;

use super::BuildError;

/// The file in a folder that is locked; it stays there.
const LOCK: &str = ".lock";

/// Folders that are locked against other builds, until this is dropped or the process
/// ends. File systems without locks are taken as they are.
#[derive(Default)]
pub(super) struct Claims(Vec<(PathBuf, File)>);

impl Claims {
    /// Makes a folder and locks it; false if that has been done, under whatever name.
    ///
    /// # Errors
    /// If it cannot be made, or another build is at work in it.
    pub(super) fn claim(
        &mut self,
        files: &dyn FileSystem,
        folder: &Path,
    ) -> Result<bool, BuildError> {
        let error = |source| BuildError::Folder { path: folder.to_owned(), source };
        files.make_folders(folder).map_err(error)?;
        let real = fs::canonicalize(folder).map_err(error)?;
        if self.0.iter().any(|(claimed, _)| *claimed == real) {
            return Ok(false);
        }
        let file = File::create(folder.join(LOCK)).map_err(error)?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => Err(BuildError::Busy { path: folder.to_owned() }),
            Ok(()) | Err(TryLockError::Error(_)) => {
                self.0.push((real, file));
                Ok(true)
            }
        }
    }
}
