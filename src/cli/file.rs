use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::error::CliError;
use super::output::is_standard;

/// Checks that a file can be written, before the work that makes its content.
pub(super) fn check(path: &Path, what: &str) -> Result<(), CliError> {
    let checked = match path.metadata() {
        Ok(metadata) if metadata.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        // To open a pipe is to wait for its reader.
        Ok(metadata) if !metadata.is_file() => Ok(()),
        _ => temporary_beside(&real(path)).map(drop),
    };
    checked.map_err(cannot_write(path, what))
}

/// Writes a file atomically: an existing file is replaced when the new one is complete. Devices
/// and pipes are written in place. `what` names the content in errors.
pub(super) fn write(
    path: &Path,
    what: &str,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), CliError> {
    let written = match path.metadata() {
        Ok(metadata) if !metadata.is_file() => {
            File::options().write(true).open(path).and_then(|mut file| fill(&mut file, content))
        }
        _ => replace(path, content),
    };
    written.map_err(cannot_write(path, what))
}

/// As [`write`], or to standard output if the path is `-`.
pub(super) fn write_or_print(
    path: &Path,
    what: &str,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), CliError> {
    if !is_standard(path) {
        return write(path, what, content);
    }
    let mut out = BufWriter::new(io::stdout().lock());
    content(&mut out).and_then(|()| out.flush()).map_err(CliError::from)
}

fn cannot_write(path: &Path, what: &str) -> impl Fn(io::Error) -> CliError {
    move |error| CliError::Error(format!("{}: cannot write {what}: {error}", path.display()))
}

fn fill(file: &mut File, content: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut out = BufWriter::new(file);
    content(&mut out)?;
    out.flush()
}

/// Writes a temporary file in the same folder and renames it to the path.
fn replace(path: &Path, content: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let target = real(path);
    let mut new = temporary_beside(&target)?;
    fill(new.as_file_mut(), content)?;
    new.as_file().sync_all()?;
    new.persist(target).map_err(|error| error.error)?;
    Ok(())
}

/// Returns the file that a path leads to: a symbolic link stays one when its file is replaced.
fn real(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// Creates a temporary file in the folder of `target`.
fn temporary_beside(target: &Path) -> io::Result<NamedTempFile> {
    let folder = match target.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    };
    // Unlike those of `tempfile_in`, errors do not name the temporary file.
    tempfile::Builder::new().make_in(folder, |path| File::create_new(path))
}
