use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use super::error::CliError;

/// Writes a file that the user named: all of it, or nothing. What has that name stays as
/// it is until the new file is complete. A device or a pipe is written to as it is.
///
/// `what` is said of the file where it cannot be written.
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

/// Writes a new file beside the old one, and gives it that one's name.
fn replace(path: &Path, content: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    // A link stays one.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let folder = target.parent().filter(|folder| *folder != Path::new(""));
    let folder = folder.unwrap_or(Path::new("."));
    // Of a folder that is not there, the error of a temporary file would name that file.
    folder.metadata()?;
    let mut new = tempfile::Builder::new();
    #[cfg(unix)]
    {
        use std::fs::Permissions;
        use std::os::unix::fs::PermissionsExt;
        // As other new files, less what the user's mask takes away.
        new.permissions(Permissions::from_mode(0o666));
    }
    let mut new = new.tempfile_in(folder)?;
    fill(new.as_file_mut(), content)?;
    new.as_file().sync_all()?;
    new.persist(target).map_err(|error| error.error)?;
    Ok(())
}
