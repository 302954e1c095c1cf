//! Tables from other machines: from an explorer that allows downloads, or from any web server with
//! the files and their manifest.
//!
//! A [`Remote`] is the list of the tables that a server offers; a [`Pull`] fetches those that are
//! missing here. Files are named by the slice and metric that the manifest lists, never by a path
//! that a server sends; they are complete, checked and durable before they get their names.
//! Checksums reveal damage, not forgery: [`verify`](crate::verify) recomputes values.
//!
//! ```no_run
//! use std::path::Path;
//!
//! use taflbase::Ruleset;
//! use taflbase::pull::{Pull, PullOptions, Remote};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let rules = Ruleset::load("brandubh")?;
//! let remote = Remote::find("http://127.0.0.1:8080", &rules, &PullOptions::default())?;
//! let small: Vec<_> = remote.files().iter().filter(|file| file.slice.men() <= 5).collect();
//! Pull::new(&rules, &remote, Path::new("tables")).run(
//!     &small,
//!     &mut |file, state| println!("{file}: {state}"),
//!     &|_, _| true,
//! )?;
//! # Ok(())
//! # }
//! ```

mod address;
mod client;
mod error;
mod remote;
#[cfg(test)]
mod tests;
mod transfer;

pub use error::{PullError, ServerFault};
pub use remote::{Remote, RemoteFile};

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::game::rules::Ruleset;
use crate::index::SliceIndex;
use crate::study::manifest::Comparison;
use crate::system::file_lock::lock_folder;
use crate::system::filesystem::{FileSystem, SystemFiles};
use crate::tablebase::Tablebase;

use transfer::Transfer;

/// How long to bear with a server.
#[derive(Clone, Copy, Debug)]
pub struct PullOptions {
    /// Time limit for a connection, and for each further piece of a response. Default 30 s.
    pub timeout: Duration,
    /// How often to continue a file after failures in a row. Default 6, which takes some 16
    /// seconds of waiting.
    pub retries: u32,
}

impl Default for PullOptions {
    fn default() -> PullOptions {
        PullOptions { timeout: Duration::from_secs(30), retries: 6 }
    }
}

/// What has become of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FileState {
    /// It was fetched.
    Fetched,
    /// It was there already, perhaps compressed differently.
    Kept,
    /// A file with other values was there already and is kept: one of the two is wrong.
    Different,
}

impl FileState {
    /// Returns the state in words, as JSON has it.
    pub fn name(self) -> &'static str {
        match self {
            FileState::Fetched => "fetched",
            FileState::Kept => "kept",
            FileState::Different => "different values",
        }
    }
}

impl fmt::Display for FileState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Fetches tables into the folder of their ruleset.
#[derive(Debug)]
pub struct Pull<'a> {
    rules: &'a Ruleset,
    remote: &'a Remote,
    tables: &'a Path,
    files: Arc<dyn FileSystem>,
}

impl<'a> Pull<'a> {
    /// Prepares to fetch files of `remote`, which lists tables of `rules`, into the ruleset's folder
    /// in `tables`.
    pub fn new(rules: &'a Ruleset, remote: &'a Remote, tables: &'a Path) -> Pull<'a> {
        Pull { rules, remote, tables, files: Arc::new(SystemFiles) }
    }

    /// Uses this file system.
    #[cfg(test)]
    fn with_files(self, files: Arc<dyn FileSystem>) -> Pull<'a> {
        Pull { files, ..self }
    }

    /// Fetches the `wanted` files that are missing or damaged here, one after the other. What has
    /// arrived of a file is kept when this fails or stops, and continued by the next pull.
    ///
    /// `report` is called for each file, first for those that are here. `go_on(done, total)` is
    /// called with bytes; it returns `false` to stop.
    ///
    /// # Errors
    /// If a folder or file cannot be used, the server fails for longer than the options of
    /// [`Remote::find`] allow, or what it sends is not what its manifest lists; and
    /// [`PullError::Stopped`].
    pub fn run(
        &self,
        wanted: &[&RemoteFile],
        report: &mut dyn FnMut(&RemoteFile, FileState),
        go_on: &dyn Fn(u64, u64) -> bool,
    ) -> Result<(), PullError> {
        let folder = self.tables.join(&self.rules.name);
        let missing = self.missing(wanted, report)?;
        if missing.is_empty() && self.parts(&folder, wanted)?.is_empty() {
            return Ok(());
        }
        missing.iter().try_for_each(|file| self.check_size(file))?;
        self.files.make_folders(&folder).map_err(|source| PullError::file(&folder, source))?;
        let lock = lock_folder(&folder).map_err(|source| PullError::file(&folder, source))?;
        let _lock = lock.ok_or_else(|| PullError::Busy { folder: folder.clone() })?;
        // A build or another pull may have written some of them before the lock.
        let missing = self.missing(&missing, report)?;
        // A server may list anything: sums must not overflow.
        let total = missing.iter().map(|file| file.entry.bytes).fold(0, u64::saturating_add);
        let mut transfers = Vec::new();
        for file in missing {
            transfers.push(Transfer::new(self, file, &folder)?);
        }
        // What has arrived of other versions, and of files that are here by now.
        for part in self.parts(&folder, wanted)? {
            if transfers.iter().all(|transfer| transfer.part != part) {
                self.files.remove(&part).map_err(|source| PullError::file(&part, source))?;
            }
        }
        let left = transfers.iter().map(Transfer::left).fold(0, u64::saturating_add);
        self.check_space(&folder, left)?;
        let mut done = 0;
        for mut transfer in transfers {
            transfer.run(&|have| go_on(done + have, total))?;
            done += transfer.file.entry.bytes;
            report(transfer.file, FileState::Fetched);
        }
        Ok(())
    }

    /// Reports the files that are here, and returns the others.
    fn missing<'f>(
        &self,
        wanted: &[&'f RemoteFile],
        report: &mut dyn FnMut(&RemoteFile, FileState),
    ) -> Result<Vec<&'f RemoteFile>, PullError> {
        let base = Tablebase::open_files(self.rules.clone(), self.tables)?;
        let mut missing = Vec::new();
        for &file in wanted {
            match found(&base, file)? {
                Some(state) => report(file, state),
                None => missing.push(file),
            }
        }
        Ok(missing)
    }

    /// Returns what has arrived of any versions of these files.
    fn parts(&self, folder: &Path, wanted: &[&RemoteFile]) -> Result<Vec<PathBuf>, PullError> {
        let mut paths = match self.files.list(folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            paths => paths.map_err(|source| PullError::file(folder, source))?,
        };
        paths.retain(|path| wanted.iter().any(|file| transfer::is_part(path, file)));
        Ok(paths)
    }

    /// Refuses a file of an impossible slice, or whose listed size no table of its slice can have.
    fn check_size(&self, file: &RemoteFile) -> Result<(), PullError> {
        let index = SliceIndex::new(self.rules, file.slice).map_err(|error| PullError::Listed {
            url: self.remote.manifest().to_string(),
            reason: format!("the manifest lists {file}, but {error}"),
        })?;
        // A value takes at most two bytes; heads and the index of blocks take less than the rest.
        let most = index.slots().saturating_mul(4).saturating_add(64 << 10);
        match file.entry.bytes <= most {
            true => Ok(()),
            false => Err(PullError::Server {
                url: self.remote.address_of(file).to_string(),
                fault: ServerFault::Oversized { listed: file.entry.bytes, most },
            }),
        }
    }

    fn check_space(&self, folder: &Path, needed: u64) -> Result<(), PullError> {
        match self.files.available(folder) {
            Ok(free) if free < needed => {
                Err(PullError::NoSpace { folder: folder.to_owned(), needed, free })
            }
            // If the system does not say, writing will.
            _ => Ok(()),
        }
    }
}

/// Returns the state of a file that is here; `None` if it is to be fetched.
fn found(base: &Tablebase, file: &RemoteFile) -> Result<Option<FileState>, PullError> {
    let table = base.intact_table(file.slice, file.metric)?;
    Ok(table.map(|table| match file.entry.compare(table) {
        Comparison::SameFile | Comparison::SameValues => FileState::Kept,
        Comparison::OtherValues => FileState::Different,
    }))
}

impl PullError {
    /// A folder or file that cannot be written.
    fn file(path: &Path, source: io::Error) -> PullError {
        PullError::File { path: PathBuf::from(path), source }
    }
}
