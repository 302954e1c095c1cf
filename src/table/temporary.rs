//! Files that get their names when they are complete.

use std::io;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::Arc;

use crate::system::filesystem::{FileSystem, Output};

use super::Metric;
use super::error::{KindResult, TableError, TableErrorKind};

const TEMPORARY: &str = "tmp";

/// A file that is deleted when it is dropped, unless it got its final name.
#[derive(Debug)]
pub(super) struct Temporary {
    files: Arc<dyn FileSystem>,
    path: Option<PathBuf>,
}

impl Temporary {
    /// A new file beside `target`, `K2v4.dtw.<process>-<n>.tmp`.
    pub(super) fn create(
        files: Arc<dyn FileSystem>,
        target: &Path,
    ) -> KindResult<(Temporary, Box<dyn Output>)> {
        let name =
            target.file_name().ok_or(TableErrorKind::Unwritable("the path names no file"))?;
        for attempt in 0u32.. {
            let mut name = name.to_owned();
            name.push(format!(".{}-{attempt}.{TEMPORARY}", process::id()));
            let path = target.with_file_name(name);
            match files.create(&path, true) {
                Ok(file) => return Ok((Temporary { files, path: Some(path) }, file)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(TableErrorKind::io("create the table")(error)),
            }
        }
        Err(TableErrorKind::Unwritable("its folder is full of temporary files"))
    }

    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        self.path.as_deref().unwrap_or(Path::new(""))
    }

    /// The file, to be written to from that place on.
    pub(super) fn reopen(&self, start: u64) -> io::Result<Box<dyn Output>> {
        self.files.open(self.path(), start)
    }

    /// Gives the file its final name, and makes sure that the name lasts.
    pub(super) fn rename(&mut self, target: &Path) -> KindResult<()> {
        let error = TableErrorKind::io("name the table");
        if let Some(path) = &self.path {
            self.files.rename(path, target).map_err(&error)?;
            self.path = None;
        }
        let folder = target.parent().filter(|folder| *folder != Path::new(""));
        self.files.sync_folder(folder.unwrap_or(Path::new("."))).map_err(&error)?;
        Ok(())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if let Some(path) = &self.path {
            // A file that cannot be deleted does no harm: no reader looks at it.
            let _ = self.files.remove(path);
        }
    }
}

/// Deletes what writers that were killed have left in a folder, and returns how
/// many files that were. Call it when no other process writes there.
///
/// # Errors
/// If the folder cannot be read or a file not be deleted.
pub(crate) fn remove_temporaries(
    files: &dyn FileSystem,
    folder: &Path,
) -> Result<usize, TableError> {
    let error =
        |path: &Path, source| TableErrorKind::io("delete temporary files")(source).at(Some(path));
    let mut removed = 0;
    for path in files.list(folder).map_err(|source| error(folder, source))? {
        if is_temporary(&path) {
            files.remove(&path).map_err(|source| error(&path, source))?;
            removed += 1;
        }
    }
    Ok(removed)
}

/// Whether a name is one that [`Temporary::create`] gives.
fn is_temporary(path: &Path) -> bool {
    let parts = path.file_name().and_then(|name| name.to_str()).map(|name| name.split('.'));
    let parts: Vec<&str> = parts.into_iter().flatten().collect();
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match parts[..] {
        [_, metric, number, TEMPORARY] => {
            Metric::ALL.iter().any(|m| m.name() == metric)
                && number.split_once('-').is_some_and(|(a, b)| digits(a) && digits(b))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::system::filesystem::SystemFiles;

    #[test]
    fn what_a_killed_writer_left_is_removed_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let table = folder.path().join("K2v4.dtw");
        let (killed, _) = Temporary::create(Arc::new(SystemFiles), &table).unwrap();
        std::mem::forget(killed);
        for other in ["K2v4.dtw", "notes.tmp"] {
            fs::write(folder.path().join(other), "").unwrap();
        }
        assert_eq!(remove_temporaries(&SystemFiles, folder.path()).unwrap(), 1);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 2);
    }

    #[test]
    fn only_the_names_of_temporary_files_are_taken_for_such() {
        for name in ["K2v4.dtw.123-0.tmp", "K12v24.wdl.1-12.tmp"] {
            assert!(is_temporary(Path::new(name)), "{name}");
        }
        for name in ["K2v4.dtw", "K2v4.dtw.tmp", "K2v4.dtw.1-.tmp", "K2v4.txt.1-0.tmp", "a.tmp"] {
            assert!(!is_temporary(Path::new(name)), "{name}");
        }
    }
}
