//! The files of a store.

use std::io;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::game::rules::Ruleset;
use crate::proof::certificate::{Certificate, CertificateError, EXTENSION, STORE_FOLDER};
use crate::system::filesystem::{FileSystem, Output, SystemFiles};
use crate::system::temporary::write_durably;
use crate::tablebase::Tablebase;

use super::error::StoreError;

/// The first line of the rules file.
const MAGIC: &str = "# taflbase proof store 1\n";
const RULES: &str = "rules.toml";
pub(super) const JOURNALS: &str = "journal";
pub(super) const CLAIMS: &str = "claims";
const FOLDERS: [&str; 3] = [JOURNALS, STORE_FOLDER, CLAIMS];
/// The zstd level of stored certificates, which are written often.
const LEVEL: i32 = 6;

/// The folder of a store.
#[derive(Clone, Debug)]
pub(super) struct Folder {
    pub(super) files: Arc<dyn FileSystem>,
    pub(super) root: PathBuf,
}

/// Returns the path of the ruleset's file in a store.
///
/// # Errors
/// If the folder is not a store.
pub fn rules_file(folder: &Path) -> Result<PathBuf, StoreError> {
    let folder = Folder::on_disk(folder);
    folder.read_rules()?;
    Ok(folder.rules_path())
}

/// Returns the ruleset of a store.
///
/// # Errors
/// If the folder is not a store.
pub fn store_rules(folder: &Path) -> Result<Ruleset, StoreError> {
    Folder::on_disk(folder).read_rules()
}

/// Returns the size of a store on disk, in bytes.
///
/// # Errors
/// If the folder cannot be read.
pub fn disk_bytes(folder: &Path) -> Result<u64, StoreError> {
    Folder::on_disk(folder).disk_bytes()
}

impl Folder {
    /// A folder of the operating system's, which may be no store.
    fn on_disk(root: &Path) -> Folder {
        Folder { files: Arc::new(SystemFiles), root: root.to_owned() }
    }

    /// Opens an existing store.
    ///
    /// # Errors
    /// If the folder is not a store for these rules.
    pub(super) fn open(
        files: Arc<dyn FileSystem>,
        root: &Path,
        rules: &Ruleset,
    ) -> Result<Folder, StoreError> {
        let folder = Folder { files, root: root.to_owned() };
        let stored = folder.read_rules()?;
        if stored.fingerprint() != rules.fingerprint() {
            let rules = stored.name.clone();
            return Err(StoreError::OtherRules { path: folder.root, rules });
        }
        Ok(folder)
    }

    /// Opens a store to work in, or creates it if the folder is missing or empty. `text` is the
    /// ruleset's file.
    ///
    /// # Errors
    /// If the folder is not a store for these rules, or the store cannot be created.
    pub(super) fn create(
        files: Arc<dyn FileSystem>,
        root: &Path,
        rules: &Ruleset,
        text: &str,
    ) -> Result<Folder, StoreError> {
        files.make_folders(root).map_err(StoreError::at(root))?;
        let folder = Folder { files: Arc::clone(&files), root: root.to_owned() };
        let path = folder.rules_path();
        if !path.exists() {
            let entries = files.list(root).map_err(StoreError::at(root))?;
            if !entries.iter().all(|entry| is_ours(entry)) {
                return Err(StoreError::Occupied { path: root.to_owned() });
            }
            folder.write(&path, &[MAGIC.as_bytes(), text.as_bytes()].concat())?;
        }
        // A rules file that is not a store's may be the user's own: nothing is put beside it.
        let folder = Folder::open(files, root, rules).map_err(|error| match error {
            StoreError::NotAStore { path } => StoreError::Occupied { path },
            error => error,
        })?;
        for name in FOLDERS {
            let path = root.join(name);
            folder.files.make_folders(&path).map_err(StoreError::at(&path))?;
        }
        Ok(folder)
    }

    /// Returns the path of the ruleset's file.
    pub(super) fn rules_path(&self) -> PathBuf {
        self.root.join(RULES)
    }

    /// Reads the rules of a store.
    pub(super) fn read_rules(&self) -> Result<Ruleset, StoreError> {
        let path = self.rules_path();
        let not_a_store = || StoreError::NotAStore { path: self.root.clone() };
        let bytes = match self.read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                // A folder that is missing is another error than one without a store.
                self.files.list(&self.root).map_err(StoreError::at(&self.root))?;
                return Err(not_a_store());
            }
            read => read.map_err(StoreError::at(&path))?,
        };
        let text = std::str::from_utf8(&bytes).map_err(|_| not_a_store())?;
        if !text.starts_with(MAGIC) {
            return Err(not_a_store());
        }
        Ruleset::from_toml(text, &path.to_string_lossy()).map_err(|_| not_a_store())
    }

    /// Reads a whole file.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let length = self.files.length(path)?;
        self.files.read(path, 0, length as usize)
    }

    fn write(&self, path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
        let written = write_durably(Arc::clone(&self.files), path, |out| out.write_all(bytes));
        written.map_err(StoreError::at(path))
    }

    /// Stores a certificate durably, and returns its name: a hash of its bytes.
    pub(super) fn write_certificate(
        &self,
        certificate: &Certificate,
    ) -> Result<String, StoreError> {
        let folder = self.root.join(STORE_FOLDER);
        let mut bytes = Vec::new();
        certificate.write_at(LEVEL, &mut bytes).map_err(StoreError::at(&folder))?;
        let name = hash(&bytes, 32);
        self.write(&self.certificate_path(&name), &bytes)?;
        Ok(name)
    }

    /// Reads a certificate, without checking its strategies; an error if one of its tables is
    /// missing.
    pub(super) fn read_certificate(
        &self,
        name: &str,
        tables: &Tablebase,
    ) -> Result<Certificate, CertificateError> {
        let bytes = self.read(&self.certificate_path(name)).map_err(CertificateError::Io)?;
        let certificate = Certificate::read(&bytes[..], tables.rules())?;
        certificate.require_tables(Some(tables))?;
        Ok(certificate)
    }

    /// Deletes a certificate.
    pub(super) fn remove_certificate(&self, name: &str) -> Result<(), StoreError> {
        let path = self.certificate_path(name);
        self.files.remove(&path).map_err(StoreError::at(&path))
    }

    fn certificate_path(&self, name: &str) -> PathBuf {
        self.root.join(STORE_FOLDER).join(format!("{name}.{EXTENSION}"))
    }

    /// Returns the names of all certificates, sorted.
    pub(super) fn certificates(&self) -> Result<Vec<String>, StoreError> {
        let folder = self.root.join(STORE_FOLDER);
        let mut names: Vec<String> = Vec::new();
        for path in self.files.list(&folder).map_err(StoreError::at(&folder))? {
            if path.extension().is_some_and(|extension| extension == EXTENSION) {
                names.extend(path.file_stem().map(|stem| stem.to_string_lossy().into_owned()));
            }
        }
        names.sort();
        Ok(names)
    }

    /// Creates a journal with a unique name.
    pub(super) fn create_journal(&self) -> Result<(PathBuf, Box<dyn Output>), StoreError> {
        let folder = self.root.join(JOURNALS);
        let path = folder.join(unique_name());
        let out = self.files.create(&path, true).map_err(StoreError::at(&path))?;
        self.files.sync_folder(&folder).map_err(StoreError::at(&folder))?;
        Ok((path, out))
    }

    /// Returns the total size of all files in bytes.
    pub(super) fn disk_bytes(&self) -> Result<u64, StoreError> {
        let mut bytes = 0;
        for folder in FOLDERS.map(|name| self.root.join(name)).iter().chain([&self.root]) {
            for path in self.files.list(folder).map_err(StoreError::at(folder))? {
                if path.is_file() {
                    // A temporary file may have been renamed meanwhile.
                    bytes += self.files.length(&path).unwrap_or(0);
                }
            }
        }
        Ok(bytes)
    }
}

/// Returns whether a store has an entry of this name.
fn is_ours(entry: &Path) -> bool {
    let name = entry.file_name().unwrap_or_default().to_string_lossy();
    FOLDERS.contains(&&*name) || name.starts_with("rules.")
}

/// Returns the first `digits` hexadecimal digits of the BLAKE3 hash.
pub(super) fn hash(bytes: &[u8], digits: usize) -> String {
    blake3::hash(bytes).to_hex()[..digits].to_owned()
}

/// Returns a name, made of the time, the process and a count, that no other process uses, on this
/// machine or another.
fn unique_name() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let nanos = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos());
    format!("{nanos:x}-{:x}-{count:x}", process::id())
}
