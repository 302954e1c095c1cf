use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use super::error::CliError;

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
    written.map_err(|error| {
        CliError::Error(format!("{}: cannot write {what}: {error}", path.display()))
    })
}

fn fill(file: &mut File, content: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut out = BufWriter::new(file);
    content(&mut out)?;
    out.flush()
}

/// Writes a temporary file in the same folder and renames it to the path.
fn replace(path: &Path, content: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    // A symbolic link stays one.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let folder = match target.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    };
    // Unlike those of `tempfile_in`, errors do not name the temporary file.
    let mut new = tempfile::Builder::new().make_in(folder, |path| File::create_new(path))?;
    fill(new.as_file_mut(), content)?;
    new.as_file().sync_all()?;
    new.persist(target).map_err(|error| error.error)?;
    Ok(())
}
