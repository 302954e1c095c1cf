use std::env;
use std::io;
use std::path::Path;

use tempfile::TempDir;

use super::error::CliError;
use super::interrupt::Task;

/// A temporary folder, deleted on drop. Ctrl-C stops the work in it instead of ending the program,
/// which would leave the folder behind.
pub(super) struct TemporaryFolder {
    // Dropped first: the task lasts until the folder is deleted.
    folder: TempDir,
    task: Task,
}

impl TemporaryFolder {
    /// Creates a folder.
    pub(super) fn new() -> Result<TemporaryFolder, CliError> {
        let (task, place) = (Task::begin(), env::temp_dir());
        // The text of the second error would name the folder that could not be created.
        let created = place.metadata().and_then(|_| {
            tempfile::tempdir_in(&place).map_err(|error| io::Error::from(error.kind()))
        });
        let folder = created.map_err(|error| {
            CliError::Error(format!(
                "{}: cannot create a temporary folder: {error}; choose another place with TMPDIR",
                place.display()
            ))
        })?;
        Ok(TemporaryFolder { folder, task })
    }

    /// Returns its path.
    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Returns whether the work in it is to stop.
    pub(super) fn is_stopped(&self) -> bool {
        self.task.is_stopped()
    }
}
