//! Files that get their final names once they are complete.

use std::io;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::Arc;

use crate::system::filesystem::{FileSystem, Output};

use super::error::{KindResult, TableError, TableErrorKind};
use super::format::Metric;

const TEMPORARY: &str = "tmp";

/// A file that is deleted on drop unless it has got its final name.
#[derive(Debug)]
pub(super) struct TemporaryFile {
    files: Arc<dyn FileSystem>,
    path: Option<PathBuf>,
}

impl TemporaryFile {
    /// Creates a file beside `target`, as in `K2v4.dtw.<process>-<n>.tmp`.
    pub(super) fn create(
        files: Arc<dyn FileSystem>,
        target: &Path,
    ) -> KindResult<(TemporaryFile, Box<dyn Output>)> {
        let name =
            target.file_name().ok_or(TableErrorKind::Unwritable("the path names no file"))?;
        for attempt in 0u32.. {
            let mut temporary_name = name.to_owned();
            temporary_name.push(format!(".{}-{attempt}.{TEMPORARY}", process::id()));
            let path = target.with_file_name(temporary_name);
            match files.create(&path, true) {
                Ok(file) => return Ok((TemporaryFile { files, path: Some(path) }, file)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(TableErrorKind::io("create the table")(error)),
            }
        }
        Err(TableErrorKind::Unwritable("its folder is full of temporary files"))
    }

    /// Returns the temporary path; empty after the file has got its final name.
    pub(super) fn path(&self) -> &Path {
        self.path.as_deref().unwrap_or(Path::new(""))
    }

    /// Opens the file again, to be written from offset `start` on.
    pub(super) fn reopen(&self, start: u64) -> io::Result<Box<dyn Output>> {
        self.files.open(self.path(), start)
    }

    /// Gives the file its final name and flushes the folder, so that the name survives a
    /// power failure.
    pub(super) fn rename(&mut self, target: &Path) -> KindResult<()> {
        let error = TableErrorKind::io("name the table");
        if let Some(path) = &self.path {
            self.files.rename(path, target).map_err(&error)?;
            self.path = None;
        }
        let parent = target.parent().filter(|parent| *parent != Path::new(""));
        self.files.sync_folder(parent.unwrap_or(Path::new("."))).map_err(&error)?;
        Ok(())
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        if let Some(path) = &self.path {
            // A leftover is harmless: readers ignore it, and the next build deletes it.
            let _ = self.files.remove(path);
        }
    }
}

/// Deletes the temporary files that killed writers have left in a folder, and returns their
/// number. No other process may write there meanwhile.
///
/// # Errors
/// If the folder cannot be read or a file cannot be deleted.
pub(crate) fn remove_temporaries(
    files: &dyn FileSystem,
    folder: &Path,
) -> Result<usize, TableError> {
    let error = TableErrorKind::io("delete temporary files");
    let mut removed = 0;
    for path in files.list(folder).map_err(|source| error(source).at(Some(folder)))? {
        if is_temporary(&path) {
            files.remove(&path).map_err(|source| error(source).at(Some(&path)))?;
            removed += 1;
        }
    }
    Ok(removed)
}

/// Returns whether a name has the form that [`TemporaryFile::create`] gives.
fn is_temporary(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let parts: Vec<&str> = name.split('.').collect();
    match parts[..] {
        [_, metric, number, TEMPORARY] => {
            Metric::ALL.iter().any(|m| m.name() == metric)
                && number.split_once('-').is_some_and(|(a, b)| is_number(a) && is_number(b))
        }
        _ => false,
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::system::filesystem::SystemFiles;

    #[test]
    fn only_leftovers_of_killed_writers_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let table = folder.path().join("K2v4.dtw");
        let (killed, _) = TemporaryFile::create(Arc::new(SystemFiles), &table).unwrap();
        std::mem::forget(killed);
        for other in ["K2v4.dtw", "notes.tmp"] {
            fs::write(folder.path().join(other), "").unwrap();
        }
        assert_eq!(remove_temporaries(&SystemFiles, folder.path()).unwrap(), 1);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 2);
    }

    #[test]
    fn names_of_temporary_files_are_recognized() {
        for name in ["K2v4.dtw.123-0.tmp", "K12v24.wdl.1-12.tmp"] {
            assert!(is_temporary(Path::new(name)), "{name}");
        }
        for name in ["K2v4.dtw", "K2v4.dtw.tmp", "K2v4.dtw.1-.tmp", "K2v4.txt.1-0.tmp", "a.tmp"] {
            assert!(!is_temporary(Path::new(name)), "{name}");
        }
    }
}
