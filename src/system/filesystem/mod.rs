//! The calls by which a build changes what is on the disk.
//!
//! They are behind a trait so that tests can let each of them fail, and lose at any
//! moment what a power cut may take: whatever was not synced. Tables that are only
//! probed are opened in another way.

#[cfg(test)]
pub(crate) mod faulty;

use std::fmt::Debug;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::system::positioned;

/// What a build needs of a file system. A name is changed at once or not at all; it
/// and the bytes behind it last when they have been synced.
pub(crate) trait FileSystem: Debug + Send + Sync {
    /// Makes a folder, in one that is there.
    fn make_folder(&self, path: &Path) -> io::Result<()>;

    /// Makes a file to be written to; if it must be new, it is an error if there is
    /// one, otherwise that one is emptied.
    fn create(&self, path: &Path, new: bool) -> io::Result<Box<dyn Output>>;

    /// A file that is there, to be written to from that place on.
    fn open(&self, path: &Path, start: u64) -> io::Result<Box<dyn Output>>;

    /// A file in a folder, which has no name and goes when it is closed.
    fn unnamed(&self, folder: &Path) -> io::Result<Box<dyn Unnamed>>;

    /// What is in a folder.
    fn list(&self, folder: &Path) -> io::Result<Vec<PathBuf>>;

    /// The length of a file.
    fn length(&self, path: &Path) -> io::Result<u64>;

    /// So many bytes of a file, from that place on.
    fn read(&self, path: &Path, start: u64, bytes: usize) -> io::Result<Vec<u8>>;

    /// Gives a file another name in its folder; what had that name is gone.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Deletes a file.
    fn remove(&self, path: &Path) -> io::Result<()>;

    /// Deletes an empty folder.
    fn remove_folder(&self, path: &Path) -> io::Result<()>;

    /// Makes the bytes of a file last.
    fn sync(&self, path: &Path) -> io::Result<()>;

    /// Makes the names in a folder last.
    fn sync_folder(&self, folder: &Path) -> io::Result<()>;

    /// The bytes that are free on the disk of a folder.
    fn available(&self, folder: &Path) -> io::Result<u64>;

    /// Makes a folder with all that it is in, if it is not there, and makes it last.
    fn make_folders(&self, path: &Path) -> io::Result<()> {
        if path.is_dir() {
            return Ok(());
        }
        let parent = path.parent().filter(|parent| *parent != Path::new(""));
        let parent = parent.unwrap_or(Path::new("."));
        self.make_folders(parent)?;
        match self.make_folder(path) {
            // Another process may have been faster.
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
            Err(_) if !path.is_dir() => Err(io::ErrorKind::NotADirectory.into()),
            _ => self.sync_folder(parent),
        }
    }
}

/// A file that is being written.
pub(crate) trait Output: Write + Debug + Send {
    /// Makes the bytes last that were written so far.
    fn sync(&mut self) -> io::Result<()>;
}

impl Output for File {
    fn sync(&mut self) -> io::Result<()> {
        self.sync_all()
    }
}

/// A file without a name, of which nobody else knows; many threads may use it at once.
pub(crate) trait Unnamed: Debug + Send + Sync {
    /// Writes from that place on.
    fn write_at(&self, start: u64, bytes: &[u8]) -> io::Result<()>;

    /// So many bytes, from that place on.
    fn read_at(&self, start: u64, bytes: usize) -> io::Result<Vec<u8>>;
}

impl Unnamed for File {
    fn write_at(&self, start: u64, bytes: &[u8]) -> io::Result<()> {
        positioned::write_at(self, bytes, start)
    }

    fn read_at(&self, start: u64, bytes: usize) -> io::Result<Vec<u8>> {
        let mut read = vec![0; bytes];
        positioned::read_at(self, &mut read, start)?;
        Ok(read)
    }
}

/// The system's own.
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

    fn unnamed(&self, folder: &Path) -> io::Result<Box<dyn Unnamed>> {
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
        // Some systems sync only files that may be written to.
        OpenOptions::new().write(true).open(path)?.sync_all()
    }

    #[cfg(unix)]
    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        File::open(folder)?.sync_all()
    }

    /// Other systems open no folders, and name files for good by themselves.
    #[cfg(not(unix))]
    fn sync_folder(&self, _: &Path) -> io::Result<()> {
        Ok(())
    }

    fn available(&self, folder: &Path) -> io::Result<u64> {
        fs4::available_space(folder)
    }
}
