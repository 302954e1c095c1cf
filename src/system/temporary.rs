//! Files that get their final names once they are complete.

use std::io;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::Arc;

use super::filesystem::{FileSystem, Output};

/// The extension of incomplete files.
pub(crate) const EXTENSION: &str = "tmp";

/// A file that is deleted on drop unless it has got its final name.
#[derive(Debug)]
pub(crate) struct TemporaryFile {
    files: Arc<dyn FileSystem>,
    path: Option<PathBuf>,
}

impl TemporaryFile {
    /// Creates a file beside `target`, as in `K2v4.dtw.<process>-<n>.tmp`. Another process, on
    /// another machine too, gets another name.
    ///
    /// # Errors
    /// If the path names no file, or the file cannot be created.
    pub(crate) fn create(
        files: Arc<dyn FileSystem>,
        target: &Path,
    ) -> io::Result<(TemporaryFile, Box<dyn Output>)> {
        let name = target
            .file_name()
            .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "the path names no file"))?;
        let mut attempt = 0_u64;
        loop {
            let mut temporary_name = name.to_owned();
            temporary_name.push(format!(".{}-{attempt}.{EXTENSION}", process::id()));
            let path = target.with_file_name(temporary_name);
            match files.create(&path, true) {
                Ok(file) => return Ok((TemporaryFile { files, path: Some(path) }, file)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => attempt += 1,
                Err(error) => return Err(error),
            }
        }
    }

    /// Returns the temporary path; empty after the file has got its final name.
    pub(crate) fn path(&self) -> &Path {
        self.path.as_deref().unwrap_or(Path::new(""))
    }

    /// Opens the file again, to be written from offset `start` on.
    ///
    /// # Errors
    /// If the file cannot be opened.
    pub(crate) fn reopen(&self, start: u64) -> io::Result<Box<dyn Output>> {
        self.files.open(self.path(), start)
    }

    /// Gives the file, which must be synced, its final name and flushes the folder, so that the
    /// name survives a power failure.
    ///
    /// # Errors
    /// If the file cannot be renamed or the folder cannot be flushed.
    pub(crate) fn rename(&mut self, target: &Path) -> io::Result<()> {
        if let Some(path) = &self.path {
            self.files.rename(path, target)?;
            self.path = None;
        }
        let parent = target.parent().filter(|parent| *parent != Path::new(""));
        self.files.sync_folder(parent.unwrap_or(Path::new(".")))
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        if let Some(path) = &self.path {
            // A leftover is harmless: readers ignore it.
            let _ = self.files.remove(path);
        }
    }
}

/// Writes a whole file. After a crash it is there with this content, or as it was before.
///
/// # Errors
/// If the file cannot be written.
#[cfg(feature = "engine")]
pub(crate) fn write_durably(
    files: Arc<dyn FileSystem>,
    path: &Path,
    content: impl FnOnce(&mut dyn Output) -> io::Result<()>,
) -> io::Result<()> {
    let (mut temporary, mut out) = TemporaryFile::create(files, path)?;
    content(&mut *out)?;
    out.sync()?;
    temporary.rename(path)
}
