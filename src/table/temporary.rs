//! Incomplete tables of killed writers.

use std::path::Path;

use crate::system::filesystem::FileSystem;
use crate::system::temporary::EXTENSION;

use super::error::{TableError, TableErrorKind};
use super::format::Metric;

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

/// Returns whether a name is that of an incomplete table.
fn is_temporary(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let parts: Vec<&str> = name.split('.').collect();
    match parts[..] {
        [_, metric, number, EXTENSION] => {
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
    use std::sync::Arc;

    use super::*;
    use crate::system::filesystem::SystemFiles;
    use crate::system::temporary::TemporaryFile;

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
