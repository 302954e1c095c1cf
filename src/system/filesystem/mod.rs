//! The file operations of a build.
//!
//! They are behind a trait so that tests can make each of them fail, and simulate power cuts that
//! lose whatever was not synced. Probing opens tables without this trait.

#[cfg(test)]
pub(crate) mod faulty;

use std::fmt::Debug;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::system::positioned;

/// The file operations that a build needs. A name changes atomically; names and bytes are durable
/// only after they are synced.
pub(crate) trait FileSystem: Debug + Send + Sync {
    /// Creates a folder; its parent must exist.
    fn make_folder(&self, path: &Path) -> io::Result<()>;

    /// Creates a file for writing. An existing file is an error if `new` is set, and is truncated
    /// otherwise.
    fn create(&self, path: &Path, new: bool) -> io::Result<Box<dyn Output>>;

    /// Opens an existing file for writing from offset `start` on.
    fn open(&self, path: &Path, start: u64) -> io::Result<Box<dyn Output>>;

    /// Creates an unnamed temporary file in `folder`, which is deleted when it is closed.
    fn temp_file(&self, folder: &Path) -> io::Result<Box<dyn TempFile>>;

    /// Returns the paths in a folder.
    fn list(&self, folder: &Path) -> io::Result<Vec<PathBuf>>;

    /// Returns the length of a file.
    fn length(&self, path: &Path) -> io::Result<u64>;

    /// Reads `bytes` bytes of a file from offset `start` on.
    fn read(&self, path: &Path, start: u64, bytes: usize) -> io::Result<Vec<u8>>;

    /// Renames a file within its folder and replaces any file of the new name.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Deletes a file.
    fn remove(&self, path: &Path) -> io::Result<()>;

    /// Deletes an empty folder.
    fn remove_folder(&self, path: &Path) -> io::Result<()>;

    /// Makes the contents of a file durable.
    fn sync(&self, path: &Path) -> io::Result<()>;

    /// Makes the names in a folder durable.
    fn sync_folder(&self, folder: &Path) -> io::Result<()>;

    /// Returns the free bytes on the disk of a folder.
    fn available(&self, folder: &Path) -> io::Result<u64>;

    /// Creates a folder and its missing parents, durably.
    fn make_folders(&self, path: &Path) -> io::Result<()> {
        if path.is_dir() {
            return Ok(());
        }
        let named = path.parent().filter(|parent| *parent != Path::new(""));
        let parent = named.unwrap_or(Path::new("."));
        self.make_folders(parent)?;
        match self.make_folder(path) {
            // Another process may have created it first.
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
            Err(_) if !path.is_dir() => Err(io::ErrorKind::NotADirectory.into()),
            _ => self.sync_folder(parent),
        }
    }
}

/// A file that is being written.
pub(crate) trait Output: Write + Debug + Send {
    /// Makes the bytes written so far durable.
    fn sync(&mut self) -> io::Result<()>;
}

impl Output for File {
    fn sync(&mut self) -> io::Result<()> {
        self.sync_all()
    }
}

/// An unnamed temporary file; threads may read and write it concurrently.
pub(crate) trait TempFile: Debug + Send + Sync {
    /// Writes `bytes` from offset `start` on.
    fn write_at(&self, start: u64, bytes: &[u8]) -> io::Result<()>;

    /// Reads `bytes` bytes from offset `start` on.
    fn read_at(&self, start: u64, bytes: usize) -> io::Result<Vec<u8>>;
}

impl TempFile for File {
    fn write_at(&self, start: u64, bytes: &[u8]) -> io::Result<()> {
        positioned::write_at(self, bytes, start)
    }

    fn read_at(&self, start: u64, bytes: usize) -> io::Result<Vec<u8>> {
        let mut read = vec![0; bytes];
        positioned::read_at(self, &mut read, start)?;
        Ok(read)
    }
}

/// The operating system's files.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SystemFiles;

impl FileSystem for SystemFiles {
    fn make_folder(&self, path: &Path) -> io::Result<()> {
        fs::create_dir(path)
    }

    fn create(&self, path: &Path, new: bool) -> io::Result<Box<dyn Output>> {
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true).create_new(new);
        Ok(Box::new(options.open(path)?))
    }

    fn open(&self, path: &Path, start: u64) -> io::Result<Box<dyn Output>> {
        let mut file = OpenOptions::new().write(true).open(path)?;
        file.seek(SeekFrom::Start(start))?;
        Ok(Box::new(file))
    }

    fn temp_file(&self, folder: &Path) -> io::Result<Box<dyn TempFile>> {
        Ok(Box::new(tempfile::tempfile_in(folder)?))
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<PathBuf>> {
        fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect()
    }

    fn length(&self, path: &Path) -> io::Result<u64> {
        fs::metadata(path).map(|metadata| metadata.len())
    }

    fn read(&self, path: &Path, start: u64, bytes: usize) -> io::Result<Vec<u8>> {
        File::open(path)?.read_at(start, bytes)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        fs::remove_dir(path)
    }

    fn sync(&self, path: &Path) -> io::Result<()> {
        // Some systems sync only files opened for writing.
        OpenOptions::new().write(true).open(path)?.sync_all()
    }

    #[cfg(unix)]
    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        File::open(folder)?.sync_all()
    }

    /// Does nothing: other systems cannot open folders, and make names durable themselves.
    #[cfg(not(unix))]
    fn sync_folder(&self, _: &Path) -> io::Result<()> {
        Ok(())
    }

    fn available(&self, folder: &Path) -> io::Result<u64> {
        fs4::available_space(folder)
    }
}
